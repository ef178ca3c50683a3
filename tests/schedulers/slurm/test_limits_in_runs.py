"""Limits of QOS and associations while a workload runs: jobs that are ended, and those that never start."""

import sys
from math import inf
from pathlib import Path

import pytest
from msgspec.structs import replace

import windtunnel as wt
from windtunnel.model.slurm import (
    Association,
    Dependency,
    GresAsk,
    GresItem,
    Limits,
    Partition,
    PrioritySettings,
    Qos,
    SelectSettings,
    SlurmNode,
)
from windtunnel.schedulers.slurm.component import Slurm

sys.path.insert(0, str(Path(__file__).parent))
from sites import job, platform, site, workload

ENFORCED = ("associations", "limits", "qos")
TICKS = PrioritySettings(decay_half_life=0, calc_period=60)


def rows(described, *jobs):
    run = wt.simulate(platform(described), workload(*jobs), "slurm")
    return {row["job_id"]: row for row in run.jobs.to_dicts()}


def members(account=Limits(), **own):
    return (
        Association(account="root"),
        Association(account="a", parent="root", limits=account),
        Association(account="a", user="ann", default=True, **own),
    )


BUDGETS = {
    "wall of a QOS": ((), {"limits": Limits(grp_wall=2)}),
    "minutes of a QOS": ((), {"limits": Limits(grp_tres_mins={"cpu": 16})}),
    "wall of an account": (Limits(grp_wall=2), {}),
    "minutes of an account": (Limits(grp_tres_mins={"cpu": 16}), {}),
}


@pytest.mark.parametrize("kind", BUDGETS)
@pytest.mark.parametrize("safe", [False, True])
def test_a_job_ends_once_others_have_used_what_it_needs(kind, safe):
    account, qos = BUDGETS[kind]
    described = site(
        nodes=1, priority=TICKS, qos=(Qos(name="normal", **qos),),
        associations=members(account or Limits()), enforce=(*ENFORCED, *(["safe"] if safe else [])),
    )  # fmt: skip
    found = rows(described, job("long", 1000, tasks=8, walltime=1200))
    if safe:
        assert found["long"]["final_state"] == "REJECTED"  # it is never started
    else:
        assert found["long"]["final_state"] == "COMPLETED_KILLED"
        assert found["long"]["finish_time"] == 120  # two minutes of all eight CPUs, counted once a minute


def test_only_jobs_that_hold_what_is_used_up_are_ended():
    node = SlurmNode(
        name="n1", cpus=8, cores_per_socket=8, memory=8000, state="IDLE", gres=(GresItem(name="gpu", count=2),)
    )
    kinds = (Qos(name="normal", limits=Limits(grp_tres_mins={"gres/gpu": 2})),)
    described = site(
        nodes=1, priority=TICKS, qos=kinds, associations=members(), enforce=ENFORCED,
        select=SelectSettings(counts="CORE"),
    )  # fmt: skip
    described = replace(described, nodes=(node,))
    found = rows(
        described,
        job("gpu", 500, tasks=1, gres_per_node=(GresAsk(name="gpu", count=1),), walltime=600),
        job("cpu", 500, tasks=1, walltime=600),
    )
    assert found["gpu"]["finish_time"] == 120
    assert found["cpu"]["final_state"] == "COMPLETED_SUCCESSFULLY"


def test_nothing_of_jobs_that_have_left_is_kept_of_what_they_counted():
    """Services run for years; what was kept of jobs with GPUs for each socket was kept for good."""
    gres = (GresItem(name="gpu", count=2),)
    node = SlurmNode(name="n1", cpus=8, cores_per_socket=8, memory=8000, state="IDLE", gres=gres)
    described = replace(site(nodes=1, select=SelectSettings(counts="CORE")), nodes=(node,))
    scheduler = Slurm()
    asked = {"tasks": 1, "sockets_per_node": 1, "gres_per_socket": (GresAsk(name="gpu", count=1),)}
    wt.simulate(platform(described), workload(*(job(f"j{k}", 100, **asked) for k in range(4))), scheduler)
    jobs = {f"w!j{k}" for k in range(4)}
    assert jobs == scheduler.state.dependencies.ended.keys()  # others may be submitted that depend on them
    tracked = scheduler.state.tracked
    kept = [getattr(tracked, name) for name in dir(tracked)]  # compiled objects have no vars()
    assert not any(jobs & {*one} for one in kept if isinstance(one, dict))


def test_of_jobs_that_have_left_others_can_ask_only_when_they_started_and_how_they_ended():
    """Their names were kept for good, and with every name a set of nothing."""
    scheduler = Slurm()
    lone = (Dependency(kind="singleton"),)
    jobs = [job(f"j{k}", 100, tasks=1, dependencies=lone) for k in range(3)]
    named = [replace(one, ask=replace(one.ask, name=f"name {one.id}")) for one in jobs]
    wt.simulate(platform(site(nodes=1)), workload(*named), scheduler)
    kept = scheduler.state.dependencies
    names = [name for name in dir(kept) if not name.startswith("__")]
    assert {name for name in names if isinstance(getattr(kept, name), dict | set) and getattr(kept, name)} == {
        "started",
        "ended",
    }


def test_beyond_its_time_limit_a_job_goes_on_as_long_as_its_minutes_last():
    kinds = (Qos(name="normal", limits=Limits(max_tres_mins_per_job={"cpu": 16})),)
    described = site(
        nodes=1, priority=TICKS, qos=kinds, associations=members(), enforce=ENFORCED, over_time_limit=10
    )
    found = rows(described, job("over", 1000, tasks=4, time_limit=2, walltime=1200))
    assert found["over"]["finish_time"] == 240


def test_jobs_without_a_time_limit_get_that_of_their_qos():
    kinds = (Qos(name="normal", limits=Limits(max_wall_per_job=5)),)
    described = site(nodes=1, qos=kinds, associations=members(), enforce=ENFORCED)
    asked = replace(job("endless", 1000, tasks=1), walltime=inf)
    assert rows(described, asked)["endless"]["finish_time"] == 300


@pytest.mark.parametrize(
    ("flag", "part", "ask"),
    [
        ("PartitionTimeLimit", {"max_time": 5}, {"time_limit": 10}),
        ("PartitionMaxNodes", {"max_nodes": 1}, {"min_nodes": 2, "max_nodes": 2}),
        ("PartitionMinNodes", {"min_nodes": 3}, {"min_nodes": 2, "max_nodes": 2}),
    ],
)
@pytest.mark.parametrize("flagged", [False, True])
def test_a_qos_may_lift_what_partitions_allow(flag, part, ask, flagged):
    kinds = (Qos(name="normal", flags=(flag,) if flagged else ()),)
    described = site(
        qos=kinds, associations=members(), enforce=ENFORCED, partitions=(Partition(name="main", default=True, **part),)
    )
    found = rows(described, job("a", 400, walltime=600, **ask))
    assert found["a"]["final_state"] == ("COMPLETED_SUCCESSFULLY" if flagged else "REJECTED")


@pytest.mark.parametrize(("asked", "starts"), [("", True), ("kept", False), ("normal", True), ("nowhere", False)])
def test_a_qos_that_an_association_may_not_use_is_refused(asked, starts):
    kinds = (Qos(name="normal"), Qos(name="kept"))
    described = site(qos=kinds, associations=members(qos=("normal",)), enforce=ENFORCED)
    found = rows(described, job("a", 10, tasks=1, qos=asked))["a"]
    assert (found["final_state"] == "COMPLETED_SUCCESSFULLY") is starts
    assert starts or "InvalidQOS" in found["metadata"]


def test_a_qos_for_reservations_refuses_jobs_without_one():
    kinds = (Qos(name="normal", flags=("RequiresReservation",)),)
    described = site(qos=kinds, associations=members(), enforce=ENFORCED)
    assert "InvalidQOS" in rows(described, job("a", 10, tasks=1))["a"]["metadata"]


@pytest.mark.parametrize("multifactor", [False, True])
def test_priority_basic_never_frees_run_minutes_of_the_qos_of_a_partition(multifactor):
    """Recorded: of two jobs of 80 CPU minutes, of which 100 may run, the second one waits for ever."""
    minutes = Limits(grp_tres_run_mins={"cpu": 100})
    described = site(
        nodes=1,
        priority=replace(TICKS, multifactor=multifactor),
        partitions=(Partition(name="main", default=True), Partition(name="q", qos="of q")),
        qos=(Qos(name="normal"), Qos(name="of q", limits=minutes), Qos(name="own", limits=minutes)),
        associations=members(qos=("normal", "own")),
        enforce=ENFORCED,
    )
    first, second = (job(name, 15, tasks=4, walltime=1200, partitions=("q",)) for name in "ab")
    third, fourth = (job(name, 15, tasks=4, walltime=1200, qos="own") for name in "cd")
    found = rows(described, first, second, third, fourth)
    assert (found["b"]["final_state"] == "REJECTED") is not multifactor
    assert found["d"]["final_state"] == "COMPLETED_SUCCESSFULLY"
