"""One shared constraint: the short way comes to the last bit to what the general rule does."""

import math

from hypothesis import given, settings
from hypothesis import strategies as st

from windtunnel.engine.sharing.single import GENERAL, Lone, one_bottleneck, rate_alone
from windtunnel.engine.sharing.solver import fair_bottleneck

AMOUNTS = st.sampled_from([1.0, 1e9, 3e9, 1.25e8, 7e7]) | st.floats(1e3, 1e12)
TASKS = st.lists(
    st.tuples(AMOUNTS, st.none() | st.tuples(AMOUNTS, AMOUNTS), st.none() | AMOUNTS), min_size=1, max_size=12
)


@settings(max_examples=300)
@given(st.sampled_from([0.0, 1e9, 2.25e9]) | st.floats(0.0, 1e12), TASKS)
def test_it_equals_the_general_rule(capacity, tasks):
    weights = [weight for weight, _, _ in tasks]
    limits = [() if limit is None else (limit,) for _, limit, _ in tasks]
    bounds = [math.inf if amount is None else 1e9 / amount for _, _, amount in tasks]
    if GENERAL in map(rate_alone, limits):
        return
    users = [Lone(bound, mine, weight) for bound, mine, weight in zip(bounds, limits, weights, strict=True)]
    if one_bottleneck(users, capacity):
        rates = fair_bottleneck(bounds, limits, [capacity], [False], [list(enumerate(weights))])
        assert [user.value for user in users] == rates


def test_it_knows_what_it_cannot_do():
    assert rate_alone(((1e9, 1.0), (2e9, 2.0))) == GENERAL  # nearly as tight: both must be followed
    assert rate_alone(()) == math.inf
    assert rate_alone(((1e9, 2e9),)) == 0.5
    assert Lone(0.25, ((1e9, 2e9),)).top == 0.25
    assert Lone(0.25, ((1e9, 1.0), (2e9, 2.0))).top == GENERAL


def test_tasks_that_need_less_than_their_part_get_what_they_need():
    # 10 for each of three at first; what the small ones took they take again in the next round (stale increments).
    users = [Lone(bound, (), 1.0) for bound in (4.0, 4.0, 25.0)]
    assert one_bottleneck(users, 30.0)
    assert [user.value for user in users] == [4.0, 4.0, 22.0]
