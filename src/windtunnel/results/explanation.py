"""What is known of why a job waited, and its text."""

from collections.abc import Iterator
from typing import Final

import msgspec

from windtunnel.diagnostics import counted, show_seconds

__all__ = ["Explanation", "Holder", "Overtaker", "Period", "SizeChange"]

_SHOWN: Final = 8
"""How many rows of each kind the text shows."""


class Holder(msgspec.Struct, frozen=True):
    """A job that held hosts while the job waited. ``host_seconds`` counts the time of waiting only."""

    job: str
    start: float
    finish: float
    hosts: str
    host_seconds: float


class Overtaker(msgspec.Struct, frozen=True):
    """A job submitted later that started earlier."""

    job: str
    submitted: float
    start: float
    finish: float
    hosts: int


class SizeChange(msgspec.Struct, frozen=True):
    """A running job got other hosts. The date in s, sizes in hosts."""

    job: str
    date: float
    before: int
    after: int


class Period(msgspec.Struct, frozen=True):
    """A part of the time of waiting in which as many hosts were free. Dates in s."""

    start: float
    finish: float
    free: int
    """Hosts that no job held, and that were available and awake."""
    ahead: int
    """Jobs submitted earlier that waited too."""


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """Why a job waited, as far as starts and ends tell."""

    job: str
    state: str
    submitted: float
    start: float | None
    """None when it was rejected."""
    reason: str
    """What the record says of it: of a rejected job why."""
    until: float
    requested: int
    site: int
    """Hosts of the site."""
    periods: list[Period]
    holders: list[Holder]
    """Those that took most of the time of waiting first."""
    overtakers: list[Overtaker]
    """In the order of their starts."""
    ahead: int
    """Jobs that waited already when it was submitted."""
    changes: list[SizeChange] = []
    """Changes of the size of other jobs while it waited."""
    own_changes: list[SizeChange] = []
    """Of its own size, while it ran."""
    unavailable: float = 0.0
    """Host-seconds of hosts that were not available while it waited (failures, maintenance)."""
    asleep: float = 0.0
    """Host-seconds of hosts that slept, or were being switched on or off, while it waited."""

    @property
    def waited(self) -> float:
        """Seconds."""
        return self.until - self.submitted

    @property
    def enough_free(self) -> list[Period]:
        """Periods in which as many hosts were free as it asked for, and it did not start."""
        return [p for p in self.periods if p.free >= self.requested]

    def __str__(self) -> str:
        return "\n".join(_lines(self))


def _lines(e: Explanation) -> Iterator[str]:
    fate = "rejected" if e.start is None else f"started at {e.start:,.2f} s"
    yield f"{e.job} ({e.state}): asked for {e.requested} of {e.site} hosts at {e.submitted:,.2f} s, {fate}"
    if e.start is None and e.reason:
        yield f"  why: {e.reason}"
    if e.start is not None and e.reason:
        yield f"  the scheduler says: {e.reason}"
    if e.requested > e.site:
        yield f"  it can never start: the site has {counted(e.site, 'host')} only"
    if e.waited:
        yield from _of_waiting(e)
    else:
        yield "  it did not wait"
    if e.own_changes:
        steps = ", ".join(f"{one.after} at {one.date:,.2f} s" for one in e.own_changes[:_SHOWN])
        times, first = counted(len(e.own_changes), "time"), counted(e.own_changes[0].before, "host")
        yield f"  it changed its hosts {times}: {first} at first, {steps}"


def _of_waiting(e: Explanation) -> Iterator[str]:
    least = min(p.free for p in e.periods)
    most = max(p.free for p in e.periods)
    yield f"  waited {show_seconds(e.waited)}; jobs waiting already: {e.ahead}; hosts free: {least} to {most}"
    enough = sum(p.finish - p.start for p in e.enough_free)
    if enough:
        first = e.enough_free[0]
        yield (
            f"  enough hosts were free for {show_seconds(enough)} of it, first at {first.start:,.2f} s "
            f"({first.free} free, jobs ahead: {first.ahead}): there the scheduler's rules kept it waiting, "
            "not a lack of hosts"
        )
    else:
        yield "  at no time were enough hosts free"
    if e.holders:
        yield f"  hosts were held by {_jobs(len(e.holders))}, most by:"
        for h in e.holders[:_SHOWN]:
            during = f"{h.start:,.2f} to {h.finish:,.2f} s"
            yield f"    {h.job} on {h.hosts}, {during} ({h.host_seconds:,.0f} host-seconds)"
    if e.asleep:
        yield f"  hosts slept or were being switched meanwhile ({e.asleep:,.0f} host-seconds)"
    if e.unavailable:
        yield f"  hosts were not available meanwhile ({e.unavailable:,.0f} host-seconds)"
    if e.overtakers:
        yield f"  {_jobs(len(e.overtakers))} submitted later started earlier:"
        for o in e.overtakers[:_SHOWN]:
            during = f"{o.start:,.2f} to {o.finish:,.2f} s"
            many = counted(o.hosts, "host")
            yield f"    {o.job}: {many}, submitted {o.submitted:,.2f}, ran {during}"
        if len(e.overtakers) > _SHOWN:
            yield f"    and {len(e.overtakers) - _SHOWN} more"
    if e.changes:
        more = [one.after - one.before for one in e.changes]
        took, gave = sum(n for n in more if n > 0), -sum(n for n in more if n < 0)
        times = counted(len(more), "time")
        yield f"  running jobs changed their hosts {times}: they gave {gave} back and took {took} more:"
        for one in e.changes[:_SHOWN]:
            yield f"    {one.job}: from {one.before} to {counted(one.after, 'host')} at {one.date:,.2f} s"
        if len(more) > _SHOWN:
            yield f"    and {len(more) - _SHOWN} more"


def _jobs(count: int) -> str:
    return f"{count} job{'s' * (count != 1)}"
