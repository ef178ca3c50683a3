"""What jobs keep of hosts that are not available: such hosts take no new work, but what runs there may go on.

So it is while hosts are drained for maintenance, and after Batsim's ``machine_unavailable``.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import inf
from typing import Final

from windtunnel.model import HostSet, JobRecord
from windtunnel.vocabulary.notices import Notice
from windtunnel.vocabulary.site_notices import HostsBecameAvailable, HostsBecameUnavailable

__all__ = ["Keeping", "Kept", "Unavailable", "had_of"]

Kept = tuple[float, float, float]
"""From one date to another (s), so many hosts (in whole hosts)."""

_Amounts = Mapping[int, Mapping[str, float]] | None
"""Host -> resource -> amount; None: whole hosts."""

_OFF: Final = ("FAILURE", "HALT")
"""Causes for which nothing runs on a host that is not available."""


def had_of(hosts: HostSet, amounts: Mapping[int, Mapping[str, float]] | None, cores: Sequence[int]) -> float:
    """What a job with these amounts (None: whole hosts) has of some of its hosts, in whole hosts."""
    if amounts is None:
        return float(len(hosts))
    used = 0.0
    for host in hosts:
        taken = amounts.get(host)
        if taken is not None:
            used += min(1.0, taken["cores"] / cores[host]) if "cores" in taken else 1.0
    return used


class Unavailable:
    """Which hosts were not available from which date (s) on."""

    def __init__(self, steps: Sequence[tuple[float, HostSet]] = ()) -> None:
        self._dates = [date for date, _ in steps]
        self._hosts = [hosts for _, hosts in steps]

    def __bool__(self) -> bool:
        return bool(self._dates)

    def change(self, date: float, hosts: HostSet) -> None:
        """From now on these are not available, and no others."""
        self._dates.append(date)
        self._hosts.append(hosts)

    def kept(self, start: float, finish: float, hosts: HostSet, had: Callable[[HostSet], float]) -> Iterator[Kept]:
        """What a job on these hosts had of those that were not available; ``had`` tells it of any of them."""
        dates = self._dates
        at = max(0, bisect_right(dates, start) - 1)
        since, before = start, HostSet()
        while start < finish and at < len(dates) and dates[at] < finish:
            common = self._hosts[at] & hosts
            if common != before:  # what happens to other hosts makes no difference, not even to the last digit
                begin = max(start, dates[at])
                if before:
                    yield since, begin, had(before)
                since, before = begin, common
            at += 1
        if before:
            yield since, finish, had(before)


class Keeping:
    """Follows a run to tell what its jobs had of hosts that were not available."""

    def __init__(self) -> None:
        self.cores: Sequence[int] = ()
        """Of each host."""
        self._away = Unavailable()
        """Hosts that were not available, but on which jobs may have gone on."""
        self._now = HostSet()
        """Those that are now."""
        self._since: dict[str, float] = {}
        """Since when (s) jobs that were suspended, or changed their hosts, have those that they have; inf: none."""
        self._before: dict[str, list[Kept]] = {}
        """What these jobs had until then."""

    def hear(self, now: float, notice: Notice) -> None:
        """Hosts may have become available, or not."""
        before = self._now
        if isinstance(notice, HostsBecameUnavailable):
            self._now = before - notice.hosts if notice.cause.startswith(_OFF) else before | notice.hosts
        elif isinstance(notice, HostsBecameAvailable):
            self._now = before - notice.hosts
        if self._now != before:
            self._away.change(now, self._now)

    def leave(self, now: float, record: JobRecord, hosts: HostSet, amounts: _Amounts) -> None:
        """A job that is not over had these hosts until now; what it has next, :meth:`have` says."""
        if self._away:
            since = self._since.get(record.job_id, record.starting_time)
            self._before.setdefault(record.job_id, []).extend(self._kept(since, now, hosts, amounts))
        self._since[record.job_id] = inf

    def have(self, now: float, record: JobRecord) -> None:
        """From now on it has the hosts that it says."""
        self._since[record.job_id] = now

    def kept(self, record: JobRecord, until: float) -> list[Kept]:
        """What a job had until then."""
        if not self._away or record.starting_time < 0.0:
            return []
        since = self._since.get(record.job_id, record.starting_time)
        return [*self._before.get(record.job_id, ()), *self._kept(since, until, record.hosts, record.amounts)]

    def _kept(self, since: float, until: float, hosts: HostSet, amounts: _Amounts) -> Iterator[Kept]:
        return self._away.kept(since, until, hosts, lambda some: had_of(some, amounts, self.cores))

    def over(self, records: Sequence[JobRecord]) -> Iterator[Kept]:
        """What jobs that are over had; they are forgotten."""
        if self._away:
            for record in records:
                yield from self.kept(record, record.finish_time)
        if self._since:
            for record in records:
                self._since.pop(record.job_id, None)
                self._before.pop(record.job_id, None)
