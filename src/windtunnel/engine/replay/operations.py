"""What a rank does, line by line: actions of SimGrid's time-independent traces, and lines of usage traces.

Each line becomes a few operations of four kinds; collectives become point-to-point messages (``collectives``).
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from mypy_extensions import mypyc_attr

from windtunnel.engine.replay import collectives
from windtunnel.engine.replay.collectives import Exchange

__all__ = ["ACTIONS", "Compute", "Operation", "Sleep", "Wait", "default_size", "operations"]


class Compute(NamedTuple):
    """Compute ``flops`` on each of ``positions`` cores."""

    flops: float
    positions: int = 1


class Sleep(NamedTuple):
    """Do nothing for some seconds."""

    seconds: float


class Wait(NamedTuple):
    """Wait for a message that was posted without waiting (source, target, tag), or for all (None)."""

    message: tuple[int, int, int] | None


Operation = Compute | Sleep | Wait | Exchange

_DOUBLE: Final = 8
_BYTES: Final[Mapping[int, int]] = dict(enumerate((_DOUBLE, 4, 1, 2, 8, 4, 1, 8, 1, 1, 2, 4, 8, 8, 16))) | dict(
    enumerate((1, 2, 4, 8, 1, 2, 4, 8, 8, 16), 17)
)
"""Bytes of the data types, by the number they have in traces."""


@mypyc_attr(allow_interpreted_subclasses=True)
class _Line:
    """The arguments of one line, and who reads it."""

    def __init__(self, words: Sequence[str], rank: int, ranks: int, cores: int, default: int) -> None:
        self.words = words
        self.rank = rank
        self.ranks = ranks
        self.cores = cores
        self.default = default

    def number(self, place: int) -> float:
        value = float(self.words[place])
        if not 0.0 <= value < math.inf:
            raise ValueError(f"{self.words[place]!r} is not an amount")
        return value

    def root(self, place: int) -> int:
        return self.peer(place) if place < len(self.words) else 0

    def peer(self, place: int) -> int:
        peer = int(self.words[place])
        if not 0 <= peer < self.ranks:
            raise ValueError(f"there is no rank {peer} among {self.ranks}")
        return peer

    def tag(self, place: int) -> int:
        tag = int(self.words[place])
        if tag < 0:
            raise ValueError("tags are not negative")
        return tag

    def size(self, place: int, type_place: int) -> float:
        """Bytes: a count times the size of its data type, which may be left out."""
        if type_place >= len(self.words):
            return self.number(place) * self.default
        kind = int(self.words[type_place])
        if kind not in _BYTES:
            raise ValueError(f"there is no data type {kind}")
        return self.number(place) * _BYTES[kind]


def operations(words: Sequence[str], rank: int, ranks: int, cores: int, default: int) -> list[Operation]:
    """What one line makes its rank do.

    Args:
        words: the words of the line after the rank.
        rank: whose line it is, of ``ranks``.
        ranks: how many there are.
        cores: of the host of the rank.
        default: bytes of an element whose type the line does not tell (``default_size`` of the trace).

    Raises:
        ValueError: The line is invalid, or its action is not replayed; the message says why.
    """
    action = ACTIONS.get(words[0])
    if action is None:
        raise ValueError(f"{words[0]!r} is not replayed (these are: {', '.join(ACTIONS)})")
    try:
        return action(_Line(words, rank, ranks, cores, default))
    except IndexError:
        raise ValueError(f"{words[0]} needs more arguments") from None


def default_size(words: Sequence[str]) -> int:
    """Bytes of an element without a type, as ``init`` sets it: doubles if it has an argument, else bytes."""
    return _DOUBLE if len(words) > 1 else 1


def _nothing(_: _Line) -> list[Operation]:
    return []


def _compute(line: _Line) -> list[Operation]:
    return [Compute(line.number(1))]


def _sleep(line: _Line) -> list[Operation]:
    return [Sleep(line.number(1))]


def _usage(line: _Line) -> list[Operation]:
    """m_usage USAGE FLOPS: so many cores of the host compute FLOPS each."""
    return [Compute(line.number(2), max(1, math.floor(line.number(1) * line.cores + 0.5)))]


def _send(line: _Line) -> list[Operation]:
    message = (line.peer(1), line.size(3, 4))
    return [Exchange((message,), (), line.tag(2), line.words[0] == "send")]


def _receive(line: _Line) -> list[Operation]:
    return [Exchange((), (line.peer(1),), line.tag(2), line.words[0] == "recv")]


def _wait(line: _Line) -> list[Operation]:
    return [Wait((line.peer(1), line.peer(2), line.tag(3)))]


def _wait_all(_: _Line) -> list[Operation]:
    return [Wait(None)]


def _barrier(line: _Line) -> list[Operation]:
    return [*collectives.barrier(line.rank, line.ranks)]


def _bcast(line: _Line) -> list[Operation]:
    return [*collectives.bcast(line.rank, line.ranks, line.root(2), line.size(1, 3))]


def _reduce(line: _Line) -> list[Operation]:
    root, size = line.root(3), line.size(1, 4)
    return [*collectives.to_root(line.rank, line.ranks, root, size), *_flops(line)]


def _allreduce(line: _Line) -> list[Operation]:
    size = line.size(1, 3)
    reduced = collectives.to_root(line.rank, line.ranks, 0, size)
    return [*reduced, *collectives.bcast(line.rank, line.ranks, 0, size), *_flops(line)]


def _flops(line: _Line) -> list[Operation]:
    return [Compute(flops)] if (flops := line.number(2)) > 0.0 else []


def _gather(line: _Line) -> list[Operation]:
    return [*collectives.to_root(line.rank, line.ranks, line.root(3), line.size(1, 4))]


def _scatter(line: _Line) -> list[Operation]:
    return [*collectives.from_root(line.rank, line.ranks, line.root(3), line.size(1, 4))]


def _allgather(line: _Line) -> list[Operation]:
    return [*collectives.all_at_once(line.rank, line.ranks, line.size(1, 3))]


def _alltoall(line: _Line) -> list[Operation]:
    return [*collectives.alltoall(line.rank, line.ranks, line.size(1, 3))]


ACTIONS: Final[Mapping[str, Callable[[_Line], list[Operation]]]] = {
    **dict.fromkeys(("init", "finalize", "comm_size", "comm_split", "comm_dup", "location"), _nothing),
    "compute": _compute,
    "sleep": _sleep,
    "m_usage": _usage,
    **dict.fromkeys(("send", "isend"), _send),
    **dict.fromkeys(("recv", "irecv"), _receive),
    "wait": _wait,
    "waitall": _wait_all,
    "barrier": _barrier,
    "bcast": _bcast,
    "reduce": _reduce,
    "allreduce": _allreduce,
    "gather": _gather,
    "scatter": _scatter,
    "allgather": _allgather,
    "alltoall": _alltoall,
}
"""What each action does."""
