"""Our batch schedulers where particular hosts matter, because outages of some are announced.

The rules of ``fcfs``, ``filler``, ``easy`` and ``conservative`` are the same as for whole hosts that are all alike,
but a reservation is one of particular hosts: nobody else may want of them, at any time of it, more than they have.
"""

from collections.abc import Mapping
from math import inf
from typing import Final, NamedTuple

from windtunnel.model import HostPool, HostSet, Job
from windtunnel.model.demands import Demands, Need
from windtunnel.schedulers.batch_rules import Rules
from windtunnel.schedulers.host_plan import HostPlan
from windtunnel.vocabulary import (
    CallMeLater,
    Decision,
    ExecuteJob,
    Mirror,
    OneShot,
    Outages,
    RejectJob,
    Running,
)
from windtunnel.vocabulary.held import Amounts
from windtunnel.vocabulary.waiting import JobQueue

__all__ = ["NOBODY_STAYS", "ByHost"]

NOBODY_STAYS: Final = "asks for more time than hosts have before announced outages"
"""Why a job is rejected that no hosts stay long enough for."""

_LATE: Final = 1e-3
"""A job that should have ended and is there still is expected to end so many seconds from now."""
_NOW: Final = 1e-5
"""What is so near (s) is the present: ends and calls may come a little late."""


class _Reservation(NamedTuple):
    begin: float
    end: float
    hosts: HostSet
    amounts: Amounts | None


class ByHost:
    """Decides for a batch scheduler, with its queue and its mirror of the site.

    Outages that are announced are planned around: no job starts that would, by its walltime, run into one; a job that
    no hosts stay long enough for is rejected. Of one without walltime nothing is known: it is not held back.
    """

    def __init__(
        self, rules: Rules, site: Mirror, queue: JobQueue, demands: Demands, outages: Outages, *, together: bool
    ) -> None:
        self._rules = rules
        self._site = site
        self._queue = queue
        self._together = together
        self._outages = outages
        self._demands = demands
        self._reserved: dict[str, _Reservation] = {}
        self._called_for = inf
        self._calls = 0

    def admit(self, job: Job, now: float, decisions: list[Decision]) -> None:
        """A job arrives: it waits, or is rejected if it can never start."""
        need = self._demands.of(job.request)
        reason = self._demands.unmeetable(need)
        gone = HostSet() if reason else self._outages.never(now, job.walltime)
        if gone and len(self._demands.fitting(need) - gone) < need.hosts:
            reason = NOBODY_STAYS
        if reason:
            decisions.append(RejectJob(job_id=job.id, reason=reason))
        else:
            self._queue.add(job, now)

    def fits_still(self, running: Running) -> bool:
        """Whether a job that the engine refused to start could start there after all: then it is at fault itself."""
        return self._site.absent.isdisjoint(running.hosts) and self._free(running.hosts, running.amounts)

    def decide(self, now: float, decisions: list[Decision]) -> None:
        """Start whoever may start now."""
        site = self._site
        if site.called:
            self._called_for = inf
        plan = self._plan(now)
        if not self._rules.kept or site.shifted:
            self._reserved.clear()
        for one in self._reserved.values():
            plan.take(one.hosts, one.begin, one.end, one.amounts)
        hopeless: dict[tuple[tuple[str, float], ...], list[tuple[int, float]]] = {}
        wanted = self._rules.reservations
        for job in list(self._queue):
            need = self._demands.of(job.request)
            lesser = hopeless.setdefault(need.amounts, [])
            if (
                wanted <= 0
                and job.walltime < inf
                and any(need.hosts >= size and job.walltime >= length for size, length in lesser)
            ):
                continue
            kept = self._reserved.pop(job.id, None)
            if kept is not None:
                plan.give_back(kept.hosts, kept.begin, kept.end, kept.amounts)
            date, fitting = plan.find(need, job.walltime, now)
            found = self._reservation(job, need, date, fitting)
            if found is not None and date <= now + _NOW and self._free(found.hosts, found.amounts):
                plan.take(found.hosts, now, found.end, found.amounts)
                self._start(job, found, decisions)
                continue
            if wanted > 0 and found is not None:
                plan.take(found.hosts, found.begin, found.end, found.amounts)
                self._reserved[job.id] = found
            wanted -= 1
            lesser.append((need.hosts, job.walltime))
            if not self._rules.overtaking:
                break
        self._wake(now, decisions)

    def _plan(self, now: float) -> HostPlan:
        """What is foreseen without any reservation."""
        site = self._site
        plan = HostPlan(self._demands, self._outages)
        for running in site.running.values():
            plan.take(running.hosts, now, max(running.end, now + _LATE), running.amounts)
        promised = {host: held.end for held in site.promised.values() for host in held.hosts}
        for host in site.absent:
            back = promised.get(host, inf) if host not in site.unavailable else self._outages.back(host, now)
            plan.close((host,), now, max(back, now + _LATE))
        return plan

    def _reservation(self, job: Job, need: Need, date: float, fitting: list[int]) -> _Reservation | None:
        if date == inf:
            return None
        hosts = self._choose(fitting, need)
        amounts = None if need.whole else {host: dict(need.amounts) for host in hosts}
        return _Reservation(date, date + job.walltime, hosts, amounts)

    def _choose(self, fitting: list[int], need: Need) -> HostSet:
        """Parts: hosts that are in use rather than others, and low numbers; whole hosts: together where possible."""
        if not need.whole:
            used = self._site.shares.taken
            return HostSet(sorted(fitting, key=lambda host: (host not in used, host))[: need.hosts])
        pool = HostPool(HostSet(fitting))
        hosts = pool.take_together(need.hosts) if self._together else pool.take(need.hosts)
        assert hosts is not None, "so many fit"
        return hosts

    def _free(self, hosts: HostSet, amounts: Amounts | None) -> bool:
        """Whether so much is really free now: a job may end a little later than planned."""
        site = self._site
        if amounts is None:
            return site.free.covers(hosts)
        return all(_covers(site.left_of(host), amounts[host]) for host in hosts)

    def _start(self, job: Job, found: _Reservation, decisions: list[Decision]) -> None:
        self._queue.discard(job)
        self._site.start(job, found.hosts, found.amounts)
        decisions.append(ExecuteJob(job_id=job.id, hosts=found.hosts, amounts=found.amounts))

    def _wake(self, now: float, decisions: list[Decision]) -> None:
        """See to it that something happens when the first reservation is due."""
        due = min((kept.begin for kept in self._reserved.values() if kept.begin > now + _NOW), default=inf)
        if due < min(self._called_for, inf):
            self._calls += 1
            self._called_for = due
            decisions.append(CallMeLater(call_me_later_id=f"reserved hosts {self._calls}", when=OneShot(due)))


def _covers(left: Mapping[str, float], taken: Mapping[str, float]) -> bool:
    return all(left.get(name, 0.0) * (1 + 1e-9) >= amount for name, amount in taken.items())
