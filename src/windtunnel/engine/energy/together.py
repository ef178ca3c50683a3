"""Jobs whose hosts are metered together: hosts that draw the same are counted, not visited.

A job with a fixed run time, on whole hosts that are otherwise as they were at first, draws the same from start to
end: so many hosts of each kind, idle or busy. Its joules are watts times time, and nobody touches the meters of its
hosts. As soon as anything happens to one of the hosts by itself (a task, a power state, a failure, a reading), the
job's hosts get meters of their own, dated back to when it came to them.
"""

from array import array
from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.engine.energy.meters import Meters, watts
from windtunnel.model import HostSet, JobRecord

__all__ = ["Span", "Together"]

_NONE: Final = HostSet()


@mypyc_attr(allow_interpreted_subclasses=True)
class Span:
    """A job on its hosts since a date (s): what they draw together (W), and how much of that by being busy."""

    def __init__(self, record: JobRecord, hosts: HostSet, since: float, idle: float, extra: float) -> None:
        self.record = record
        self.hosts = hosts
        self.since = since
        self.watts = idle + extra
        self.extra = extra


@mypyc_attr(allow_interpreted_subclasses=True)
class Together:
    """The jobs metered so, and what is needed to know whether and how much."""

    def __init__(self, meters: Meters, size: int) -> None:
        self._meters = meters
        self.spans: dict[str, Span] = {}
        """By job."""
        self._hosts = _NONE
        """The hosts of all of them."""
        self._first_states = meters.pstates.copy()
        self._first_off = meters.off.copy()
        self._apart: set[int] = set()
        """Hosts that are not as at the start by themselves."""
        self._joules = array("d", bytes(8 * (size + 1)))
        """What busy hosts drew beyond idle ones and no meter knows: differences from each host to the next (J)."""
        self._first: list[int] = []
        """Hosts of one kind stand together: the first of each stretch."""
        self._idle: list[float] = []
        self._extra: list[float] = []
        """Watts of a host of each stretch: idle, and how much more when it is busy."""
        self._find_kinds(size)

    def _find_kinds(self, size: int) -> None:
        meters = self._meters
        before: tuple[float, float] | None = None
        known: dict[tuple[object, ...], tuple[float, float]] = {}
        for host in range(size):
            state = meters.states[host][meters.pstates[host]]
            key = (meters.cores[host], state.idle, state.epsilon, state.full, state.speed)
            kind = known.get(key)
            if kind is None:
                idle = watts(state, meters.cores[host], 0.0)
                kind = known[key] = (idle, watts(state, meters.cores[host], meters.cores[host] * state.speed) - idle)
            if kind != before:
                self._first.append(host)
                self._idle.append(kind[0])
                self._extra.append(kind[1])
                before = kind

    def takes(self, hosts: HostSet) -> bool:
        """Whether a job on these hosts can be metered so."""
        if not hosts:
            return False
        apart = self._apart
        if len(apart) <= hosts.size:
            return not any(host in hosts for host in apart)
        return apart.isdisjoint(hosts)

    def begin(self, record: JobRecord, now: float, *, busy: bool) -> float:
        """The job comes to its hosts; by how many watts they draw more from now on."""
        idle = extra = 0.0
        hosts = record.hosts
        for _, count, kind in self._stretches(hosts):
            idle += count * self._idle[kind]
            if busy:
                extra += count * self._extra[kind]
        self.spans[record.job.id] = Span(record, hosts, now, idle, extra)
        self._hosts |= hosts
        return extra

    def end(self, job_id: str, now: float) -> Span | None:
        """The job leaves its hosts, and its joules are counted; None when it is not metered so."""
        span = self.spans.pop(job_id, None)
        if span is None:
            return None
        self._hosts -= span.hosts
        seconds = now - span.since
        span.record.consumed_energy += span.watts * seconds
        if span.extra:
            joules = self._joules
            for first, count, kind in self._stretches(span.hosts):
                joules[first] += self._extra[kind] * seconds
                joules[first + count] -= self._extra[kind] * seconds
        return span

    def _stretches(self, hosts: HostSet) -> list[tuple[int, int, int]]:
        """Hosts of one kind that stand together: the first, how many, which kind."""
        found = []
        firsts = self._first
        for begin, last in hosts.runs:
            first = begin
            kind = bisect_right(firsts, first) - 1
            while first <= last:
                stop = last if kind + 1 >= len(firsts) or firsts[kind + 1] > last else firsts[kind + 1] - 1
                found.append((first, stop - first + 1, kind))
                first = stop + 1
                kind += 1
        return found

    def met(self, hosts: Iterable[int]) -> list[Span]:
        """The jobs on any of these hosts, which are metered one by one from when these came to them."""
        if not self.spans:
            return []
        touched = [host for host in hosts if host in self._hosts]
        if not touched:
            return []
        few = HostSet(touched)
        found = [span for span in self.spans.values() if not span.hosts.isdisjoint(few)]
        for span in found:
            self._part(span)
        return found

    def _part(self, span: Span) -> None:
        del self.spans[span.record.job.id]
        self._hosts -= span.hosts
        meters = self._meters
        span.record.consumed_energy -= meters.total(span.since, span.hosts)
        if span.extra:
            loads = {host: meters.cores[host] * _speed(meters, host) for host in span.hosts}
            meters.set_loads(span.since, loads)
            self.looked(loads)

    def looked(self, hosts: Iterable[int]) -> None:
        """Something was changed on hosts: note which are as at the start."""
        meters, apart = self._meters, self._apart
        for host in hosts:
            if (
                meters.loads[host]
                or meters.pstates[host] != self._first_states[host]
                or meters.off[host] != self._first_off[host]
            ):
                apart.add(host)
            else:
                apart.discard(host)

    def give_up(self) -> list[Span]:
        """Somebody reads the meter of a host: from now on each has its own. The jobs that were metered together."""
        found = list(self.spans.values())
        for span in found:
            self._part(span)
        return found

    def unmetered(self) -> list[float]:
        """By host: joules that busy hosts drew beyond idle ones and that their meters do not know."""
        return list(accumulate(self._joules[:-1]))


def _speed(meters: Meters, host: int) -> float:
    return meters.states[host][meters.pstates[host]].speed
