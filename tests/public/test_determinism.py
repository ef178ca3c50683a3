"""Same inputs, same bytes (decisions.md 4); whatever ends a run leaves readable files that say how it ended."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import windtunnel
from windtunnel.api import Simulation
from windtunnel.examples import find
from windtunnel.testing import job, workload

WALL_CLOCK = {"real_exec_info.json"}


def files_of(folder):
    """Name -> content, without what holds wall-clock figures."""
    made = {}
    for path in sorted(folder.iterdir()):
        if path.name in WALL_CLOCK:
            continue
        content = path.read_bytes()
        if path.name == "schedule.csv":
            head, values = content.decode().splitlines()[:2]
            row = dict(zip(head.split(","), values.split(","), strict=True))
            content = {k: v for k, v in row.items() if k not in ("scheduling_time", "simulation_time")}
        made[path.name] = content
    return made


@pytest.mark.parametrize("scheduler", ["easy", "conservative", "fcfs", "filler", "batsched/easy_bf"])
def test_twice_and_forked_and_restored_give_the_same_bytes(tmp_path, scheduler):
    example = find("small")
    Simulation(example.platform, example.workloads, scheduler, out=tmp_path / "a").run()
    Simulation(example.platform, example.workloads, scheduler, out=tmp_path / "b").run()
    whole = files_of(tmp_path / "a")
    assert len(whole["jobs.csv"].splitlines()) == 201
    assert files_of(tmp_path / "b") == whole
    half = Simulation(example.platform, example.workloads, scheduler, out=tmp_path / "c")
    half.run_until(15_000)
    forked = half.fork(tmp_path / "d")
    half.save(tmp_path / "saved")
    half.run()
    forked.run()
    assert files_of(tmp_path / "c") == whole
    assert files_of(tmp_path / "d") == whole
    restored = Simulation.restore(tmp_path / "saved")
    restored.run()
    assert files_of(tmp_path / "c") == whole


SLOW = """
import time
import windtunnel as wt

class Slow(wt.Scheduler):
    def schedule(self, view):
        time.sleep(0.02)
        free = view.free
        for job in view.queue:
            if hosts := free.pick(job.hosts):
                free -= hosts
                yield wt.Execute(job, hosts)
"""


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGKILL, -9), (signal.SIGINT, 130), (signal.SIGTERM, 130), (signal.SIGHUP, 130)],
)
def test_a_killed_run_leaves_what_was_recorded_marked_incomplete(tmp_path, number, code):
    (tmp_path / "slow.py").write_text(SLOW)
    out = tmp_path / "out"
    words = [sys.executable, "-m", "windtunnel", "run", "example:small", "-s", "slow.py:Slow", "--out", str(out)]
    source = str(Path(windtunnel.__file__).parents[1])
    process = subprocess.Popen(
        words, cwd=tmp_path, env=os.environ | {"PYTHONPATH": source}, stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if (out / "jobs.csv").exists() and len((out / "jobs.csv").read_text().splitlines()) > 10:
            break
        time.sleep(0.05)
    process.send_signal(number)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == code
    assert "Traceback" not in errors
    rows = list(csv.DictReader((out / "jobs.csv").read_text().splitlines()))
    assert len(rows) >= 9
    assert all(None not in row and row["final_state"] == "COMPLETED_SUCCESSFULLY" for row in rows)
    state = json.loads((out / "run.json").read_text())
    assert state["status"] == ("running" if number == signal.SIGKILL else "incomplete")
    assert windtunnel.load_run(out).complete is False


def test_what_is_forked_or_restored_stops_where_the_run_was_to_stop(tmp_path):
    simulation = Simulation("hosts:1", workload(*(job(name, 1, 30.0) for name in "abc")), "easy", until=40.0)
    simulation.run_until(5.0)
    simulation.save(tmp_path / "saved")
    for one in (simulation.fork(), Simulation.restore(tmp_path / "saved"), simulation):
        assert len(one.run().jobs) == 1
