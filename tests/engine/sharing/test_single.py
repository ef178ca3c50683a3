"""One shared constraint: the short way comes to the last bit to what the general rule does."""

import math

from hypothesis import given, settings
from hypothesis import strategies as st

from windtunnel.engine.sharing.single import GENERAL, one_bottleneck, rate_alone
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
    alone = [rate_alone(mine) for mine in limits]
    if GENERAL in alone:
        return
    tops = [min(a, b) for a, b in zip(alone, bounds, strict=True)]
    ours = one_bottleneck(tops, bounds, limits, capacity, weights)
    if ours is not None:
        assert list(ours) == fair_bottleneck(bounds, limits, [capacity], [False], [list(enumerate(weights))])


def test_it_knows_what_it_cannot_do():
    assert rate_alone(((1e9, 1.0), (2e9, 2.0))) == GENERAL  # nearly as tight: both must be followed
    assert rate_alone(()) == math.inf
    assert rate_alone(((1e9, 2e9),)) == 0.5


def test_tasks_that_need_less_than_their_part_get_what_they_need():
    # 10 for each of three at first; what the small ones took they take again in the next round (stale increments).
    rates = one_bottleneck((4.0, 4.0, 25.0), (4.0, 4.0, 25.0), ((), (), ()), 30.0, (1.0, 1.0, 1.0))
    assert rates == [4.0, 4.0, 22.0]
