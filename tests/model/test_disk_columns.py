"""Columns in temporary files read as arrays."""

import copy
import pickle
from array import array
from itertools import repeat
from threading import Thread
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.diagnostics import SimulationError, UsageError
from windtunnel.model import disk_columns
from windtunnel.model.arrays import extend, extended
from windtunnel.model.disk_columns import DiskColumn

PARTS = st.lists(st.lists(st.integers(-(10**18), 10**18), max_size=6), max_size=6)
BOUND = st.none() | st.integers(-9, 40)


@given(PARTS, st.lists(st.tuples(BOUND, BOUND) | st.integers(-40, 40), max_size=6), st.sampled_from([1, 16, 1 << 16]))
def test_they_are_what_arrays_are(parts: list[list[int]], asked: list[Any], pending: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(disk_columns, "_PENDING", pending)
        patch.setattr(disk_columns, "_MANY", 4)
        column: Any = DiskColumn("q")
        plain = array("q")
        for part in parts:
            extend(column, part)
            assert extended(column, part) is column
            plain.extend([*part, *part])
            assert len(column) == len(plain)
            assert column[-3:] == plain[-3:]
        column.append(7)
        plain.append(7)
        for one in asked:
            if isinstance(one, tuple):
                assert column[slice(*one)] == plain[slice(*one)]
            elif -len(plain) <= one < len(plain):
                assert column[one] == plain[one]
            else:
                with pytest.raises(IndexError):
                    column[one]
        assert [*column] == [*plain] == column[:].tolist()
        assert (min(column), max(column), len({*column})) == (min(plain), max(plain), len({*plain}))
        for value in (7, 8, plain[0]):
            assert (value in column) == (value in plain)
            assert column.count(value) == plain.count(value)


def test_numbers_of_each_type_keep_their_type() -> None:
    times, codes = DiskColumn("d"), DiskColumn("I")
    extend(times, (0.1, -1, 2.5))  # type: ignore[arg-type]
    extend(codes, [3])  # type: ignore[arg-type]
    assert [*map(repr, times)] == ["0.1", "-1.0", "2.5"]
    assert [*map(repr, codes)] == ["3"]
    assert not DiskColumn("d")
    with pytest.raises(ValueError, match="leaving places out"):
        times[::2]


def test_threads_may_share_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk_columns, "_PENDING", 64)
    column: Any = DiskColumn("q")
    threads = [Thread(target=lambda: [extend(column, [n]) for n in repeat(5, 500)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        assert {*column} <= {5}
    assert column.count(5) == len(column) == 2000


@pytest.mark.parametrize("away", [pickle.dumps, copy.deepcopy])
def test_they_cannot_be_saved(away: Any) -> None:
    with pytest.raises(UsageError, match="neither saved nor forked"):
        away(DiskColumn("d"))


def test_a_full_disk_is_told() -> None:
    class Full:
        def seek(self, place: int) -> None:
            pass

        def write(self, data: bytes) -> int:
            raise OSError(28, "No space left on device")

        read = write

    column: Any = DiskColumn("d")
    column.append(1.0)
    column._file = Full()
    with pytest.raises(SimulationError, match="cannot write a temporary file: No space left on device"):
        column[:]
    column._written, column._pending = 8, bytearray()
    with pytest.raises(SimulationError, match="cannot read a temporary file: No space left on device"):
        column[:]
