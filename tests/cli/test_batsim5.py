"""Batsim 5's command line: options, configuration files, what is refused."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.golden_outputs import table
from tests.wires.batprotocol.listed import EXECUTE, RuleComponent, execution, initial, rule
from tests.wires.peers import EXAMPLES, ROOT, build

import windtunnel
from windtunnel.cli import batsim5, batsim5_options
from windtunnel.cli.main import main

HOSTS = "".join(f'<host id="h{n}" speed="100f,50f"/>' for n in (1, 2, 10, 3))
PLATFORM = f"""<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="Full">{HOSTS}<host id="boss" speed="1f"/></zone></platform>
"""
JOBS = {
    "nb_res": 2,
    "jobs": [
        {"id": "a", "subtime": 1, "res": 2, "profile": "d"},
        {"id": "b", "subtime": 1, "res": 1, "profile": "d"},
    ],
    "profiles": {"d": {"type": "DelayProfile", "delay": 5}},
}


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    folder = tmp_path_factory.mktemp("libraries")
    return build(ROOT / "tests" / "wires" / "batprotocol" / "listed.c", folder)


@pytest.fixture(scope="module")
def one_by_one(tmp_path_factory):
    return build(EXAMPLES / "one_by_one.c", tmp_path_factory.mktemp("libraries"))


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("p.xml").write_text(PLATFORM)
    Path("w.json").write_text(json.dumps(JOBS))
    Path("e.txt").write_text('{"type": "generic", "timestamp": 3, "data": "news"}\n')
    Path("init").write_text(initial(EXECUTE))
    return tmp_path


SUBPROCESS = os.environ | {"PYTHONPATH": str(Path(windtunnel.__file__).parents[1])}
BASE = ("-p", "p.xml", "-m", "boss")


def messages(capfd):
    """What was sent, as printed for components that talk JSON."""
    lines = capfd.readouterr().err.splitlines()
    return [json.loads(line.split("'", 1)[1][:-1]) for line in lines if line.startswith("[edc/INFO] Sending '")]


def test_a_run_and_its_files(library, capfd):
    words = ("-w", "w.json", "-L", library, "init", "-e", "deep/er/x_", "--ee", "e.txt", "--trace-machine-state")
    assert main(["batsim5", *BASE, *words, "--trace-pstate-changes", "--trace-probe-data", "always"]) == 0
    assert {path.name for path in Path("deep/er").iterdir()} == {
        "x_jobs.csv",
        "x_machine_states.csv",
        "x_probes.csv",
        "x_pstate_changes.csv",
        "x_real_exec_info.json",
        "x_run.json",
        "x_schedule.json",
    }
    rows = table(Path("deep/er/x_jobs.csv"))
    assert [(row["job_id"], row["profile"], row["finish_time"]) for row in rows] == [
        ("a", "w0!d", "6.000000"),
        ("b", "w0!d", "11.000000"),
    ]
    assert json.loads(Path("deep/er/x_schedule.json").read_text())["nb_jobs"] == 2
    told = messages(capfd)
    begins = told[0]["events"][0]["event"]
    assert [host["name"] for host in begins["computation_hosts"]] == ["h1", "h2", "h3", "h10"]
    assert begins["batsim_arguments"][:5] == ["batsim5", *BASE]
    assert begins["workloads"] == [{"name": "w0", "filename": str(Path("w.json").absolute())}]
    assert begins["external_event_lists"] == [{"name": "ee0", "filename": str(Path("e.txt").absolute())}]
    assert json.loads(begins["batsim_execution_context_json"]) == {
        "socket_endpoint": "",
        "export_prefix": "deep/er/x_",
    }
    kinds = [[event["event_type"] for event in message["events"]] for message in told]
    assert kinds[0] == ["SimulationBeginsEvent"]
    assert kinds[-1] == ["SimulationEndsEvent"]
    assert ["ExternalEventOccurredEvent", "AllStaticExternalEventsHaveBeenInjectedEvent"] in kinds


def test_only_the_usual_files_and_silence(one_by_one, capfd):
    assert main(["batsim5", *BASE, "-w", "w.json", "-l", one_by_one, "", "-v", "QUIET"]) == 0
    assert {path.name for path in Path("out").iterdir()} == {
        "jobs.csv",
        "real_exec_info.json",
        "run.json",
        "schedule.json",
    }
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("load", [[], ["--edc-library-load-method", "dlmopen"], ["--edc-isolated"]])
def test_ways_to_load_a_library(one_by_one, load):
    assert main(["batsim5", *BASE, "-q", "-w", "w.json", "-l", one_by_one, "", *load]) == 0
    assert len(table(Path("out/jobs.csv"))) == 2


@pytest.mark.parametrize(
    ("words", "hosts"),
    [
        (["--mmax", "3"], ["h1", "h2", "h3"]),
        (["--mmax-workload"], ["h1", "h2"]),
        (["--mmax-workload", "--mmax", "3"], ["h1", "h2"]),
        (["--mmax-workload", "--mmax", "1"], ["h1"]),
        (["-r", "h2", "storage"], ["h1", "h3", "h10"]),
        (["--add-role-to-hosts", "h2", "storage"], ["h1", "h3", "h10"]),
    ],
)
def test_which_hosts_compute(library, words, hosts, capfd):
    init = initial(rule("JobSubmitted", "RejectJob", {"job_id": "@id"}))
    assert main(["batsim5", *BASE, "-w", "w.json", "-l", library, init, *words]) == 0
    begins = messages(capfd)[0]["events"][0]["event"]
    assert [host["name"] for host in begins["computation_hosts"]] == hosts


def test_a_window_of_tcp_and_nothing_else_of_simgrid(library, capfd):
    words = ["batsim5", *BASE, "-l", library, initial()]
    assert main([*words, "--sg-cfg", "network/TCP-gamma:1000"]) == 0
    assert main([*words, "--sg-cfg", "cpu/optim:Full"]) == 2
    assert "only network/TCP-gamma" in capfd.readouterr().err


REFUSED = {
    "no component": ([], "At least one external decision component (EDC) should be set."),
    "no platform": (["-l", "x", ""], "The SimGrid platform has not been set."),
    "energy": (["-E", "-l", "x", ""], "-E is not supported: the energy of links"),
    "links": (["--energy-link"], "the energy of links is not simulated"),
    "SimGrid": (["--simgrid-version"], "SimGrid is not used here"),
    "commit": (["--batsim-git-commit"], "this is not Batsim"),
    "mmax": ([*BASE, "--mmax", "-1", "-l", "x", ""], "--mmax -1 is negative"),
    "timeout": ([*BASE, "--timeout", "0", "-l", "x", ""], "not a positive number"),
    "init file": ([*BASE, "-L", "x", "nowhere"], "initialisation file nowhere cannot be read"),
    "endpoint": ([*BASE, "-s", "here", ""], "not an endpoint"),
    "walltime -1": ([*BASE, "-w", "minus.json", "-l", "x", ""], "walltime"),
    "platform": (
        ["-p", "hosts:4", "-l", "x", ""],
        "Batsim's platforms are SimGrid files, and 'hosts:4' is a shorthand",
    ),
    "export": ([*BASE, "-e", "p.xml/x", "-l", "x", ""], "is not a directory"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_mistakes(what, capfd):
    bad = json.loads(json.dumps(JOBS))
    bad["jobs"][0]["walltime"] = -1
    Path("minus.json").write_text(json.dumps(bad))
    words, message = REFUSED[what]
    assert main(["batsim5", *words]) == 2
    assert message in capfd.readouterr().err


def test_what_is_read_is_not_written_over(capfd):
    before = Path("w.json").read_bytes()
    assert main(["batsim5", *BASE, "-w", "w.json", "-l", "x", "", "--gen-config", "./w.json"]) == 2
    assert "--gen-config ./w.json is an input: it would be overwritten" in capfd.readouterr().err
    assert Path("w.json").read_bytes() == before


def test_what_has_no_effect_is_told(one_by_one, capfd):
    line = ["batsim5", *BASE, "-w", "w.json", "-l", one_by_one, ""]
    assert main([*line, "--timeout", "5", "--trust-code"]) == 0
    told = [text for text in capfd.readouterr().err.splitlines() if "without-effect" in text]
    assert [text.partition(": ")[2] for text in told] == [
        "--timeout has no effect without processes (-s, -S, --edc-isolated)",
        "--trust-code has no effect without a configuration file (-c)",
    ]
    assert main([*line, "--timeout", "5", "--edc-isolated"]) == 0
    assert "without-effect" not in capfd.readouterr().err


def test_a_library_that_is_not_there_fails_the_run(capfd):
    assert main(["batsim5", *BASE, "-l", "./libnowhere.so", ""]) == 1
    assert "dynamic loader failed while loading external decision component library" in capfd.readouterr().err


def test_execution_context(capfd):
    words = ["-e", "out/a", "-s", "ipc:///tmp/x", "", "-p", "p.xml", "--dump-execution-context"]
    assert main(["batsim5", *words]) == 0
    assert json.loads(capfd.readouterr().out) == {"socket_endpoint": "ipc:///tmp/x", "export_prefix": "out/a"}


def test_components_decide_in_the_order_of_the_command_line():
    words = ["-S", "s1", "f1", "-l", "l1", "i1", "-s", "s2", "", "-L", "l2", "f2"]
    assert batsim5_options.parse(words).components == [
        ("edc-socket-file", "s1", "f1"),
        ("edc-library-str", "l1", "i1"),
        ("edc-socket-str", "s2", ""),
        ("edc-library-file", "l2", "f2"),
    ]


# -- configuration files ------------------------------------------------------------------------------------------

WORDS = [
    *("-p", "p.xml", "-w", "a b.json", "-w", "it's.json", "--ee", "e.txt", "-m", "boss", "-r", "h1", "storage"),
    *("-r", "h2", "storage", "-l", "./x.so", '{"a": "b c", "d": \'"\'}', "-S", "ipc:///x", "f", "--mmax", "7"),
    *("--energy-host", "--edc-isolated", "--sg-cfg", "network/TCP-gamma:1000", "-v", "debug", "--timeout", "2.5"),
]


@pytest.mark.parametrize("name", ["made.toml", "made.ini", "made"])
def test_a_configuration_written_is_read_back(name, capfd):
    assert main(["batsim5", *WORDS, "--gen-config", name, "--dump-execution-context"]) == 0
    there, back = vars(batsim5_options.parse(WORDS)), vars(batsim5_options.parse(["-c", name, "--trust-code"]))
    assert back.pop("config") == name
    assert back.pop("trust_code") is not there.pop("trust_code")
    assert there.pop("config") is None
    assert back == there


def test_the_command_line_comes_before_the_file():
    Path("c.toml").write_text(
        'platform = "other.xml"\nmmax = 3\nworkload = ["x.json"]\nquiet = true\nedc-socket-str = ["ipc:///a", "1", '
        '"ipc:///b", "2"]\nadd-role = [["h1", "storage"]]\n'
    )
    options = batsim5_options.parse(["-c", "c.toml", "-p", "p.xml", "-w", "w.json"])
    assert (options.platform, options.workload, options.mmax, options.quiet) == ("p.xml", ["w.json"], 3, True)
    assert options.components == [("edc-socket-str", "ipc:///a", "1"), ("edc-socket-str", "ipc:///b", "2")]
    assert options.add_role == [["h1", "storage"]]
    assert batsim5_options.parse(["-c", "c.toml", "-l", "x", ""]).components == [("edc-library-str", "x", "")]


def test_gen_config_goes_on_with_the_simulation(library):
    assert main(["batsim5", *BASE, "-q", "-w", "w.json", "-L", library, "init", "--gen-config", "c.toml"]) == 0
    first = Path("out/jobs.csv").read_text()
    Path("out/jobs.csv").unlink()
    assert main(["batsim5", "-c", "c.toml", "--trust-code"]) == 0
    assert Path("out/jobs.csv").read_text() == first


def test_a_configuration_loads_a_library_only_when_told(library, capfd):
    Path("c.toml").write_text(f'platform = "p.xml"\nedc-library-str = ["{library}", ""]\n')
    assert main(["batsim5", "-c", "c.toml"]) == 2
    told = capfd.readouterr().err
    assert "is code, which a file may not load" in told
    assert "--trust-code" in told
    options = batsim5_options.parse(["-c", "c.toml", "-s", "ipc:///x", ""])  # it is not used then
    assert [kind for kind, *_ in options.components] == ["edc-socket-str"]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("c.toml", "platfrom = 'x'", "there is no option 'platfrom'"),
        ("c.toml", "platform = ", "is not TOML"),
        ("c.toml", "quiet = 'perhaps'", "quiet must be true or false"),
        ("c.toml", "platform = ['a', 'b']", "takes one value"),
        ("c.toml", "add-role = ['a']", "takes two values"),
        ("c.ini", "platform = 'x", "is not INI"),
        ("c.ini", "[more]\nplatform = x", "sections are not allowed"),
        ("c.ini", "just words", "is not INI"),
    ],
)
def test_mistakes_in_configuration_files(name, text, message, capfd):
    Path(name).write_text(text)
    assert main(["batsim5", "-c", name]) == 2
    assert message in capfd.readouterr().err


def test_a_configuration_that_is_not_there(capfd):
    assert main(["batsim5", "-c", "nowhere.toml"]) == 2
    assert "cannot be read" in capfd.readouterr().err


# -- rules of Batsim 5 --------------------------------------------------------------------------------------------


def test_allocations_of_any_size_and_hosts_shared(library):
    init = initial(
        rule("JobSubmitted", "ExecuteJob", execution(hosts="0-3"), id="w0!a"),
        rule("JobSubmitted", "ExecuteJob", execution(hosts="0"), id="w0!b"),
    )
    assert main(["batsim5", *BASE, "-q", "-w", "w.json", "-l", library, init]) == 0
    rows = {row["job_id"]: row["allocated_resources"] for row in table(Path("out/jobs.csv"))}
    assert rows == {"a": "0-3", "b": "0"}


@pytest.mark.parametrize("mapping", [[0, 4], [9]])
def test_a_mapping_beyond_the_allocation_is_refused(library, mapping, capfd):
    tasks = json.loads(json.dumps(JOBS))
    tasks["profiles"]["d"] = {"type": "ParallelTaskHomogeneousProfile", "cpu": 100, "com": 0}
    Path("w.json").write_text(json.dumps(tasks))
    init = initial(rule("Turn", "ExecuteJob", execution(mapping=mapping)))
    assert main(["batsim5", *BASE, "-q", "-w", "w.json", "-l", library, init]) == 1
    assert "the mapping names ranks" in capfd.readouterr().err


def test_profiles_that_are_forwarded(library, capfd):
    init = initial(
        EXECUTE,
        rule("Turn", "KillJobs", {"job_ids": ["@id"]}, delay=1.0),
        forward_profiles_on_job_submission=True,
        forward_profiles_on_jobs_killed=True,
        forward_profiles_on_simulation_begins=True,
    )
    assert main(["batsim5", *BASE, "-w", "w.json", "-l", library, init]) == 0
    events = [event for message in messages(capfd) for event in message["events"]]
    wanted = {"id": "w0!d", "profile_type": "DelayProfile", "profile": {"delay": 5.0}}
    assert events[0]["event"]["profiles"] == [wanted]
    for kind, key in (("JobSubmittedEvent", "profile"), ("JobsKilledEvent", "profiles")):
        found = [event["event"][key] for event in events if event["event_type"] == kind]
        assert found == [[wanted] if key == "profiles" else wanted] * 2


def registering(*decisions):
    """A job of two hosts on the profile ``d!p``, registered at the start after these decisions."""
    job = {"job_id": "d!1", "job": {"resource_request": 2, "profile_id": "d!p"}}
    rules = [rule("SimulationBegins", *decision) for decision in decisions]
    rules.append(rule("SimulationBegins", "RegisterJob", job))
    return initial(*rules, rule("SimulationBegins", "ExecuteJob", execution("d!1", "0-1")))


def profile(kind, name="d!p", **members):
    return "RegisterProfile", {"profile": {"id": name, "profile_type": kind, "profile": members}}


HOMOGENEOUS = profile("ParallelTaskHomogeneousProfile", "d!t", computation_amount=700.0, communication_amount=0.0)


def test_registered_compositions_that_batsim_lacks(library):
    for kind, seconds in (
        ("ForkJoinCompositionProfile", "7.000000"),
        ("ParallelTaskMergeCompositionProfile", "14.0000"),
    ):
        other = profile("DelayProfile", "d!u", delay=3.0)
        both = profile(kind, profile_ids=["d!t", "u" if kind[0] == "F" else "t"])  # bare names: its own workload's
        assert main(["batsim5", *BASE, "-q", "-l", library, registering(HOMOGENEOUS, other, both)]) == 0
        (row,) = table(Path("out/jobs.csv"))
        assert row["execution_time"].startswith(seconds)


def test_a_registered_trace_is_read_then(library):
    Path("trace.txt").write_text("t0\nt1\n")
    for rank in range(2):
        Path(f"t{rank}").write_text(f"{rank} m_usage 1.0 500\n")
    made = profile("TraceReplayProfile", trace_type="FractionalComputation", filename="trace.txt")
    assert main(["batsim5", *BASE, "-q", "-l", library, registering(made)]) == 0
    (row,) = table(Path("out/jobs.csv"))
    assert row["execution_time"] == "5.000000"


UNREGISTRABLE = {
    "delay": (profile("DelayProfile", delay=-3.0), "its delay is -3.0, not positive"),
    "amounts": (profile("ParallelTaskHomogeneousProfile", computation_amount=-1.0), "the amount -1.0 is not"),
    "communications": (
        profile("ParallelTaskProfile", communication_matrix=[1.0] * 3),
        "number of communications (3)",
    ),
    "matrix": (
        profile("ParallelTaskProfile", computation_vector=[1.0] * 2, communication_matrix=[1.0] * 3),
        "exchange 4 amounts, its matrix has 3",
    ),
    "vector": (profile("ParallelTaskProfile", computation_vector=[]), "its computation vector is empty"),
    "size": (profile("ParallelTaskProfile", computation_vector=[1.0] * 3), "do NOT match the number of resources"),
    "sequence": (profile("SequentialCompositionProfile", profile_ids=[]), "contains no profile"),
    "missing": (
        profile("SequentialCompositionProfile", profile_ids=["no"]),
        "the used profile 'd!no' does not exist",
    ),
    "repeated": (
        profile("SequentialCompositionProfile", profile_ids=["t"], repetition_count=0),
        "it is repeated 0 times",
    ),
    "name": (profile("DelayProfile", "p", delay=1.0), "invalid profile identifier 'p'"),
    "two marks": (profile("DelayProfile", "d!p!q", delay=1.0), "invalid profile identifier 'd!p!q'"),
    "job": (
        ("RegisterJob", {"job_id": "j", "job": {"resource_request": 1, "profile_id": "d!t"}}),
        "job identifier 'j'",
    ),
    "merge": (profile("ParallelTaskMergeCompositionProfile", profile_ids=["d"]), "'d!d' is not a parallel task"),
    "trace": (profile("TraceReplayProfile", trace_type="SMPI", filename="no.txt"), "'no.txt' cannot be read"),
}


@pytest.mark.parametrize("what", UNREGISTRABLE)
def test_what_cannot_be_registered(library, what, capfd):
    made, message = UNREGISTRABLE[what]
    init = registering(HOMOGENEOUS, profile("DelayProfile", "d!d", delay=1.0), made)
    assert main(["batsim5", *BASE, "-q", "-l", library, init]) == 1
    assert message in capfd.readouterr().err


def test_a_registered_job_without_time_is_refused(library, capfd):
    job = {"job_id": "d!1", "job": {"resource_request": 2, "profile_id": "d!t", "walltime": 0.0}}
    init = initial(rule("SimulationBegins", *HOMOGENEOUS), rule("SimulationBegins", "RegisterJob", job))
    assert main(["batsim5", *BASE, "-q", "-l", library, init]) == 1
    assert "invalid walltime value (0)" in capfd.readouterr().err


SLEEPY = PLATFORM.replace(
    '<host id="h1" speed="100f,50f"/>',
    '<host id="h1" speed="100f,1f,0.5f,0.25f"><prop id="sleep_pstates" value="1:2:3"/></host>',
)


@pytest.mark.parametrize("pstate", [1, 2, 3])
def test_no_job_starts_in_a_power_state_that_is_not_for_computing(library, pstate, capfd):
    Path("p.xml").write_text(SLEEPY)
    asleep = rule("SimulationBegins", "ChangeHostsPState", {"host_ids": "0", "pstate": pstate})
    awake = rule("SimulationBegins", "ChangeHostsPState", {"host_ids": "0", "pstate": 0})
    words = ["batsim5", *BASE, "-q", "-w", "w.json", "-l", library]
    assert main([*words, initial(EXECUTE, asleep)]) == 1
    assert f"its power state {pstate} is not for computing" in capfd.readouterr().err
    assert main([*words, initial(EXECUTE, asleep, awake)]) == 0


def test_binary_messages_are_printed_for_who_debugs(library, capfd, monkeypatch):
    words = ["batsim5", *BASE, "-w", "w.json", "-l", "python", initial(EXECUTE)]
    monkeypatch.setattr(batsim5, "_transport", lambda *_: RuleComponent(json_form=False))
    assert main([*words, "-v", "info"]) == 0
    assert messages(capfd) == []
    assert main([*words, "-v", "Debug"]) == 0
    lines = capfd.readouterr().err.splitlines()
    said = [json.loads(line.split("'", 1)[1][:-1]) for line in lines if line.startswith("[edc/INFO] ")]
    assert len(said) % 2 == 0
    assert said[0]["events"][0]["event_type"] == "SimulationBeginsEvent"
    assert said[-1] == {"now": 11.0, "events": []}


def test_a_terminated_run_marks_its_files(library):
    call = {
        "call_me_later_id": "c",
        "when_type": "Periodic",
        "when": {"period": 1, "mode_type": "Infinite", "mode": {}},
    }
    words = [
        *BASE,
        "-q",
        "-w",
        "w.json",
        "-l",
        library,
        initial(EXECUTE, rule("SimulationBegins", "CallMeLater", call)),
    ]
    running = subprocess.Popen([sys.executable, "-m", "windtunnel", "batsim5", *words], env=SUBPROCESS)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (
        Path("out/jobs.csv").exists() and len(table(Path("out/jobs.csv"))) == 2
    ):
        time.sleep(0.2)
    running.terminate()
    assert running.wait(30) == 130
    assert json.loads(Path("out/run.json").read_text())["reason"] == "interrupted"
    assert Path("out/schedule.json").exists()


@pytest.mark.parametrize("name", ["c.toml", "c.ini"])
def test_a_configuration_keeps_the_order_of_components(name, capfd):
    words = ["-S", "s1", "f1", "-S", "s2", "f2", "-l", "l1", "i1", "-p", "p.xml"]
    assert main(["batsim5", *words, "--gen-config", name, "--dump-execution-context"]) == 0
    assert batsim5_options.parse(["-c", name, "--trust-code"]).components == batsim5_options.parse(words).components
    alternating = ["-l", "a", "", "-s", "b", "", "-l", "c", ""]
    assert main(["batsim5", *alternating, "-p", "p.xml", "--gen-config", name, "--dump-execution-context"]) == 2
    assert "cannot keep the order" in capfd.readouterr().err
