"""The calendar: its entries, their order at one instant, and the kinds of events.

:mod:`windtunnel.engine.rounds.handlers` says what handles each kind.
"""

from heapq import heappop, heappush
from types import FunctionType
from typing import Any, Final

from mypy_extensions import i64

__all__ = [
    "CALL",
    "COMPILED",
    "CONDITION",
    "DECISION",
    "EXTERNAL",
    "INJECTED",
    "JOB_END",
    "JOB_LOST",
    "LEAF_END",
    "MIGRATED",
    "NO_MORE",
    "PERIODIC",
    "POLL",
    "PROBE",
    "READY",
    "RELEASE_HELD",
    "SHARING",
    "SUBMIT",
    "SWITCHED",
    "TRANSFERRED",
    "WALLTIME",
    "WORKFLOW",
    "Entry",
    "Priority",
    "on_paper",
    "plan",
    "take_first",
]

# Bound once: compiled code looks up what comes from other modules each time.
_heappop: Final = heappop
_heappush: Final = heappush

Entry = tuple[float, int, int, int, Any, int]
"""(date, priority, sequence, kind of event, payload, version); void when the payload's version differs."""


ROUNDING: Final = 6755399441055744.0
"""1.5 * 2 ** 52: a number that this is added to and taken from again is whole."""

_LATEST: Final = 1e9
"""s; up to here microseconds are told apart."""


def on_paper(date: float) -> float:
    """The date (s) as one adds it on paper: the decimal of at most six places that a sum has missed by rounding.

    Errors of sums would add up from job to job otherwise: ends that are equal in decimals would come in two rounds,
    and a component that is told dates with six decimals would see others than one in process.
    """
    near = (date * 1e6 + ROUNDING - ROUNDING) / 1e6
    return near if -1e-15 * date <= near - date <= 1e-15 * date and date < _LATEST else date


def plan(heap: list[Any], entry: tuple[Any, ...]) -> None:
    """Put in an entry: compiled code compares dates by itself, at a fifth of what Python's heap costs."""
    if not COMPILED:
        _heappush(heap, entry)
        return
    heap.append(entry)
    date: float = entry[0]
    place: i64 = len(heap) - 1
    while place:
        above: i64 = (place - 1) >> 1
        other: tuple[Any, ...] = heap[above]
        earlier: float = other[0]
        if earlier < date or (earlier == date and other < entry):
            break
        heap[place] = other
        place = above
    heap[place] = entry


def take_first(heap: list[Any]) -> None:
    """Take the first entry off the calendar."""
    if not COMPILED:
        _heappop(heap)
        return
    entry: tuple[Any, ...] = heap.pop()
    size: i64 = len(heap)
    if not size:
        return
    # The gap goes down to the bottom, along the earlier ones; there, or a little above, is the place of the last one.
    place: i64 = 0
    below: i64 = 1
    while below + 1 < size:
        other: tuple[Any, ...] = heap[below]
        right: tuple[Any, ...] = heap[below + 1]
        date: float = other[0]
        another: float = right[0]
        if another < date or (another == date and right < other):
            below += 1
            other = right
        heap[place] = other
        place = below
        below = 2 * place + 1
    if below < size:
        heap[place] = heap[below]
        place = below
    latest: float = entry[0]
    while place:
        below = (place - 1) >> 1
        other = heap[below]
        date = other[0]
        if date < latest or (date == latest and other < entry):
            break
        heap[place] = other
        place = below
    heap[place] = entry


class Priority:
    """The order of events at one instant (decisions.md 1)."""

    FIRST: Final = -1
    """Walltimes of jobs that may change size, and periodic calls where each notice is told alone."""
    END: Final = 0
    WALLTIME: Final = 1
    SWITCHED: Final = 2
    EXTERNAL: Final = 3
    CALL: Final = 4
    PERIODIC: Final = 5
    PROBE: Final = 6
    SUBMISSION: Final = 7
    NO_MORE: Final = 8
    DECISION: Final = 9
    READY: Final = 10


JOB_END: Final = 0
"""A job whose only profile is a delay ends. Payload: record."""
LEAF_END: Final = 1
"""A delay inside a composition ends. Payload: node."""
WALLTIME: Final = 2
"""A job reaches its walltime. Payload: record."""
SUBMIT: Final = 3
"""The next jobs of a workload are due. Payload: submitter."""
EXTERNAL: Final = 4
"""The next events of a list are due. Payload: submitter."""
CALL: Final = 5
"""A one-shot call is due. Payload: (rank of the session, id)."""
PERIODIC: Final = 6
"""A periodic call is due. Payload: the call."""
PROBE: Final = 7
"""A probe is due. Payload: the probe."""
SWITCHED: Final = 8
"""A group of hosts has finished switching on or off. Payload: the group."""
NO_MORE: Final = 9
"""Say that no more jobs or events will come. Payload: "jobs" or "events"."""
DECISION: Final = 10
"""A decision taken for this date is applied. Payload: (rank of the session, decision)."""
READY: Final = 11
"""A component has finished deciding. Payload: rank of the session."""
SHARING: Final = 12
"""The sharing system has something to report. Payload: the system."""
INJECTED: Final = 13
"""Something from outside (law 8). Payload: an external event or a job."""
RELEASE_HELD: Final = 14
"""A job whose dependencies have ended is submitted. Payload: job."""
POLL: Final = 15
"""A receiving job looks for a message. Payload: node."""
MIGRATED: Final = 16
"""A migration ends. Payload: (record, hosts)."""
TRANSFERRED: Final = 17
"""An image transfer ends. Payload: the decision."""
WORKFLOW: Final = 18
"""Tasks of a workflow may be submitted. Payload: the running workflow."""
CONDITION: Final = 19
"""A profile of the platform changes something. Payload: the condition."""
JOB_LOST: Final = 20
"""A job has lost a link or a storage that it uses. Payload: record."""


COMPILED: Final = not isinstance(plan, FunctionType)
"""Whether this is compiled. Where it is not, the hottest paths call Python's heap themselves."""
