"""``--dependency=singleton``: what keeps a job back once does so no more when it has gone."""

import sys
from pathlib import Path

import msgspec

import windtunnel as wt
from windtunnel.model.slurm import Dependency

sys.path.insert(0, str(Path(__file__).parent))
from sites import job, platform, site, workload

ALONE = (Dependency(kind="singleton"),)


def named(name, made):
    return msgspec.structs.replace(made, ask=msgspec.structs.replace(made.ask, name=name))


def rows(*jobs):
    run = wt.simulate(platform(site(nodes=3)), workload(*jobs), "slurm")
    return {row["job_id"]: row for row in run.jobs.to_dicts()}


def test_tasks_of_an_array_do_not_wait_for_each_other():
    first = named("same", job("before", 100, tasks=1))
    tasks = [named("same", job(f"7_{k}", 300, submit=1, tasks=1, dependencies=ALONE)) for k in range(3)]
    found = rows(first, *tasks)
    starts = {found[f"7_{k}"]["starting_time"] for k in range(3)}
    assert len(starts) == 1
    assert starts.pop() >= 100


def test_jobs_of_the_same_name_wait_for_each_other():
    found = rows(*[named("same", job(name, 100, tasks=1, dependencies=ALONE)) for name in ("one", "two")])
    assert found["two"]["starting_time"] >= found["one"]["finish_time"]


def test_who_comes_later_under_the_same_name_keeps_nobody_back():
    wide = job("wide", 200, tasks=20, walltime=240)
    waits = named("same", job("waits", 50, submit=1, tasks=8, dependencies=ALONE))
    later = named("same", job("later", 1000, submit=20, tasks=2, walltime=1200))
    found = rows(wide, waits, later)
    assert found["later"]["starting_time"] < 200  # beside
    assert 200 <= found["waits"]["starting_time"] < found["later"]["finish_time"]
