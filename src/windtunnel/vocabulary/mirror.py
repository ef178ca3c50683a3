"""The mirror of the site: what decision components know of it, rebuilt from notices and decisions alone.

It is therefore the same in process and behind a socket. :class:`~windtunnel.vocabulary.View` shows it to users'
schedulers; the included schedulers read and update it directly. The cost of a notice depends on what it changes.
"""

from bisect import bisect_left, insort
from collections.abc import Iterable, Sequence
from operator import attrgetter
from types import FunctionType
from typing import Any, Final

from mypy_extensions import i64, mypyc_attr

from windtunnel.model import Host, HostPool, HostSet, Job
from windtunnel.model.platform import kinds_of
from windtunnel.vocabulary.decisions import ExecuteJob, ResizeJob, ResumeJob, SetResourceState, TurnOnOffHosts
from windtunnel.vocabulary.held import Amounts, Ending, Held, Running, running_job
from windtunnel.vocabulary.notices import (
    AllStaticJobsHaveBeenSubmitted,
    DecisionRefused,
    HostsBecameAvailable,
    HostsBecameUnavailable,
    HostsPStateChanged,
    HostsRequested,
    HostsSwitching,
    HostsTurnedOnOff,
    JobCompleted,
    JobReconfigured,
    JobRejected,
    JobResumed,
    JobStarted,
    JobSubmitted,
    JobSuspended,
    Notice,
    RequestedCall,
    ResourceStateChanged,
    SchedulingPointReached,
    SimulationBegins,
    SimulationEnds,
)
from windtunnel.vocabulary.shares import Shares
from windtunnel.vocabulary.sleeping import can_compute
from windtunnel.vocabulary.waiting import ArrivalQueue, JobQueue

__all__ = ["Mirror"]

_NONE: Final = HostSet()

# Bound once: compiled code looks up what comes from other modules each time.
_JobSubmitted: Final = JobSubmitted
_JobCompleted: Final = JobCompleted
_ExecuteJob: Final = ExecuteJob
_bisect_left: Final = bisect_left
_insort: Final = insort


def _behind(ends: list[Any], date: float) -> int:
    """The place behind all that end up to a date; compiled, comparisons cost a tenth of those of ``bisect``."""
    low: i64 = 0
    high: i64 = len(ends)
    while low < high:
        middle: i64 = (low + high) >> 1
        entry: tuple[Any, ...] = ends[middle]  # so typed, one field of it is read
        end: float = entry[0]
        if date < end:
            high = middle
        else:
            low = middle + 1
    return low


_COMPILED: Final = not isinstance(_behind, FunctionType)


@mypyc_attr(allow_interpreted_subclasses=True)
class Mirror:
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

    __slots__ = (
        "_busy_absent",
        "_further",
        "_plain",
        "_rank",
        "absent",
        "all_submitted",
        "arrived",
        "asleep",
        "availability",
        "begins",
        "called",
        "changed",
        "dozing",
        "ended",
        "ends",
        "follow_hosts",
        "former",
        "free",
        "hosts",
        "kept",
        "left",
        "now",
        "power",
        "promised",
        "queue",
        "refused",
        "running",
        "shares",
        "shifted",
        "size",
        "sleep_state",
        "stopped",
        "suspended",
        "switched",
        "unavailable",
        "waking",
    )

    def __init__(
        self,
        queue: JobQueue | None = None,
        *,
        availability: bool = True,
        power: bool = True,
        sleep_state: int | None = None,
        follow_hosts: bool = True,
    ) -> None:
        self.queue: JobQueue = ArrivalQueue() if queue is None else queue
        self.availability = availability
        self.power = power
        self.sleep_state = sleep_state
        self.follow_hosts = follow_hosts
        self.now = 0.0
        self.begins: SimulationBegins | None = None
        self.hosts: Sequence[Host] = ()
        self.size = 0
        """The number of hosts."""
        self.running: dict[str, Running] = {}
        """Jobs that hold hosts, by id, in the order of their starts."""
        self.suspended: dict[str, tuple[Running, float]] = {}
        """Suspended jobs by id: as they ran, and when they were suspended."""
        self.kept: dict[str, HostSet] = {}
        """Hosts reserved for running jobs that will grow later, by job id: not in ``free``."""
        self.former: dict[str, HostSet] = {}
        """The previous hosts of jobs that resize at once, until the notice arrives."""
        self.stopped: dict[str, int] = {}
        """Jobs that are paused until this message is answered, and how many hosts they request (0: none)."""
        self.ends: list[Ending] = []
        """What is held, by predicted end (ties: the first held)."""
        self.free = HostPool()
        """Hosts that can be given to a job: no job has a part of them, and they are available and awake."""
        self.shares = Shares()
        """What is taken of shared hosts."""
        self.unavailable = _NONE
        """Hosts that are not available, whether a job still runs there or not."""
        self.asleep = _NONE
        self.waking = _NONE
        """Hosts that are being switched on."""
        self.dozing = _NONE
        """Hosts that are being switched off."""
        self.absent = _NONE
        """All of these together: hosts that no job can get."""
        self.promised: dict[tuple[int, ...], Held] = {}
        """Hosts that are being switched, and when they should be usable, if the scheduler has said so."""
        self.all_submitted = False
        """Whether all jobs of the workloads have been submitted."""
        self.ended = False
        # News of the last message.
        self.arrived: list[Job] = []
        """Jobs that it announced, which are not in the queue yet."""
        self.left: list[Ending] = []
        """Jobs that have released their hosts, as they were in ``ends``."""
        self.refused: list[Running] = []
        """Jobs that wait again (not in the queue yet) because the engine has refused to start them."""
        self.switched: list[tuple[HostSet, int, Held | None]] = []
        """Hosts that have reached a power state, and what was promised about them."""
        self.called: list[str] = []
        """Calls that are due, by their ids."""
        self.changed = False
        """Whether waiting jobs may now be able to start: hosts were freed, or the available hosts have changed."""
        self.shifted = False
        """Whether what running jobs will free has changed."""
        self._busy_absent = _NONE  # absent hosts that a job had when they went, and has still
        self._further = False  # there are news other than arrivals and ends
        self._plain = follow_hosts  # all hosts are there, and nobody has parts of them
        self._rank = 0

    # -- notices ------------------------------------------------------------------------------------------------

    def apply(self, now: float, notices: Iterable[Notice]) -> None:
        """Update the mirror by a message."""
        self.now = now
        self.changed = False
        self.arrived = arrived = []
        if self.left:
            self.left = []
        if self._further:
            self._forget_news()
        message: Any = notices
        news: list[Any] = message if not _COMPILED or type(message) is list else list(message)
        for notice in news:
            if type(notice) is _JobSubmitted:
                arrived.append(notice.job)
            elif type(notice) is _JobCompleted:
                job_id = notice.job.id
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
            else:
                self._take_in(notice)

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

    def _sleeps(self, host: int, state: int) -> bool:
        """Whether a host cannot compute in a power state."""
        if self.sleep_state is not None:
            return state == self.sleep_state and len(self.hosts[host].pstates) > 0
        about = self.hosts[host]
        return bool(about.sleep_pstates or about.properties) and not can_compute(about, state)

    def _availability(self, notice: HostsBecameAvailable | HostsBecameUnavailable) -> None:
        if isinstance(notice, HostsBecameAvailable):
            self.unavailable -= notice.hosts
        else:
            self.unavailable |= notice.hosts
        self._update()
        self.changed = self.shifted = self._further = True

    def _switched(self, hosts: HostSet, state: int) -> None:
        """Hosts have arrived at a power state."""
        self._further = True
        promised = self._keep_promise(hosts)
        self.switched.append((hosts, state, promised))
        asleep = HostSet(host for host in hosts if host < self.size and self._sleeps(host, state))
        self.waking -= hosts
        self.dozing -= hosts
        self.asleep = (self.asleep - hosts) | asleep
        self._update()

    def _update(self) -> None:
        """Which hosts are out has changed: they leave ``free``, and come back to it unless a job has them."""
        before, now = self.absent, self.unavailable | self.asleep | self.waking | self.dozing
        gone, back = now - before, before - now
        if not gone and not back:
            return
        self.absent = now
        self._find_plain()
        idle = gone & self.free.frozen()
        self.free -= idle
        met = self._busy_absent & back
        self._busy_absent = (self._busy_absent | (gone - idle)) - back
        self.free |= back - met
        self.changed = self.shifted = self._further = True
        if met or len(idle) < len(gone):
            self.ends = [(end, rank, self._frees(held), held) for end, rank, _, held in self.ends]

    def _frees(self, held: Held) -> int:
        """How many usable hosts something held frees when it ends."""
        return len(held.hosts - (self.absent if isinstance(held, Running) else self.unavailable))

    def _gone(self, job: Job) -> None:
        """Another component has taken a job that may wait here."""
        if not self.queue.discard(job):
            self.arrived[:] = [arrived for arrived in self.arrived if arrived.id != job.id]

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

    def _place(self, held: Held) -> int:
        """Where something held is among the ends."""
        if not _COMPILED:
            return _bisect_left(self.ends, (held.end, held.rank))
        ends: list[Any] = self.ends
        place = _behind(ends, held.end) - 1
        rank = held.rank
        while place:
            entry: tuple[Any, ...] = ends[place]
            of_this: int = entry[1]
            if of_this == rank:
                break
            place -= 1  # another one of its date
        return place

    def _let_go(self, running: Running) -> None:
        """A job is no longer among the ends, but has left."""
        place = self._place(running)
        ends: list[Any] = self.ends  # entries are not looked into
        left: list[Any] = self.left
        left.append(ends.pop(place))

    def _leave(self, running: Running) -> None:
        """What a job held is free."""
        self._let_go(running)
        self.changed = True
        if not self.follow_hosts:
            return
        hosts = running.hosts
        if running.amounts is not None:
            hosts = self.shares.give_back(hosts, running.amounts)
            self._find_plain()
        if self.kept:
            self._keep_no_more(running.job.id)
        if self.absent.size:
            self._busy_absent -= hosts
            hosts -= self.absent
        self.free.add(hosts)

    def _find_plain(self) -> None:
        self._plain = self.follow_hosts and not self.absent and self.shares.unused and not self.kept

    def _resized(self, job_id: str, hosts: HostSet) -> None:
        """A running job has other hosts; when it is to end stays what it was."""
        running = self.running.get(job_id)
        self._keep_no_more(job_id)
        if running is None or running.amounts is not None or running.hosts == hosts:
            return
        place = self._place(running)
        self.free.add(running.hosts - self.absent)
        self._busy_absent -= running.hosts
        running.hosts = hosts
        self.free.remove(hosts)
        self.ends[place] = (running.end, running.rank, self._frees(running), running)
        self.changed = self.shifted = self._further = True

    def _keep_no_more(self, job_id: str) -> None:
        """What was kept for a running job is free."""
        kept = self.kept.pop(job_id, None)
        if kept is not None:
            self.free.add(kept - self.absent)
            self._find_plain()
            self.changed = True

    # -- decisions ----------------------------------------------------------------------------------------------

    def start(self, job: Job, hosts: HostSet, amounts: Amounts | None = None, at: float | None = None) -> Running:
        """Note that a job starts, now or at a given time, on whole hosts or parts of them, which leave ``free``."""
        start = self.now if at is None else at
        end = start + job.walltime
        if not self.follow_hosts:
            pass
        elif amounts is None:
            self.free.remove(hosts)
        else:
            self.free.remove(self.shares.take(hosts, amounts))
            self._plain = False
        return self.hold(job, hosts, start, end, amounts)

    def execute(self, job: Job, hosts: HostSet) -> ExecuteJob:
        """The decision to start a job now on these hosts, which the mirror notes."""
        self.start(job, hosts)
        return _ExecuteJob(job.id, hosts)

    def hold(self, job: Job, hosts: HostSet, start: float, end: float, amounts: Amounts | None = None) -> Running:
        """The same for hosts already removed from ``free``, with the time of the predicted end."""
        self._rank = rank = self._rank + 1
        running = self.running[job.id] = running_job(job, hosts, start, end, rank, amounts)
        self._await(end, rank, hosts.size, running)
        return running

    def _await(self, end: float, rank: int, size: int, held: Held) -> None:
        """Something is held until a date from now on: behind what is so already."""
        if _COMPILED:
            ends: list[Any] = self.ends
            entry: tuple[Any, ...] = (end, rank, size, held)
            ends.insert(_behind(ends, end), entry)
        else:
            _insort(self.ends, (end, rank, size, held))

    def run(self, job: Job, together: bool, size: int = -1) -> ExecuteJob:
        """The decision to start a job now, which the mirror notes; enough hosts must be free: a hot path.

        Its hosts have consecutive numbers if that is wanted and possible, otherwise the lowest numbers. The size of
        the job may be given if it is at hand.
        """
        if size < 0:
            size = job.request.hosts
        hosts = self.free.take_together(size) if together else self.free.take(size)
        assert hosts is not None, "so many hosts are free"
        self._rank = rank = self._rank + 1
        start = self.now
        end = start + job.walltime
        running = Running()
        running.job = job
        running.hosts = hosts
        running.start = start
        running.end = end
        running.rank = rank
        running.amounts = None
        job_id = job.id
        self.running[job_id] = running
        if _COMPILED:
            self._await(end, rank, size, running)
        else:
            _insort(self.ends, (end, rank, size, running))
        return _ExecuteJob(job_id, hosts)

    def resume(self, job_id: str, hosts: HostSet, amounts: Amounts | None, at: float) -> None:
        """Note that a suspended job holds hosts again, once, whether the decision or the notice comes first."""
        known = self.suspended.get(job_id)
        if known is None:
            return
        before, since = known
        if amounts is None and before.amounts is not None:
            had = before.amounts
            amounts = {new: had[old] for old, new in zip(before.hosts, hosts, strict=False) if old in had}
        self.start(before.job, hosts, amounts, before.start + at - since)
        del self.suspended[job_id]

    def resize(self, job_id: str, hosts: HostSet) -> None:
        """Note that a running job will get other hosts: the new ones are reserved for it."""
        running = self.running.get(job_id)
        if running is None:
            return
        self._keep_no_more(job_id)
        if job_id in self.stopped:  # at once: what it gives up can be given to others in the same reply
            self.former[job_id] = running.hosts
            self._resized(job_id, hosts)
            return
        new = (hosts - running.hosts) & self.free.frozen()
        if new:
            self.kept[job_id] = new
            self.free.remove(new)
            self._plain = False

    def switch(self, hosts: HostSet, state: int) -> None:
        """Note a requested power state; hosts that sleep, or will, are not free until they are awake."""
        known = [host for host in hosts if host < self.size]
        off = HostSet(host for host in known if self._sleeps(host, state))
        on = (HostSet(known) - off) & (self.asleep | self.dozing)
        self.asleep -= hosts
        self.waking = (self.waking - off) | on
        self.dozing = (self.dozing - on) | off
        self._update()

    def promise(self, hosts: HostSet, usable: float) -> None:
        """Note when a group of hosts that are being switched should be usable (s)."""
        self._rank = rank = self._rank + 1
        held = self.promised[tuple(hosts)] = Held()
        held.hosts = hosts
        held.start = self.now
        held.end = usable
        held.rank = rank
        self._await(usable, rank, hosts.size, held)

    def _keep_promise(self, hosts: HostSet) -> Held | None:
        """Hosts have been switched, or will not be after all."""
        if not self.promised:
            return None
        held = self.promised.pop(tuple(hosts), None)
        if held is not None:
            del self.ends[self._place(held)]
        return held

    # -- questions ----------------------------------------------------------------------------------------------

    def left_of(self, host: int) -> dict[str, float]:
        """What is left of each resource of a host: nothing if it is unavailable or taken whole."""
        left = self.shares.left_on(host)
        if left is None:
            whole = self.shares.whole(host)
            return whole if host in self.free else dict.fromkeys(whole, 0.0)
        return dict.fromkeys(left, 0.0) if host in self.absent else left.copy()
