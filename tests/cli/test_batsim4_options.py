"""Batsim 4's command line: no option is read and then forgotten."""

import csv
import json

import pytest
from tests.wires.batsim4_cases import simulation
from tests.wires.faulty import Direct

from windtunnel.cli.batsim4_options import parser
from windtunnel.cli.main import main
from windtunnel.diagnostics import DecisionError, WindtunnelError
from windtunnel.testing import job as a_job

PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="a" routing="Full">
<host id="boss" speed="1f"/><host id="h0" speed="1f"/><host id="h1" speed="1f"/><host id="h2" speed="1f"/>
<host id="disk" speed="1f"/><host id="tape" speed="1f"/>
<link id="l" bandwidth="10Bps" latency="0"/>
<route src="h0" dst="disk"><link_ctn id="l"/></route><route src="h1" dst="disk"><link_ctn id="l"/></route>
<route src="h0" dst="tape"><link_ctn id="l"/></route><route src="h1" dst="tape"><link_ctn id="l"/></route>
</zone></platform>"""
PFS = {"type": "parallel_homogeneous_pfs", "bytes_to_read": 100, "bytes_to_write": 0, "storage": "scratch"}
WORK = {
    "nb_res": 2,
    "jobs": [
        {"id": "a", "subtime": 0, "res": 1, "profile": "d"},
        {"id": "b", "subtime": 1, "res": 1, "profile": "d"},
        {"id": "late", "subtime": 1000, "res": 1, "profile": "d"},
    ],
    "profiles": {"d": {"type": "delay", "delay": 10}},
}
DAX = """<adag xmlns="http://pegasus.isi.edu/schema/DAX">
<job id="t2" runtime="5"/><job id="t1" runtime="5"/><job id="t3" runtime="5" num_procs="2"/><job id="t4" runtime="1"/>
<child ref="t3"><parent ref="t2"/></child><child ref="t4"><parent ref="t1"/><parent ref="t2"/></child></adag>"""


class FirstFit:
    """Starts jobs on the lowest free hosts; ``more`` are further members of EXECUTE_JOB; answers queries."""

    def __init__(self, more=None):
        self.free, self.on, self.queue = {0, 1, 2}, {}, []
        self.more = more or {}
        self.messages = []

    def answer(self, request):
        message = json.loads(request)
        self.messages.append(message)
        now = message["now"]
        events = [{"timestamp": now, "type": kind, "data": data} for kind, data in self.decide(message["events"])]
        return json.dumps({"now": now, "events": events}).encode()

    def decide(self, told):
        for event in told:
            data = event["data"]
            if event["type"] == "JOB_SUBMITTED":
                self.queue.append((data["job_id"], data["job"]["res"]))
            elif event["type"] == "JOB_COMPLETED":
                self.free |= self.on.pop(data["job_id"])
            elif event["type"] == "QUERY":
                asked = data["requests"]["estimate_waiting_time"]
                yield "ANSWER", {"estimate_waiting_time": {"job_id": asked["job_id"], "estimated_waiting_time": 7}}
        waiting = []
        for job, wanted in self.queue:
            if wanted > len(self.free):
                waiting.append((job, wanted))
                continue
            hosts = set(sorted(self.free)[:wanted])
            self.free -= hosts
            self.on[job] = hosts
            yield "EXECUTE_JOB", {"job_id": job, "alloc": " ".join(map(str, sorted(hosts)))} | self.more
        self.queue = waiting

    def told(self, kind):
        return [
            (event["timestamp"], event["data"])
            for message in self.messages
            for event in message["events"]
            if event["type"] == kind
        ]


@pytest.fixture
def files(tmp_path):
    (tmp_path / "p.xml").write_text(PLATFORM)
    (tmp_path / "w.json").write_text(json.dumps(WORK))
    (tmp_path / "f.dax").write_text(DAX)
    return tmp_path


@pytest.fixture
def play(files):
    def run(*words, scheduler=None):
        scheduler = scheduler or FirstFit()
        made = simulation(["-p", files / "p.xml", "-m", "boss", "-e", files / "out", "-q", *words])
        made.engine.components[0]._peer = Direct(scheduler.answer)
        made.run()
        return scheduler

    return run


def rows(files, name="jobs"):
    with (files / f"out_{name}.csv").open(newline="") as lines:
        return list(csv.DictReader(lines))


def test_estimates(play, files):
    scheduler = play("-w", files / "w.json", "--estimate-waiting-times")
    asked = [data["requests"]["estimate_waiting_time"] for _, data in scheduler.told("QUERY")]
    assert [(a["job_id"], a["job"]["res"]) for a in asked] == [("w0!a", 1), ("w0!b", 1), ("w0!late", 1)]
    assert [(row["job_id"], row["estimated_waiting_time"]) for row in rows(files, "estimates")] == [
        ("a", "7.000000"),
        ("b", "7.000000"),
        ("late", "7.000000"),
    ]
    assert "estimate_waiting_time" not in str(play("-w", files / "w.json").messages)


def test_estimates_from_python(files):
    """Any job can be asked about, while the simulation runs; it is never submitted."""
    scheduler = FirstFit()
    words = ["-p", files / "p.xml", "-m", "boss", "-w", files / "w.json", "-e", files / "out", "-q"]
    made = simulation(words)
    made.engine.components[0]._peer = Direct(scheduler.answer)
    made.engine.ask_waiting_time(a_job("potential", hosts=2, walltime=12.0), 5.0)
    made.run()
    ((at, data),) = scheduler.told("QUERY")
    asked = data["requests"]["estimate_waiting_time"]
    assert (at, asked["job_id"], asked["job"]["res"], asked["job"]["walltime"]) == (5.0, "w0!potential", 2, 12)
    assert [(row["time"], row["job_id"]) for row in rows(files, "estimates")] == [("5.000000", "potential")]
    assert len(rows(files)) == 3


def test_workflow(play, files):
    """Tasks without parents by their ids; then in the order in which they become ready."""
    submitted = play("--WS", files / "f.dax", "3").told("JOB_SUBMITTED")
    assert [(at, data["job_id"], data["job"]["profile"], data["job"]["subtime"]) for at, data in submitted] == [
        (3.0, "wfc0!0", "wfc0_t1", 3.0),
        (3.0, "wfc0!1", "wfc0_t2", 3.0),
        (8.0, "wfc0!2", "wfc0_t3", 8.0),
        (8.0, "wfc0!3", "wfc0_t4", 8.0),
    ]
    assert list(submitted[0][1]["job"]) == ["id", "subtime", "walltime", "res", "profile"]
    assert submitted[0][1]["job"]["walltime"] == 15


def test_workflow_jobs_limit(play, files):
    scheduler = play("-W", files / "f.dax", "--workflow-jobs-limit", "1")
    assert [(at, data["job"]["profile"]) for at, data in scheduler.told("JOB_SUBMITTED")] == [
        (0.0, "wf0_t1"),
        (5.0, "wf0_t2"),
        (10.0, "wf0_t3"),
        (15.0, "wf0_t4"),
    ]


def test_beyond_the_last_workflow(play, files):
    words = ["-w", files / "w.json", "-W", files / "f.dax"]
    assert play(*words).messages[-1]["now"] == 1010
    scheduler = play(*words, "--ignore-beyond-last-workflow")
    assert scheduler.messages[-1]["now"] == 15  # when b has ended
    assert {data["job_id"] for _, data in scheduler.told("JOB_SUBMITTED")} == {
        "w0!a",
        "w0!b",
        "wf0!0",
        "wf0!1",
        "wf0!2",
        "wf0!3",
    }


def test_first_submission(play, files):
    scheduler = play("-w", files / "w.json", "--first-submission", "0.5")
    assert [at for at, _ in scheduler.told("JOB_SUBMITTED")] == [0.5, 1.0, 1000.0]
    assert rows(files)[0]["submission_time"] == "0.000000"


@pytest.mark.parametrize("label", ["scratch", "disk"])
def test_storage_sharing(play, files, label):
    jobs = [{"id": k, "subtime": k, "res": 1, "profile": "io"} for k in range(2)]
    work = {"nb_res": 2, "jobs": jobs, "profiles": {"io": PFS | {"storage": label}}}
    (files / "io.json").write_text(json.dumps(work))
    more = {"storage_mapping": {"scratch": 3}} if label == "scratch" else {}
    words = ["-w", files / "io.json", "-r", "disk:storage", "-r", "tape:storage"]
    play(*words, scheduler=FirstFit(more))
    assert [row["final_state"] for row in rows(files)] == ["COMPLETED_SUCCESSFULLY"] * 2
    with pytest.raises(DecisionError, match="time-sharing on storage machines is disabled") as refusal:
        play(*words, "--disable-storage-sharing", scheduler=FirstFit(more))
    assert refusal.value.rule == "storage-busy"


def test_storage_sharing_in_turn(play, files):
    """One after the other may use it."""
    jobs = [{"id": k, "subtime": 100 * k, "res": 1, "profile": "io"} for k in range(2)]
    work = {"nb_res": 2, "jobs": jobs, "profiles": {"io": PFS | {"storage": "disk"}}}
    (files / "io.json").write_text(json.dumps(work))
    play("-w", files / "io.json", "-r", "disk:storage", "--disable-storage-sharing")
    assert [row["final_state"] for row in rows(files)] == ["COMPLETED_SUCCESSFULLY"] * 2


REFUSED = [
    (["--sg-log", "x"], "--sg-log is not supported"),
    (["--simgrid-version"], "--simgrid-version is not supported"),
    (["--unittest"], "--unittest is not supported"),
    (["--batexec"], "--batexec is not supported: it is called --no-sched since Batsim 3"),
    (["--allow-time-sharing"], "it is called --enable-compute-sharing since Batsim 3"),
    (["--config-file", "x.json"], "--config-file is not supported: Batsim has had none since version 3"),
    (["--pfs-host=disk"], "--pfs-host is not supported: hosts have roles since Batsim 3"),
    (["--sg-cfg", "cpu/optim:Full"], "only network/TCP-gamma"),
    (["--forward-unknown-events"], "requires --events"),
    (["--sched-cfg", "a", "--sched-cfg-file", "b"], "not both"),
    (["--mmax", "-1"], "is negative"),
    (["--workflow-jobs-limit", "-1"], "is negative"),
    (["--no-sched", "--enable-redis"], "make no sense"),
    (["--no-sched", "-W", "{files}/f.dax"], "make no sense"),
    (["--ignore-beyond-last-workflow"], "requires workflows"),
    (["--acknowledge-dynamic-jobs"], "needs dynamic jobs"),
    (["--enable-profile-reuse"], "needs dynamic jobs"),
    (["--first-submission", "nan"], "is not a valid time"),
    (["--WS", "{files}/f.dax", "soon"], "is not a time in seconds"),
    (["-r", "disk"], "is not of the form"),
    (["--sched-cfg-file", "/nowhere"], "--sched-cfg-file /nowhere"),
    (["-s", "localhost:28000"], "is not an endpoint"),
    (["--timeout", "0"], "--timeout 0"),
    (["--redis-port", "70000"], "--redis-port 70000"),
]


@pytest.mark.parametrize(("words", "said"), REFUSED, ids=lambda x: " ".join(x) if isinstance(x, list) else "")
def test_refused(files, capsys, words, said):
    words = [word.format(files=files) for word in words]
    line = ["batsim4", "-p", files / "p.xml", "-m", "boss", "-w", files / "w.json", "-e", files / "out", "-q", *words]
    assert main([str(word) for word in line]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert "Traceback" not in error


IDLE = [
    (["--redis-port", "7000", "--redis-prefix", "me"], ["--redis-port", "--redis-prefix"], "without --enable-redis"),
    (["--workflow-jobs-limit", "3"], ["--workflow-jobs-limit"], "without workflows"),
    (["--no-sched", "--sched-cfg", "x", "--timeout", "5"], ["--timeout", "--sched-cfg"], "with --no-sched"),
]


@pytest.mark.parametrize(("words", "names", "why"), IDLE, ids=lambda x: " ".join(x) if isinstance(x, list) else "")
def test_what_has_no_effect_is_told(files, capsys, words, names, why):
    """It is not refused: scripts for Batsim give such options always."""
    line = ["-p", files / "p.xml", "-m", "boss", "-w", files / "w.json", "-e", files / "out"]
    endpoint = [] if "--no-sched" in words else ["-s", "tcp://127.0.0.1:1", "--timeout", "0.1"]
    main(["batsim4", *map(str, [*line, *endpoint, *words])])
    told = [text for text in capsys.readouterr().err.splitlines() if "without-effect" in text]
    assert len(told) == len(names)
    assert all(f"{name} has no effect {why}" in text for name, text in zip(names, told, strict=True))


def test_unknown_options(files, capsys):
    for words in (["--nonsense"], ["-v", "loud"], ["--mmax", "many"]):
        assert main(["batsim4", "-p", str(files / "p.xml"), *words]) == 2
        assert "usage:" in capsys.readouterr().err


def test_context_and_version(files, capsys):
    words = ["-p", "p.xml", "-w", "w.json", "-e", "out/x", "--redis-prefix", "me", "--dump-execution-context"]
    assert main(["batsim4", *words]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "socket_endpoint": "tcp://localhost:28000",
        "redis_enabled": False,
        "redis_hostname": "127.0.0.1",
        "redis_port": 6379,
        "redis_prefix": "me",
        "export_prefix": "out/x",
        "external_scheduler": True,
    }
    assert main(["batsim4", "--version"]) == 0
    assert "Batsim 4.2.1" in capsys.readouterr().out
    assert main(["batsim4", "--help"]) == 0
    assert "--estimate-waiting-times" in capsys.readouterr().out


def test_config_is_forwarded(play, files):
    (files / "cfg").write_text("from a file")
    words = ["-w", files / "w.json", "--enable-dynamic-jobs", "--acknowledge-dynamic-jobs", "--enable-profile-reuse"]
    scheduler = FirstFit()
    with pytest.raises(WindtunnelError, match="has not said that it has finished"):
        play(*words, "--sched-cfg-file", files / "cfg", "--forward-profiles-on-submission", scheduler=scheduler)
    assert scheduler.told("SIMULATION_BEGINS")[0][1]["config"] == {
        "redis-enabled": False,
        "redis-hostname": "127.0.0.1",
        "redis-port": 6379,
        "redis-prefix": "default",
        "profiles-forwarded-on-submission": True,
        "dynamic-jobs-enabled": True,
        "dynamic-jobs-acknowledged": True,
        "profile-reuse-enabled": True,
        "sched-config": "from a file",
        "forward-unknown-events": False,
    }
    assert scheduler.told("JOB_SUBMITTED")[0][1]["profile"] == {"type": "delay", "delay": 10}


def test_sharing_flags_are_told(play, files):
    words = ["-w", files / "w.json", "--enable-compute-sharing", "--disable-storage-sharing"]
    begins = play(*words).told("SIMULATION_BEGINS")[0][1]
    assert (begins["allow_compute_sharing"], begins["allow_storage_sharing"]) == (True, False)


def test_omit_rejected(play, files):
    class Rejects(FirstFit):
        def decide(self, told):
            return [("REJECT_JOB", {"job_id": e["data"]["job_id"]}) for e in told if e["type"] == "JOB_SUBMITTED"]

    play("-w", files / "w.json", scheduler=Rejects())
    assert len(rows(files)) == 3
    play("-w", files / "w.json", "--omit-rejected", scheduler=Rejects())
    assert rows(files) == []


def test_every_option_is_read():
    """Each destination of the parser is used somewhere in the command."""
    import inspect

    from windtunnel.cli import batsim4, batsim4_options

    text = inspect.getsource(batsim4) + inspect.getsource(batsim4_options)
    for action in parser()._actions:
        if action.dest not in ("help", "version"):
            assert f"options.{action.dest}" in text, action.dest


def test_files_in_each_others_place_and_empty_ones_are_called_that(tmp_path, capsys):
    """They were invalid JSON, at their first character."""
    (tmp_path / "site.xml").write_text(PLATFORM)
    (tmp_path / "jobs.json").write_text(json.dumps(WORK))
    (tmp_path / "empty.json").write_text("\n")
    for site, work, said in (
        ("jobs.json", "site.xml", "site.xml:1:1: error [json]: not JSON but XML: perhaps two files are in each other's"),
        ("site.xml", "empty.json", "empty.json: error [json]: not JSON: the file is empty"),
    ):
        assert main(["batsim4", "-p", str(tmp_path / site), "-w", str(tmp_path / work), "--no-sched"]) == 2
        assert said in capsys.readouterr().err
