"""``--switches``: a placement below few leaves is waited for, but not indefinitely."""

import sys
from pathlib import Path

import pytest

from windtunnel.model.slurm import JobAsk, MainLoopSettings, SelectSettings, Switch
from windtunnel.schedulers.slurm.jobs.pending import PendingJob
from windtunnel.schedulers.slurm.loops.backfill import backfill_pass
from windtunnel.schedulers.slurm.loops.main_loop import main_pass
from windtunnel.schedulers.slurm.state import State

sys.path.insert(0, str(Path(__file__).parent))
from sites import site

LEAVES = (
    Switch(name="s1", nodes=("n1", "n2")),
    Switch(name="s2", nodes=("n3", "n4")),
    Switch(name="top", switches=("s1", "s2")),
)


def submit(state, number, **more):
    ask = JobAsk(**({"user": "ann", "time_limit": 60} | more))
    one = PendingJob(str(number), number, ask, state.now, state.cluster)
    state.pending[one.id] = one
    return one


@pytest.mark.parametrize("kind", ["linear", "cons_tres"])
@pytest.mark.parametrize("choose", [main_pass, backfill_pass])
@pytest.mark.parametrize(
    ("switches", "wait", "longest", "starts"),
    [(None, None, 300, 0), (2, None, 300, 0), (1, None, 300, 300), (1, 100, 300, 100), (1, 400, 300, 300)],
)
def test_a_job_waits_for_few_switches(kind, choose, switches, wait, longest, starts):
    described = site(
        nodes=4,
        switches=LEAVES,
        select=SelectSettings(type=kind, tree=True),
        main=MainLoopSettings(batch_sched_delay=1, max_switch_wait=longest),
    )
    state = State(described)
    submit(state, 1, nodes=("n1",), tasks=8, exclusive=True, time_limit=1000)
    submit(state, 2, nodes=("n4",), tasks=8, exclusive=True, time_limit=1000)
    assert len(main_pass(state).started) == 2
    submit(state, 3, min_nodes=2, tasks=16, switches=switches, switch_wait=wait)
    for now in range(0, 500, 50):
        state.now = now
        if choose(state).started:
            break
    assert now == starts


@pytest.mark.parametrize("kind", ["linear", "cons_tres"])
@pytest.mark.parametrize(
    ("asked", "given"),
    [
        ({"nodes": ("n4",), "tasks": 8}, {3: 8}),
        ({"nodes": ("n1",), "tasks": 16, "min_nodes": 2}, {0: 8, 1: 8}),
        ({"nodes": ("n4",), "tasks": 16, "min_nodes": 2}, {3: 8, 2: 8}),
        ({"nodes": ("n2", "n3"), "tasks": 16, "min_nodes": 2}, {1: 8, 2: 8}),
        ({"nodes": ("n3",), "tasks": 24, "min_nodes": 3}, {2: 8, 3: 8, 0: 8}),
    ],
)
def test_named_nodes_come_first_and_what_is_beside_them_next(kind, asked, given):
    state = State(site(nodes=4, switches=LEAVES, select=SelectSettings(type=kind, tree=True)))
    submit(state, 1, **asked)
    (started,) = main_pass(state).started
    assert started.holding.cpus == given
