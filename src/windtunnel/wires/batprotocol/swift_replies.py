"""Replies of executions and rejections, read straight into decisions: the compiled build alone loads this module.

Whatever is not plainly in order, or asks for anything else, is left to the general reader, which says what is wrong:
here nothing is refused, and nothing is read that it would refuse. In pure Python the general reader is as fast.
"""

from typing import Any, Final

from librt.strings import read_f64_le, read_i16_le, read_i32_le
from mypy_extensions import i64

from windtunnel import vocabulary as v
from windtunnel.model import PlacementStrategy
from windtunnel.vocabulary.reply import Reply
from windtunnel.wires.host_texts import hosts_of

__all__ = ["swift_reply"]

# Bound once: compiled code looks up what comes from other modules each time.
_ExecuteJob: Final = v.ExecuteJob
_RejectJob: Final = v.RejectJob
_PLACEMENTS: Final = tuple(PlacementStrategy)

_REJECT: Final[i64] = 3
_EXECUTE: Final[i64] = 4
_PREDEFINED: Final[i64] = 1
"""Types of unions, by their place in the schema."""
_LONGEST: Final[i64] = 2048
"""Bytes of a text: with an event for every 16 bytes of the message, this keeps to the general reader's budget."""
_INF: Final = float("inf")


def swift_reply(buffer: bytes, now: float) -> Reply | None:
    """The reply in a binary message, to one of a date (s); None for what the general reader is to look at."""
    try:
        return _reply(buffer, now)
    except (IndexError, ValueError):
        return None


def _reply(buffer: bytes, now: float) -> Reply | None:
    at: i64 = _u32(buffer, 0)
    vtable, slots = _vtable(buffer, at)
    if slots < 2:
        return None
    date_at = _u16(buffer, vtable + 4)
    events_at = _u16(buffer, vtable + 6)
    if events_at < 4 or (date_at != 0 and not _apart(date_at, 8, events_at, 4)):
        return None
    done = read_f64_le(buffer, at + date_at) if date_at != 0 else 0.0
    offset = _u32(buffer, at + events_at)
    if offset == 0 or not -_INF < done < _INF:
        return None
    events = at + events_at + offset
    count = _u32(buffer, events)
    if count * 16 > len(buffer):
        return None
    decisions: list[Any] = []
    previous = -_INF
    place = events + 4
    for _ in range(count):
        offset = _u32(buffer, place)
        if offset == 0:
            return None
        at = place + offset
        place += 4
        vtable, slots = _vtable(buffer, at)
        if slots < 3:
            return None
        date_at = _u16(buffer, vtable + 4)
        kind_at = _u16(buffer, vtable + 6)
        event_at = _u16(buffer, vtable + 8)
        if not _union_apart(kind_at, event_at, date_at, 8):
            return None
        when = read_f64_le(buffer, at + date_at)
        kind = i64(buffer[at + kind_at])
        offset = _u32(buffer, at + event_at)
        if offset == 0 or not previous <= when <= done:
            return None
        previous = when
        event = at + event_at + offset
        if kind == _EXECUTE:
            decision = _execution(buffer, event)
        elif kind == _REJECT:
            decision = _rejection(buffer, event)
        else:
            return None
        if decision is None:
            return None
        if when > now:
            decision.timestamp = when
        decisions.append(decision)
    return Reply(max(now, done), decisions)


def _rejection(buffer: bytes, at: i64) -> Any:
    vtable, slots = _vtable(buffer, at)
    if slots < 1:
        return None
    job_id = _text(buffer, at, _u16(buffer, vtable + 4))
    return None if job_id is None else _RejectJob(job_id=job_id)


def _execution(buffer: bytes, at: i64) -> Any:
    vtable, slots = _vtable(buffer, at)
    if slots < 2:
        return None
    job_at = _u16(buffer, vtable + 4)
    allocation_at = _u16(buffer, vtable + 6)
    if not _apart(job_at, 4, allocation_at, 4):
        return None
    # Profiles and storages that are placed apart: none, or the general reader's.
    for slot in range(i64(2), min(slots, i64(4))):
        more_at = _u16(buffer, vtable + 4 + 2 * slot)
        if more_at != 0:
            if not (_apart(more_at, 4, job_at, 4) and _apart(more_at, 4, allocation_at, 4)):
                return None
            offset = _u32(buffer, at + more_at)
            if offset != 0 and _u32(buffer, at + more_at + offset) != 0:
                return None
    if slots >= 4:
        one, two = _u16(buffer, vtable + 8), _u16(buffer, vtable + 10)
        if one != 0 and two != 0 and not _apart(one, 4, two, 4):
            return None
    job_id = _text(buffer, at, job_at)
    offset = _u32(buffer, at + allocation_at)
    if job_id is None or offset == 0:
        return None
    at += allocation_at + offset
    vtable, slots = _vtable(buffer, at)
    if slots < 3:
        return None
    hosts_at = _u16(buffer, vtable + 4)
    kind_at = _u16(buffer, vtable + 6)
    placement_at = _u16(buffer, vtable + 8)
    if not _union_apart(kind_at, placement_at, hosts_at, 4):
        return None
    hosts = _text(buffer, at, hosts_at)
    offset = _u32(buffer, at + placement_at)
    if hosts is None or offset == 0 or i64(buffer[at + kind_at]) != _PREDEFINED:
        return None
    at += placement_at + offset
    vtable, slots = _vtable(buffer, at)
    if slots < 0:
        return None
    strategy: i64 = 0
    if slots >= 1:
        strategy_at = _u16(buffer, vtable + 4)
        if strategy_at != 0:
            if strategy_at < 4:
                return None
            strategy = i64(buffer[at + strategy_at])
            if strategy > 1:
                return None
    return _ExecuteJob(job_id=job_id, hosts=hosts_of(hosts), placement=_PLACEMENTS[strategy])


# ---- parts of tables ---------------------------------------------------------------------------------------------


def _u16(buffer: bytes, at: i64) -> i64:
    return i64(read_i16_le(buffer, at)) & 0xFFFF


def _u32(buffer: bytes, at: i64) -> i64:
    return i64(read_i32_le(buffer, at)) & 0xFFFF_FFFF


def _vtable(buffer: bytes, at: i64) -> tuple[i64, i64]:
    """Where the vtable of a table stands, and how many members it has room for; -1 of them if it is not in order."""
    vtable = at - i64(read_i32_le(buffer, at))
    if vtable < 0:
        return 0, -1
    size = _u16(buffer, vtable)
    if size < 4 or size & 1 or vtable + size > len(buffer):
        return 0, -1
    return vtable, (size - 4) >> 1


def _apart(one: i64, width: i64, two: i64, other: i64) -> bool:
    """Whether two members are there and share no byte."""
    return one >= 4 and two >= 4 and (one + width <= two or two + other <= one)


def _union_apart(kind: i64, value: i64, other: i64, width: i64) -> bool:
    """Whether the two members of a union and another one are there and share no byte."""
    return _apart(kind, 1, value, 4) and _apart(kind, 1, other, width) and _apart(value, 4, other, width)


def _text(buffer: bytes, at: i64, member: i64) -> str | None:
    """The text that a member of a table refers to."""
    if member < 4:
        return None
    at += member
    offset = _u32(buffer, at)
    if offset == 0:
        return None
    at += offset
    size = _u32(buffer, at)
    start = at + 4
    end = start + size
    if size > _LONGEST or end >= len(buffer) or buffer[end] != 0:
        return None
    return buffer[start:end].decode()
