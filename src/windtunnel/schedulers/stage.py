"""The stage scheduler of the JSSPP-OSP environment format: in which order jobs are tried, and where each is put.

Rules: spec/opendc.md sections 3 and 4 (OpenDC 1.x: greedy list scheduling, no reservation, no preemption). A job
that counts processors, or names amounts of cores, shares machines; one that asks for hosts gets them whole.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from math import ceil, floor
from typing import Any

from windtunnel.model import DelayProfile, HostSet, Job
from windtunnel.model.stage import Blocking, Selection, stage_options
from windtunnel.schedulers.base import Scheduler
from windtunnel.schedulers.by_host import NOBODY_STAYS
from windtunnel.schedulers.stage_machines import Amounts, Machines, Need
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
    JobCompleted,
    JobSubmitted,
    Notice,
    OneShot,
    Outages,
    RejectJob,
    Reply,
    RequestedCall,
    SimulationBegins,
)

__all__ = ["Stage"]


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
        self._machines = Machines((), self._stream)
        self._outages = Outages()
        self._otherwise: dict[Need, tuple[Need, ...]] = {}
        """What satisfies a need as well: the same cores on more, smaller machines."""
        self._queue = StageQueue(self._bound)
        self._running: dict[str, tuple[HostSet, Amounts | None]] = {}
        self._arrivals = 0
        self._called_for = -1.0

    def hello(self) -> Hello:
        """How it presents itself; forgets an earlier run."""
        self._reset()
        return super().hello()

    @property
    def free_cores(self) -> float:
        """The cores that are free now."""
        return self._machines.free_cores

    def could_hold(self, job: Job) -> bool:
        """Whether the machines could hold a job if they were empty."""
        return self._machines.possible(self._need(job))

    def why_not(self, job: Job) -> str:
        """Why the machines could never hold a job."""
        return self._machines.why_not(self._need(job))

    def reconfigure(self, options: Mapping[str, Any]) -> None:
        """Take other options from now on; the queue and what runs are kept.

        Raises:
            UsageError: an option is unknown or makes no sense.
        """
        self.options = stage_options(options)
        self._stream.seed(self.options.seed)
        entries = [(self._key(job, need), rank, job, need) for _, rank, job, need in self._queue]
        self._queue = StageQueue(self._bound, entries)

    def decide(self, now: float, notices: Sequence[Notice]) -> Reply:
        """Take in the message, then decide (with a quantum, when it is time)."""
        decisions: list[Decision] = []
        changed = False
        for notice in notices:
            changed |= self._take_in(notice, decisions)
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

    def _take_in(self, notice: Notice, decisions: list[Decision]) -> bool:
        """Note what happened; whether it may let a job start."""
        if isinstance(notice, JobSubmitted):
            return self._arrived(notice, decisions)
        if isinstance(notice, JobCompleted):
            return self._left(notice.job.id)
        if isinstance(notice, HostsBecameUnavailable):
            self._machines.set_down(notice.hosts, down=True)
            return False
        if isinstance(notice, HostsBecameAvailable):
            self._machines.set_down(notice.hosts, down=False)
        elif isinstance(notice, SimulationBegins):
            self._machines = Machines(notice.hosts, self._stream)
            self._outages = Outages.of(notice)
            self._otherwise = {}
            self._queue = StageQueue(self._bound)
        elif isinstance(notice, DecisionRefused):
            if isinstance(notice.decision, ExecuteJob) and self._left(notice.decision.job_id):
                decisions.append(RejectJob(job_id=notice.decision.job_id))
        elif isinstance(notice, ExternalEventOccurred):
            if notice.kind != "scheduler_change" or notice.attributes.get("scheduler") != self.name:
                return False
            if not self.follows_changes and "datacenter" in notice.attributes:
                return False  # it is meant for whoever decides there
            self.reconfigure(notice.attributes.get("options", {}))
        elif not isinstance(notice, RequestedCall):
            return False
        return True

    def _arrived(self, notice: JobSubmitted, decisions: list[Decision]) -> bool:
        job = notice.job
        need = self._need(job)
        reason = "" if self._machines.possible(need) else self._machines.why_not(need)
        gone = HostSet() if reason else self._outages.never(notice.timestamp, job.walltime)
        if gone and not self._machines.possible(need, without=gone):
            reason = NOBODY_STAYS
        if reason:
            decisions.append(RejectJob(job_id=job.id, reason=reason))
            return False
        self._arrivals += 1
        self._queue.add((self._key(job, need), self._arrivals, job, need))
        return True

    def _left(self, job_id: str) -> bool:
        held = self._running.pop(job_id, None)
        if held is not None:
            self._machines.give_back(*held)
        return held is not None

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
        cores = need.hosts * (need.cores or self._machines.most_cores)
        return cores if selection is Selection.SMALLEST else -cores

    def _need(self, job: Job) -> Need:
        request = job.request
        amounts = dict(request.amounts)
        cores = amounts.pop("cores", 0.0)
        described = self._machines.described
        others = tuple(sorted((name, size) for name, size in amounts.items() if size > 0 and name in described))
        if cores and not request.processors:
            return Need(request.hosts, cores, others)
        if request.processors:
            hosts, *more = self._machines.spreads(request.processors)
            cores = ceil(request.processors / hosts)
            if hosts == request.hosts and self._machines.fills(cores):  # nobody else would find a core there
                return Need(hosts, 0.0, others, whole=True)
            need = Need(hosts, float(cores), others, processors=request.processors if more else 0)
            if more and need not in self._otherwise:
                self._otherwise[need] = tuple(
                    Need(count, float(ceil(request.processors / count)), others) for count in more
                )
            return need
        return Need(request.hosts, 0.0, others, whole=True)

    def _bound(self, need: Need) -> float:
        """So many cores must be free at least to satisfy a need, in whichever way."""
        bound = self._machines.bound
        return min((bound(need), *map(bound, self._otherwise.get(need, ()))))

    def _place(self, now: float) -> list[Decision]:
        """Start what fits, in order."""
        machines = self._machines
        decisions: list[Decision] = []

        def place(entry: Entry, leaving: HostSet = HostSet()) -> bool:  # noqa: B008 -- immutable
            job = entry[2]
            with machines.without(leaving):
                taken = self._taken(entry[3])
            if taken is None:
                return False
            hosts, amounts = taken
            self._running[job.id] = taken
            decisions.append(ExecuteJob(job_id=job.id, hosts=hosts, amounts=amounts))
            return True

        in_order = self.options.blocking is Blocking.SKIP and self.options.selection is not Selection.RANDOM
        if in_order and not self._outages:
            self._queue.start(machines.free_cores, place)
        else:
            self._place_one_by_one(now, place)
        return decisions

    def _taken(self, need: Need) -> tuple[HostSet, Amounts | None] | None:
        """Take what satisfies a need, in whichever way."""
        machines, placement = self._machines, self.options.placement
        taken = machines.take(need, placement)
        for other in self._otherwise.get(need, ()) if taken is None else ():
            taken = taken or machines.take(other, placement)
        return taken

    def _place_one_by_one(self, now: float, place: Callable[[Entry, HostSet], bool]) -> None:
        """The same where the order is one of chance, the first that does not fit stops all behind it, or machines
        that will leave are not there for jobs that may run longer.
        """
        skip = self.options.blocking is Blocking.SKIP
        entries = self._queue.shuffled(self._stream) if self.options.selection is Selection.RANDOM else self._queue
        failed: set[tuple[Need, HostSet]] = set()
        placed = []
        for entry in entries:
            leaving = self._outages.within(now, entry[2].walltime)
            if (entry[3], leaving) not in failed and place(entry, leaving):
                placed.append(entry)
            elif skip:
                failed.add((entry[3], leaving))
            else:
                break
        for entry in placed:
            self._queue.remove(entry)
