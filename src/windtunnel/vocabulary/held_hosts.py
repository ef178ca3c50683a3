"""Which jobs hold which hosts until when: what the mirror of the site keeps of starts, ends and changes of size."""

from bisect import bisect_left, insort
from types import FunctionType
from typing import Any, Final

from mypy_extensions import i64, mypyc_attr

from windtunnel.model import HostPool, HostSet, Job
from windtunnel.vocabulary.decisions import ExecuteJob
from windtunnel.vocabulary.held import Amounts, Ending, Held, Running, running_job
from windtunnel.vocabulary.shares import Shares
from windtunnel.vocabulary.waiting import ArrivalQueue, JobQueue

__all__ = ["HeldHosts"]

_NONE: Final = HostSet()

# Bound once: compiled code looks up what comes from other modules each time.
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
class HeldHosts:
    """Hosts that are free, and those that jobs hold, whole or in part, with the predicted ends.

    Args:
        queue: where jobs wait that others may take.
        follow_hosts: whether it is kept up which hosts jobs have.
    """

    __slots__ = (
        "_busy_absent",
        "_further",
        "_plain",
        "_rank",
        "absent",
        "arrived",
        "changed",
        "ends",
        "follow_hosts",
        "former",
        "free",
        "kept",
        "left",
        "now",
        "queue",
        "running",
        "shares",
        "shifted",
        "stopped",
        "suspended",
        "unavailable",
    )

    def __init__(self, queue: JobQueue | None, follow_hosts: bool) -> None:
        self.queue: JobQueue = ArrivalQueue() if queue is None else queue
        self.follow_hosts = follow_hosts
        self.now = 0.0
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
        self.absent = _NONE
        """These, and those that sleep or are being switched: hosts that no job can get."""
        # News of the last message.
        self.arrived: list[Job] = []
        """Jobs that it announced, which are not in the queue yet."""
        self.left: list[Ending] = []
        """Jobs that have released their hosts, as they were in ``ends``."""
        self.changed = False
        """Whether waiting jobs may now be able to start: hosts were freed, or the available hosts have changed."""
        self.shifted = False
        """Whether what running jobs will free has changed."""
        self._busy_absent = _NONE  # absent hosts that a job had when they went, and has still
        self._further = False  # there are news other than arrivals and ends
        self._plain = follow_hosts  # all hosts are there, and nobody has parts of them
        self._rank = 0

    # -- starts and changes of size -----------------------------------------------------------------------------

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
        """The decision to start a job now, which the mirror notes (:meth:`begin`)."""
        return _ExecuteJob(job.id, self.begin(job, together, size).hosts)

    def begin(self, job: Job, together: bool, size: int = -1) -> Running:
        """Note that a job starts now; enough hosts must be free: a hot path.

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
        return running

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

    # -- ends ---------------------------------------------------------------------------------------------------

    def _frees(self, held: Held) -> int:
        """How many usable hosts something held frees when it ends."""
        return len(held.hosts - (self.absent if isinstance(held, Running) else self.unavailable))

    def _gone(self, job: Job) -> None:
        """Another component has taken a job that may wait here."""
        if not self.queue.discard(job):
            self.arrived[:] = [arrived for arrived in self.arrived if arrived.id != job.id]

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
        if self.absent.size:
            self._busy_absent = (self._busy_absent - running.hosts) | (hosts & self.absent)  # it may keep such hosts
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
