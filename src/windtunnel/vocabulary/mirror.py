"""The one mirror of the site: what decision components know of it, rebuilt from notices and decisions alone.

So it is the same in process and behind a socket. :class:`~windtunnel.vocabulary.View` shows it to schedulers of
users; schedulers that are shipped read and feed it directly. A notice costs what it changes.
"""

from bisect import bisect_left, insort
from collections.abc import Iterable

from windtunnel.model import Host, HostPool, HostSet, Job
from windtunnel.vocabulary.decisions import ExecuteJob, ResumeJob, SetResourceState, TurnOnOffHosts
from windtunnel.vocabulary.held import Amounts, Held, Running
from windtunnel.vocabulary.notices import (
    AllStaticJobsHaveBeenSubmitted,
    DecisionRefused,
    HostsBecameAvailable,
    HostsBecameUnavailable,
    HostsPStateChanged,
    HostsTurnedOnOff,
    JobCompleted,
    JobResumed,
    JobSubmitted,
    JobSuspended,
    Notice,
    ResourceStateChanged,
    SimulationBegins,
    SimulationEnds,
)
from windtunnel.vocabulary.shares import Shares
from windtunnel.vocabulary.sleeping import can_compute

__all__ = ["Mirror"]

_NONE: HostSet = HostSet()


class Mirror:
    """Hosts (free, shared in part, unavailable, asleep, switching), who runs where until when, and who waits.

    Its attributes are for reading; its methods change it. Times are simulated seconds.

    Args:
        availability: whether hosts that are told to be unavailable leave ``free``.
        power: whether hosts that sleep or are being switched do. Copies of schedulers that go on as if all hosts
            were there say no to one or both.
        sleep_state: the power state in which hosts sleep, for a scheduler that is told so; else the platform says.
    """

    __slots__ = (
        "_busy_out",
        "_out",
        "_rank",
        "all_submitted",
        "arrived",
        "asleep",
        "availability",
        "begins",
        "changed",
        "dozing",
        "ended",
        "ends",
        "free",
        "hosts",
        "left",
        "now",
        "power",
        "refused",
        "running",
        "shares",
        "shifted",
        "size",
        "sleep_state",
        "suspended",
        "unavailable",
        "waiting",
        "waking",
    )

    def __init__(self, *, availability: bool = True, power: bool = True, sleep_state: int | None = None) -> None:
        self.availability = availability
        self.power = power
        self.sleep_state = sleep_state
        self.now = 0.0
        self.begins: SimulationBegins | None = None
        self.hosts: tuple[Host, ...] = ()
        self.size = 0
        """How many hosts there are."""
        self.waiting: dict[str, Job] = {}
        """Jobs that were announced and not started, by id, the oldest announcement first."""
        self.running: dict[str, Running] = {}
        """Jobs that hold hosts, by id, in the order of their starts."""
        self.suspended: dict[str, tuple[Running, float]] = {}
        """Suspended jobs by id: as they ran, and since when they do not."""
        self.ends: list[tuple[float, int, Held]] = []
        """What is held: predicted end and rank, the first to end first."""
        self.free = HostPool()
        """Hosts that can be given to a job: no job has a part of them, and they are there and awake."""
        self.shares = Shares()
        """What is taken of hosts that jobs have parts of."""
        self.unavailable = _NONE
        """Hosts that are not available, whether a job still runs there or not."""
        self.asleep = _NONE
        self.waking = _NONE
        """Hosts that are being switched on."""
        self.dozing = _NONE
        """Hosts that are being switched off."""
        self.all_submitted = False
        """Whether the workloads have no more jobs."""
        self.ended = False
        # News of the last message.
        self.arrived: list[Job] = []
        """Jobs that it announced."""
        self.left: list[Running] = []
        """What has given its hosts back."""
        self.refused: list[str] = []
        """Jobs that wait again because the engine has refused to start them."""
        self.changed = False
        """Whether waiting jobs may have become able to start: hosts were freed, or others are there than before."""
        self.shifted = False
        """Whether what running jobs will free has changed."""
        self._out = _NONE  # unavailable, asleep or switching
        self._busy_out = _NONE  # those of them that a job had when they went
        self._rank = 0

    # -- notices ------------------------------------------------------------------------------------------------

    def apply(self, now: float, notices: Iterable[Notice]) -> None:
        """Take in a message."""
        self.now = now
        self.changed = self.shifted = False
        self.arrived = arrived = []
        if self.left:
            self.left = []
        for notice in notices:
            if type(notice) is JobSubmitted:
                job = notice.job
                self.waiting[job.id] = job
                arrived.append(job)
            elif type(notice) is JobCompleted:
                running = self.running.pop(notice.job.id, None)
                if running is not None:
                    self._leave(running)
                else:
                    self.suspended.pop(notice.job.id, None)
            else:
                self._take_in(notice)

    def _take_in(self, notice: Notice) -> None:
        """Everything that is rarer than arrivals and ends."""
        if isinstance(notice, HostsBecameAvailable | HostsBecameUnavailable):
            if self.availability:
                self._availability(notice)
        elif isinstance(notice, HostsTurnedOnOff | ResourceStateChanged):
            if self.power:
                self._switched(notice.hosts, notice.state)
        elif isinstance(notice, HostsPStateChanged):
            if self.power:
                self._switched(notice.hosts, notice.pstate)
        elif isinstance(notice, JobSuspended):
            suspended = self.running.pop(notice.job.id, None)
            if suspended is not None:
                self._leave(suspended)
                self.suspended[notice.job.id] = suspended, notice.timestamp
        elif isinstance(notice, JobResumed):
            self.resume(notice.job.id, notice.hosts, notice.amounts, notice.timestamp)
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
        self.changed = True
        if self.power:
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
        self.changed = self.shifted = True

    def _switched(self, hosts: HostSet, state: int) -> None:
        """Hosts have arrived at a power state."""
        asleep = HostSet(host for host in hosts if host < self.size and self._sleeps(host, state))
        self.waking -= hosts
        self.dozing -= hosts
        self.asleep = (self.asleep - hosts) | asleep
        self._update()

    def _update(self) -> None:
        """Which hosts are out has changed: they leave ``free``, and come back to it unless a job has them."""
        before, now = self._out, self.unavailable | self.asleep | self.waking | self.dozing
        gone, back = now - before, before - now
        if not gone and not back:
            return
        self._out = now
        idle = gone & self.free.frozen()
        self.free -= idle
        met = self._busy_out & back
        self._busy_out = (self._busy_out | (gone - idle)) - back
        self.free |= back - met
        self.changed = self.shifted = True
        if met or len(idle) < len(gone):
            for _, _, held in self.ends:
                held.freed = len(held.hosts - now)

    def _refuse(self, decision: object) -> None:
        """The engine has not done what was decided."""
        if isinstance(decision, ExecuteJob | ResumeJob):
            running = self.running.pop(decision.job_id, None)
            if running is None:
                return
            self._leave(running)
            for other in self.running.values():  # another component was quicker
                self.free -= other.hosts
            if isinstance(decision, ExecuteJob):
                self.waiting[decision.job_id] = running.job
                self.refused.append(decision.job_id)
            else:
                self.suspended[decision.job_id] = running, self.now
        elif isinstance(decision, TurnOnOffHosts | SetResourceState):
            self.asleep |= self.waking & decision.hosts
            self.waking -= decision.hosts
            self.dozing -= decision.hosts
            self._update()

    def _leave(self, running: Running) -> None:
        """What a job held is free."""
        ends = self.ends
        del ends[bisect_left(ends, (running.end, running.rank))]  # no rank twice
        hosts = running.hosts
        if running.amounts is not None:
            hosts = self.shares.give_back(hosts, running.amounts)
        if self._out.size:
            self._busy_out -= hosts
            hosts -= self._out
        self.free.add(hosts)
        self.left.append(running)
        self.changed = True

    # -- decisions ----------------------------------------------------------------------------------------------

    def start(self, job: Job, hosts: HostSet, amounts: Amounts | None = None, at: float | None = None) -> Running:
        """A job starts, now or at a date, on whole hosts or on so much of each; they leave ``free``."""
        start = self.now if at is None else at
        if amounts is None:
            self.free.remove(hosts)
        else:
            self.free.remove(self.shares.take(hosts, amounts))
        return self.hold(job, hosts, start, amounts)

    def hold(self, job: Job, hosts: HostSet, start: float, amounts: Amounts | None = None) -> Running:
        """The same for hosts that were taken out of ``free`` already."""
        self.waiting.pop(job.id, None)
        self._rank = rank = self._rank + 1
        running = self.running[job.id] = Running(job, hosts, start, rank, hosts.size, amounts)
        insort(self.ends, (running.end, rank, running))
        return running

    def resume(self, job_id: str, hosts: HostSet, amounts: Amounts | None, at: float) -> None:
        """A suspended job holds hosts again; once, whether its own decision or the notice comes first."""
        known = self.suspended.get(job_id)
        if known is None:
            return
        before, since = known
        if amounts is None and before.amounts is not None:
            had = before.amounts
            amounts = {new: had[old] for old, new in zip(before.hosts, hosts, strict=False) if old in had}
        self.start(before.job, hosts, amounts, before.start + at - since)
        del self.suspended[job_id]

    def reject(self, job_id: str) -> None:
        """A job waits no more."""
        self.waiting.pop(job_id, None)

    def switch(self, hosts: HostSet, state: int) -> None:
        """Hosts are asked to go to a power state; those that sleep, or will, are not free before they are awake."""
        known = [host for host in hosts if host < self.size]
        off = HostSet(host for host in known if self._sleeps(host, state))
        on = (HostSet(known) - off) & (self.asleep | self.dozing)
        self.asleep -= hosts
        self.waking = (self.waking - off) | on
        self.dozing = (self.dozing - on) | off
        self._update()

    # -- questions ----------------------------------------------------------------------------------------------

    def left_of(self, host: int) -> dict[str, float]:
        """What is left of each resource of a host: nothing if it is not there or taken whole."""
        left = self.shares.left.get(host)
        if left is None:
            whole = self.shares.whole(host)
            return whole if host in self.free else dict.fromkeys(whole, 0.0)
        return dict.fromkeys(left, 0.0) if host in self._out else left.copy()
