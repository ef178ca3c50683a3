"""What is found in few steps is what looking at every node finds."""

import sys
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from windtunnel.model.slurm import GresAsk, GresItem, JobAsk, Partition, SelectSettings, SlurmNode, SlurmSite
from windtunnel.schedulers.slurm.jobs.pending import PendingJob
from windtunnel.schedulers.slurm.nodes.holdings import Holding
from windtunnel.schedulers.slurm.nodes.nodesets import bits, blocks_of, mask_of, runs_above, spans
from windtunnel.schedulers.slurm.select.fit import Fit
from windtunnel.schedulers.slurm.select.memory_room import MemoryRoom
from windtunnel.schedulers.slurm.select.node_fit import IDLE
from windtunnel.schedulers.slurm.state import State

sys.path.insert(0, str(Path(__file__).parent))
from sites import site

NODES = 12


@given(st.integers(0, 2**40), st.integers(0, 9))
def test_long_runs_of_a_set(nodes, length):
    long = [one for one in spans(nodes) if one[1] - one[0] > length]
    assert runs_above(nodes, length) == mask_of(node for begin, end in long for node in range(begin, end))


@given(st.sets(st.integers(0, 9000), max_size=40), st.integers(0, 9000), st.integers(0, 5000))
def test_blocks_of_a_set_are_those_of_its_nodes(nodes, begin, length):
    many = mask_of(nodes) | ((1 << length) - 1) << begin
    assert blocks_of(many) == mask_of(node // 64 % 62 for node in bits(many))


@given(st.lists(st.tuples(st.integers(1, 2**NODES - 1), st.integers(0, 3), st.integers(0, 900)), max_size=8))
def test_memory_beside_free_cpus_changes_in_runs_as_it_does_node_by_node(changes):
    cluster = State(site(nodes=NODES)).cluster
    together, one_by_one = MemoryRoom(cluster), MemoryRoom(cluster)
    for nodes, cpus, memory in changes:
        together.change(nodes, -cpus, -memory)
        for node in bits(nodes):
            one_by_one.change(1 << node, -cpus, -memory)
        assert (together.cpus, together.memory) == (one_by_one.cpus, one_by_one.memory)
        for each in (1, 500, 1000, 1500):
            assert together.short_of(each) == one_by_one.short_of(each)


def _gpu_state(counts):
    nodes = tuple(
        SlurmNode(
            name=f"g{k}",
            cpus=8,
            sockets=2,
            cores_per_socket=4,
            memory=64 + 32 * (k % 2),
            gres=(GresItem(name="gpu", count=4),) if k % 5 else (),
        )
        for k in range(NODES)
    )
    select = SelectSettings(type="cons_tres", counts=counts, memory=True)
    return State(SlurmSite(nodes=nodes, select=select, partitions=(Partition(name="p"),)))


@settings(max_examples=80)
@given(
    st.sampled_from(("CPU", "CORE")),
    st.lists(
        st.tuples(st.integers(0, NODES - 1), st.integers(0, 8), st.integers(0, 3), st.integers(0, 60)), max_size=9
    ),
    st.integers(1, 3),
    st.sampled_from((None, 1, 2)),
    st.integers(1, 9),
    st.sampled_from((None, 0, 4, 9)),
    st.sampled_from((None, 0, 30, 90)),
    st.sampled_from((0, 2)),
    st.sampled_from((None, 2)),
)
def test_jobs_with_gpus_on_each_node(counts, busy, gpus, least, tasks, each, whole, per_node, per_task):
    state = _gpu_state(counts)
    for number, (node, cores, devices, memory) in enumerate(busy):
        if state.held.jobs[node]:
            continue
        state.held.add(
            Holding(
                str(number),
                1 << node,
                100,
                cpus={node: cores},
                cores={node: (1 << cores) - 1},
                memory={node: memory},
                gres={node: {"gpu": (1 << devices) - 1}} if node % 5 else None,
            )
        )
    ask = JobAsk(
        user="u",
        tasks=max(tasks, least or 1),
        min_nodes=least,
        cpus_per_task=per_task,
        tasks_per_node=per_node or None,
        memory_per_cpu=each,
        memory_per_node=whole if each is None else None,
        gres_per_node=(GresAsk(name="gpu", count=gpus),),
    )
    (record,) = PendingJob("j", 1, ask, 0, state.cluster).records
    assert record.demand.gpus_alone
    quick, slow = Fit(state.cluster), Fit(state.cluster)
    found = quick.usable(record, state.cluster.all, state.held)
    record.demand.gpus_alone = False
    assert found == slow.usable(record, state.cluster.all, state.held, IDLE)
    assert quick.weights.kept() == slow.weights.kept()


def test_a_test_on_empty_nodes_leaves_its_traces_on_their_weights_also_if_the_answer_is_known():
    state = _gpu_state("CORE")
    ask = JobAsk(user="u", tasks=1, gres_per_node=(GresAsk(name="gpu", count=3),))
    (record,) = PendingJob("j", 1, ask, 0, state.cluster).records
    weights = state.selector.fit.weights
    seen = []
    for _ in range(3):
        weights.reset(state.cluster.all)
        assert state.selector.ever(record, state.cluster.all)
        seen.append(weights.kept())
    assert seen[0] == seen[1] == seen[2]
    with_gpus = mask_of(node for node in range(NODES) if node % 5)
    assert weights.marked == with_gpus
    assert {weights.weights[node] & 255 for node in range(NODES) if node % 5} == {255 - 3}


def test_types_that_are_counted_apart_do_not_come_back_in_tests_of_what_will_be():
    for counted, typed in ((True, True), (True, False), (False, True)):
        item = GresItem(name="gpu", type="a", count=2, counted=counted)
        node = SlurmNode(name="g", cpus=4, cores_per_socket=4, gres=(item,))
        state = State(SlurmSite(nodes=(node,), partitions=(Partition(name="p"),)))
        one = Holding("1", 1, 100, cpus={0: 1}, cores={0: 1}, gres={0: {"gpu": 3}}, typed={0: {"gpu": 3}} if counted and typed else None)
        state.held.add(one)
        future = state.held.copy()
        future.remove(one)
        assert future.free_gres(0, "gpu") == (0 if counted and typed else 3)
        state.held.remove(one)
        assert state.held.free_gres(0, "gpu") == 3


def _agrees(state):
    """What is held, against what each running job says that it holds."""
    held, cluster = state.held, state.cluster
    holdings = [running.holding for running in state.running.values()]
    for node in range(NODES):
        here = [one for one in holdings if one.nodes >> node & 1]
        cores = [one.cores[node] for one in here]
        assert sum(core.bit_count() for core in cores) == held.cores[node].bit_count()  # nobody has another's
        assert [one.bit_count() for one in cores] == [one.cpus[node] for one in here]
        assert held.cpus[node] == sum(one.cpus[node] for one in here)
        assert sorted(held.on_node[node]) == sorted(one.job for one in here)
        assert held.jobs[node] == len(here)
        assert held.idle[node] == cluster.cpus[node] - held.cpus[node]
        assert held.full >> node & 1 == (held.idle[node] == 0)
        assert held.exclusive >> node & 1 == any(one.exclusive for one in here)
    assert held.used == state.in_use == mask_of(node for node in range(NODES) if held.jobs[node])


@settings(max_examples=80)
@given(
    st.sampled_from(("CPU", "CORE")),
    st.lists(
        st.tuples(st.integers(1, 30), st.booleans(), st.sampled_from(("start", "end", "ask"))),
        min_size=1,
        max_size=25,
    ),
)
def test_nodes_that_are_summed_up_when_asked_for_are_what_runs_on_them(counts, steps):
    state = State(site(nodes=NODES, select=SelectSettings(type="cons_tres", counts=counts)))
    for number, (tasks, exclusive, what) in enumerate(steps):
        if what == "start":
            waiting = PendingJob(f"j{number}", number, JobAsk(tasks=tasks, exclusive=exclusive), 0, state.cluster)
            record = waiting.records[0]
            placed = state.selector.start(record, record.mask, state.occupancy)
            if placed is not None:
                state.begin(record, placed, 0)
        elif what == "end" and state.running:
            state.give_up(list(state.running)[tasks % len(state.running)])
        elif what == "ask":
            _agrees(state)
    _agrees(state)
