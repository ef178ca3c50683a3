"""What will be free, kept while jobs begin and end, is what would be found anew; and so is the order of the queue."""

import random
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.model.slurm import JobAsk, Partition
from windtunnel.schedulers.slurm.jobs.pending import PendingJob
from windtunnel.schedulers.slurm.loops.queue import job_queue
from windtunnel.schedulers.slurm.nodes.cluster import Cluster
from windtunnel.schedulers.slurm.nodes.holdings import Holding, Part
from windtunnel.schedulers.slurm.nodes.nodesets import bounds, mask_of, spans
from windtunnel.schedulers.slurm.select.earliest import Selector
from windtunnel.schedulers.slurm.select.kept import KeptPicks
from windtunnel.schedulers.slurm.select.masks import FreeMasks
from windtunnel.schedulers.slurm.select.packed import changed, cpus_in, cut_to, holds, of_levels, without_small
from windtunnel.schedulers.slurm.state import State

sys.path.insert(0, str(Path(__file__).parent))
from sites import site

NODES = 12
CPUS = 4


@pytest.mark.parametrize("seed", range(8))
def test_futures_follow_what_begins_and_ends(seed):
    odd = random.Random(seed)
    cluster = Cluster(site(NODES, CPUS))
    selector = Selector(cluster)
    running = {}
    for step in range(120):
        if running and odd.random() < 0.45:
            selector.gave_back(running.pop(odd.choice(list(running))))
        else:
            able = [node for node in range(NODES) if not selector.masks.masks[0] >> node & 1]
            if not able:
                continue
            nodes = mask_of(odd.sample(able, odd.randint(1, len(able))))
            held = Holding(str(step), nodes, odd.randint(1, 30), alike=[Part(nodes, 1, 1, 0)])
            held.order = step
            running[held.job] = held
            selector.took(held)
        for _ in range(odd.randint(0, 3)):
            gone = odd.randint(0, len(running))
            left = FreeMasks(cluster)
            for one in selector.by_end[gone:]:
                left.add(one)
            assert selector.futures.after(gone).masks == left.masks
            assert selector.futures.after(gone).stretches() == left.stretches()
            assert selector.futures.after(gone).free == left.free == sum(map(int.__mul__, *_counted(left.masks)))
            cpus = odd.randint(-2, NODES * CPUS)
            sums = [sum(one.nodes.bit_count() for one in selector.by_end[:count]) for count in range(len(running) + 1)]
            enough = [count for count, free in enumerate(sums) if free >= cpus]
            assert selector.futures.gone_for(cpus) == (enough[0] if enough else len(running) + 1)
            among = odd.getrandbits(NODES)
            here = sum(map(int.__mul__, *_counted([nodes & among for nodes in left.masks])))
            assert left.free_cpus(among) == here
            reach = selector.masks.able() | mask_of(
                node for one in selector.by_end[:gone] for node in range(NODES) if one.nodes >> node & 1
            )
            among, wanted = odd.getrandbits(NODES), odd.randint(1, NODES)
            assert selector.futures.short(gone, among, wanted) is ((among & reach).bit_count() < wanted)


def _counted(masks):
    """Numbers of free CPUs, and how many nodes have so many."""
    return zip(*[(cpus, nodes.bit_count()) for cpus, nodes in enumerate(masks)], strict=True)


@given(st.lists(st.integers(0, 5), max_size=40), st.integers(0, 2**40 - 1), st.integers(1, 5))
def test_stretches_are_cut_to_what_a_job_may_have(free, among, least):
    levels = [mask_of(node for node, cpus in enumerate(free) if cpus == count) for count in range(6)]
    whole = of_levels(list(enumerate(levels)))
    cut = cut_to(whole, bounds(among), least)
    assert cut == of_levels([(cpus, nodes & among) for cpus, nodes in enumerate(levels) if cpus >= least])
    here = [cpus for node, cpus in enumerate(free) if among >> node & 1]
    assert cpus_in(whole, bounds(among)) == sum(here)
    able = [cpus for cpus in here if cpus >= least]
    for cpus, nodes in ((sum(able), len(able)), (sum(able) + 1, 1), (1, len(able) + 1)):
        assert holds(cut, cpus, nodes) is (bool(able) and sum(able) >= cpus and len(able) >= nodes)
    small, dropped = without_small(cut, least, 3)
    left = levels[least] & among
    for _ in range(dropped):
        left &= left - 1
    rest = [(cpus, nodes & among) for cpus, nodes in enumerate(levels) if cpus > least]
    assert dropped == min(3, (levels[least] & among).bit_count())
    assert small == of_levels([(least, left), *rest])


@given(st.lists(st.integers(0, 5), max_size=40), st.integers(0, 2**40 - 1), st.integers(1, 3))
def test_stretches_follow_when_jobs_take_cpus_and_give_them_back(free, nodes, by):
    free += [0] * (40 - len(free))
    more = [cpus + by * (nodes >> node & 1) for node, cpus in enumerate(free)]
    before, after = (
        of_levels([(count, mask_of(node for node in range(40) if cpus[node] == count)) for count in range(9)])
        for cpus in (free, more)
    )
    assert changed(before, bounds(nodes), by) == after
    assert changed(after, bounds(nodes), -by) == before


@given(st.integers(1, 2**300 - 1))
def test_the_runs_of_a_set_are_all_of_it(nodes):
    found = spans(nodes)
    assert sum(((1 << end - begin) - 1) << begin for begin, end in found) == nodes
    assert all(one[1] < other[0] for one, other in pairwise(found))


@given(st.integers(0, 2**200 - 1), st.lists(st.tuples(st.integers(0, 190), st.integers(1, 10)), max_size=12))
def test_the_runs_that_are_kept_follow_the_nodes_that_come_and_go(nodes, runs):
    kept = KeptPicks()
    assert kept.runs_of(nodes) == bounds(nodes)
    for first, length in runs:
        nodes ^= ((1 << length) - 1) << first
        assert kept.runs_of(nodes) == bounds(nodes)


@pytest.mark.parametrize("seed", range(5))
def test_the_queue_keeps_its_order_while_jobs_come_and_go(seed):
    odd = random.Random(seed)
    parts = (Partition(name="a", default=True), Partition(name="b", max_nodes=2))
    state = State(site(nodes=4) if seed % 2 else site(4, partitions=parts), 100)
    for number in range(1, 150):
        if odd.random() < 0.6:
            ask = JobAsk(user="1", min_nodes=odd.choice([1, 1, 1, 3]), begin=odd.choice([None] * 6 + [state.now + 9]))
            job = PendingJob(str(number), number, ask, state.now, state.cluster)
            for record in job.records:
                record.priority = odd.randint(1, 5)
            state.pending[job.id] = job
        elif state.pending:
            gone = state.pending.pop(odd.choice(list(state.pending)))
            if odd.random() < 0.2:
                state.pending[gone.id] = gone  # it waits again
        if odd.random() < 0.1:
            for job in state.pending.values():
                for record in job.records:
                    record.priority = odd.randint(1, 5)
        state.now += odd.randint(0, 2)
        found = job_queue(state)
        kept = state.order
        state.order = type(kept)()
        assert found == job_queue(state)
        state.order = kept
