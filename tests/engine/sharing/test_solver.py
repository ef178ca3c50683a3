"""The rules of sharing, against the step-by-step oracle and against what was measured on SimGrid."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engine.sharing.reference import Constraint, EndlessError, Variable, solve

from windtunnel.engine.sharing import fair_bottleneck, max_min

RULES = [fair_bottleneck, max_min]


def random_system(seed: int) -> tuple[list[Variable], list[Constraint]]:
    """A few variables on a few constraints, with ties, repeats, FATPIPEs and bounds made likely."""
    rng = random.Random(seed)
    scale = rng.choice([1.0, 1e9, 3e12])
    constraints = [
        Constraint(
            rng.choice([1.0, 1.0, 2.0, 0.5, rng.uniform(0.1, 3), 0.0 if rng.random() < 0.1 else 1.5]) * scale,
            rng.random() < 0.25,
        )
        for _ in range(rng.randint(1, 7))
    ]
    variables = []
    for _ in range(rng.randint(1, 8)):
        v = Variable()
        for c in rng.sample(constraints, rng.randint(1, len(constraints))):
            for _ in range(rng.choice([1, 1, 1, 1, 2, 3]) if not c.fatpipe else 1):
                v.wants.append((c, rng.choice([1.0, 1.0, 3.0, rng.uniform(1e-3, 5)]) * rng.choice([1.0, scale])))
        if rng.random() < 0.5:
            c, weight = rng.choice(v.wants)
            v.bound = max(c.capacity * rng.choice([1.0, 0.5, 0.25, rng.random()]) / weight, 1e-12)
        variables.append(v)
    for v in variables:
        v.enable()
    return variables, constraints


def plain(variables, constraints):
    """The arguments of a rule: every constraint for itself, nothing merged."""
    index = {id(v): i for i, v in enumerate(variables)}
    return (
        [v.bound for v in variables],
        [() for _ in variables],
        [c.capacity for c in constraints],
        [c.fatpipe for c in constraints],
        [[(index[id(v)], weight) for v, weight in c.elements] for c in constraints],
    )


@pytest.mark.parametrize("block", range(10))
def test_fair_bottleneck_equals_the_step_by_step_reference_to_the_last_bit(block):
    endless = 0
    for seed in range(block * 300, block * 300 + 300):
        variables, constraints = random_system(seed)
        rates = fair_bottleneck(*plain(variables, constraints))
        try:
            solve(variables, constraints)
        except EndlessError:
            endless += 1
        else:
            assert rates == [v.value for v in variables], seed
    assert endless < 60


@pytest.mark.slow
def test_many_rounds_at_once_come_to_the_same_as_one_by_one():
    compared = 0
    for seed in range(1000):
        variables, constraints = random_system(seed)
        try:
            solve(variables, constraints)
        except EndlessError:
            try:
                solve(variables, constraints, most=4000)
            except EndlessError:
                continue
            rates = fair_bottleneck(*plain(variables, constraints))
            assert rates == pytest.approx([v.value for v in variables], rel=1e-9), seed
            compared += 1
    assert compared > 1


def test_stale_increments_count_as_simgrid_measured():
    flops = [[(0, 1e9), (1, 3e9), (2, 1e9)], [(0, 3e9)], [(1, 2e9), (2, 3e9)]]
    rates = fair_bottleneck([math.inf] * 3, [()] * 3, [1e9] * 3, [False] * 3, flops)
    assert rates == pytest.approx([1 / 3, 5 / 36, 23 / 108], rel=1e-12)
    # The load of the three hosts that golden/simgrid/stale_increment_min observed.
    loads = [sum(weight * rates[v] for v, weight in users) for users in flops]
    assert loads == pytest.approx([962962962.9629629, 1e9, 916666666.6666666], rel=1e-12)


def test_a_fatpipe_may_be_overrun_by_simgrids_rule_and_not_by_max_min():
    # A slow flow behind 10 MB/s and a flow that only the FATPIPE of 30 MB/s limits.
    arguments = ([math.inf] * 2, [((10e6, 1.0),), ()], [30e6], [True], [[(1, 1.0), (0, 1.0)]])
    assert fair_bottleneck(*arguments) == [10e6, 60e6]
    assert max_min(*arguments) == [10e6, 30e6]


@pytest.mark.parametrize("rule", RULES)
def test_tasks_on_one_cpu_get_equal_parts_of_it_whatever_their_sizes(rule):
    rates = rule([math.inf] * 3, [()] * 3, [6.0], [False], [[(0, 1.0), (1, 2.0), (2, 4.0)]])
    assert rates == [2.0, 1.0, 0.5]


@pytest.mark.parametrize("rule", RULES)
def test_a_task_bound_to_one_core_leaves_the_rest_to_others(rule):
    rates = rule([0.5, 9.0], [(), ()], [4.0], [False], [[(1, 1.0), (0, 1.0)]])
    assert rates == [0.5, 3.5]


@pytest.mark.parametrize("rule", RULES)
def test_nothing_moves_on_a_constraint_without_capacity(rule):
    rates = rule([math.inf] * 2, [(), ()], [0.0, 1.0], [False] * 2, [[(0, 1.0)], [(1, 1.0), (0, 1.0)]])
    assert rates == [0.0, 1.0]


@given(st.integers(0, 2**32))
@pytest.mark.parametrize("rule", RULES)
def test_no_shared_constraint_gives_more_than_it_has(rule, seed):
    variables, constraints = random_system(seed)
    rates = dict(zip(map(id, variables), rule(*plain(variables, constraints)), strict=True))
    assert all(0.0 <= rates[id(v)] <= v.bound * (1 + 1e-12) for v in variables)
    for c in constraints:
        uses = [weight * rates[id(v)] for v, weight in c.elements]
        if not c.fatpipe:
            assert sum(uses) <= c.capacity * (1 + 1e-9) + 1e-4
        elif rule is max_min:
            assert all(use <= c.capacity * (1 + 1e-9) for use in uses)


@given(st.integers(0, 2**32))
def test_max_min_slows_nobody_down_for_the_sake_of_a_faster_one(seed):
    variables, constraints = random_system(seed)
    for c in constraints:
        c.capacity = max(c.capacity, 0.25)
    arguments = plain(variables, constraints)
    rates = max_min(*arguments)
    alone = [
        max_min([math.inf], [()], *arguments[2:4], [[(0, w) for u, w in c.elements if u is v] for c in constraints])[
            0
        ]
        for v in variables
    ]
    level = [rate / speed for rate, speed in zip(rates, alone, strict=True)]
    for i, v in enumerate(variables):
        full = [
            users
            for c, users in zip(constraints, arguments[4], strict=True)
            if not c.fatpipe
            and any(u == i for u, _ in users)
            and sum(weight * rates[u] for u, weight in users) >= c.capacity * (1 - 1e-9)
        ]
        fastest_there = any(all(level[u] <= level[i] * (1 + 1e-9) for u, _ in users) for users in full)
        assert rates[i] >= min(v.bound, alone[i]) * (1 - 1e-9) or fastest_there, (level, i)
