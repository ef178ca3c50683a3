"""Advance reservations: whose nodes are kept from whom, and until when (§8)."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.model.slurm import Reservation
from windtunnel.schedulers.slurm.jobs.pending import PendingJob
from windtunnel.schedulers.slurm.nodes.cluster import Cluster

__all__ = ["Booking", "Bookings"]

_PERIODS: Final = {"DAILY": 86400, "WEEKLY": 7 * 86400, "HOURLY": 3600}
_WHOLE: Final = frozenset(("ALL_NODES", "PART_NODES", "MAINT"))
_MOST: Final = 400
"""Repetitions looked at: more than a year of days."""


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

    def __bool__(self) -> bool:
        return bool(self.reservations)

    def occurrences(self, begin: int, end: int) -> Iterator[Booking]:
        """All that overlap a span of time, repetitions too."""
        for one in self.reservations.values():
            flags = frozenset(one.flags)
            period = next((_PERIODS[flag] for flag in one.flags if flag in _PERIODS), 0)
            start, stop = one.start, one.end
            if period and stop <= begin:
                ahead = (begin - stop) // period + 1
                start, stop = start + ahead * period, stop + ahead * period
            for _ in range(_MOST if period else 1):
                if start >= end:
                    break
                if stop > begin:
                    yield Booking(one.name, start, stop, self._masks[one.name], flags)
                start, stop = start + period, stop + period

    def ahead(self, now: int) -> Iterator[tuple[int, ...]]:
        """Of each reservation the dates after an instant at which it next begins and ends."""
        for one in self.reservations.values():
            period = next((_PERIODS[flag] for flag in one.flags if flag in _PERIODS), 0)
            dates = [one.start, one.end]
            if period:
                dates = [when + max(0, (now - when) // period + 1) * period for when in dates]
            yield tuple(when for when in dates if when > now)

    def own(self, job: PendingJob, now: int) -> Booking | None:
        """The reservation a job asks for, at or after an instant."""
        found = [one for one in self.occurrences(now, now + 366 * 86400) if one.name == job.reservation]
        own = min(found, key=lambda one: one.start) if found else None
        if own is not None and "ANY_NODES" in own.flags:
            own.mask = self.cluster.all  # it keeps licences for its jobs, no nodes
        return own

    def kept_from(self, job: PendingJob, begin: int, end: int) -> int:
        """The nodes that a job may not have for a span of time because others reserved them.

        A reservation for maintenance goes before all others, one that may overlap before all but those. A job that
        names a node of one may have none at all.
        """
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
        return one is not None and one.end < now and not any(flag in _PERIODS for flag in one.flags)

    def binding_end(self, job: PendingJob, now: int) -> int | None:
        """When a job that starts now leaves its reservation at the latest; None: that does not bind it (FLEX)."""
        if not job.reservation or self.flexible(job.reservation):
            return None
        own = self.own(job, now)
        return None if own is None else own.end

    def frees_jobs(self, name: str) -> bool:
        """Whether jobs that still wait when a reservation ends do without it (NO_HOLD_JOBS_AFTER_END)."""
        return "NO_HOLD_JOBS_AFTER_END" in self.reservations[name].flags

    def nodes_of(self, name: str) -> int:
        """The nodes of a reservation."""
        return self._masks.get(name, 0)

    def in_the_way(self, named: int, begin: int, end: int, nodes: int) -> Booking | None:
        """The first one in a span of time that takes a whole partition, or a node that a job names and wants whole.

        A partition is taken whole for maintenance, or as all nodes.
        """
        for one in self.occurrences(begin, end):
            if one.mask & named or (one.flags & _WHOLE and not nodes & ~one.mask):
                return one
        return None

    def maintained(self, job: PendingJob, begin: int, end: int, nodes: int) -> bool:
        """Whether what is in the way of a job without a reservation takes a whole partition."""
        one = None if job.reservation else self.in_the_way(job.named, begin, end, nodes)
        return one is not None and bool(one.flags & _WHOLE) and not nodes & ~one.mask

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
        associated = {"associations", "limits", "safe", "qos", "wckeys"} & {*self.cluster.site.enforce}
        accounts = {member.account for member in job.member.path()} if job.member and associated else {job.account}
        return _fits({job.user}, one.users) and _fits(accounts, one.accounts)


def _fits(names: set[str], listed: Sequence[str]) -> bool:
    """Whether somebody of these names is among those listed, or not among those with a minus."""
    refused = {name[1:] for name in listed if name.startswith("-")}
    allowed = {name for name in listed if name and not name.startswith("-")}
    return not names & refused and (not allowed or bool(names & allowed))
