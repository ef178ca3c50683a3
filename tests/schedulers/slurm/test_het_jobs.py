"""Heterogeneous jobs: planned component by component, started together or not at all."""

import sys
from math import inf
from pathlib import Path

import msgspec
import pytest

import windtunnel as wt
from windtunnel.model.slurm import (
    Association,
    JobAsk,
    Limits,
    MainLoopSettings,
    Partition,
    Reservation,
    SelectSettings,
)
from windtunnel.schedulers.slurm.jobs.pending import PendingJob
from windtunnel.schedulers.slurm.loops.clocks import Clocks
from windtunnel.schedulers.slurm.loops.het_jobs import component_asks
from windtunnel.schedulers.slurm.loops.outlook import look_ahead
from windtunnel.schedulers.slurm.state import State

sys.path.insert(0, str(Path(__file__).parent))
from sites import job, platform, site, workload

from shared import shared


def het(name, seconds, *components, submit=0.0, walltime=None, **ask):
    """A job of which the first component asks for ``ask``, the others for ``components``."""
    made = job(name, seconds, submit=submit, walltime=walltime, **ask)
    parts = tuple(JobAsk(name=name, user="ann", **one) for one in components)
    processors = made.request.processors + sum(one.tasks or 1 for one in parts)
    return msgspec.structs.replace(
        made,
        ask=msgspec.structs.replace(made.ask, components=parts),
        request=msgspec.structs.replace(made.request, processors=processors),
    )


def rows(described, *jobs):
    run = wt.simulate(platform(described), workload(*jobs), "slurm")
    return {row["job_id"]: row for row in run.jobs.to_dicts()}


def test_backfill_starts_all_components_together_each_on_nodes_of_its_own():
    found = rows(site(nodes=3), het("h", 100, {"tasks": 4}, {"tasks": 8}, tasks=8))
    row = found["h"]
    assert row["final_state"] == "COMPLETED_SUCCESSFULLY"
    assert (row["allocated_resources"], row["host_share"]) == ("0-2", 2.5)
    assert row["metadata"].startswith("Components, with Slurm's Reasons: +0 on n1")
    assert ", +1 on n2" in row["metadata"]
    assert ", +2 on n3" in row["metadata"]


def test_it_waits_until_its_last_component_can_start():
    found = rows(
        site(nodes=2),
        job("long", 600, tasks=8, walltime=600),
        het("h", 60, {"tasks": 8}, submit=1, tasks=8, walltime=1200),
        job("filler", 60, submit=2, tasks=8, walltime=60),
    )
    assert found["h"]["starting_time"] == pytest.approx(600, abs=60)
    assert found["filler"]["starting_time"] < 100  # in a cycle that knows when the last component can start
    assert "Resources" in found["h"]["metadata"]


def test_in_the_main_loop_its_partition_fails():
    described = site(
        nodes=4,
        main=MainLoopSettings(batch_sched_delay=1),
        partitions=(
            Partition(name="main", nodes=("n1", "n2", "n3"), default=True),
            Partition(name="other", nodes=("n4",)),
        ),
    )
    found = rows(
        described,
        het("h", 100, {"tasks": 8}, submit=1, tasks=8),
        job("behind", 100, submit=1, tasks=8),
        job("beside", 100, submit=1, tasks=8, partitions=("other",)),
    )
    assert found["beside"]["starting_time"] < 5
    assert found["behind"]["starting_time"] == found["h"]["starting_time"]  # in the same cycle of backfill


def test_limits_count_each_component():
    def started(limits):
        described = site(
            nodes=4,
            enforce=("associations", "limits"),
            associations=(
                Association(account="root", parent=""),
                Association(account="lab", parent="root", limits=limits),
                Association(account="lab", user="ann"),
            ),
        )
        return rows(described, het("h", 100, {"tasks": 8, "account": "lab"}, tasks=8, account="lab"))["h"]

    assert started(Limits(grp_jobs=2))["final_state"] == "COMPLETED_SUCCESSFULLY"
    never = started(Limits(grp_jobs=1))
    assert never["final_state"] == "REJECTED"
    assert "AssocGrpJobsLimit" in never["metadata"]
    assert started(Limits(grp_tres={"cpu": 16}))["final_state"] == "COMPLETED_SUCCESSFULLY"
    assert "AssocGrpCpuLimit" in started(Limits(grp_tres={"cpu": 15}))["metadata"]
    assert "AssocGrpSubmitJobsLimit" in started(Limits(grp_submit_jobs=1))["metadata"]


def test_a_component_that_no_node_can_hold_refuses_the_whole_job():
    found = rows(site(nodes=2), het("h", 100, {"tasks": 17}, tasks=1), job("next", 10, submit=1, tasks=16))
    assert found["h"]["final_state"] == "REJECTED"
    assert found["next"]["final_state"] == "COMPLETED_SUCCESSFULLY"


def test_what_follows_waits_for_all_of_it():
    from windtunnel.model.slurm import Dependency

    found = rows(
        site(nodes=3),
        het("h", 100, {"tasks": 8}, tasks=8),
        job("next", 10, submit=1, tasks=8, dependencies=(Dependency(kind="afterok", job="h"),)),
    )
    assert found["next"]["starting_time"] >= found["h"]["finish_time"]


def test_components_that_find_no_nodes_beside_each_other_give_way_and_wait():
    # both are planned on the one free node, one after the other; when both plans are due, only one fits
    found = rows(
        site(nodes=2),
        job("long", 1800, tasks=8, walltime=1800),
        het("h", 60, {"tasks": 8}, submit=1, tasks=8, walltime=60),
        job("wakes", 1, submit=181, tasks=8, walltime=60),
    )
    assert found["h"]["starting_time"] >= 1800
    assert "BeginTime" in found["h"]["metadata"]


def test_two_jobs_that_would_wait_for_each_other_in_two_partitions_are_not_both_planned():
    from windtunnel.schedulers.slurm.jobs.pending import PendingJob
    from windtunnel.schedulers.slurm.jobs.together import HetJob
    from windtunnel.schedulers.slurm.loops.het_jobs import HetStarts
    from windtunnel.schedulers.slurm.state import State

    described = site(
        partitions=(Partition(name="one", nodes=("n1",), default=True), Partition(name="two", nodes=("n2",)))
    )
    state = State(described)
    parts = {}
    for leader in ("a", "b"):
        whole = HetJob(leader)
        for offset, name in enumerate(("one", "two")):
            made = PendingJob(f"{leader}+{offset}", 1, JobAsk(partitions=(name,)), 0, state.cluster)
            whole.add(made)
            parts[leader, name] = made.records[0]
    starts = HetStarts(state, 3600)
    assert not starts.deadlocked(parts["a", "one"], 100)
    assert not starts.deadlocked(parts["b", "one"], 200)
    assert not starts.deadlocked(parts["b", "two"], 100)
    # in one it starts before b, in two it would start after it
    assert starts.deadlocked(parts["a", "two"], 50) is False
    assert starts.deadlocked(parts["a", "one"], 150) is True


def test_the_recorded_log_runs_on_its_site_with_its_heterogeneous_job():
    folder = shared("golden/slurm/formats")
    run = wt.simulate(folder / "slurm.conf", folder / "clean/after/sacct-all-parsable.txt.gz")
    found = {row["job_id"]: row for row in run.jobs.to_dicts()}
    assert found["6"]["final_state"] == "COMPLETED_SUCCESSFULLY"
    assert found["6"]["metadata"].startswith("Components, with Slurm's Reasons: +0 on n")
    assert found["6"]["allocated_resources"].count(" ") + found["6"]["allocated_resources"].count("-") == 1
    rejected = {name: row["metadata"] for name, row in found.items() if row["final_state"] == "REJECTED"}
    assert rejected == {  # no file tells the reservation; what 17 waits for ended well
        "14": "Slurm cancels it: DeadLine",  # as it did
        "17": "Slurm never starts it: DependencyNeverSatisfied",
        "19": "Slurm refuses it: ReservationAccess",
    }


def test_its_components_are_one_job_for_singletons():
    from windtunnel.model.slurm import Dependency

    alone = (Dependency(kind="singleton"),)
    first = job("h", 100, tasks=1)
    second = het("second", 50, {"tasks": 8}, submit=1, tasks=8, dependencies=alone)
    parts = tuple(msgspec.structs.replace(one, name="h") for one in second.ask.components)
    second = msgspec.structs.replace(second, ask=msgspec.structs.replace(second.ask, name="h", components=parts))
    found = rows(site(nodes=3), first, second)
    assert found["second"]["starting_time"] >= 100
    assert found["second"]["final_state"] == "COMPLETED_SUCCESSFULLY"


def test_preemption_takes_all_components():
    from windtunnel.model.slurm import PreemptSettings, Qos

    described = site(
        nodes=2,
        preempt=PreemptSettings(type="qos", mode=("REQUEUE",)),
        qos=(Qos(name="low"), Qos(name="high", preempt=("low",))),
    )
    found = rows(
        described,
        het("h", 300, {"tasks": 8, "qos": "low"}, tasks=8, qos="low", walltime=600),
        job("urgent", 100, submit=60, tasks=8, qos="high"),
    )
    assert found["urgent"]["starting_time"] < 70
    assert found["h"]["final_state"] == "COMPLETED_KILLED"
    again = found["h#2"]
    assert again["final_state"] == "COMPLETED_SUCCESSFULLY"
    assert again["starting_time"] >= found["h"]["finish_time"] + 121
    assert ", +1 on n" in again["metadata"]


def test_nobody_is_suspended_for_a_higher_qos_where_no_cores_are_shared():
    from windtunnel.model.slurm import PreemptSettings, Qos

    described = site(
        nodes=2,
        preempt=PreemptSettings(type="qos", mode=("SUSPEND", "GANG")),
        qos=(Qos(name="low"), Qos(name="high", preempt=("low",))),
    )
    found = rows(
        described,
        het("h", 300, {"tasks": 8, "qos": "low"}, tasks=8, qos="low", walltime=600),
        job("urgent", 100, submit=60, tasks=8, qos="high"),
    )
    assert found["h"]["finish_time"] < 310
    assert found["urgent"]["starting_time"] >= found["h"]["finish_time"]


def test_what_sbatch_does_not_forget_goes_on_to_the_next_component():
    """The first has the last that is given (seen in the recording components-carry)."""
    ask = JobAsk(
        components=(
            JobAsk(qos="low", memory_per_node=1000, nodes=("n1",)),
            JobAsk(memory_per_cpu=10, nice=5, exclude=("n2",)),
            JobAsk(qos="high", account="a", time_min=3),
        )
    )
    parts = component_asks(ask)
    assert [one.qos for one in parts] == ["high", "low", "low", "high"]
    assert [one.account for one in parts] == ["a"] * 4
    assert [one.memory_per_node for one in parts] == [1000, 1000, None, None]
    assert [one.nice for one in parts] == [5] * 4
    assert [one.time_min for one in parts] == [3] * 4
    assert [set(one.exclude) for one in parts] == [{"n1", "n2"}, {"n2"}, {"n1", "n2"}, {"n1", "n2"}]


def test_memory_of_nodes_is_whole_where_nobody_gives_any():
    parts = component_asks(JobAsk(components=(JobAsk(memory_per_gpu=1),)))
    assert [one.memory_per_node for one in parts] == [None, None]


def too_many_sockets(**more):
    """Whole sockets are more than the limit allows, which shows only when the second component starts."""
    return site(
        nodes=2,
        select=SelectSettings(counts="SOCKET"),
        associations=(
            Association(account="root"),
            Association(account="a", parent="root", limits=Limits(grp_tres={"cpu": 12})),
            Association(account="a", user="ann", default=True),
        ),
        enforce=("associations", "limits"),
        **more,
    )


def test_what_starts_and_gives_way_for_ever_ends_a_run():
    found = rows(too_many_sockets(), het("h", 60, {"tasks": 1, "account": "a"}, tasks=1, account="a"))
    assert found["h"]["metadata"].startswith("Slurm never starts it")


@pytest.mark.parametrize(("first", "second"), [(7200, None), (7200, 3600), (None, 7200)])
def test_it_starts_in_the_cycles_after_its_begin_time_though_nothing_else_happens(first, second):
    found = rows(site(nodes=2), het("h", 60, {"tasks": 1, "begin": second}, tasks=1, begin=first))
    assert 7200 <= found["h"]["starting_time"] <= 7260


def test_what_is_put_off_again_and_again_is_no_change_for_daily_reservations():
    daily = Reservation(name="lab", nodes=("n1",), users=("bob",), start=3600, end=7200, flags=("DAILY",))
    state = State(site(reservations=(daily,)), 30 * 86400)
    waiting = PendingJob("1", 1, JobAsk(tasks=1), 0, state.cluster, None, None)
    state.pending["1"] = waiting
    for put_off in (-100, 100):
        waiting.begin = state.now + put_off
        clocks = Clocks(state.site, state.now)
        look_ahead(state, clocks, state.now, 0, 100)
        assert clocks.due == inf
