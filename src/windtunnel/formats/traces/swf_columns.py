"""The columns of a log that a replay needs, as numbers."""

from itertools import chain
from math import isfinite
from typing import Final, NamedTuple, cast

from windtunnel.formats.traces.swf_lines import Chunk
from windtunnel.formats.traces.swf_plain import STRIDE, WIDTH

__all__ = ["ASKED", "HISTORY", "PARTITION", "STATUS", "Columns", "LeftOut", "Reader"]

Columns = tuple[
    list[int],  # 0 number
    list[float],  # 1 submit
    list[float],  # 2 wait
    list[float],  # 3 run
    list[int],  # 4 allocated processors
    list[int],  # 5 requested processors
    list[float],  # 6 requested time
    list[int],  # 7 status
    list[int],  # 8 user
    list[int],  # 9 group
    list[int],  # 10 queue
    list[int],  # 11 preceding job
    list[float],  # 12 think time
]
_FIELDS: Final = (0, 1, 2, 3, 4, 7, 8, 10, 11, 12, 14, 16, 17)
"""Which field of a row each column is."""

STATUS: Final = {
    -1: "unknown",
    0: "failed",
    1: "completed",
    2: "partial, to be continued",
    3: "partial, last, completed",
    4: "partial, last, failed",
    5: "cancelled",
}
"""Field 11 in words."""

PARTITION: Final = 15
ASKED: Final = {9: "requested memory (field 10)", PARTITION: "partition (field 16)"}
"""Fields of a row that are in no column and ask for something, and what they are called."""
HISTORY: Final = {5: "average CPU time (field 6)", 6: "used memory (field 7)", 13: "executable (field 14)"}
"""Those that tell how it was."""


class LeftOut(NamedTuple):
    """A field of the rows of a chunk that is in no column."""

    given: int
    """In how many rows it is given."""
    rank: int
    """The first of them; -1 if there is none."""
    value: int
    """What is there."""
    uniform: bool
    """Whether the same is in all the others."""


class _Integers(dict[str, int]):
    """Text -> integer, for fields of few distinct values; ValueError when it is none of less than 19 digits."""

    def __missing__(self, text: str) -> int:
        if len(self) > 1 << 16:
            self.clear()
        value = int(text)
        if "_" in text or abs(value) >= 10**18:
            raise ValueError(text)
        self[text] = value
        return value


class _Times(dict[str, float]):
    """Text -> seconds, for fields of few distinct values; ValueError when it is not a finite number."""

    def __missing__(self, text: str) -> float:
        if len(self) > 1 << 16:
            self.clear()
        value = float(text)
        if "_" in text or not isfinite(value):
            raise ValueError(text)
        self[text] = value
        return value


def _whole(text: str) -> int:
    """A number without its fraction, for an example of what a field holds; 0 for what is none (and is said later)."""
    try:
        return int(float(text))
    except (ValueError, OverflowError):
        return 0


class Reader:
    """Makes columns of the chunks of one log."""

    def __init__(self) -> None:
        self._integers = _Integers()
        self._times = _Times()

    def left_out(self, chunk: Chunk, field: int) -> LeftOut:
        """What a chunk says in a field that is in no column."""
        integers = chunk.integers
        if integers:
            numbers = integers[field::WIDTH]
            given = len(numbers) - numbers.count(-1)
            if not given:
                return LeftOut(0, -1, -1, True)
            rank = next(rank for rank, value in enumerate(numbers) if value != -1)
            return LeftOut(given, rank, numbers[rank], numbers.count(numbers[rank]) == given)
        texts = chunk.texts[field::STRIDE]
        given = len(texts) - texts.count("-1")
        if not given:
            return LeftOut(0, -1, -1, True)
        rank = next(rank for rank, value in enumerate(texts) if value != "-1")
        number = _whole(texts[rank])
        return LeftOut(given, rank, number, texts.count(texts[rank]) == given)

    def columns(self, chunk: Chunk) -> Columns:
        """The columns of a chunk; times are integers where all its fields are. ValueError: a text is not a number."""
        if chunk.integers:
            return cast("Columns", tuple([chunk.integers[field::WIDTH] for field in _FIELDS]))
        texts = chunk.texts
        integer, seconds = self._integers.__getitem__, self._times.__getitem__
        columns = (
            list(map(int, texts[0::STRIDE])),
            list(map(float, texts[1::STRIDE])),
            list(map(float, texts[2::STRIDE])),
            list(map(float, texts[3::STRIDE])),
            list(map(integer, texts[4::STRIDE])),
            list(map(integer, texts[7::STRIDE])),
            list(map(seconds, texts[8::STRIDE])),
            list(map(integer, texts[10::STRIDE])),
            list(map(integer, texts[11::STRIDE])),
            list(map(integer, texts[12::STRIDE])),
            list(map(integer, texts[14::STRIDE])),
            list(map(integer, texts[16::STRIDE])),
            list(map(seconds, texts[17::STRIDE])),
        )
        times = columns[1:4]
        # The sum tells cheaply that all are finite; it may also be infinite when none of them is.
        if not isfinite(sum(map(sum, times))) and not all(map(isfinite, chain(*times))):
            raise ValueError("not finite")
        if max(columns[0]) >= 10**18 or min(columns[0]) <= -(10**18):
            raise ValueError("too large")
        return columns
