"""What commands tell of input that has no effect: printed, kept, refused when that is asked for, on every path."""

import hashlib
import json
import shutil
from pathlib import Path

import pytest
from tests.conformance.worlds import ENVIRONMENT, FILES
from tests.wires.peers import EXAMPLES, build

from windtunnel.cli.main import main
from windtunnel.examples import find

UNKNOWN = "which is not known"
PLATFORM = """<?xml version='1.0'?>
<platform version="4.1"><zone id="z" routing="Full">
<host id="h1" speed="100f"/><host id="h2" speed="100f"/><host id="boss" speed="1f"/></zone></platform>
"""


def workload(kind):
    jobs = [{"id": "a", "subtime": 0, "walltime": 9, "res": 1, "profile": "d", "walltim": 3}]
    return json.dumps({"nb_res": 2, "jobs": jobs, "profiles": {"d": {"type": kind, "delay": 5}}})


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text)
    Path("p.xml").write_text(PLATFORM)
    Path("w4.json").write_text(workload("delay"))
    Path("w5.json").write_text(workload("DelayProfile"))
    return tmp_path


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return build(EXAMPLES / "one_by_one.c", tmp_path_factory.mktemp("libraries"))


def kept(path):
    return [line["reason"] for line in json.loads(Path(path).read_text())["account"]]


@pytest.mark.parametrize(
    ("words", "out", "marker", "says"),
    [
        (["run", "p.xml", "w5.json"], ["--out", "out"], "out/run.json", UNKNOWN),
        (["lease", "run", "day.lwf"], ["--out", "out"], "out/run.json", "leases may be preempted"),
        (
            ["batsim4", "-p", "p.xml", "-m", "boss", "-w", "w4.json", "--no-sched"],
            ["-e", "out/x"],
            "out/x_run.json",
            UNKNOWN,
        ),
        (["batsim5", "-p", "p.xml", "-m", "boss", "-w", "w5.json"], ["-e", "out/x_"], "out/x_run.json", UNKNOWN),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_it_is_printed_on_standard_error_and_quiet_keeps_it_out_of_the_terminal_only(
    request, capfd, words, out, marker, says
):
    if words[0] == "batsim5":
        words = [*words, "-l", str(request.getfixturevalue("library")), ""]
    for quiet in (False, True):
        Path("out").mkdir()
        assert main([*words, *out, *(["--quiet"] if quiet else [])]) == 0
        printed = capfd.readouterr()
        assert (says in printed.err) is not quiet
        assert says not in printed.out
        assert any(says in reason for reason in kept(marker))
        shutil.rmtree("out")


@pytest.mark.parametrize(
    ("words", "says"),
    [(["run", "p.xml", "w5.json"], UNKNOWN), (["lease", "run", "day.lwf"], "leases may be preempted")],
)
def test_strict_input_makes_it_an_error(capsys, words, says):
    assert main([*words, "--strict-input", "--out", "out"]) == 2
    assert says in capsys.readouterr().err
    assert not Path("out").exists()


def test_leases_on_an_environment_that_describes_schedulers_need_a_choice(capsys):
    assert main(["run", "env.json", "day.lwf"]) == 2
    said = capsys.readouterr().err
    assert "the environment describes schedulers and the workload is one of leases" in said
    assert "--scheduler datacenters or --scheduler leases" in said
    assert main(["run", "env.json", "day.lwf", "-s", "leases", "-q"]) == 0
    assert main(["run", "env.json", "day.lwf", "-s", "datacenters", "-q"]) == 0


@pytest.mark.parametrize(
    ("words", "scheduler", "packing"),
    [
        (["env.json", "tasks.json"], "datacenters", "parts of hosts"),
        (["day.lwf"], "leases", "parts of hosts"),
        (["nodes.xml", "sss.json"], "easy", "parts of hosts"),
        (["slurm.conf", "sacct.txt"], "slurm", "parts of hosts"),
        (["log.swf"], "easy", "whole hosts"),
        (["hosts:2x4", "log.swf", "--share-hosts"], "easy", "cores"),
    ],
)
def test_the_summary_and_the_record_name_scheduler_and_packing(capsys, words, scheduler, packing):
    assert main(["run", *words, "--out", "out"]) == 0
    assert f"scheduler: {scheduler} ({packing})" in capsys.readouterr().out
    facts = json.loads(Path("out/run.json").read_text())["facts"]
    assert (facts["schedulers"], facts["packing"]) == ([scheduler], packing)


def test_what_can_never_be_met_is_rejected_with_the_reason(capsys):
    assert main(["run", "nodes.xml", "sss.json", "--out", "out"]) == 0
    reason = "asks for 1 host with 9 cores, no host has that much"
    assert f"rejected (1 job, first w0!f): {reason}" in capsys.readouterr().out
    assert f'"{reason}"' in Path("out/jobs.csv").read_text()
    assert json.loads(Path("out/run.json").read_text())["rejections"] == [
        {"reason": reason, "jobs": 1, "first": "w0!f"}
    ]
    assert main(["why", "out", "w0!f"]) == 0
    assert f"why: {reason}" in capsys.readouterr().out


def test_a_workload_larger_than_the_platform_is_told_in_one_line_with_the_fix(capsys):
    assert main(["run", "hosts:2", "four.json"]) == 0
    said = [line for line in capsys.readouterr().err.splitlines() if "want more than" in line]
    assert len(said) == 1
    assert "more than the 2 hosts of the platform (up to 9)" in said[0]


def test_a_log_alone_runs_on_its_processors_and_leases_on_their_site():
    assert main(["run", "log.swf", "-q", "--out", "log"]) == 0
    assert main(["run", "day.lwf", "-q", "--out", "leases"]) == 0
    hosts = [json.loads(Path(name, "run.json").read_text())["platform"] for name in ("log", "leases")]
    assert [(one["hosts"], one["cores"]) for one in hosts] == [(8, 8), (2, 4)]


@pytest.mark.parametrize(
    ("given", "said"),
    [("nope.swf", "nope.swf: error [unreadable]: cannot be read: No such file"), ("hosts:2", "nothing to simulate")],
)
def test_what_is_missing_is_named_where_one_thing_is_given(given, said, capsys):
    assert main(["run", given, "--out", "missing"]) == 2
    assert said in capsys.readouterr().err
    assert not Path("missing").exists()


def test_all_that_was_read_is_kept_with_size_and_hash():
    Path("e.json").write_text('{"type": "machine_unavailable", "timestamp": 3, "resources": "1"}\n')
    assert main(["run", "env.json", "tasks.json", "--events", "e.json", "-q", "--out", "out"]) == 0
    inputs = json.loads(Path("out/run.json").read_text())["inputs"]
    assert [Path(one["path"]).name for one in inputs] == ["env.json", "tasks.json", "e.json"]
    for one in inputs:
        content = Path(one["path"]).read_bytes()
        assert (one["size"], one["sha256"]) == (len(content), hashlib.sha256(content).hexdigest())


def test_an_environment_is_run_under_what_it_describes_unless_another_is_named(capsys):
    described = ENVIRONMENT["environment"]["datacenters"][0]["operational"]["scheduler"]["name"]
    assert described == "stage-scheduler"
    assert main(["run", "env.json", "tasks.json", "--out", "described"]) == 0
    assert "describe their scheduler" not in capsys.readouterr().err
    assert main(["run", "env.json", "tasks.json", "-s", "easy", "--out", "easy"]) == 0
    said = capsys.readouterr().err
    assert "datacenters describe their scheduler: easy does not honour described schedulers" in said
    assert "events change the scheduler of a datacenter: easy does not honour" in said
    assert Path("easy/jobs.csv").read_bytes() != Path("described/jobs.csv").read_bytes()


@pytest.mark.parametrize("scheduler", ["batsched/easy_bf", "batsim5/easy"])
def test_copies_of_others_give_whole_hosts_and_say_so(capsys, scheduler):
    assert main(["run", "nodes.xml", "sss.json", "-s", scheduler, "--out", "out"]) in (0, 1)
    said = capsys.readouterr().err
    assert f"jobs ask for memory of each host: {scheduler} gives whole hosts and ignores it" in said
    assert json.loads(Path("out/run.json").read_text())["facts"]["packing"] == "whole hosts"


def test_a_bundled_example_tells_nothing(capsys):
    example = find("small")
    assert main(["run", example.platform, *example.workloads]) == 0
    assert not capsys.readouterr().err.strip()
