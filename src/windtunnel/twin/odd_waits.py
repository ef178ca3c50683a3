"""Waits that a replay does not meet, as far as a log tells them apart: jobs held, priorities set by hand, the rest.

A job that could start only later than it was submitted has the date in its record (Eligible). A priority has not, but
leaves a trace: a job starts before an earlier one of its partition and QOS that is no larger and no longer, and the
replay, which knows ages, sizes and fair share, has it the other way round.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from windtunnel.twin.replay import Outcome

__all__ = ["OddWaits", "told_apart"]

_MUCH: Final = 3600.0
"""Seconds by which a wait has to differ."""
_HELD: Final = 60.0
"""Seconds after which a job is not taken for submitted and eligible at once."""
_MOST: Final = 2000
"""Starts before a job's own that are looked at: the last ones."""


class OddWaits(msgspec.Struct, frozen=True):
    """Counts of jobs."""

    held: int = 0
    """Could start only later than they were submitted, by the log, though they wait for no other job; the replay
    knows it."""
    raised: int = 0
    """Started over an hour earlier than in the replay, before earlier jobs that the replay starts first."""
    overtaken: int = 0
    """Waited over an hour longer than in the replay, and were overtaken by later jobs that the replay starts after
    them."""
    unseen: int = 0
    """Waited over an hour longer for no reason that the log shows."""


def told_apart(pairs: Sequence[tuple[Outcome, Outcome]]) -> OddWaits:
    """Of jobs as they were, and as they became in the replay."""
    became = {old.id: new for old, new in pairs}
    queues: dict[tuple[str, str], list[Outcome]] = {}
    for old, _ in pairs:
        queues.setdefault((old.partition, old.qos), []).append(old)
    raised = overtaken = unseen = 0
    for queue in queues.values():
        queue.sort(key=_start)
        starts = [_start(one) for one in queue]
        passed: set[str] = set()
        for place, one in enumerate(queue):
            if one.waited - became[one.id].waited <= _MUCH:
                continue
            first = max(place - _MOST, bisect_left(starts, one.submitted))
            before = [other for other in queue[first:place] if _overtakes(other, one, became)]
            passed.update(other.id for other in before)
            overtaken += bool(before)
            unseen += not before
        raised += sum(one.id in passed and became[one.id].waited - one.waited > _MUCH for one in queue)
    return OddWaits(sum(old.held > _HELD for old, _ in pairs), raised, overtaken, unseen)


def _start(one: Outcome) -> float:
    return one.submitted + one.waited


def _overtakes(later: Outcome, one: Outcome, became: Mapping[str, Outcome]) -> bool:
    """Whether a job starts before one that was there first and asks for no more, and not so in the replay."""
    if not (later.submitted > one.submitted + one.held and _start(later) < _start(one)):
        return False
    if later.processors < one.processors or later.limit < one.limit:
        return False
    return _start(became[later.id]) > _start(became[one.id])
