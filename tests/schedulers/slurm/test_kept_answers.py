"""What is worked out in parts, once, or not at all, is what working out the whole would have come to."""

import pickle
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windtunnel.model.slurm import (
    PARENT,
    Association,
    JobAsk,
    Limits,
    Partition,
    PrioritySettings,
    SelectSettings,
    SlurmNode,
    SlurmSite,
)
from windtunnel.schedulers.slurm.jobs.pending import PendingJob
from windtunnel.schedulers.slurm.nodes.cluster import Cluster
from windtunnel.schedulers.slurm.nodes.holdings import Holding, Part
from windtunnel.schedulers.slurm.nodes.nodesets import bits, first_of, mask_of
from windtunnel.schedulers.slurm.nodes.occupancy import Occupancy
from windtunnel.schedulers.slurm.plans.node_map import NodeMap
from windtunnel.schedulers.slurm.select.runs import most_cpus
from windtunnel.schedulers.slurm.shares.fair_share import FairTree
from windtunnel.schedulers.slurm.shares.tree import AccountTree
from windtunnel.schedulers.slurm.shares.usage import Spending, UsageLedger
from windtunnel.schedulers.slurm.state import State

NODES = 6
STEP = 60


@given(st.sets(st.integers(0, 300)))
def test_a_set_of_nodes_is_listed_in_order(nodes):
    assert list(bits(mask_of(nodes))) == sorted(nodes)


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(1, 20), st.integers(1, 2**NODES - 1)), max_size=8))
def test_the_map_of_plans_knows_at_each_instant_which_nodes_are_free(plans):
    everything = 2**NODES - 1
    node_map = NodeMap(0, 70 * STEP, STEP, everything)
    for begin, length, nodes in plans:
        node_map.take(begin * STEP, (begin + length) * STEP, nodes)
    slots = node_map.slots
    assert all(one.end == other.begin for one, other in pairwise(slots))
    for step in range(70):
        taken = 0
        for begin, length, nodes in plans:
            taken |= nodes if begin <= step < begin + length else 0
        (slot,) = (one for one in slots if one.begin <= step * STEP < one.end)
        assert slot.nodes == everything & ~taken
        assert node_map.free(step * STEP, (step + 1) * STEP, taken) is not bool(taken)
        later, among, overlapped = node_map.later_than(step * STEP, everything, everything, step * STEP + 1)
        assert among & ~slot.nodes == 0
        assert slot in overlapped
        assert later in {0, *(one.end for one in slots)}


def test_a_plan_joins_one_pair_of_equal_slots_and_leaves_others_apart():
    node_map = NodeMap(0, 10 * STEP, STEP, 0b11)
    node_map.take(2 * STEP, 4 * STEP, 0b01)
    node_map.take(4 * STEP, 6 * STEP, 0b10)
    node_map.take(2 * STEP, 6 * STEP, 0b11)
    assert [one.end for one in node_map.slots] == [2 * STEP, 6 * STEP, 10 * STEP]
    node_map.take(1 * STEP, 2 * STEP, 0b01)
    node_map.take(6 * STEP, 7 * STEP, 0b01)
    node_map.take(1 * STEP, 7 * STEP, 0b11)
    ends = [one.end for one in node_map.slots]
    assert ends == [1 * STEP, 6 * STEP, 7 * STEP, 10 * STEP]
    assert node_map.later_than(0, 0b11, 0b11, STEP // 2)[0] == 0


@given(
    st.lists(st.tuples(st.sampled_from(("a", "b", "c")), st.sampled_from((0, 1, 2, PARENT)), st.integers(0, 3))),
    st.tuples(*(st.sampled_from((1, 2, PARENT)) for _ in range(3))),
)
def test_a_user_looked_up_alone_has_the_rank_it_has_among_all(rows, shares):
    accounts = [Association(account="root")]
    accounts += [
        Association(account=name, parent="root", shares=own) for name, own in zip("abc", shares, strict=True)
    ]
    users = [Association(account=name, user=f"u{k}", shares=own) for k, (name, own, _) in enumerate(rows)]
    tree = AccountTree([*accounts, *users])
    for k, (name, _, used) in enumerate(rows):
        tree.find(name, f"u{k}").usage = float(used)
    tree.sum_usage()
    whole = FairTree(tree)
    whole.rank()
    expected = {id(member): member.fair_share for member in tree if member.user}
    for member in tree:
        if member.user:
            alone = FairTree(tree)
            assert alone.fair_share(member) == expected[id(member)]


def test_what_accounts_have_used_decays_whether_or_not_anybody_asks_for_fair_share():
    users = [Association(account="a", user="ann"), Association(account="a", user="bob")]
    tree = AccountTree([Association(account="root"), Association(account="a", parent="root"), *users])
    ledger = UsageLedger(tree, PrioritySettings(decay_half_life=1000), 0)
    ann, bob, account = tree.find("a", "ann"), tree.find("a", "bob"), tree.accounts["a"]
    ledger.end(Spending(ann, (), 0, 1.0, 1.0, {"cpu": 2.0}), 100)
    ledger.tick(300, [])
    ledger.end(Spending(bob, (), 300, 1.0, 1.0, {"cpu": 2.0}), 400)
    ledger.tick(600, [])
    assert account.wall_usage == pytest.approx(ann.wall_usage + bob.wall_usage)
    assert account.tres_usage["cpu"] == pytest.approx(2 * account.wall_usage)
    assert ann.wall_usage == ann.usage < 75
    tree.sum_usage()
    assert account.usage == ann.usage + bob.usage


@given(st.dictionaries(st.integers(0, 9), st.integers(1, 8)), st.integers(1, 12))
def test_no_choice_of_nodes_has_more_cpus_than_the_best_of_them(usable, nodes):
    most = most_cpus(usable, nodes)
    assert most == sum(sorted(usable.values())[-nodes:])


DEMANDS = st.builds(
    dict,
    tasks=st.integers(1, 40),
    min_nodes=st.one_of(st.none(), st.integers(1, 12)),
    max_nodes=st.integers(0, 4),
    exclusive=st.booleans(),
    cpus_per_task=st.sampled_from((None, None, 2, 3)),
    tasks_per_node=st.sampled_from((None, None, None, 2)),
)
SIZES = st.lists(st.sampled_from((1, 4, 4, 4, 8)), min_size=1, max_size=24)


def site_of_sizes(sizes, core):
    nodes = tuple(
        SlurmNode(name=f"n{k}", cpus=size, sockets=1, cores_per_socket=size, weight=1 + size // 8)
        for k, size in enumerate(sizes)
    )
    select = SelectSettings(type="cons_tres", counts="CORE" if core else "CPU")
    return SlurmSite(nodes=nodes, partitions=(Partition(name="p"),), select=select)


def asking(cluster, wanted, key="j"):
    given = dict(wanted)
    more = given.pop("max_nodes")
    low = given["min_nodes"]
    ask = JobAsk(user="u", max_nodes=None if low is None else low + more, time_limit=10, **given)
    return PendingJob(key, 1, ask, 0, cluster).records[0]


@given(SIZES, st.booleans(), st.lists(st.tuples(DEMANDS, st.integers(1, 900)), max_size=8), DEMANDS, st.data())
def test_sets_of_nodes_and_kept_futures_give_what_a_search_node_by_node_gives(sizes, core, running, wanted, data):
    state = State(site_of_sizes(sizes, core))
    searched = State(state.site)
    searched.selector.masks = searched.selector.futures = None
    for k, (other, limit) in enumerate(running):
        among = data.draw(st.integers(0, 2 ** len(sizes) - 1))
        found = [
            one.selector.start(asking(one.cluster, other, f"r{k}"), among, one.held) for one in (state, searched)
        ]
        assert alike(*found)
        for one, placed in zip((state, searched), found, strict=True):
            if placed is not None:
                one.begin(asking(one.cluster, other, f"r{k}"), placed, k, limit)
        _compare(state, searched, wanted, data.draw(st.integers(0, 2 ** len(sizes) - 1)), 60 * limit)
    for key in list(state.running)[::2]:
        for one in (state, searched):
            one.give_up(key)
        _compare(state, searched, wanted, state.cluster.all, 1 << 60)


def test_of_a_range_of_nodes_heavier_ones_are_added_by_sets_too():
    state = State(site_of_sizes((4, 8), core=False))
    record = asking(state.cluster, {"tasks": 2, "min_nodes": 1, "max_nodes": 1})
    placed = state.selector.start(record, 0b11, state.held)
    assert (placed.nodes, placed.cpus) == (0b11, {0: 1, 1: 1})


def _compare(state, searched, wanted, among, horizon):
    """The same, asked twice, of what is kept and of what is worked out anew."""
    record, other = asking(state.cluster, wanted), asking(searched.cluster, wanted)
    for until in (horizon, 1 << 60):
        fresh = searched.selector.will_run(other, among, searched.held, 100, (), until)
        for _ in range(2):
            kept = state.selector.will_run(record, among, state.held, 100, (), until)
            assert (kept and kept[0]) == (fresh and fresh[0])
            assert alike(kept and kept[1], fresh and fresh[1])
    assert state.selector.ever(record, among) is searched.selector.ever(other, among)


def alike(one, other):
    if one is None or other is None:
        return one is other
    return one.nodes == other.nodes and one.cpus == other.cpus and one.total == sum(other.cpus.values())


@given(st.integers(0, 2**80), st.integers(0, 90))
def test_the_first_nodes_of_a_set(nodes, count):
    assert first_of(nodes, count) == mask_of(list(bits(nodes))[:count])


@given(st.lists(st.sampled_from((100, 200)), max_size=9), st.integers(0, 2**9))
def test_the_memory_of_nodes_is_the_sum_of_theirs(memory, nodes):
    cluster = Cluster(SlurmSite(nodes=tuple(SlurmNode(name=f"n{k}", memory=size) for k, size in enumerate(memory))))
    nodes &= cluster.all
    assert cluster.memory_of(nodes) == sum(memory[k] for k in bits(nodes))


def test_a_saved_state_knows_what_limits_have_been_used():
    associations = (Association(account="a"), Association(account="a", user="u", limits=Limits(grp_tres={"cpu": 4})))
    nodes = tuple(SlurmNode(name=f"n{k}", cpus=8, sockets=1, cores_per_socket=8) for k in range(2))
    described = SlurmSite(
        nodes=nodes, partitions=(Partition(name="p"),), associations=associations, enforce=("limits",)
    )

    def wanting(state, key, tasks):
        member = state.tree.find("a", "u")
        return PendingJob(key, 1, JobAsk(user="u", tasks=tasks, time_limit=1), 0, state.cluster, member).records[0]

    state = State(described)
    first = wanting(state, "first", 3)
    state.begin(first, state.selector.start(first, state.cluster.all, state.held), 0)
    again = pickle.loads(pickle.dumps(state))
    for one in (state, again):
        for tasks, reason in ((1, None), (2, "AssocGrpCpuLimit")):
            record = wanting(one, "second", tasks)
            placed = one.selector.start(record, one.cluster.all, one.held)
            assert one.limits.after(record, placed, one.tracked.placed(record, placed)) == reason
        one.end("first", 10)
        assert one.limits.tally("association", one.tree.find("a", "u").number).jobs == 0


def test_a_job_that_lighter_nodes_can_hold_takes_heavier_ones_for_those_it_would_like():
    wanted = {"tasks": 8, "min_nodes": 2, "max_nodes": 2, "exclusive": False}
    state = State(site_of_sizes([4, 4, 4, 8], core=False))
    placed = state.selector.start(asking(state.cluster, wanted), state.cluster.all, state.held)
    assert list(bits(placed.nodes)) == [0, 1, 2, 3]


@given(
    st.lists(st.tuples(st.integers(1, 2**NODES - 1), st.integers(1, 2), st.booleans()), max_size=6),
    st.lists(st.integers(0, 5), max_size=6),
)
def test_what_is_held_in_parts_is_what_is_held_node_by_node(jobs, ends):
    nodes = tuple(SlurmNode(name=f"n{i}", cpus=8, memory=100) for i in range(NODES))
    cluster = Cluster(SlurmSite(nodes=nodes, partitions=(Partition(name="p"),)))
    ours, plain = Occupancy(cluster), Occupancy(cluster)
    running = []
    for number, (mask, cpus, exclusive) in enumerate(jobs):
        cores = ((1 << cpus) - 1) << 2 * number if number < 4 else 0
        mask &= ~ours.exclusive & (~ours.used if exclusive else -1)
        if not mask:
            continue
        key, table = str(number), list(bits(mask))
        in_parts = Holding(key, mask, 9, alike=[Part(mask, cpus, cores, 5)], exclusive=exclusive)
        one_by_one = Holding(
            key,
            mask,
            9,
            cpus=dict.fromkeys(table, cpus),
            cores=dict.fromkeys(table, cores),
            memory=dict.fromkeys(table, 5),
            exclusive=exclusive,
        )
        assert (in_parts.cpus, in_parts.cores, in_parts.memory) == (
            one_by_one.cpus,
            one_by_one.cores,
            one_by_one.memory,
        )
        ours.add(in_parts)
        plain.add(one_by_one)
        running.append((in_parts, one_by_one))
        assert sums(ours) == sums(plain)
    for place in ends:
        if place < len(running):
            in_parts, one_by_one = running.pop(place)
            ours.remove(in_parts)
            plain.remove(one_by_one)
            assert sums(ours) == sums(plain) == sums(ours.copy())


def sums(held):
    """All that an occupancy sums up."""
    lists = (held.cpus, held.cores, held.memory, held.jobs, held.idle, held.on_node)
    return (*lists, held.exclusive, held.used, held.full, [*held.holdings])


BUSY = st.lists(st.tuples(st.integers(1, 2**10 - 1), st.integers(1, 3), st.integers(0, 5)), max_size=6)


@settings(max_examples=60)
@given(
    BUSY,
    st.sampled_from([None, 1, 2, 3, 4]),
    st.sampled_from([None, 1, 2, 3]),
    st.integers(1, 8),
    st.integers(0, 9),
    st.sampled_from([0, 2]),
    st.sampled_from([1, 2]),
    st.integers(1, 2**10 - 1),
    st.booleans(),
)
def test_sets_of_nodes_choose_what_looking_at_each_node_chooses(
    busy, low, more, tasks, each, per_node, threads, among, counted
):
    """CPUs, or CPUs with memory for each of them; nodes of two weights and two sizes of memory, partly taken."""
    nodes = tuple(
        SlurmNode(
            name=f"n{i}",
            cpus=4 * threads,
            cores_per_socket=4,
            threads_per_core=threads,
            memory=16 + 8 * (i % 3 == 0),
            weight=1 + (i > 6),
        )
        for i in range(10)
    )
    select = SelectSettings(type="cons_tres", counts="CORE", memory=counted)
    state = State(SlurmSite(nodes=nodes, select=select, partitions=(Partition(name="p"),)))
    chooser = state.selector
    for number, (mask, cores, memory) in enumerate(busy):
        taken = {
            node: (((1 << cores) - 1) << state.held.cores[node].bit_length(), memory)
            for node in bits(mask)
            if state.held.cores[node].bit_length() + cores <= 4 and state.held.memory[node] + memory <= 16
        }
        if taken:
            held = Holding(
                str(number),
                mask_of(taken),
                100 + number,
                cpus=dict.fromkeys(taken, cores * threads),
                cores={node: one for node, (one, _) in taken.items()},
                memory={node: one for node, (_, one) in taken.items()},
            )
            state.held.add(held)
            chooser.took(held)
    ask = JobAsk(
        user="u",
        tasks=max(tasks, low or 1),
        min_nodes=low,
        max_nodes=None if low is None or more is None else low + more,
        tasks_per_node=per_node or None,
        memory_per_cpu=each if counted else None,
    )
    (record,) = PendingJob("j", 1, ask, 0, state.cluster).records
    assert chooser.masks is not None
    assert chooser.by_sets(record, among)
    for masks, held in ((chooser.masks, state.held), (chooser.futures.after(len(chooser.by_end) // 2), None)):
        if held is None:
            held = state.held.copy()
            for one in chooser.by_end[: len(chooser.by_end) // 2]:
                held.remove(one)
        ours, plain = chooser.plain(record, among, masks), chooser.choose(record, among, held)
        assert (ours is None) == (plain is None)
        if ours is not None:
            assert (ours.nodes, ours.cpus) == (plain.nodes, plain.cpus)


@given(
    st.fixed_dictionaries(
        {
            "weight_age": st.sampled_from((0, 1000)),
            "weight_fair_share": st.sampled_from((0, 3333)),
            "weight_job_size": st.integers(0, 10_000),
            "weight_partition": st.integers(0, 10_000),
            "weight_tres": st.sampled_from(({}, {"cpu": 100.0, "mem": 7.0})),
            "max_age": st.sampled_from((0, 3600)),
        }
    ),
    st.integers(1, 40),
    st.floats(0.0, 1.0),
    st.integers(0, 7200),
    st.integers(-50, 50),
)
def test_a_priority_of_what_lasts_and_what_changes_is_that_of_all_factors(weights, tasks, share, age, nice):
    site = SlurmSite(
        nodes=tuple(SlurmNode(name=f"n{k}", cpus=8, memory=64) for k in range(NODES)),
        partitions=(Partition(name="p", priority_job_factor=3),),
        priority=PrioritySettings(**weights),
    )
    state = State(site)
    record = PendingJob("j", 1, JobAsk(tasks=tasks, memory_per_node=5), 0, state.cluster).records[0]
    of_it = (record.demand, record.table.partition, None, None)
    ranking = state.ranking
    whole = ranking.total(ranking.factors(*of_it, share, age, record.limit), 11, nice)
    assert ranking.priority(ranking.lasting(*of_it, record.limit), share, age, 11, nice) == whole
