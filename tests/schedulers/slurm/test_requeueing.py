"""Victims that wait again: for Slurm the same jobs, in the results further ones."""

import sys
from pathlib import Path

import msgspec
import pytest

import windtunnel as wt
from windtunnel.engine import Options
from windtunnel.model import EventList
from windtunnel.model.slurm import BackfillSettings, Dependency, Partition, PreemptSettings, PrioritySettings

sys.path.insert(0, str(Path(__file__).parent))
from sites import job, platform, site, workload


def rows(described, *jobs, **given):
    run = wt.simulate(platform(described), workload(*jobs), "slurm", **given)
    return {row["job_id"]: row for row in run.jobs.to_dicts()}


def requeueing(**more):
    """A victim of the first partition, which is requeued for jobs of the second one."""
    parts = (Partition(name="lo", default=True), Partition(name="hi", priority_tier=10))
    preempt = PreemptSettings(type="partition_prio", mode=("REQUEUE",))
    return site(nodes=1, partitions=parts, preempt=preempt, priority=PrioritySettings(multifactor=False), **more)


def test_a_requeued_job_keeps_its_place_and_jobs_that_depend_on_it_wait():
    """As recorded of Slurm: it comes before jobs that were submitted after it, once it is eligible again."""
    found = rows(
        requeueing(),
        job("a", 20, tasks=8, walltime=1800),
        job("b", 140, submit=1, tasks=8, walltime=600),
        job("c", 15, submit=2, tasks=8, walltime=600),
        job("after", 5, submit=3, tasks=8, walltime=600, dependencies=(Dependency(kind="afterok", job="a"),)),
        job("urgent", 10, submit=10, tasks=8, partitions=("hi",), walltime=180),
    )
    order = sorted(found, key=lambda name: found[name]["starting_time"])
    assert order == ["a", "urgent", "b", "a#2", "c", "after"]
    assert found["a"]["final_state"] == "COMPLETED_KILLED"
    assert all(found[name]["final_state"] == "COMPLETED_SUCCESSFULLY" for name in order[1:])


def failing(start, end):
    """The machine fails and is repaired (s); what is lost comes back."""
    events = [
        wt.ExternalEvent(timestamp=at, kind="machine_state", hosts=wt.HostSet([0]), attributes={"state": state})
        for at, state in ((start, "FAILURE"), (end, "ACTIVE"))
    ]
    return {"events": EventList(name="e", events=tuple(events)), "options": Options(on_failure="requeue")}


def test_a_preempted_job_that_is_lost_comes_back():
    """It was gone for good: it had been registered by the scheduler."""
    urgent = job("urgent", 10, submit=10, tasks=8, partitions=("hi",), walltime=180)
    found = rows(requeueing(), job("a", 300, tasks=8, walltime=1800), urgent, **failing(300.0, 350.0))
    assert found["a#2"]["final_state"] == "COMPLETED_FAILED"
    assert found["a#3"]["final_state"] == "COMPLETED_SUCCESSFULLY"
    assert found["a#3"]["starting_time"] >= 350


@pytest.mark.parametrize("kind", ["afterok", "afterany", "afternotok"])
@pytest.mark.parametrize("submit", [3, 12])
def test_who_waits_for_a_lost_job_waits_for_the_one_that_comes_back(kind, submit):
    """``afterok`` was never satisfied, the others began before it had ended."""
    then = job("then", 5, submit=submit, tasks=8, walltime=600, dependencies=(Dependency(kind=kind, job="a"),))
    found = rows(site(nodes=1), job("a", 20, tasks=8, walltime=1800), then, **failing(8.0, 9.0))
    assert found["a#1"]["final_state"] == "COMPLETED_SUCCESSFULLY"
    if kind == "afternotok":
        assert "DependencyNeverSatisfied" in found["then"]["metadata"]
    else:
        assert found["then"]["starting_time"] >= found["a#1"]["finish_time"]


@pytest.mark.parametrize("think", [0.0, 7.0])
def test_who_depends_on_a_preempted_job_waits_for_the_one_in_its_place(think):
    """Of dependencies of the workload, such as those of workflows and of SWF: b began while a waited again."""
    b = msgspec.structs.replace(job("b", 5, tasks=8, walltime=600), dependencies=("w!a",), think_time=think)
    urgent = [job(name, 10, submit=at, tasks=8, partitions=("hi",), walltime=180) for name, at in (("u", 10), ("v", 300))]
    found = rows(requeueing(), job("a", 300, tasks=8, walltime=1800), b, *urgent, **failing(700.0, 750.0))
    attempts = [found[name]["final_state"].removeprefix("COMPLETED_") for name in ("a", "a#2", "a#3", "a#4")]
    assert attempts == ["KILLED", "KILLED", "FAILED", "SUCCESSFULLY"]
    assert found["b"]["submission_time"] == found["a#4"]["finish_time"] + think


def test_a_job_that_asks_for_parts_of_its_nodes_is_requeued_with_them():
    victim = job("a", 20, tasks=4, walltime=1800)
    part = msgspec.structs.replace(victim.request, amounts=(("cores", 4.0), ("memory", 1024.0)))
    found = rows(
        requeueing(),
        msgspec.structs.replace(victim, request=part),
        job("urgent", 10, submit=10, tasks=8, partitions=("hi",), walltime=180),
    )
    assert found["a"]["final_state"] == "COMPLETED_KILLED"
    assert found["a#2"]["final_state"] == "COMPLETED_SUCCESSFULLY"


@pytest.mark.parametrize(
    ("kind", "waits"), [("afterok", True), ("afterany", True), ("afternotok", True), ("after", False)]
)
def test_a_job_that_is_requeued_has_begun_and_not_ended(kind, waits):
    found = rows(
        requeueing(),
        job("a", 20, tasks=8, walltime=1800),
        job("then", 5, submit=3, tasks=8, walltime=600, dependencies=(Dependency(kind=kind, job="a"),)),
        job("urgent", 10, submit=10, tasks=8, partitions=("hi",), walltime=180),
    )
    if kind == "afternotok":
        assert "DependencyNeverSatisfied" in found["then"]["metadata"]
    else:
        assert (found["then"]["starting_time"] > found["a#2"]["finish_time"] - 1) is waits


def test_a_dependency_on_the_start_counts_from_the_start_also_when_the_job_has_ended():
    after = Dependency(kind="after", job="a", minutes=10)
    found = rows(
        site(nodes=1),
        job("a", 200, tasks=8, walltime=600),
        job("then", 5, submit=3, tasks=8, walltime=600, dependencies=(after,)),
    )
    assert 600 <= found["then"]["starting_time"] <= 660


def test_a_job_that_preempts_in_vain_for_ever_is_given_up():
    """Only backfill may start it, within MaxTime; what it preempts goes to others before the next cycle."""
    described = requeueing(backfill=BackfillSettings(bf_interval=120))
    parts = (described.partitions[0], Partition(name="hi", priority_tier=10, max_time=60))
    found = rows(
        msgspec.structs.replace(described, partitions=parts),
        *[job(name, 5000, tasks=8, walltime=6000) for name in ("a", "b", "c", "d", "e", "f")],
        job("urgent", 100, submit=10, tasks=8, partitions=("hi",), time_limit=240, time_min=5, walltime=14400),
    )
    assert found["urgent"]["metadata"] == (
        "Slurm never starts it: others start on what it preempts, 1,000 times (Resources)"
    )
    ends = [row["final_state"] for name, row in found.items() if row["final_state"] == "COMPLETED_SUCCESSFULLY"]
    assert len(ends) == 6
