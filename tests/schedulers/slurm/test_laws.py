"""Laws of the core, whatever is asked of it: capacities, limits, usage, and no starvation."""

import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import windtunnel as wt
from windtunnel.model.slurm import (
    Association,
    GresAsk,
    GresItem,
    JobAsk,
    Limits,
    MainLoopSettings,
    Partition,
    PreemptSettings,
    PrioritySettings,
    Qos,
    SelectSettings,
    SlurmNode,
    SlurmSite,
)
from windtunnel.schedulers.slurm.component import Slurm
from windtunnel.schedulers.slurm.jobs.pending import PendingJob
from windtunnel.schedulers.slurm.loops.backfill import backfill_pass
from windtunnel.schedulers.slurm.loops.main_loop import main_pass
from windtunnel.schedulers.slurm.state import State

sys.path.insert(0, str(Path(__file__).parent))
from sites import job, platform, site, workload

USERS = ("ann", "bob", "eve")
MOST_CPUS, MOST_JOBS = 12, 3


def cluster():
    nodes = tuple(
        SlurmNode(
            name=f"n{k}", cpus=4 + 4 * (k % 3), cores_per_socket=4 + 4 * (k % 3), memory=8000, weight=1 + k % 2,
            gres=(GresItem(name="gpu", count=2),) if k > 3 else (), state="IDLE",
        )
        for k in range(6)
    )  # fmt: skip
    members = (
        Association(account="root"),
        Association(account="a", parent="root", limits=Limits(grp_tres={"cpu": MOST_CPUS})),
        Association(account="b", parent="root"),
        Association(account="a", user="ann", default=True),
        Association(account="a", user="bob", default=True),
        Association(account="b", user="eve", default=True),
    )
    return SlurmSite(
        nodes=nodes,
        partitions=(Partition(name="main", default=True), Partition(name="gpu", nodes=("n4", "n5"), priority_tier=2)),
        select=SelectSettings(counts="CORE", memory=True),
        associations=members,
        qos=(Qos(name="normal", limits=Limits(max_jobs_per_user=MOST_JOBS)),),
        enforce=("associations", "limits", "qos"),
        priority=PrioritySettings(weight_age=1000, weight_fair_share=100, decay_half_life=0),
    )


ASKS = st.builds(
    JobAsk,
    user=st.sampled_from(USERS),
    tasks=st.integers(1, 10),
    cpus_per_task=st.sampled_from((None, 1, 2, 3)),
    memory_per_node=st.sampled_from((100, 2000, 8000)),
    time_limit=st.integers(1, 30),
    exclusive=st.booleans(),
    partitions=st.sampled_from(((), ("main",), ("gpu",), ("main", "gpu"))),
    gres_per_node=st.sampled_from(((), (GresAsk(name="gpu", count=1),), (GresAsk(name="gpu", count=2),))),
)


def submit(state, number, ask):
    account = state.tree.default_account(ask.user)
    member = state.tree.find(account, ask.user)
    one = PendingJob(str(number), number, ask, state.now, state.cluster, member, state.cluster.qos["normal"])
    for record in one.records:
        record.priority = 1000 - number
    state.pending[one.id] = one


def check_capacities(state):
    """Recounted from what each job holds, not from the core's own sums."""
    cluster = state.cluster
    for node in range(cluster.size):
        here = [job.holding for job in state.running.values() if job.holding.nodes >> node & 1]
        cores = [held.cores[node] for held in here]
        assert sum(core.bit_count() for core in cores) == _union(cores).bit_count()
        assert sum(held.memory.get(node, 0) for held in here) <= cluster.memory[node]
        assert sum(held.cpus[node] for held in here) <= cluster.cpus[node]
        gpus = [held.gres.get(node, {}).get("gpu", 0) for held in here]
        assert sum(own.bit_count() for own in gpus) == _union(gpus).bit_count()
        assert not _union(gpus) & ~cluster.gres_indices(node, "gpu")
        if any(held.exclusive for held in here):
            assert len(here) == 1


def _union(masks):
    found = 0
    for mask in masks:
        found |= mask
    return found


def check_limits(state):
    own = [job for job in state.running.values() if job.pending.account == "a"]
    assert sum(sum(job.holding.cpus.values()) for job in own) <= MOST_CPUS
    for user in USERS:
        assert sum(job.pending.user == user for job in state.running.values()) <= MOST_JOBS


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(ASKS, st.integers(0, 120), st.integers(1, 40)), max_size=25))
def test_no_capacity_and_no_limit_is_ever_exceeded_and_usage_is_what_ran(work):
    state = State(cluster())
    ends, used = {}, dict.fromkeys(USERS, 0.0)
    for number, (ask, step, minutes) in enumerate(work):
        state.now += step
        for key in [key for key, (end, _) in ends.items() if end <= state.now]:
            end, running = ends.pop(key)
            state.end(key, end)
            used[running.pending.user] += (end - running.start) * sum(running.holding.cpus.values())
        submit(state, number, ask)
        done = [*main_pass(state).started, *backfill_pass(state).started]
        for running in done:
            ends[running.id] = (state.now + 60 * min(minutes, running.limit), running)
        check_capacities(state)
        check_limits(state)
        for one in state.pending.values():
            assert one.expected is None or one.expected >= state.now
    for user in USERS:
        account = state.tree.default_account(user)
        assert abs(state.tree.find(account, user).usage - used[user]) < 1e-6 * max(1.0, used[user])


def test_age_keeps_large_jobs_from_starving():
    """Small jobs keep coming indefinitely; a job of the whole machine starts all the same."""
    described = site(
        nodes=2, priority=PrioritySettings(weight_age=10000, max_age=3600), main=MainLoopSettings(batch_sched_delay=1)
    )
    small = [job(f"s{k}", 120, submit=30 * k, tasks=4, walltime=120) for k in range(200)]
    run = wt.simulate(platform(described), workload(job("large", 60, submit=60, tasks=16), *small), "slurm")
    found = {row["job_id"]: row for row in run.jobs.to_dicts()}
    assert found["large"]["starting_time"] < 60 + 300


def test_every_job_of_a_run_is_accounted_for():
    run = wt.simulate("hosts:8x4", "lublin:120?hosts=8&seed=5", "slurm")
    assert len(run.jobs) == 120
    assert {row["final_state"] for row in run.jobs.to_dicts()} <= {
        "COMPLETED_SUCCESSFULLY",
        "COMPLETED_WALLTIME_REACHED",
    }


PREEMPTING = {
    "CANCEL": PreemptSettings(type="qos", mode=("CANCEL",)),
    "REQUEUE": PreemptSettings(type="qos", mode=("REQUEUE",)),
    "SUSPEND": PreemptSettings(type="partition_prio", mode=("SUSPEND", "GANG")),
}


def preempting(mode, grace):
    members = (
        Association(account="root"),
        Association(account="a", parent="root"),
        Association(account="a", user="ann", default=True),
    )
    kinds = (
        Qos(name="low", grace_time=grace),
        Qos(name="high", priority=10, preempt=("low",)),
    )
    parts = (Partition(name="low", default=True), Partition(name="high", priority_tier=10))
    return site(
        nodes=2, cpus=4, preempt=PREEMPTING[mode], associations=members, qos=kinds, partitions=parts,
        priority=PrioritySettings(decay_half_life=0), enforce=("associations", "limits"),
    )  # fmt: skip


@settings(max_examples=30, deadline=None)
@given(
    st.sampled_from([*PREEMPTING]),
    st.sampled_from((0, 15)),
    st.lists(
        st.tuples(st.sampled_from(("low", "high")), st.integers(0, 200), st.integers(1, 8), st.integers(10, 300)),
        min_size=2,
        max_size=12,
    ),
)
def test_preempted_work_is_accounted_for(mode, grace, asked):
    """Nothing of it is lost or counted twice: each job has its time in the end, and usage is what all attempts had."""
    jobs = [
        job(f"j{k}", length, submit=came, tasks=tasks, qos=kind, partitions=(kind,), walltime=600)
        for k, (kind, came, tasks, length) in enumerate(asked)
    ]
    scheduler = Slurm()
    rows = wt.simulate(platform(preempting(mode, grace)), workload(*jobs), scheduler).jobs.to_dicts()
    attempts = {}
    for row in rows:
        attempts.setdefault(row["job_id"].partition("#")[0], []).append(row)
    used = 0.0
    for k, (kind, _, tasks, length) in enumerate(asked):
        mine = sorted(attempts.pop(f"j{k}"), key=lambda row: row["starting_time"])
        last = mine[-1]
        if mode != "CANCEL" or kind == "high":
            assert last["final_state"] == "COMPLETED_SUCCESSFULLY"
        assert all(row["final_state"] == "COMPLETED_KILLED" for row in mine[:-1])
        assert len(mine) == 1 or (mode == "REQUEUE" and kind == "low")
        spans = [row["finish_time"] - row["starting_time"] for row in mine]
        if mode == "SUSPEND":
            assert spans[0] >= length  # what is suspended is charged as if it ran
        elif last["final_state"] == "COMPLETED_SUCCESSFULLY":
            assert spans[-1] == length
        used += tasks * sum(spans)
    assert not attempts
    scheduler.state.ledger.tree.sum_usage()
    assert scheduler.state.ledger.tree.root.usage == pytest.approx(used)
    assert not scheduler.state.running
    assert not scheduler.gang.suspended
