"""Advance reservations: whose nodes are kept from whom, and until when (§8)."""

import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.model.slurm import Reservation
from windtunnel.schedulers.slurm.jobs.pending import PendingJob
from windtunnel.schedulers.slurm.nodes.cluster import Cluster
from windtunnel.schedulers.slurm.nodes.partition_table import PartitionTable

__all__ = ["Booking", "Bookings"]

_DAY: Final = 86400
_PERIODS: Final = {"HOURLY": 3600, "DAILY": _DAY, "WEEKLY": 7 * _DAY}
_DAYS: Final[dict[str, tuple[int, ...]]] = {"WEEKDAY": (1, 1, 1, 1, 3, 2, 1), "WEEKEND": (5, 4, 3, 2, 1, 1, 6)}
"""Days until it comes again where that depends on the day of the week, from Monday on."""
_REPEATED: Final = frozenset((*_PERIODS, *_DAYS))
_NEVER: Final = 1 << 62


@mypyc_attr(allow_interpreted_subclasses=True)
class Booking:
    """One occurrence of a reservation."""

    __slots__ = ("end", "flags", "mask", "name", "start")

    def __init__(self, name: str, start: int, end: int, mask: int, flags: frozenset[str]) -> None:
        self.name = name
        self.start = start
        self.end = end
        self.mask = mask
        self.flags = flags


@mypyc_attr(allow_interpreted_subclasses=True)
class Bookings:
    """All reservations of a site."""

    def __init__(self, reservations: Iterable[Reservation], cluster: Cluster) -> None:
        self.cluster = cluster
        self.reservations = {one.name: one for one in reservations}
        self.magnetic = [one for one in self.reservations.values() if "MAGNETIC" in one.flags]
        """Those that also take jobs which do not ask for them."""
        self._masks = {one.name: cluster.named(one.nodes) for one in self.reservations.values()}

        self._current: list[Booking] = []
        self._since = self._until = self._now = 0
        """For which time these are the present ones."""
        self._noted = 0
        """When it was last noted which occurrences have ended."""
        self.end_jobs = any("FLEX" not in one.flags for one in self.reservations.values())
        """Whether jobs end with any of them."""
        self._ended: dict[str, int] = {}
        """When the last occurrence ended of those that come again."""
        self.turn_to(0)

    def __bool__(self) -> bool:
        return bool(self.reservations)

    def turn_to(self, now: int) -> None:
        """It is ``now``: of what comes again the first occurrence that has not ended is known, and no other (§8)."""
        self._now = now
        if self._since <= now < self._until:
            return
        for booked in self._current if now else ():
            if booked.end <= now and booked.flags & _REPEATED:
                self._ended[booked.name] = booked.end
        self._current = [self._occurrence(one, now) for one in self.reservations.values()]
        repeated = [one.end for one in self._current if one.flags & _REPEATED]
        self._since, self._until = now, min(repeated, default=_NEVER)

    def _occurrence(self, one: Reservation, now: int) -> Booking:
        start, stop = one.start, one.end
        period = next((_PERIODS[flag] for flag in one.flags if flag in _PERIODS), 0)
        days: tuple[int, ...] = next((_DAYS[flag] for flag in one.flags if flag in _DAYS), ())
        if stop <= now and period:
            passed = ((now - stop) // period + 1) * period
            start, stop = start + passed, stop + passed
        while stop <= now and days:
            passed = days[time.gmtime(stop).tm_wday] * _DAY
            start, stop = start + passed, stop + passed
        return Booking(one.name, start, stop, self._masks[one.name], frozenset(one.flags))

    def occurrences(self, begin: int, end: int) -> Iterator[Booking]:
        """All that are known now and overlap a span of time."""
        for one in self._current:
            if one.start < end and one.end > begin:
                yield one

    def ahead(self, now: int) -> Iterator[tuple[int, ...]]:
        """Of each reservation the dates after an instant at which it next begins and ends."""
        for one in self._current:
            yield tuple(when for when in (one.start, one.end) if when > now)

    def own(self, job: PendingJob, now: int) -> Booking | None:
        """The reservation a job asks for, at or after an instant."""
        found = [one for one in self.occurrences(now, now + 366 * 86400) if one.name == job.reservation]
        own = found[0] if found else None
        if own is not None and "ANY_NODES" in own.flags:  # it keeps licences for its jobs, no nodes
            return Booking(own.name, own.start, own.end, self.cluster.all, own.flags)
        return own

    def kept_from(self, job: PendingJob, begin: int, end: int) -> int:
        """The nodes that a job may not have for a span of time because others reserved them.

        A reservation for maintenance goes before all others, one that may overlap before all but those. A job that
        names a node of one may have none at all.
        """
        self._noted = self._now
        own = self.reservations.get(job.reservation)
        flags = own.flags if own is not None else ()
        if "MAINT" in flags:
            return 0
        kept = 0
        for one in self.occurrences(begin, end):
            if one.name != job.reservation and ("OVERLAP" not in flags or "MAINT" in one.flags):
                if one.mask & job.named and own is None:
                    return self.cluster.all
                kept |= one.mask
        return kept

    def flexible(self, name: str) -> bool:
        """Whether a reservation's jobs may also run on other nodes and at other times (FLEX)."""
        return name in self.reservations and "FLEX" in self.reservations[name].flags

    def open_to(self, job: PendingJob, now: int) -> bool:
        """Whether a job's reservation, if it asks for one, has begun and may be used (FLEX: also before)."""
        if not job.reservation:
            return True
        if not self.allows(job):
            return False
        if self.flexible(job.reservation):
            return not self.over(job.reservation, now)
        own = self.own(job, now)
        return own is not None and own.start <= now and bool(own.mask)

    def over(self, name: str, now: int) -> bool:
        """Whether a reservation has ended for good."""
        one = self.reservations.get(name)
        return one is not None and one.end < now and not any(flag in _REPEATED for flag in one.flags)

    def note(self, now: int) -> None:
        """It is noted which occurrences have ended: jobs of theirs that still run may go on."""
        self._noted = now

    def end_of_occurrence(self, name: str) -> int | None:
        """When the occurrence ends, or has ended, with which jobs of a reservation may end; None: there is none."""
        one = self.reservations.get(name)
        if one is None or "FLEX" in one.flags:
            return None
        if not self.comes_again(name):
            return one.end  # it is there as long as jobs of it run
        ended = self._ended.get(name)
        if ended is not None and ended > self._noted:
            return ended
        return next((booked.end for booked in self._current if booked.name == name), None)

    def comes_again(self, name: str) -> bool:
        """Whether a reservation has more than one occurrence."""
        return bool(_REPEATED & {*self.reservations[name].flags})

    def frees_jobs(self, name: str) -> bool:
        """Whether jobs that still wait when a reservation ends do without it (NO_HOLD_JOBS_AFTER_END)."""
        return "NO_HOLD_JOBS_AFTER_END" in self.reservations[name].flags

    def nodes_of(self, name: str) -> int:
        """The nodes of a reservation."""
        return self._masks.get(name, 0)

    def in_the_way(self, named: int, begin: int, end: int, table: PartitionTable) -> Booking | None:
        """The first one in a span of time that takes a partition whole, or a node that a job names and wants so."""
        for one in self.occurrences(begin, end):
            if one.mask & named or self._takes_whole(one, table):
                return one
        return None

    def _takes_whole(self, one: Booking, table: PartitionTable) -> bool:
        """Whether a partition is taken whole: with all nodes, by its name, or for maintenance of all it has."""
        if "ALL_NODES" in one.flags:
            return True
        if "PART_NODES" in one.flags and self.partition_of(one.name) == table.name:
            return True
        return "MAINT" in one.flags and not table.mask & ~one.mask

    def maintained(self, job: PendingJob, begin: int, end: int, table: PartitionTable) -> bool:
        """Whether what is in the way of a job without a reservation takes a whole partition."""
        one = None if job.reservation else self.in_the_way(job.named, begin, end, table)
        return one is not None and self._takes_whole(one, table)

    def takes_any(self, job: PendingJob, begin: int, end: int, table: PartitionTable) -> bool:
        """Whether a reservation is known to take nodes of a partition from a job for a span of time.

        Those behind one that takes it whole, or a node that the job names, are not looked at. Of a job in a
        reservation the nodes of that count.
        """
        own = self.reservations.get(job.reservation)
        if own is not None:
            nodes = -1 if self.flexible(own.name) else self.nodes_of(own.name)
            return bool(self.kept_from(job, begin, end) & nodes)
        for one in self.occurrences(begin, end):
            if one.mask & job.named or self._takes_whole(one, table):
                return False
            if one.mask & table.mask:
                return True
        return False

    def next_end(self, job: PendingJob, begin: int, end: int, nodes: int, resolution: int) -> int:
        """When the first reservation that matters ends, rounded up; 0: none does (§4.3)."""
        overlapping = any(one.mask & nodes for one in self.occurrences(begin, end) if one.name != job.reservation)
        if not overlapping:
            return 0
        ends = [one.end for one in self.occurrences(begin, begin + 366 * 86400) if one.end >= begin]
        return -(-min(ends) // resolution) * resolution if ends else 0

    def partition_of(self, name: str) -> str:
        """The partition that a reservation names, if it does."""
        one = self.reservations.get(name)
        return one.partition if one is not None else ""

    def allows(self, job: PendingJob, name: str = "") -> bool:
        """Whether a reservation takes a job of this user and account; accounts below those listed, too."""
        one = self.reservations.get(name or job.reservation)
        if one is None:
            return False
        return self._admits(one, job)

    def attracting(self, job: PendingJob, now: int) -> list[str]:
        """The reservations that take a job which asks for none (MAGNETIC)."""
        if job.reservation or job.het is not None:
            return []
        return [one.name for one in self.magnetic if not self.over(one.name, now) and self._admits(one, job)]

    def _admits(self, one: Reservation, job: PendingJob) -> bool:
        """Where associations are enforced those of its users and accounts are asked (_valid_job_access_resv)."""
        site = self.cluster.site
        associated = {"associations", "limits", "safe", "qos", "wckeys"} & {*site.enforce}
        if associated and job.member is None and site.associations:
            return False
        accounts = {member.account for member in job.member.path()} if job.member and associated else {job.account}
        return _fits({job.user}, one.users) and _fits(accounts, one.accounts)


def _fits(names: set[str], listed: Sequence[str]) -> bool:
    """Whether somebody of these names is among those listed, or not among those with a minus."""
    refused = {name[1:] for name in listed if name.startswith("-")}
    allowed = {name for name in listed if name and not name.startswith("-")}
    return not names & refused and (not allowed or bool(names & allowed))
