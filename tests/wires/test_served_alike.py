"""A scheduler of ours decides the same in process, behind ``batsim4`` and behind ``batsim5``: starts, ends and hosts
to the printed digit, on random workloads without network."""

import json
from random import Random

import pytest
from tests.wires.both_ends import OURS, behind_batsim4, behind_batsim5, in_process, write_inputs

import windtunnel as wt
from windtunnel.shipped import SCHEDULERS
from windtunnel.vocabulary import Hello

FILES = ("consumed_energy.csv", "jobs.csv", "real_exec_info.json", "run.json", "schedule.json")

ELSEWHERE = {
    "leases": "plans leases",
    "stage-scheduler": "needs the cores of hosts, of which Batsim 4 does not tell",
    "datacenters": "needs an environment that describes schedulers",
}
"""Schedulers of ours that cannot be served to a Batsim, and why."""


def test_all_of_ours_are_here():
    plain = {
        name
        for name, entry in SCHEDULERS.items()
        if entry.source in ("windtunnel", "literature", "Haizea 1.1", "OpenDC 1.x")
    }
    assert plain == {*OURS, *ELSEWHERE}


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize("seed", range(50))
def test_random_workloads(name, seed, tmp_path):
    random = Random(seed)
    write_inputs(tmp_path, random, jobs=random.randrange(15, 50), hosts=random.choice((4, 8, 32)))
    own = in_process(tmp_path, name)
    assert behind_batsim4(tmp_path, name) == own
    assert behind_batsim5(tmp_path, name, text=seed % 2 == 1) == own


@pytest.mark.slow
@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize("hundred", range(10))
def test_a_thousand_random_workloads(name, hundred, tmp_path):
    for seed in range(1000 + 100 * hundred, 1100 + 100 * hundred):
        folder = tmp_path / str(seed)
        folder.mkdir()
        random = Random(seed)
        write_inputs(folder, random, jobs=random.randrange(5, 60), hosts=random.choice((2, 4, 8, 32)))
        own = in_process(folder, name)
        assert behind_batsim4(folder, name) == own, seed
        assert behind_batsim5(folder, name, text=seed % 2 == 1) == own, seed


@pytest.mark.slow
@pytest.mark.parametrize("name", OURS)
def test_a_long_workload(name, tmp_path):
    write_inputs(tmp_path, Random(0), jobs=10_000, hosts=64)
    own = in_process(tmp_path, name)
    assert behind_batsim4(tmp_path, name) == own
    assert behind_batsim5(tmp_path, name) == own


def test_batsim5_writes_the_files_of_batsim5(tmp_path):
    """And ``run.json``, which is ours."""
    write_inputs(tmp_path, Random(1), jobs=5)
    behind_batsim5(tmp_path, "fcfs")
    made = {path.name for path in tmp_path.glob("b5-*")}
    assert made == {f"b5-{name}" for name in FILES}


def test_who_decides_is_recorded(tmp_path, monkeypatch):
    """Version and commit of the component and of its protocol, as it says them."""
    hello = Hello(name="fcfs", version="2.1", commit="abc", protocol_version="1.0.0", protocol_commit="")
    monkeypatch.setattr("windtunnel.schedulers.fcfs.Fcfs.hello", lambda self: (self._reset(), hello)[1])
    write_inputs(tmp_path, Random(1), jobs=5)
    behind_batsim5(tmp_path, "fcfs")
    (component,) = json.loads((tmp_path / "b5-run.json").read_text())["components"]
    assert component == {
        "called": "fcfs",
        "name": "fcfs",
        "version": "2.1",
        "commit": "abc",
        "protocol_version": "1.0.0",
        "protocol_commit": "",
    }


def test_profiles_may_be_used_again_under_run():
    """What the submitter needs when its jobs are all alike."""
    run = wt.simulate("hosts:4", [], "submitter", scheduler_options={"increase_jobs_duration": False})
    assert len(run.jobs) == 10
    assert run.outcome == "complete"
