"""What leaves selections out that cannot succeed gives what trying all of them gives."""

import random

import pytest

from windtunnel.model.slurm import (
    JobAsk,
    OverSubscribe,
    Partition,
    SelectSettings,
    SlurmNode,
    SlurmSite,
    Switch,
)
from windtunnel.schedulers.slurm.jobs.pending import PendingJob
from windtunnel.schedulers.slurm.select.batches import Batches
from windtunnel.schedulers.slurm.select.earliest import Selector
from windtunnel.schedulers.slurm.select.node_fit import EMPTY, IDLE
from windtunnel.schedulers.slurm.state import State


class Exhaustive(Selector):
    """Tries a selection now and after each batch of running jobs, and keeps nothing."""

    def _bounded_will_run(self, record, among, held, now, preemptable, horizon):
        placed = self.choose_in(record, among, held)
        if placed is not None:
            return now, placed
        future = held.copy()
        for one in preemptable:
            future.remove(one)
        if preemptable and (placed := self.choose_in(record, among, future)) is not None:
            return now, placed
        running = sorted(future.holdings.values(), key=lambda one: (one.end, one.order))
        batches = Batches(running, [one.end for one in running], among, self.window_growth)
        while batches.advance() and batches.end <= horizon:
            for one in batches.batch():
                future.remove(one)
            if (placed := self.choose_in(record, among, future, ahead=True)) is not None:
                return self.gone_by(batches.end, batches.last, now), placed
        return None


def ask(odd):
    return {
        "tasks": odd.choice((1, 2, 4, 8, 16, 30)),
        "min_nodes": odd.choice((None, None, 1, 1, 2, 4)),
        "max_nodes": None,
        "cpus_per_task": odd.choice((None, None, None, 2, 3)),
        "tasks_per_node": odd.choice((None, None, None, 2)),
        "threads_per_core": odd.choice((None, None, None, 1)),
        "tasks_per_core": odd.choice((None, None, None, 1)),
        "memory_per_cpu": odd.choice((None, None, 500, 3000)),
        "memory_per_node": None,
        "exclusive": odd.random() < 0.1,
        "nodes": odd.choice(((), (), (), (), ("n1",))),
    }


def some_ask(odd):
    found = ask(odd)
    if found["memory_per_cpu"] is None and odd.random() < 0.5:
        found["memory_per_node"] = odd.choice((2000, 9000, 15000))
    if found["min_nodes"] and odd.random() < 0.6:
        found["max_nodes"] = found["min_nodes"] + odd.choice((0, 0, 1))
    return found


def site_of(odd):
    threads = odd.choice((1, 2, 2))
    sizes = [odd.choice((1, 4, 4, 8)) for _ in range(odd.randrange(2, 10))]
    select = SelectSettings(
        counts=odd.choice(("CORE", "CORE", "CPU", "SOCKET")),
        memory=odd.random() < 0.6,
        tree=odd.random() < 0.5,
        flags=odd.choice(((), (), ("CR_ONE_TASK_PER_CORE",), ("CR_LLN",))),
    )
    nodes = tuple(
        SlurmNode(
            name=f"n{k}",
            cpus=size * threads,
            sockets=2 if size > 1 else 1,
            cores_per_socket=size // 2 or 1,
            threads_per_core=threads,
            memory=2000 * size,
            weight=1 + size // 8,
        )
        for k, size in enumerate(sizes)
    )
    half = len(nodes) // 2
    leaves = [Switch(name=f"s{k}", nodes=tuple(one.name for one in part)) for k, part in enumerate((nodes[:half], nodes[half:]))]
    switches = (*leaves, Switch(name="top", switches=("s0", "s1"))) if select.tree else ()
    sharing = OverSubscribe.EXCLUSIVE if odd.random() < 0.15 else OverSubscribe.NO
    partition = Partition(name="p", max_cpus_per_node=odd.choice((None, None, None, 3)), over_subscribe=sharing)
    shared = Partition(name="s", over_subscribe=OverSubscribe.FORCE, share_count=2)
    return SlurmSite(nodes=nodes, partitions=(partition, shared), select=select, switches=switches)


def asking(state, wanted, key):
    return PendingJob(key, 1, JobAsk(user="u", time_limit=10, **({"partitions": ("p",)} | wanted)), 0, state.cluster).records[0]


@pytest.mark.parametrize("seed", range(60))
def test_no_selection_is_left_out_that_would_succeed(seed):
    odd = random.Random(seed)
    state = State(site_of(odd))
    searched = Exhaustive(state.cluster)
    everywhere = state.cluster.all
    for k in range(24):
        part = "s" if odd.random() < 0.2 else "p"
        record = asking(state, {**some_ask(odd), "partitions": (part,)}, f"r{k}")
        placed = state.selector.start(record, everywhere, state.held)
        if placed is not None:
            state.begin(record, placed, k, odd.randrange(5, 90))
    for one in state.selector.by_end:
        searched.took(one)
    gone = [one for one in state.selector.by_end if odd.random() < 0.4]
    wanted = [some_ask(odd) for _ in range(12)]
    for k, asks in enumerate([*wanted, *wanted]):
        among = everywhere if odd.random() < 0.7 else odd.randrange(1, everywhere + 1)
        for listed in ([], gone):
            for horizon in (1800, 1 << 62):
                found = [
                    one.will_run(asking(state, asks, f"j{k}"), among, state.held, 100, listed, horizon)
                    for one in (state.selector, searched)
                ]
                told = [one and (one[0], one[1].nodes, one[1].cpus) for one in found]
                assert told[0] == told[1]


@pytest.mark.parametrize("seed", range(30))
def test_what_can_be_used_of_a_node_does_not_depend_on_those_it_is_asked_with(seed):
    odd = random.Random(seed)
    state = State(site_of(odd))
    for k in range(24):
        record = asking(state, some_ask(odd), f"r{k}")
        placed = state.selector.start(record, state.cluster.all, state.held)
        if placed is not None:
            state.begin(record, placed, k, 60)
        asked, fit = asking(state, some_ask(odd), "j"), state.selector.fit
        for row in (IDLE, EMPTY):
            alone = {}
            for node in range(state.cluster.size):
                alone |= fit.usable(asked, 1 << node, state.held, row)
            assert fit.usable(asked, state.cluster.all, state.held, row) == alone
