"""Who makes room for whom, and when."""

import sys
from pathlib import Path

import pytest

from windtunnel.model.slurm import JobAsk, Partition, PreemptSettings, Qos, SelectSettings
from windtunnel.schedulers.slurm.jobs.pending import PendingJob
from windtunnel.schedulers.slurm.loops.backfill import backfill_pass
from windtunnel.schedulers.slurm.loops.main_loop import main_pass
from windtunnel.schedulers.slurm.preemption.linear_victims import linear_victims
from windtunnel.schedulers.slurm.preemption.victims import candidates, grace_of
from windtunnel.schedulers.slurm.state import State

sys.path.insert(0, str(Path(__file__).parent))
from sites import site


def submit(state, number, qos, limit, tasks=8):
    ask = JobAsk(user="ann", tasks=tasks, time_limit=limit)
    one = PendingJob(str(number), number, ask, state.now, state.cluster, None, state.cluster.qos[qos])
    for record in one.records:
        record.priority = 1000 - number
    state.pending[one.id] = one
    return one


@pytest.mark.parametrize("choose", [main_pass, backfill_pass])
@pytest.mark.parametrize(("grace", "end"), [(0, 36_000), (20, 50), (90_000, 36_000)])
def test_a_victim_is_expected_to_end_with_its_grace_or_earlier(choose, grace, end):
    kinds = (Qos(name="low", grace_time=grace), Qos(name="high", priority=10, preempt=("low",)))
    state = State(site(nodes=1, qos=kinds, preempt=PreemptSettings(type="qos", mode=("CANCEL",))))
    submit(state, 1, "low", 600)
    (victim,) = main_pass(state).started
    state.now = 30
    urgent = submit(state, 2, "high", 10)
    done = choose(state)
    assert [(one.id, other.id) for one, other in done.victims] == [("1", urgent.id)]
    assert victim.holding.end == end
    assert victim.holding.leaving is not bool(grace)
    assert [held.job for held in state.selector.by_end] == ["1"] * bool(grace)


def test_where_qos_preempt_the_grace_of_partitions_does_not_count():
    kinds = (Qos(name="low"), Qos(name="high", preempt=("low",)))
    parts = (Partition(name="main", default=True, grace_time=50),)
    state = State(site(nodes=1, qos=kinds, partitions=parts, preempt=PreemptSettings(type="qos", mode=("CANCEL",))))
    submit(state, 1, "low", 600)
    (victim,) = main_pass(state).started
    assert grace_of(state, victim) == 0


def test_of_qos_with_high_priorities_the_smaller_jobs_go_first():
    kinds = (
        Qos(name="lower", priority=70_000),
        Qos(name="low", priority=80_000),
        Qos(name="high", preempt=("low", "lower")),
    )
    state = State(site(nodes=3, qos=kinds, preempt=PreemptSettings(type="qos", mode=("CANCEL",))))
    submit(state, 1, "lower", 600, tasks=16)
    submit(state, 2, "low", 600)
    main_pass(state)
    urgent = submit(state, 3, "high", 10)
    assert [one.id for one in candidates(state, urgent.records[0])] == ["2", "1"]


@pytest.mark.parametrize(
    ("own", "partition", "over", "exempt"),
    [(None, None, (), 30), (None, 90, (), 90), (60, 90, (), 90), (60, 90, ("OverPartQOS",), 60), (60, None, (), 60)],
)
def test_the_first_qos_that_says_so_exempts_a_job_from_preemption(own, partition, over, exempt):
    kinds = (
        Qos(name="low", preempt_exempt_time=own, flags=over),
        Qos(name="part", preempt_exempt_time=partition),
        Qos(name="high", preempt=("low",)),
    )
    parts = (Partition(name="main", default=True, qos="part"),)
    preempt = PreemptSettings(type="qos", mode=("CANCEL",), exempt_time=30)
    state = State(site(nodes=1, qos=kinds, partitions=parts, preempt=preempt))
    submit(state, 1, "low", 600)
    main_pass(state)
    urgent = submit(state, 2, "high", 10)
    found = []
    for state.now in (exempt - 1, exempt):
        found.append(len(candidates(state, urgent.records[0])))
    assert found == [0, 1]


@pytest.mark.parametrize("count", [0, 1, 5])
@pytest.mark.parametrize("strict", [False, True])
def test_select_linear_puts_victims_in_order_once_by_the_nodes_they_leave(strict, count):
    kinds = (Qos(name="low"), Qos(name="high", preempt=("low",)))
    preempt = PreemptSettings(type="qos", mode=("CANCEL",), strict_order=strict, reorder_count=count)
    state = State(site(nodes=5, qos=kinds, preempt=preempt, select=SelectSettings(type="linear")))
    for number, nodes in ((1, 1), (2, 2), (3, 2)):
        submit(state, number, "low", 600, tasks=8 * nodes)
    assert len(main_pass(state).started) == 3
    urgent = submit(state, 4, "high", 10, tasks=32)
    found, placed = linear_victims(state, urgent.records[0], state.cluster.all, candidates(state, urgent.records[0]))
    assert [one.id for one in found] == ["3", "2"]
    assert placed.nodes == 0b11110
    assert [one.id for one, _ in main_pass(state).victims] == ["3", "2"]
