"""Failures, requeueing, checkpoints and snapshots from the command line."""

import csv
import json

import pytest

from environments import document, machine
from windtunnel.cli.main import main
from windtunnel.formats.sites.sss import check


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cpus = [{"clock-rate": 1e9, "cores": 4}]
    (tmp_path / "e.json").write_text(json.dumps(document(machine(1, cpus=cpus), machine(2, cpus=cpus))))
    (tmp_path / "jobs.swf").write_text(
        "; MaxProcs: 8\n1 0 0 100 4 -1 -1 4 200 -1 1 1 1 1 1 1 -1 -1\n2 10 0 50 4 -1 -1 4 200 -1 1 1 1 1 1 1 -1 -1\n"
    )
    (tmp_path / "trace.json").write_text(
        '{"type": "machine_state", "timestamp": 70, "resources": "0", "state": "FAILURE", "cause": "disk"}\n'
        '{"type": "machine_state", "timestamp": 90, "resources": "0", "state": "ACTIVE"}\n'
    )
    return tmp_path


def rows(folder):
    with (folder / "jobs.csv").open() as file:
        return {
            r["job_id"]: (r["final_state"], float(r["starting_time"]), float(r["finish_time"]))
            for r in csv.DictReader(file)
        }


def run(*arguments):
    return main(
        ["run", "e.json", "jobs.swf", "--scheduler", "stage-scheduler", "--quiet", "--out", "out", *arguments]
    )


def test_a_failure_trace(files):
    assert run("--events", "trace.json") == 0
    assert rows(files / "out") == {"1": ("COMPLETED_FAILED", 0, 70), "2": ("COMPLETED_SUCCESSFULLY", 10, 60)}


def test_requeueing(files):
    assert run("--events", "trace.json", "--on-failure", "requeue") == 0
    assert rows(files / "out")["1#1"] == ("COMPLETED_SUCCESSFULLY", 70, 170)


def test_checkpoints(files):
    """30 s of work, 2 s to write: 106 s in all; at 70 s two checkpoints are written (at 64 s), 42 s remain."""
    assert run("--events", "trace.json", "--on-failure", "requeue", "--checkpoint", "30,2") == 0
    found = rows(files / "out")
    assert found["2"] == ("COMPLETED_SUCCESSFULLY", 10, 62)
    assert found["1#1"] == ("COMPLETED_SUCCESSFULLY", 70, 112)


def test_generated_failures_and_snapshots(files):
    failures = "between=constant:40;repair=constant:10;until=100"
    assert run("--failures", failures, "--on-failure", "requeue", "--nodes-every", "20") == 0
    found = rows(files / "out")
    assert found["1"] == ("COMPLETED_FAILED", 0, 40)
    assert found["1#1"] == ("COMPLETED_FAILED", 50, 90)
    assert found["1#2"] == ("COMPLETED_SUCCESSFULLY", 100, 200)
    names = sorted((files / "out/nodes").iterdir(), key=lambda path: int(path.stem.partition("-")[2]))
    states = {}
    for path in names:
        checked = check(path.read_bytes())
        assert not checked.findings
        states[int(path.stem.partition("-")[2])] = [node.state for node in checked.nodes]
    assert states[0] == ["Busy", "Idle"]
    assert states[20] == ["Busy", "Busy"]
    assert states[40] == ["Offline", "Offline"]
    assert states[60] == ["Busy", "Busy"]
    assert states[180] == ["Busy", "Idle"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["--on-failure", "shrug"],
        ["--on-maintenance", "shrug"],
        ["--checkpoint", "often"],
        ["--failures", "between=constant:5"],
        ["--nodes-every", "-1"],
    ],
)
def test_mistakes(files, arguments):
    assert run(*arguments) == 2


def test_snapshots_need_a_place(files):
    assert main(["run", "e.json", "jobs.swf", "--quiet", "--nodes-every", "5"]) == 2
