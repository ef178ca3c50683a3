"""How amounts are spread over ranks, pairs of ranks and GPUs: the totals of each pattern."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.model.application import Pattern
from windtunnel.model.spreading import AMONG_GPUS, PAIRS, RANKS, on_gpus, pairs, ranks

AMOUNTS = st.floats(min_value=1.0, max_value=1e12)
COUNTS = st.integers(min_value=1, max_value=20)
TOTAL = {
    Pattern.ALL_TO_ALL: lambda n: 1.0,
    Pattern.GATHER: lambda n: (n - 1) / n,
    Pattern.SCATTER: lambda n: (n - 1) / n,
    Pattern.MASTER_WORKER: lambda n: 4.0,
    Pattern.RING: lambda n: 1.0,
    Pattern.RING_CLOCKWISE: lambda n: 1.0,
    Pattern.RING_COUNTER_CLOCKWISE: lambda n: 1.0,
}


@given(AMOUNTS, COUNTS)
def test_ranks(amount, count):
    assert ranks(Pattern.UNIFORM, amount, count) == [amount] * count
    assert sum(ranks(Pattern.ALL_RANKS, amount, count)) == pytest.approx(amount)
    assert ranks(Pattern.ROOT_ONLY, amount, count) == [amount] + [0.0] * (count - 1)
    even, odd = ranks(Pattern.EVEN_RANKS, amount, count), ranks(Pattern.ODD_RANKS, amount, count)
    assert sum(even) == pytest.approx(amount)
    assert not any(even[1::2])
    assert sum(odd) == pytest.approx(amount if count > 1 else 0.0)
    assert not any(odd[::2])


@given(AMOUNTS, COUNTS, st.sampled_from(sorted(TOTAL)))
def test_pairs(amount, count, pattern):
    flows = list(pairs(pattern, amount, count))
    assert all(0 <= a < count and 0 <= b < count and a != b for a, b, _ in flows)
    assert sum(flow for _, _, flow in flows) == pytest.approx(amount * TOTAL[pattern](count) if count > 1 else 0.0)


@given(AMOUNTS, COUNTS, st.integers(1, 8), st.sampled_from(sorted(AMONG_GPUS)))
def test_gpus(amount, count, gpus, pattern):
    inside, between = on_gpus(pattern, amount, count, gpus)
    assert inside >= 0.0
    if gpus == 1:
        assert (inside, between) == (0.0, amount)
    elif pattern is Pattern.ALL_TO_ALL:
        assert count * inside + between == pytest.approx(amount)
    if count == 1 and gpus > 1:
        assert between == 0.0


def test_each_pattern_is_of_one_kind():
    assert set(Pattern) == RANKS | PAIRS
    assert not RANKS & PAIRS
