"""The stage scheduler of the JSSPP-OSP environment format: in which order jobs are tried, and where each is put.

Rules: spec/opendc.md sections 3 and 4 (OpenDC 1.x: greedy list scheduling, no reservation, no preemption). A job
that counts processors, or names amounts of cores, shares machines; one that asks for hosts gets them whole.
"""

import random
from bisect import bisect_left, insort
from collections.abc import Iterable, Mapping, Sequence
from math import ceil, floor, inf
from typing import Any

from windtunnel.model import DelayProfile, Job
from windtunnel.model.stage import Blocking, Selection, stage_options
from windtunnel.schedulers.base import Scheduler
from windtunnel.schedulers.stage_machines import Amounts, Machines, Need
from windtunnel.vocabulary import (
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
    RejectJob,
    Reply,
    RequestedCall,
    SimulationBegins,
)

__all__ = ["Stage"]

_Entry = tuple[float, int, Job, Need]
"""Sort key, rank of arrival, the job and what it needs."""


class Stage(Scheduler):
    """Tries waiting jobs in the order of ``selection`` and puts each on a machine chosen by ``placement``.

    ``blocking`` says what happens when a job does not fit: ``SKIP`` tries the next, ``HEAD`` lets all behind it
    wait. With ``quantum`` > 0 decisions are made only at multiples of so many seconds. Jobs that the machines could
    never hold are rejected. A job that counts more processors than a machine has goes in equal parts to as few
    machines as possible.
    """

    name = "stage-scheduler"

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

    def _reset(self) -> None:
        self._stream = random.Random(self.options.seed)
        self._machines = Machines((), self._stream)
        self._queue: list[_Entry] = []
        self._running: dict[str, tuple[Sequence[int], Amounts | None]] = {}
        self._arrivals = 0
        self._called_for = -1.0

    def hello(self) -> Hello:
        """How it presents itself; forgets an earlier run."""
        self._reset()
        return super().hello()

    @property
    def free_cores(self) -> float:
        """The cores that are free now."""
        return self._machines.free_cores()

    def could_hold(self, job: Job) -> bool:
        """Whether the machines could hold a job if they were empty."""
        return self._machines.possible(self._need(job))

    def reconfigure(self, options: Mapping[str, Any]) -> None:
        """Take other options from now on; the queue and what runs are kept.

        Raises:
            UsageError: an option is unknown or makes no sense.
        """
        self.options = stage_options(options)
        self._stream.seed(self.options.seed)
        entries = [(self._key(job, need), rank, job, need) for _, rank, job, need in self._queue]
        self._queue = sorted(entries, key=lambda entry: entry[:2])

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
        decisions += self._place()
        return Reply(now, decisions)

    def _take_in(self, notice: Notice, decisions: list[Decision]) -> bool:
        """Note what happened; whether it may let a job start."""
        if isinstance(notice, JobSubmitted):
            return self._arrived(notice.job, decisions)
        if isinstance(notice, JobCompleted):
            return self._left(notice.job.id)
        if isinstance(notice, HostsBecameUnavailable):
            self._machines.set_down(notice.hosts, down=True)
            return False
        if isinstance(notice, HostsBecameAvailable):
            self._machines.set_down(notice.hosts, down=False)
        elif isinstance(notice, SimulationBegins):
            self._machines = Machines(notice.hosts, self._stream)
        elif isinstance(notice, DecisionRefused):
            if isinstance(notice.decision, ExecuteJob) and self._left(notice.decision.job_id):
                decisions.append(RejectJob(job_id=notice.decision.job_id))
        elif isinstance(notice, ExternalEventOccurred):
            if notice.kind != "scheduler_change" or notice.attributes.get("scheduler") != self.name:
                return False
            self.reconfigure(notice.attributes.get("options", {}))
        elif not isinstance(notice, RequestedCall):
            return False
        return True

    def _arrived(self, job: Job, decisions: list[Decision]) -> bool:
        need = self._need(job)
        if not self._machines.possible(need):
            decisions.append(RejectJob(job_id=job.id))
            return False
        self._arrivals += 1
        insort(self._queue, (self._key(job, need), self._arrivals, job, need), key=lambda waiting: waiting[:2])
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
        others = tuple(sorted(amounts.items()))
        if cores:
            return Need(request.hosts, cores, others)
        if request.processors:
            hosts = self._machines.spread(request.processors)
            return Need(hosts, float(ceil(request.processors / hosts)), others)
        return Need(request.hosts, 0.0, others, whole=True)

    def _place(self) -> Iterable[Decision]:
        """Start what fits, in order. What failed once in a round fails again: nothing is given back meanwhile."""
        options = self.options
        entries = self._queue
        if options.selection is Selection.RANDOM:
            entries = self._stream.sample(entries, len(entries))
        decisions: list[Decision] = []
        started: list[_Entry] = []
        failed: set[Need] = set()
        least = inf
        for entry in entries:
            if not self._machines.any_free:
                break
            job, need = entry[2:]
            simple = need.hosts == 1 and not need.others and not need.whole
            taken = None
            if not (simple and need.cores >= least) and need not in failed:
                taken = self._machines.take(need, options.placement)
            if taken is None:
                if options.blocking is Blocking.HEAD:
                    break
                failed.add(need)
                if simple:
                    least = min(least, need.cores)
                continue
            hosts, amounts = taken
            self._running[job.id] = (tuple(hosts), amounts)
            decisions.append(ExecuteJob(job_id=job.id, hosts=hosts, amounts=amounts))
            started.append(entry)
        for entry in started:
            del self._queue[bisect_left(self._queue, entry[:2], key=lambda waiting: waiting[:2])]
        return decisions
