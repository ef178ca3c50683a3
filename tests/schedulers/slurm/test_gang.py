"""Jobs that have the same cores: in partitions that let them share, and suspended for each other in turns."""

import sys
from pathlib import Path

import pytest

import windtunnel as wt
from windtunnel.model.slurm import (
    Association,
    OverSubscribe,
    Partition,
    PreemptSettings,
    Qos,
    SelectSettings,
)
from windtunnel.schedulers.slurm.component import Slurm

sys.path.insert(0, str(Path(__file__).parent))
from sites import job, platform, site, workload

BY_TIER = PreemptSettings(type="partition_prio", mode=("SUSPEND", "GANG"))


def rows(described, *jobs):
    run = wt.simulate(platform(described), workload(*jobs), "slurm")
    return {row["job_id"]: row for row in run.jobs.to_dicts()}


def sharing(count, **more):
    part = Partition(name="main", default=True, over_subscribe=OverSubscribe.FORCE, share_count=count)
    return site(nodes=1, partitions=(part,), **more)


def tiers(**more):
    parts = (
        Partition(name="lo", default=True, **more),
        Partition(name="hi", priority_tier=10, **more),
    )
    return site(nodes=2, partitions=parts, preempt=BY_TIER)


def test_as_many_jobs_have_the_same_cores_as_the_partition_says():
    found = rows(sharing(2), *(job(name, 100, tasks=8) for name in "abc"))
    assert [found[name]["starting_time"] for name in "ab"] == [0, 0]
    assert found["c"]["starting_time"] == pytest.approx(100, abs=5)


def test_idle_cores_go_before_cores_of_others():
    found = rows(sharing(2), *(job(name, 100, tasks=4) for name in "abcd"))
    assert {row["starting_time"] for row in found.values()} == {0}
    assert {row["finish_time"] for row in found.values()} == {100}


def test_select_linear_shares_whole_nodes():
    described = sharing(2, select=SelectSettings(type="linear"))
    found = rows(described, *(job(name, 100, min_nodes=1, max_nodes=1) for name in "abc"))
    assert [found[name]["starting_time"] for name in "ab"] == [0, 0]
    assert found["c"]["starting_time"] == pytest.approx(100, abs=5)


def test_jobs_take_turns_on_shared_cores():
    described = sharing(2, preempt=PreemptSettings(mode=("GANG",), time_slice=10))
    found = rows(described, job("a", 35, tasks=8), job("b", 25, tasks=8))
    assert [found[name]["starting_time"] for name in "ab"] == [0, 0]
    assert found["b"]["finish_time"] == 60  # the first slice is not the turn of a, which only filled free cores
    assert found["a"]["finish_time"] == 55


def test_cores_beside_those_that_take_turns_are_free_for_others():
    described = sharing(2, preempt=PreemptSettings(mode=("GANG",), time_slice=10))
    found = rows(described, job("a", 40, tasks=6), job("b", 40, tasks=6), job("small", 40, tasks=2))
    assert found["small"]["finish_time"] == 40
    assert sorted(found[name]["finish_time"] for name in "ab") == [60, 80]


def test_a_job_of_a_higher_tier_starts_at_once_on_the_cores_of_lower_ones():
    found = rows(
        tiers(),
        job("left", 100, tasks=8),
        job("right", 100, tasks=8),
        job("urgent", 50, submit=30, tasks=4, partitions=("hi",)),
    )
    assert 30 <= found["urgent"]["starting_time"] <= 31
    ends = sorted(found[name]["finish_time"] for name in ("left", "right"))
    assert ends == pytest.approx([100, 150], abs=2)


def test_what_is_suspended_keeps_its_cores_from_jobs_of_its_own_tier():
    found = rows(
        tiers(),
        job("low", 100, tasks=16),
        job("urgent", 50, submit=30, tasks=4, partitions=("hi",)),
        job("next", 10, submit=31, tasks=1),
    )
    assert found["low"]["finish_time"] == pytest.approx(150, abs=2)
    assert found["next"]["starting_time"] >= found["low"]["finish_time"]


@pytest.mark.parametrize(("mode", "again"), [("REQUEUE", True), ("CANCEL", False)])
def test_who_lies_beneath_ends_if_its_partition_says_so(mode, again):
    parts = (
        Partition(name="lo", default=True, preempt_mode=(mode,), grace_time=60),
        Partition(name="hi", priority_tier=10),
    )
    found = rows(
        site(nodes=2, partitions=parts, preempt=BY_TIER),
        job("left", 100, tasks=8),
        job("right", 100, tasks=8),
        job("urgent", 50, submit=30, tasks=4, partitions=("hi",)),
    )
    assert 30 <= found["urgent"]["starting_time"] <= 31
    assert found["urgent"]["finish_time"] == found["urgent"]["starting_time"] + 50
    ended = [name for name in ("left", "right") if found[name]["finish_time"] == found["urgent"]["starting_time"]]
    assert len(ended) == 1
    assert (f"{ended[0]}#2" in {key.partition("!")[2] or key for key in found}) is again


def test_a_job_of_a_lower_tier_keeps_off_the_cores_of_higher_ones():
    found = rows(
        tiers(over_subscribe=OverSubscribe.FORCE, share_count=1),
        job("high", 100, tasks=12, partitions=("hi",)),
        job("low", 100, submit=1, tasks=8),
    )
    assert found["low"]["starting_time"] >= found["high"]["finish_time"]


def test_whole_nodes_are_taken_from_lower_tiers_too():
    found = rows(
        tiers(),
        job("low", 100, tasks=16),
        job("urgent", 50, submit=30, tasks=1, exclusive=True, partitions=("hi",)),
        job("again", 50, submit=40, tasks=1, exclusive=True, partitions=("hi",)),
    )
    assert found["urgent"]["starting_time"] <= 31
    assert found["again"]["starting_time"] <= 41
    assert {found[name]["allocated_resources"] for name in ("urgent", "again")} == {"0", "1"}
    assert found["low"]["finish_time"] == pytest.approx(160, abs=2)


def test_time_in_suspension_is_charged():
    members = (
        Association(account="root"),
        Association(account="a", parent="root"),
        Association(account="a", user="ann", default=True),
    )
    parts = (Partition(name="lo", default=True), Partition(name="hi", priority_tier=10))
    described = site(
        nodes=1,
        partitions=parts,
        preempt=BY_TIER,
        associations=members,
        qos=(Qos(name="normal"),),
        enforce=("associations", "limits"),
    )
    jobs = (job("low", 100, tasks=8), job("urgent", 50, submit=30, tasks=8, partitions=("hi",)))
    scheduler = Slurm()
    wt.simulate(platform(described), workload(*jobs), scheduler)
    scheduler.state.ledger.tree.sum_usage()
    used = scheduler.state.ledger.tree.root.usage
    assert used == pytest.approx(8 * 200, rel=0.02)


def test_who_fills_free_cores_keeps_its_place_in_the_list():
    """When b ends, c fills what is free; the next slice is its turn all the same, before that of a."""
    described = sharing(3, preempt=PreemptSettings(mode=("GANG",), time_slice=10))
    found = rows(described, job("a", 100, tasks=8), job("b", 5, tasks=8), job("c", 15, tasks=8))
    assert found["b"]["finish_time"] == 25  # from 20 on
    assert found["c"]["finish_time"] == 40  # it fills the rest of the slice, and has the next one


def test_jobs_of_partitions_with_one_tier_do_not_suspend_each_other():
    parts = tuple(
        Partition(name=name, default=name == "p", over_subscribe=OverSubscribe.FORCE, share_count=2) for name in "pq"
    )
    described = site(nodes=1, partitions=parts, preempt=PreemptSettings(mode=("GANG",), time_slice=10))
    found = rows(described, job("a", 40, tasks=8), job("b", 40, tasks=8, partitions=("q",)))
    assert [found[name]["starting_time"] for name in "ab"] == [0, 0]
    assert [found[name]["finish_time"] for name in "ab"] == [40, 40]


@pytest.mark.parametrize("mode", [("SUSPEND", "GANG"), ("SUSPEND",)])
def test_with_select_linear_a_job_of_a_higher_tier_starts_on_the_nodes_of_lower_ones(mode):
    parts = (Partition(name="lo", default=True), Partition(name="hi", priority_tier=10))
    preempt = PreemptSettings(type="partition_prio", mode=mode)  # Slurm itself asks for GANG beside SUSPEND
    described = site(nodes=2, partitions=parts, preempt=preempt, select=SelectSettings(type="linear"))
    whole = {"min_nodes": 1, "max_nodes": 1}
    found = rows(
        described,
        job("left", 100, **whole),
        job("right", 100, **whole),
        job("urgent", 50, submit=30, partitions=("hi",), **whole),
    )
    assert 30 <= found["urgent"]["starting_time"] <= 31
    ends = sorted(found[name]["finish_time"] for name in ("left", "right"))
    assert ends == pytest.approx([100, 150], abs=2)


def test_a_job_of_a_higher_qos_takes_turns_with_those_of_lower_ones():
    described = sharing(
        1,
        preempt=PreemptSettings(type="qos", mode=("SUSPEND", "GANG"), time_slice=10),
        qos=(Qos(name="low"), Qos(name="high", preempt=("low",))),
    )
    found = rows(
        described,
        job("a", 100, tasks=8, qos="low"),
        job("b", 20, submit=30, tasks=8, qos="high"),
        job("c", 20, submit=30, tasks=8, qos="low"),
    )
    assert 30 <= found["b"]["starting_time"] <= 35
    assert found["b"]["finish_time"] > 60  # it waits for its turns, and is first the one that is suspended
    assert found["c"]["starting_time"] >= found["b"]["finish_time"]


def test_heterogeneous_jobs_have_no_turns():
    from test_het_jobs import het

    described = site(
        nodes=2,
        partitions=(
            Partition(name="main", default=True, over_subscribe=OverSubscribe.FORCE, share_count=2),
        ),
        preempt=PreemptSettings(mode=("GANG",), time_slice=10),
    )
    found = rows(
        described,
        job("all", 60, tasks=16),
        het("h", 60, {"tasks": 8}, submit=1, tasks=8),
    )
    assert found["all"]["finish_time"] == 60
    run = found["h"]
    assert run["finish_time"] - run["starting_time"] == pytest.approx(60, abs=1)


def test_a_job_that_its_limit_ends_as_a_time_slice_begins_is_not_suspended():
    """At 100 the limit of a is over, and its slice, too: it ends, and b goes on."""
    described = sharing(2, preempt=PreemptSettings(mode=("GANG",), time_slice=10))
    jobs = (job("a", 500, walltime=7200, tasks=8, time_limit=1), job("b", 80, tasks=8))
    found = rows(described, *jobs)
    assert found["a"]["final_state"] == "COMPLETED_KILLED"
    assert [found[name]["finish_time"] for name in "ab"] == [100, 140]


def test_a_job_that_its_limit_ends_as_others_start_leaves_its_cores_to_them():
    """Whoever is suspended beneath a job of a higher tier goes on in the instant in which that one is ended."""
    described = tiers()
    found = rows(
        described,
        job("low", 100, tasks=16),
        job("urgent", 500, submit=10, walltime=7200, tasks=16, time_limit=1, partitions=("hi",)),
    )
    assert found["urgent"]["final_state"] == "COMPLETED_KILLED"
    assert found["low"]["finish_time"] == pytest.approx(160, abs=2)


def test_jobs_that_share_a_host_take_no_more_of_it_than_it_has():
    """The low one gets whole the node of which the high one has three cores; memory and cores are there once."""
    parts = (Partition(name="lo", default=True), Partition(name="hi", priority_tier=10))
    described = site(nodes=1, cpus=4, partitions=parts, preempt=BY_TIER, select=SelectSettings(counts="CPU"))
    found = rows(
        described,
        job("high", 100, tasks=3, partitions=("hi",)),
        job("low", 50, submit=10, tasks=1, exclusive=True),
    )
    assert {row["final_state"] for row in found.values()} == {"COMPLETED_SUCCESSFULLY"}


def test_whole_nodes_change_hands_with_all_that_they_have():
    """select/linear: what is suspended gives its memory back, too, and gets it when it goes on."""
    described = site(
        nodes=1,
        qos=(Qos(name="low", priority=1), Qos(name="high", priority=9, preempt=("low",))),
        preempt=PreemptSettings(type="qos", mode=("SUSPEND", "GANG"), time_slice=10),
        select=SelectSettings(type="linear"),
    )
    found = rows(
        described,
        job("below", 100, min_nodes=1, max_nodes=1, qos="low"),
        job("above", 50, submit=30, min_nodes=1, max_nodes=1, qos="high"),
    )
    assert 30 <= found["above"]["starting_time"] <= 32
    assert max(row["finish_time"] for row in found.values()) == pytest.approx(150, abs=2)
