"""What is worked out in parts, once, or not at all, is what working out the whole would have come to."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from windtunnel.model.slurm import PARENT, Association
from windtunnel.schedulers.slurm.fair_share import FairTree
from windtunnel.schedulers.slurm.node_map import NodeMap
from windtunnel.schedulers.slurm.nodesets import bits, mask_of
from windtunnel.schedulers.slurm.runs import most_cpus
from windtunnel.schedulers.slurm.tree import AccountTree

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
    assert all(one.end == other.begin and one.nodes != other.nodes for one, other in pairwise(slots))
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


@given(st.dictionaries(st.integers(0, 9), st.integers(1, 8)), st.integers(1, 12))
def test_no_choice_of_nodes_has_more_cpus_than_the_best_of_them(usable, nodes):
    most = most_cpus(usable, nodes)
    assert most == sum(sorted(usable.values())[-nodes:])
