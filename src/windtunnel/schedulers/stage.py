"""The stage scheduler of the JSSPP-OSP environment format: in which order jobs are tried, and where each is put.

Rules: spec/opendc.md sections 3 and 4 (OpenDC 1.x: greedy list scheduling, no reservation, no preemption). A job
that counts processors, or names amounts of cores, shares machines; one that asks for hosts gets them whole.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from math import floor
from typing import Any

from windtunnel.model import DelayProfile, HostSet, Job
from windtunnel.model.stage import Blocking, Selection, stage_options
from windtunnel.schedulers.base import Scheduler
from windtunnel.schedulers.by_host import NOBODY_STAYS
from windtunnel.schedulers.stage_machines import Machines
from windtunnel.schedulers.stage_needs import Need, Needs
from windtunnel.schedulers.stage_queue import Entry, StageQueue
from windtunnel.vocabulary import (
    HONOURED_BY_ALL,
    Ability,
    CallMeLater,
    Decision,
    DecisionRefused,
    ExecuteJob,
    ExternalEventOccurred,
    Hello,
    HostsBecameAvailable,
    HostsBecameUnavailable,
    HostsPStateChanged,
    HostsSwitching,
    HostsTurnedOnOff,
    JobCompleted,
    JobResumed,
    JobStarted,
    JobSubmitted,
    Mirror,
    Notice,
    OneShot,
    Outages,
    RejectJob,
    Reply,
    RequestedCall,
    ResourceStateChanged,
    SimulationBegins,
    View,
)

__all__ = ["Stage"]

_ABOUT_MACHINES = (
    HostsBecameAvailable,
    HostsBecameUnavailable,
    HostsPStateChanged,
    HostsSwitching,
    HostsTurnedOnOff,
    JobResumed,
    JobStarted,
    ResourceStateChanged,
)
"""After these, something else may be free than before."""

_NEWS = (
    DecisionRefused,
    ExternalEventOccurred,
    HostsBecameAvailable,
    HostsPStateChanged,
    HostsTurnedOnOff,
    RequestedCall,
    ResourceStateChanged,
    SimulationBegins,
)
"""Beside arrivals and ends, these may let a job start."""


class Stage(Scheduler):
    """Tries waiting jobs in the order of ``selection`` and puts each on a machine chosen by ``placement``.

    ``blocking`` says what happens when a job does not fit: ``SKIP`` tries the next, ``HEAD`` lets all behind it
    wait. With ``quantum`` > 0 decisions are made only at multiples of so many seconds. Jobs that the machines could
    never hold are rejected; no job is started that would, by its walltime, run into an announced outage. A job that
    counts more processors than a machine has goes in equal parts to as few machines as are possible at that time.
    """

    name = "stage-scheduler"
    follows_changes = False
    """Whether it takes the options that an event gives to a datacenter: where it is the scheduler of that one."""
    honours = HONOURED_BY_ALL | {
        Ability.SHARES,
        Ability.PROCESSORS,
        Ability.MEMORY,
        Ability.GPUS,
        Ability.RESOURCES,
        Ability.ANNOUNCED_UNAVAILABILITY,
        Ability.UNAVAILABLE_HOSTS,
        Ability.SLEEPING_HOSTS,
    }

    def __init__(
        self,
        *,
        selection: str = "FIFO",
        placement: str = "FIRST-FIT",
        blocking: str = "SKIP",
        seed: int = 0,
        quantum: float = 0.0,
    ) -> None:
        super().__init__()
        self.options = stage_options(
            {"selection": selection, "placement": placement, "blocking": blocking, "seed": seed, "quantum": quantum}
        )
        self._reset()

    def pack_by_cores(self) -> None:
        """It does so anyway (``--share-hosts``)."""

    def _reset(self) -> None:
        self._stream = random.Random(self.options.seed)
        self._outages = Outages()
        self._needs = Needs(())
        self._queue = StageQueue(self._key, self._needs.of, self._needs.bound)
        self.site = Mirror(self._queue)
        self.view = View(self.site)
        self._machines = Machines(self.site, self._stream)
        self._called_for = -1.0

    def hello(self) -> Hello:
        """How it presents itself; forgets an earlier run."""
        hello = super().hello()
        self._reset()
        return hello

    @property
    def free_cores(self) -> float:
        """The cores that are free now."""
        return self._machines.free_cores

    def could_hold(self, job: Job) -> bool:
        """Whether the machines could hold a job if they were empty."""
        return self._needs.possible(self._needs.of(job))

    def why_not(self, job: Job) -> str:
        """Why the machines could never hold a job."""
        return self._needs.why_not(self._needs.of(job))

    def reconfigure(self, options: Mapping[str, Any]) -> None:
        """Take other options from now on; the queue and what runs are kept.

        Raises:
            UsageError: an option is unknown or is invalid.
        """
        self.options = stage_options(options)
        self._stream.seed(self.options.seed)
        self._queue.sort()

    def decide(self, now: float, notices: Sequence[Notice]) -> Reply:
        """Take in the message, then decide (with a quantum, when it is time)."""
        decisions: list[Decision] = []
        self.site.apply(now, notices)
        changed = self._take_in_site(now, notices, decisions)
        for job in self.site.arrived:
            changed |= self._arrived(job, now, decisions)
        if not changed:
            return Reply(now, decisions)
        quantum = self.options.quantum
        if quantum > 0 and now % quantum > 0:
            date = (floor(now / quantum) + 1) * quantum
            if self._called_for != date:
                self._called_for = date
                decisions.append(CallMeLater(call_me_later_id="stage", when=OneShot(date)))
            return Reply(now, decisions)
        decisions += self._place(now)
        return Reply(now, decisions)

    def _take_in_site(self, now: float, notices: Sequence[Notice], decisions: list[Decision]) -> bool:
        """What has happened to machines, jobs and options; whether it may let a job start."""
        site, machines = self.site, self._machines
        changed = False
        for notice in notices:
            kind = type(notice)
            if kind is JobSubmitted or kind is JobCompleted:
                continue
            if isinstance(notice, SimulationBegins):
                machines = self._machines = Machines(site, self._stream)
                self._needs.begin(site.hosts)
                self._outages = Outages.of(notice)
            elif isinstance(notice, _ABOUT_MACHINES):
                machines.changed(notice.hosts)
            elif isinstance(notice, ExternalEventOccurred):
                if not self._is_for_us(notice):
                    continue
                self.reconfigure(notice.attributes.get("options", {}))
            changed |= isinstance(notice, _NEWS)
        for _, _, _, held in site.left:
            machines.changed(held.hosts)
            changed = True
        for running in site.refused:  # what is not explained by what was told since would be refused again
            if machines.could_take(running):
                decisions.append(RejectJob(job_id=running.job.id, reason="its execution was refused"))
            else:
                self._queue.add(running.job, now)
        return changed

    def _is_for_us(self, change: ExternalEventOccurred) -> bool:
        """Whether an event changes the options of this scheduler, not those of one that decides elsewhere."""
        if change.kind != "scheduler_change" or change.attributes.get("scheduler") != self.name:
            return False
        return self.follows_changes or "datacenter" not in change.attributes

    def _arrived(self, job: Job, now: float, decisions: list[Decision]) -> bool:
        need = self._needs.of(job)
        reason = "" if self._needs.possible(need) else self._needs.why_not(need)
        gone = HostSet() if reason else self._outages.never(now, job.walltime)
        if gone and not self._needs.possible(need, without=gone):
            reason = NOBODY_STAYS
        if reason:
            decisions.append(RejectJob(job_id=job.id, reason=reason))
            return False
        self._queue.put(job, need)
        return True

    # -- policies -----------------------------------------------------------------------------------------------

    def _key(self, job: Job, need: Need) -> float:
        """What the queue is sorted by."""
        selection = self.options.selection
        if selection in {Selection.FIFO, Selection.RANDOM}:
            return 0.0
        if selection is Selection.SRTF and isinstance(job.profile, DelayProfile):
            return job.profile.delay
        if selection in {Selection.SJF, Selection.SRTF}:
            return job.walltime
        if selection is Selection.LJF:
            return -job.walltime
        cores = need.hosts * (need.cores or self._needs.most_cores)
        return cores if selection is Selection.SMALLEST else -cores

    def _place(self, now: float) -> list[Decision]:
        """Start what fits, in order."""
        machines = self._machines
        decisions: list[Decision] = []

        def place(entry: Entry, leaving: HostSet = HostSet()) -> bool:  # noqa: B008 -- immutable
            job, need = entry[2:]
            if leaving:
                with machines.without(leaving):
                    decision = self._taken(job, need)
            else:
                decision = self._taken(job, need)
            if decision is None:
                return False
            decisions.append(decision)
            return True

        in_order = self.options.blocking is Blocking.SKIP and self.options.selection is not Selection.RANDOM
        if in_order and not self._outages:
            self._queue.start(machines.free_cores, place)
        else:
            self._place_one_by_one(now, place)
        return decisions

    def _taken(self, job: Job, need: Need) -> ExecuteJob | None:
        """The decision that a job starts, on what satisfies its need in whichever way; None if nothing does."""
        machines, placement = self._machines, self.options.placement
        decision = machines.take(job, need, placement)
        for other in self._needs.otherwise(need) if decision is None else ():
            decision = decision or machines.take(job, other, placement)
        return decision

    def _place_one_by_one(self, now: float, place: Callable[[Entry, HostSet], bool]) -> None:
        """The same where the order is one of chance, the first that does not fit stops all behind it, or machines
        that will leave are not there for jobs that may run longer.
        """
        skip = self.options.blocking is Blocking.SKIP
        queue = self._queue
        entries = queue.shuffled(self._stream) if self.options.selection is Selection.RANDOM else queue.entries()
        failed: set[tuple[Need, HostSet]] = set()
        placed = []
        for entry in entries:
            leaving = self._outages.within(now, entry[2].walltime)
            if (entry[3], leaving) not in failed and place(entry, leaving):
                placed.append(entry[2])
            elif skip:
                failed.add((entry[3], leaving))
            else:
                break
        for job in placed:
            queue.discard(job)
