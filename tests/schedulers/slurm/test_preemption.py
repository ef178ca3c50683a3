"""Who makes room for whom, and when."""

import sys
from pathlib import Path

import pytest

from windtunnel.model.slurm import JobAsk, PreemptSettings, Qos
from windtunnel.schedulers.slurm.jobs.records import PendingJob
from windtunnel.schedulers.slurm.loops.backfill import backfill_pass
from windtunnel.schedulers.slurm.loops.main_loop import main_pass
from windtunnel.schedulers.slurm.state import State

sys.path.insert(0, str(Path(__file__).parent))
from sites import site


def submit(state, number, qos, limit):
    ask = JobAsk(user="ann", tasks=8, time_limit=limit)
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
