"""Limits of memory, of age and of usage, what a LimitFactor makes of limits, and the ends of limits that were cut."""

import sys
from math import inf
from pathlib import Path

import pytest
from msgspec.structs import replace

import windtunnel as wt
from windtunnel.model.slurm import (
    Association,
    BackfillSettings,
    JobAsk,
    Limits,
    MainLoopSettings,
    Partition,
    PreemptSettings,
    PrioritySettings,
    Qos,
    SelectSettings,
    SlurmNode,
)
from windtunnel.model.slurm.cluster import FOR_EVER
from windtunnel.schedulers.slurm.jobs.pending import PendingJob
from windtunnel.schedulers.slurm.loops.main_loop import main_pass
from windtunnel.schedulers.slurm.loops.submission import refusal
from windtunnel.schedulers.slurm.state import State

sys.path.insert(0, str(Path(__file__).parent))
from sites import job, platform, site, workload

ENFORCED = ("associations", "limits", "qos")


def rows(described, *jobs):
    run = wt.simulate(platform(described), workload(*jobs), "slurm")
    return {row["job_id"]: row for row in run.jobs.to_dicts()}


def members(**own):
    return (
        Association(account="root"),
        Association(account="a", parent="root", **own),
        Association(account="a", user="ann", default=True),
        Association(account="a", user="bob", default=True),
    )


WITH_MEMORY = SelectSettings(counts="CORE", memory=True)


@pytest.mark.parametrize("where", ["cluster", "partition"])
def test_more_memory_on_a_node_than_allowed_keeps_a_job_waiting(where):
    of_part = {"max_memory_per_node": 3000} if where == "partition" else {}
    of_site = {"max_memory_per_node": 3000} if where == "cluster" else {}
    described = site(
        nodes=1, select=WITH_MEMORY, partitions=(Partition(name="main", default=True, **of_part),), **of_site
    )
    found = rows(
        described,
        job("allowed", 10, tasks=1, memory_per_node=3000),
        job("node", 10, tasks=1, memory_per_node=3001),
        job("cpus", 10, tasks=4, tasks_per_node=4, memory_per_cpu=1000),
    )
    assert found["allowed"]["starting_time"] == 0
    for name in ("node", "cpus"):
        assert found[name]["final_state"] == "REJECTED"
        assert "MaxMemPerLimit" in found[name]["metadata"]


def test_a_partitions_limit_stands_in_for_the_clusters():
    parts = (Partition(name="main", default=True, max_memory_per_node=6000),)
    described = site(nodes=1, select=WITH_MEMORY, partitions=parts, max_memory_per_node=3000)
    assert rows(described, job("a", 10, tasks=1, memory_per_node=5000))["a"]["starting_time"] == 0


def test_where_partitions_limits_are_enforced_too_much_memory_is_refused():
    described = site(nodes=1, select=WITH_MEMORY, max_memory_per_node=3000, enforce_partition_limits="ALL")
    found = rows(described, job("a", 10, tasks=1, memory_per_node=5000))
    assert "refuses it: MaxMemPerLimit" in found["a"]["metadata"]


def test_more_memory_for_each_cpu_than_allowed_is_had_by_more_cpus():
    described = site(nodes=1, select=WITH_MEMORY, max_memory_per_cpu=500)
    found = rows(described, *(job(name, 100, tasks=2, memory_per_cpu=1200) for name in "ab"))
    # three CPUs of 400 MB each in place of one: two such tasks take six of the eight CPUs
    assert found["a"]["starting_time"] == 0
    assert found["b"]["starting_time"] >= 100


def test_memory_of_a_node_counts_as_many_cpus_as_it_takes():
    described = site(nodes=1, select=WITH_MEMORY, max_memory_per_cpu=1000)
    found = rows(described, job("small", 100, tasks=4), job("large", 100, submit=5, tasks=1, memory_per_node=4500))
    assert found["large"]["starting_time"] >= 100


def test_a_limit_factor_raises_the_limits_of_associations():
    kinds = (Qos(name="normal"), Qos(name="wide", limit_factor=2.0))
    described = site(nodes=2, associations=members(limits=Limits(grp_tres={"cpu": 4})), qos=kinds, enforce=ENFORCED)
    found = rows(described, job("a", 10, tasks=8, qos="wide"), job("b", 10, submit=20, tasks=8))
    assert found["a"]["starting_time"] == 0
    assert "AssocGrpCpuLimit" in found["b"]["metadata"]


def test_below_the_usage_threshold_of_its_qos_a_job_waits():
    kinds = (Qos(name="normal"), Qos(name="fair", usage_threshold=0.6, flags=("EnforceUsageThreshold",)))
    users = (
        Association(account="root"),
        Association(account="a", parent="root"),
        Association(account="a", user="ann", default=True, usage=1e6),
        Association(account="a", user="bob", default=True),
    )
    described = site(nodes=2, associations=users, qos=kinds, enforce=ENFORCED, priority=PrioritySettings())
    found = rows(
        described, job("of ann", 10, tasks=1, qos="fair"), job("of bob", 10, tasks=1, qos="fair", user="bob")
    )
    assert found["of bob"]["starting_time"] == 0
    assert "QOSUsageThreshold" in found["of ann"]["metadata"]


AGE = PrioritySettings(weight_age=1000, max_age=1000, calc_period=10)
ACCRUAL = {
    "association": (members(limits=Limits(max_jobs_accrue=1)), (Qos(name="normal"),)),
    "group": (members(limits=Limits(grp_jobs_accrue=1)), (Qos(name="normal"),)),
    "user": (members(), (Qos(name="normal", limits=Limits(max_jobs_accrue_per_user=1)),)),
    "account": (members(), (Qos(name="normal", limits=Limits(max_jobs_accrue_per_account=1)),)),
}


@pytest.mark.parametrize("kind", [None, *ACCRUAL])
def test_only_so_many_jobs_grow_older(kind):
    associations, kinds = ACCRUAL.get(kind, (members(), (Qos(name="normal"),)))
    described = site(nodes=1, associations=associations, qos=kinds, enforce=ENFORCED, priority=AGE)
    found = rows(
        described,
        job("running", 500, tasks=8),
        job("first", 100, submit=1, tasks=8),
        job("second", 100, submit=2, tasks=8),
        job("nice", 100, submit=400, tasks=8, nice=-300),
    )
    # without a limit the second is 500 points old when it could start, and comes before the nice one
    later = found["second"]["starting_time"] > found["nice"]["starting_time"]
    assert later == (kind is not None)


def test_a_job_ends_with_the_limit_it_was_given():
    parts = (Partition(name="main", default=True, default_time=5),)
    asked = without_limit(job("endless", 1000, tasks=1))
    found = rows(site(nodes=1, partitions=parts), asked)
    assert found["endless"]["finish_time"] == 300
    assert found["endless"]["final_state"] == "COMPLETED_KILLED"


def test_a_job_cut_by_its_deadline_ends_then():
    found = rows(site(nodes=1), job("a", 5000, tasks=1, time_limit=60, deadline=1200, time_min=10, walltime=3600))
    assert found["a"]["finish_time"] == 1200


@pytest.mark.parametrize(
    ("cluster", "partition", "end"),
    [(0, None, 300), (1, None, 360), (1, 0, 300), (0, 2, 400), (FOR_EVER, None, 400), (0, FOR_EVER, 400)],
)
def test_jobs_may_run_beyond_their_limit_as_long_as_the_site_says(cluster, partition, end):
    parts = (Partition(name="main", default=True, over_time_limit=partition),)
    described = site(nodes=1, partitions=parts, over_time_limit=cluster)
    found = rows(described, job("a", 400, tasks=1, time_limit=5, walltime=600))
    assert found["a"]["finish_time"] == end
    assert found["a"]["final_state"] == ("COMPLETED_SUCCESSFULLY" if end == 400 else "COMPLETED_KILLED")


@pytest.mark.parametrize(
    ("select", "over", "at_its_end", "later"),
    [
        (SelectSettings(counts="CORE"), 0, 90, 101),
        (SelectSettings(counts="CORE"), 5, 390, 390),
        (SelectSettings(counts="CORE"), FOR_EVER, 120, 160),
        (SelectSettings(counts="SOCKET"), 5, 390, 390),
        (SelectSettings(type="linear"), 5, 61, 101),
    ],
)
def test_a_job_beyond_its_limit_is_expected_to_end_later(select, over, at_its_end, later):
    """After KillWait and OverTimeLimit, or after its limit once more; with select/linear in the next second."""
    state = State(site(nodes=1, over_time_limit=over, select=select))
    submit(state, 1, limit=1)
    assert main_pass(state).started
    waits = submit(state, 2, limit=1)
    for state.now, expected in ((59, 60), (60, at_its_end), (100, later)):
        assert state.selector.will_run(waits, 1, state.held, state.now)[0] == expected


def submit(state, number, limit):
    """A job of the whole node, and its record."""
    one = PendingJob(str(number), number, JobAsk(user="ann", tasks=8, time_limit=limit), state.now, state.cluster)
    state.pending[one.id] = one
    return one.records[0]


def test_suspended_a_cut_limit_stands_still():
    parts = (Partition(name="main", default=True, default_time=5), Partition(name="hi", priority_tier=2))
    described = site(
        nodes=1, partitions=parts, preempt=PreemptSettings(type="partition_prio", mode=("SUSPEND", "GANG"))
    )
    found = rows(
        described,
        without_limit(job("endless", 1000, tasks=8)),
        job("urgent", 400, submit=100, tasks=8, partitions=("hi",), walltime=600),
    )
    assert found["endless"]["finish_time"] == 700


def test_backfill_starts_a_job_with_its_least_time_and_leaves_it_at_that():
    described = site(nodes=2, backfill=BackfillSettings(bf_resolution=1, bf_interval=5))
    found = rows(
        described,
        job("running", 600, tasks=8, walltime=600),
        job("wide", 60, submit=1, tasks=16, walltime=60),
        job("flexible", 5000, submit=2, tasks=8, time_limit=60, time_min=2, walltime=3600),
    )
    assert found["flexible"]["starting_time"] < 20
    assert found["flexible"]["finish_time"] == found["flexible"]["starting_time"] + 120
    assert found["wide"]["starting_time"] == pytest.approx(600, abs=6)


def test_a_job_without_reservation_is_tested_for_a_minute_and_started_with_all_its_time():
    kinds = (Qos(name="normal"), Qos(name="high", priority=10, flags=("NoReserve",)))
    described = site(
        main=MainLoopSettings(sched_interval=-1),
        qos=kinds,
        preempt=PreemptSettings(type="qos", mode=("CANCEL",)),
        priority=PrioritySettings(weight_qos=1000),
    )
    found = rows(described, job("running", 50), job("urgent", 400, submit=5, qos="high", time_limit=10, walltime=900))
    assert found["urgent"]["starting_time"] < 60
    assert found["urgent"]["finish_time"] == found["urgent"]["starting_time"] + 400


def threaded(**more):
    node = SlurmNode(name="n1", cpus=8, cores_per_socket=4, threads_per_core=2, memory=8000, state="IDLE")
    return replace(site(**more), nodes=(node,), select=SelectSettings(counts="CPU"))


def test_where_cpus_are_counted_a_job_has_whole_cores_and_counts_its_cpus():
    limited = members(limits=Limits(grp_tres={"cpu": 7}))
    described = threaded(associations=limited, qos=(Qos(name="normal"),), enforce=ENFORCED)
    found = rows(described, *(job(name, 100, tasks=3) for name in "ab"), job("c", 100, submit=5, tasks=1))
    # three CPUs are two of the four cores: two such jobs fill the node, and are six CPUs for the limit
    assert [found[name]["starting_time"] for name in "ab"] == [0, 0]
    assert found["c"]["starting_time"] >= 100
    assert "Assoc" not in found["c"]["metadata"]


@pytest.mark.parametrize("ask", [{"threads_per_core": 1}, {"tasks_per_core": 1}])
def test_where_cpus_are_counted_tasks_on_cores_of_their_own_leave_threads_idle(ask):
    described = threaded(
        associations=members(limits=Limits(grp_tres={"cpu": 5})), qos=(Qos(name="normal"),), enforce=ENFORCED
    )
    found = rows(described, job("a", 100, tasks=3, **ask), job("b", 100, tasks=2), job("c", 100, submit=5, tasks=1))
    assert [found[name]["starting_time"] for name in "ab"] == [0, 0]
    assert found["c"]["starting_time"] >= 100


def without_limit(one):
    """The same job without a limit of its own."""
    return replace(one, walltime=inf)


def test_the_jobs_that_an_account_allows_each_user_are_counted_for_users_without_limits_of_their_own():
    described = site(nodes=4, enforce=ENFORCED, associations=members(limits=Limits(max_jobs=1)))
    state = State(described)
    for number, user in enumerate(("ann", "ann", "bob"), 1):
        ask = JobAsk(user=user, account="a", tasks=1, time_limit=10)
        member = state.tree.find("a", user)
        state.pending[str(number)] = PendingJob(str(number), number, ask, 0, state.cluster, member)
    assert [one.id for one in main_pass(state).started] == ["1", "3"]
    assert state.pending["2"].reason == "AssocMaxJobsLimit"


@pytest.mark.parametrize("enforced", ["ALL", "NO"])
def test_where_partitions_limits_are_enforced_the_least_time_of_a_job_counts(enforced):
    part = Partition(name="main", default=True, max_time=30, default_time=10, state="DOWN")
    free = Partition(name="free", state="DOWN")
    lifting = Qos(name="lifting", flags=("PartitionTimeLimit",))
    state = State(site(partitions=(part, free), enforce_partition_limits=enforced))
    too_long = "PartitionTimeLimit" if enforced == "ALL" else None
    for limit, least, partitions, qos, reason in (
        (45, None, (), None, too_long),
        (45, 5, (), None, None),
        (45, 31, (), None, "InvalidTimeMin"),  # as recorded: whatever is enforced
        (45, 31, ("main", "free"), None, None),
        (45, 46, ("main", "free"), None, "InvalidTimeMin"),
        (45, 46, (), lifting, None),
        (None, 11, (), None, "InvalidTimeMin"),  # more than DefaultTime
    ):
        ask = JobAsk(user="ann", tasks=1, time_limit=limit, time_min=least, partitions=partitions)
        one = PendingJob("j", 1, ask, 0, state.cluster, None, qos)
        assert refusal(state, one) == reason, ask


def test_what_cannot_meet_its_deadline_with_its_least_time_is_refused():
    state = State(site(nodes=1), 1000)
    for deadline, reason in ((1000 + 299, "InvalidTimeMin"), (1000 + 300, None)):
        ask = JobAsk(user="ann", tasks=1, time_min=5, deadline=deadline)
        assert refusal(state, PendingJob("j", 1, ask, 1000, state.cluster)) == reason
