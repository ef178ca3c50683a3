"""A scheduler of ours decides the same in process, behind ``batsim4`` and behind ``batsim5``: starts, ends and hosts
to the printed digit, on random workloads without network."""

import json
from random import Random

import pytest
from tests.wires.both_ends import ELSEWHERE, OURS, behind_batsim4, behind_batsim5, in_process, write_inputs

import windtunnel as wt
from windtunnel.diagnostics import UsageError
from windtunnel.shipped import SCHEDULERS
from windtunnel.vocabulary import Hello

FILES = ("consumed_energy.csv", "jobs.csv", "real_exec_info.json", "run.json", "schedule.json")


def work_for(folder, random, name, *, jobs, hosts, **more):
    """Leases need to know how long they last."""
    write_inputs(folder, random, jobs=jobs, hosts=hosts, walltimes=1.0 if name == "leases" else 0.95, **more)


def alike(folder, name, *, text=False):
    own = in_process(folder, name)
    assert len(own) >= 5
    assert behind_batsim4(folder, name) == own
    assert behind_batsim5(folder, name, text=text) == own


def test_whatever_is_ours_is_here():
    """By the registry: who is added there is run here; the names of others' schedulers say whose they are."""
    assert {"conservative", "easy", "fcfs", "filler", "leases", "stage-scheduler"} <= set(OURS)
    assert {*OURS, *ELSEWHERE} == {name for name in SCHEDULERS if "/" not in name}


@pytest.mark.parametrize("name", sorted(ELSEWHERE))
@pytest.mark.parametrize("run", [in_process, behind_batsim4, behind_batsim5])
def test_who_needs_more_than_a_batsim_tells_says_so(name, run, tmp_path):
    write_inputs(tmp_path, Random(1), jobs=5)
    with pytest.raises(UsageError, match="needs an environment"):
        run(tmp_path, name)


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize("seed", range(50))
def test_random_workloads(name, seed, tmp_path):
    random = Random(seed)
    work_for(tmp_path, random, name, jobs=random.randrange(15, 50), hosts=random.choice((4, 8, 32)))
    alike(tmp_path, name, text=seed % 2 == 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize("hundred", range(10))
def test_a_thousand_random_workloads(name, hundred, tmp_path):
    for seed in range(1000 + 100 * hundred, 1100 + 100 * hundred):
        folder = tmp_path / str(seed)
        folder.mkdir()
        random = Random(seed)
        work_for(folder, random, name, jobs=random.randrange(5, 25), hosts=random.choice((2, 4, 8, 32)))
        alike(folder, name, text=seed % 2 == 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", OURS)
def test_a_long_workload(name, tmp_path):
    """On a site that is nearly full: hundreds of jobs wait; fewer under Slurm's rules, which look at each every 30 s."""
    work_for(tmp_path, Random(0), name, jobs=10_000, hosts=64, gap=14.0 if name == "slurm" else 9.0)
    alike(tmp_path, name)


def test_batsim5_writes_the_files_of_batsim5(tmp_path):
    """And ``run.json``, which is ours."""
    write_inputs(tmp_path, Random(1), jobs=5)
    behind_batsim5(tmp_path, "energy-idle-sleeper")
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
