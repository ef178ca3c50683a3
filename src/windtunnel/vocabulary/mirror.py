"""The mirror of the site: what decision components know of it, rebuilt from notices and decisions alone.

It is therefore the same in process and behind a socket. :class:`~windtunnel.vocabulary.View` shows it to users'
schedulers; the included schedulers read and update it directly. The cost of a notice depends on what it changes.
"""

from bisect import bisect_left
from collections.abc import Iterable
from operator import attrgetter
from types import FunctionType
from typing import Any, Final

from mypy_extensions import mypyc_attr

from windtunnel.model import HostPool, HostSet, JobRecord, JobState
from windtunnel.model.platform import kinds_of
from windtunnel.vocabulary.brief import News
from windtunnel.vocabulary.decisions import ExecuteJob, ResizeJob, ResumeJob, SetResourceState, TurnOnOffHosts
from windtunnel.vocabulary.held import Running
from windtunnel.vocabulary.host_states import HostStates
from windtunnel.vocabulary.notices import (
    AllStaticJobsHaveBeenSubmitted,
    DecisionRefused,
    HostsRequested,
    JobCompleted,
    JobReconfigured,
    JobRejected,
    JobResumed,
    JobStarted,
    JobSubmitted,
    JobSuspended,
    Notice,
    RequestedCall,
    SchedulingPointReached,
    SimulationBegins,
    SimulationEnds,
)
from windtunnel.vocabulary.site_notices import (
    HostsBecameAvailable,
    HostsBecameUnavailable,
    HostsPStateChanged,
    HostsSwitching,
    HostsTurnedOnOff,
    ResourceStateChanged,
)
from windtunnel.vocabulary.waiting import JobQueue

__all__ = ["Mirror"]

# Bound once: compiled code looks up what comes from other modules each time.
_JobRecord: Final = JobRecord
_SUBMITTED: Final = JobState.SUBMITTED
_JobSubmitted: Final = JobSubmitted
_JobCompleted: Final = JobCompleted
_bisect_left: Final = bisect_left


_COMPILED: Final = not isinstance(HostStates.run, FunctionType)


@mypyc_attr(allow_interpreted_subclasses=True)
class Mirror(HostStates):
    """Hosts (free, shared in part, unavailable, asleep, switching), which jobs run where until when, and which wait.

    Its attributes are for reading; its methods change it. Times are simulated seconds.

    Args:
        queue: where jobs wait, in the scheduler's own order. The code that updates the mirror adds the jobs that have
            arrived, unless they start or are rejected at once.
        availability: whether hosts that become unavailable leave ``free``.
        power: whether hosts that sleep or are being switched on or off do. Copies of schedulers that ignore such
            changes set one or both to False.
        sleep_state: the power state in which hosts sleep, if the scheduler sets it; default: the platform's.
        follow_hosts: whether it is kept up which hosts jobs have. Schedulers that know that themselves set it to
            False: ``free`` and ``shares`` are then as if no job ran.
    """

    __slots__ = ("all_submitted", "availability", "begins", "called", "ended", "power", "refused")

    def __init__(
        self,
        queue: JobQueue | None = None,
        *,
        availability: bool = True,
        power: bool = True,
        sleep_state: int | None = None,
        follow_hosts: bool = True,
    ) -> None:
        super().__init__(queue, follow_hosts, sleep_state)
        self.availability = availability
        self.power = power
        self.begins: SimulationBegins | None = None
        self.all_submitted = False
        """Whether all jobs of the workloads have been submitted."""
        self.ended = False
        # News of the last message.
        self.refused: list[Running] = []
        """Jobs that wait again (not in the queue yet) because the engine has refused to start them."""
        self.called: list[str] = []
        """Calls that are due, by their ids."""

    def apply(self, now: float, notices: Iterable[News]) -> None:
        """Update the mirror by a message, in full or in brief."""
        self.now = now
        self.changed = False
        self.arrived = arrived = []
        if self.left:
            self.left = []
        if self._further:
            self._forget_news()
        news: Any = notices
        if _COMPILED and type(notices) is not list:
            news = list(notices)
        for notice in news:
            if type(notice) is _JobRecord:
                record: JobRecord = notice
                if record.state is _SUBMITTED:
                    arrived.append(record.job)
                    continue
                job_id = record.job_id
            elif type(notice) is _JobSubmitted:
                arrived.append(notice.job)
                continue
            elif type(notice) is _JobCompleted:
                job_id = notice.job.id
            else:
                self._take_in(notice)
                continue
            if not _COMPILED:
                running = self.running.pop(job_id, None)
            elif (running := self.running.get(job_id)) is not None:  # costs less than ``pop``
                del self.running[job_id]
            if running is None:
                self.suspended.pop(job_id, None)
            elif self._plain:  # what _leave does, at less cost
                if _COMPILED:
                    self._let_go(running)
                else:
                    ends = self.ends
                    self.left.append(ends.pop(_bisect_left(ends, (running.end, running.rank))))
                self.free.add(running.hosts)
                self.changed = True
            else:
                self._leave(running)
        if self.stopped:  # jobs that ended or were suspended at the same instant stand still no more
            self.stopped = {job_id: wanted for job_id, wanted in self.stopped.items() if job_id in self.running}

    def _forget_news(self) -> None:
        self._further = self.shifted = False
        self.refused = []
        self.switched = []
        self.called = []
        self.stopped = {}

    def _take_in(self, notice: Notice) -> None:
        """Everything that is rarer than arrivals and ends."""
        if isinstance(notice, RequestedCall):
            self.called.append(notice.call_me_later_id)
            self._further = True
        elif isinstance(notice, HostsBecameAvailable | HostsBecameUnavailable):
            if self.availability:
                self._availability(notice)
        elif isinstance(notice, HostsTurnedOnOff | ResourceStateChanged):
            if self.power:
                self._switched(notice.hosts, notice.state)
        elif isinstance(notice, HostsPStateChanged):
            if self.power:
                self._switched(notice.hosts, notice.pstate)
        elif isinstance(notice, HostsSwitching):
            if self.power:
                self.switch(notice.hosts, notice.state)
        elif isinstance(notice, JobStarted):
            self._gone(notice.job)
            self.start(notice.job, notice.hosts, notice.amounts, notice.timestamp)
        elif isinstance(notice, JobRejected):
            self._gone(notice.job)
        elif isinstance(notice, JobSuspended):
            suspended = self.running.pop(notice.job.id, None)
            if suspended is not None:
                self._leave(suspended)
                self.suspended[notice.job.id] = suspended, notice.timestamp
        elif isinstance(notice, JobResumed):
            self.resume(notice.job.id, notice.hosts, notice.amounts, notice.timestamp)
        elif isinstance(notice, SchedulingPointReached | HostsRequested):
            self.stopped[notice.job.id] = notice.count if isinstance(notice, HostsRequested) else 0
            self._further = True
        elif isinstance(notice, JobReconfigured):
            self.former.pop(notice.job.id, None)
            self._resized(notice.job.id, HostSet(notice.hosts))
        elif isinstance(notice, DecisionRefused):
            self._refuse(notice.decision)
        elif isinstance(notice, SimulationBegins):
            self._begin(notice)
        elif isinstance(notice, AllStaticJobsHaveBeenSubmitted):
            self.all_submitted = True
        elif isinstance(notice, SimulationEnds):
            self.ended = True

    def _begin(self, notice: SimulationBegins) -> None:
        self.begins = notice
        self.hosts = notice.platform.hosts
        self.size = len(self.hosts)
        self.free = HostPool(HostSet.span(self.size))
        self.shares.hosts = self.hosts
        self.changed = self.shifted = self._further = True
        sleepy = self.sleep_state is not None or any(map(attrgetter("sleep_pstates"), kinds_of(self.hosts)))
        if self.power and (sleepy or any(map(attrgetter("properties"), kinds_of(self.hosts)))):
            self.asleep = HostSet(host for host, about in enumerate(self.hosts) if self._sleeps(host, about.pstate))
            if self.asleep:
                self._update()

    def _refuse(self, decision: object) -> None:
        """The engine has not done what was decided."""
        if isinstance(decision, ExecuteJob | ResumeJob):
            running = self.running.pop(decision.job_id, None)
            if running is None:
                return
            self._leave(running)
            for other in self.running.values() if self.follow_hosts else ():  # another component was quicker
                self.free -= other.hosts
            if isinstance(decision, ExecuteJob):
                self.refused.append(running)
                self._further = True
            else:
                self.suspended[decision.job_id] = running, self.now
        elif isinstance(decision, ResizeJob):
            self._keep_no_more(decision.job_id)
            former = self.former.pop(decision.job_id, None)
            if former is not None:
                self._resized(decision.job_id, former)
        elif isinstance(decision, TurnOnOffHosts | SetResourceState):
            self._keep_promise(decision.hosts)
            self.asleep |= self.waking & decision.hosts
            self.waking -= decision.hosts
            self.dozing -= decision.hosts
            self._update()
