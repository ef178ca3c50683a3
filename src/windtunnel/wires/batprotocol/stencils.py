"""Messages of one submission or one end, filled into stencils instead of being written table by table.

Such messages are the same bytes but for their numbers and texts, as long as these texts are as long. Where each
stands is found out once, by writing messages that differ in one of them: so a stencil gives the bytes of the general
way. What is less common goes that way.
"""

from collections.abc import Callable, Sequence
from math import inf
from struct import Struct
from typing import Any, Final

from msgspec.structs import astuple

from windtunnel import model as m
from windtunnel import vocabulary as v
from windtunnel.wires.batprotocol import binary
from windtunnel.wires.batprotocol import schema as s

__all__ = ["filled"]

_LONGEST: Final = 64
"""Texts of more bytes are rare, and their lengths many."""
_KEPT: Final = 512
"""So many stencils of one kind are kept."""

# Bound once: compiled code looks up what comes from other modules each time.
_astuple: Final = astuple
_JobSubmitted: Final = v.JobSubmitted
_JobCompleted: Final = v.JobCompleted
_INF: Final = inf

_FINAL: Final = tuple(
    int(s.FinalJobState[state.name]) if state.name in s.FinalJobState.__members__ else None for state in m.JobState
)
"""What a final state is on the wire, by its number."""


class _Stencil:
    """Packs what is the same in all such messages and, between its pieces, what is not."""

    __slots__ = ("pack", "pieces")

    def __init__(self, pack: Callable[..., bytes], pieces: tuple[bytes, ...]) -> None:
        self.pack = pack
        self.pieces = pieces


def filled(now: float, notices: Sequence[v.Notice]) -> bytes | None:
    """The binary message of these notices; None for what there is no stencil for, and for values that do not fit."""
    if len(notices) != 1:
        return None
    notice = notices[0]
    kind = type(notice)
    try:
        if kind is _JobSubmitted:
            return _submission(now, notice)
        if kind is _JobCompleted:
            return _end(now, notice)
    except Exception:  # noqa: BLE001 -- whatever is wrong is said by the general way
        return None
    return None


# ---- submissions -------------------------------------------------------------------------------------------------


def _submission(now: float, notice: v.Notice) -> bytes | None:
    fields: tuple[Any, ...] = _astuple(notice)
    job: Any = fields[1]
    walltime = job.walltime
    if fields[3] is not None or walltime == _INF or job.extra_data is not None:  # also its profile is to be told
        return None
    name: str = job.id
    profile: str = job.profile.id
    job_id = name.encode()
    profile_id = profile.encode() if profile else job_id
    size, other = len(job_id), len(profile_id)
    stencil = _submissions.get(size << 8 | other)
    if stencil is None:
        if not (0 < size <= _LONGEST and other <= _LONGEST):
            return None
        stencil = _kept(_submissions, size << 8 | other, _submission_stencil(size, other))
    c = stencil.pieces
    return stencil.pack(
        c[0], now, c[1], fields[0], c[2], fields[2], c[3], job.request.hosts, c[4], walltime, c[5], profile_id, c[6],
        job_id, c[7],
    )  # fmt: skip


_submissions: Final[dict[int, _Stencil]] = {}
"""By the lengths of the ids of job and profile."""


def _submission_stencil(size: int, other: int) -> _Stencil:
    def write(now: float, when: float, submitted: float, hosts: int, limit: float, profile: str, job: str) -> bytes:
        wanted = s.Job(resource_request=hosts, walltime=limit, extra_data=None, profile_id=profile)
        event = s.JobSubmittedEvent(job_id=job, job=wanted, submission_time=submitted, profile=None)
        return _written(now, when, event)

    return _stencil(write, ["d", "d", "d", "I", "d", f"{other}s", f"{size}s"])


# ---- ends --------------------------------------------------------------------------------------------------------


def _end(now: float, notice: v.Notice) -> bytes | None:
    fields: tuple[Any, ...] = _astuple(notice)
    name: str = fields[1].id
    job_id = name.encode()
    size = len(job_id)
    stencil = _ends.get(size)
    if stencil is None:
        if not 0 < size <= _LONGEST:
            return None
        stencil = _kept(_ends, size, _end_stencil(size))
    c = stencil.pieces
    return stencil.pack(
        c[0], now, c[1], fields[0], c[2], fields[3], c[3], _FINAL[fields[2]], c[4], job_id, c[5]
    )  # fmt: skip


_ends: Final[dict[int, _Stencil]] = {}
"""By the length of the job's id."""


def _end_stencil(size: int) -> _Stencil:
    def write(now: float, when: float, code: int, state: int, job: str) -> bytes:
        event = s.JobCompletedEvent(job_id=job, state=s.FinalJobState(state), return_code=code)
        return _written(now, when, event)

    return _stencil(write, ["d", "d", "i", "b", f"{size}s"])


# ---- how they are made -------------------------------------------------------------------------------------------


def _written(now: float, when: float, event: s.Event) -> bytes:
    return binary.encode(s.Message(now=now, events=(s.EventAndTimestamp(timestamp=when, event=event),)))


def _kept(stencils: dict[int, _Stencil], key: int, stencil: _Stencil) -> _Stencil:
    if len(stencils) >= _KEPT:
        stencils.clear()
    stencils[key] = stencil
    return stencil


def _stencil(write: Callable[..., bytes], letters: list[str]) -> _Stencil:
    """The stencil of what is written of values of these forms (of ``struct``), in the order of the bytes."""
    low = [_sample(letter, 0) for letter in letters]
    plain = write(*low)
    form, pieces, end = "<", [], 0
    for rank, letter in enumerate(letters):
        other = write(*low[:rank], _sample(letter, 1), *low[rank + 1 :])
        places = [at for at, (one, two) in enumerate(zip(plain, other, strict=True)) if one != two]
        start, width = places[0], Struct(f"<{letter}").size
        assert start >= end, "values stand in this order"
        assert places == list(range(start, start + width)), "each stands in one place"
        form += f"{start - end}s{letter}"
        pieces.append(plain[end:start])
        end = start + width
    pieces.append(plain[end:])
    return _Stencil(Struct(f"{form}{len(plain) - end}s").pack, tuple(pieces))


def _sample(letter: str, which: int) -> Any:
    """Two values of a form that differ in every byte."""
    if letter.endswith("s"):
        return "xy"[which] * int(letter[:-1])
    width = Struct(f"<{letter}").size
    return Struct(f"<{letter}").unpack(bytes([which] * width))[0]
