"""Ranks found among sorted stretches are those of the sorted whole."""

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.results import ranked
from windtunnel.results.distribution import distribution, distribution_of_sorted
from windtunnel.results.ranked import in_order

VALUES = st.lists(st.integers(0, 9).map(float) | st.floats(-1e9, 1e9), max_size=60)


@given(VALUES, st.integers(1, 9), st.integers(1, 9))
def test_every_rank(values: list[float], stretch: int, few: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranked, "STRETCH", stretch)
        patch.setattr(ranked, "_FEW", few)
        found = in_order(array("d", values))
        assert in_order([*values]) == sorted(values)
        assert len(found) == len(values)
        assert [found[rank] for rank in range(len(values))] == sorted(values)
        if values:
            assert found[-1] == max(values)
            assert distribution_of_sorted(found, sum(values)) == distribution(values, sum(values))
        with pytest.raises(IndexError):
            found[len(values)]
