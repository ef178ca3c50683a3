"""The read-only view of a site that a scheduler sees, rebuilt from notices and its own decisions alone.

So it is the same in process and behind a socket. What a wire cannot tell is missing here and refused by name when
asked for (:attr:`View.missing`).
"""

from collections.abc import Iterator, Mapping, Sequence, ValuesView

import msgspec

from windtunnel.diagnostics import UsageError
from windtunnel.model import Host, HostPool, HostSet, Job
from windtunnel.vocabulary import decisions as d
from windtunnel.vocabulary import notices as n
from windtunnel.vocabulary.checking import wrong_field

__all__ = ["Running", "View"]


class Running(msgspec.Struct):
    """A job that holds hosts, as far as the scheduler knows. Times in s; ``start`` is later by any suspensions."""

    job: Job
    hosts: HostSet
    start: float
    amounts: Mapping[int, Mapping[str, float]] | None = None

    @property
    def expected_end(self) -> float:
        """Start plus walltime."""
        return self.start + self.job.walltime


class View:
    """The site, the queue and the running jobs, as known at ``now`` (simulated s).

    ``queue`` holds waiting jobs in the order they were announced, ``running`` those that hold hosts, by id.
    """

    def __init__(self) -> None:
        self.now = 0.0
        self.hosts: tuple[Host, ...] = ()
        self.storages: tuple[Host, ...] = ()
        self.waiting: dict[str, Job] = {}
        self.running: dict[str, Running] = {}
        self.suspended: dict[str, tuple[Running, float]] = {}
        """Suspended jobs by id: as they ran, and since when they do not (s)."""
        self.all_submitted = False
        """Whether the workloads have no more jobs."""
        self.ended = False
        self.missing: Mapping[str, str] = {}
        """What this wire cannot tell: name -> why."""
        self.begins: n.SimulationBegins | None = None
        self.notices: Sequence[n.Notice] = ()
        """All that was told this time, in order: also what the view does not show, such as calls, answers, events."""
        self._free = HostPool()
        self._shares: dict[int, list[Mapping[str, float]]] = {}
        self._unavailable = HostSet()
        self._appliers = {
            n.JobSubmitted: self._job_submitted,
            n.JobCompleted: self._job_completed,
            n.SimulationBegins: self._begins,
            n.HostsBecameAvailable: self._available,
            n.HostsBecameUnavailable: self._no_longer_available,
            n.AllStaticJobsHaveBeenSubmitted: self._all_submitted,
            n.SimulationEnds: self._ends,
            n.DecisionRefused: self._refused,
            n.JobSuspended: self._job_suspended,
            n.JobResumed: self._job_resumed,
        }

    @property
    def queue(self) -> ValuesView[Job]:
        """The waiting jobs, oldest announcement first."""
        return self.waiting.values()

    @property
    def free(self) -> HostPool:
        """The hosts that no job holds (not even a part of) and that are available: a copy of your own."""
        free = self._free.copy()
        if self._unavailable:
            free -= self._unavailable
        return free

    @property
    def free_count(self) -> int:
        """How many hosts are free."""
        return len(self.free) if self._unavailable else len(self._free)

    @property
    def unavailable(self) -> HostSet:
        """The hosts that are not available, whether a job still runs there or not."""
        return self._unavailable

    def cores(self, host: int) -> int:
        """The cores of a host.

        Raises:
            UsageError: the protocol of this run does not tell (Batsim 4).
        """
        if "cores" in self.missing:
            raise UsageError(f"the cores of hosts are not known here: {self.missing['cores']}")
        return self.hosts[host].cores

    def left(self, host: int) -> dict[str, float]:
        """What is left of each resource of a host (``cores`` too); nothing if it is unavailable or taken whole.

        Raises:
            UsageError: the protocol of this run does not tell the cores of hosts.
        """
        about = self.hosts[host]
        left = {"cores": float(self.cores(host)), **about.resources}
        if host in self._unavailable or (host not in self._shares and host not in self._free):
            return dict.fromkeys(left, 0.0)
        for taken in self._shares.get(host, ()):
            for name, amount in taken.items():
                left[name] -= amount
        return left

    def by_expected_end(self) -> list[Running]:
        """Running jobs, the one expected to end first at the front (ties: order of start)."""
        return sorted(self.running.values(), key=lambda r: r.start + r.job.walltime)

    def apply(self, now: float, notices: Sequence[n.Notice]) -> None:
        """Take in what happened."""
        self.now = now
        self.notices = notices
        appliers = self._appliers
        for notice in notices:
            apply = appliers.get(type(notice))
            if apply is not None:
                apply(notice)  # type: ignore[operator]  # the key is the type of the argument

    def decided(self, decisions: Sequence[d.Decision]) -> None:
        """Take in what the scheduler itself decided."""
        for decision in decisions:
            kind = type(decision)
            try:
                if kind is d.ExecuteJob:
                    job = self.waiting.get(decision.job_id)  # type: ignore[attr-defined]  # it is an ExecuteJob
                    if job is not None:
                        self._start(job, decision)  # type: ignore[arg-type]  # likewise
                        del self.waiting[job.id]
                elif kind is d.ResumeJob:
                    self._resumes(decision)  # type: ignore[arg-type]  # likewise
                elif kind is d.RejectJob:
                    self.waiting.pop(decision.job_id, None)  # type: ignore[attr-defined]  # it is a RejectJob
                elif not isinstance(decision, d.Decision):
                    raise TypeError(f"expected decisions, not {type(decision).__name__} {decision!r:.50}")
            except (TypeError, AttributeError):
                if not isinstance(decision, d.Decision) or not wrong_field(decision):
                    raise
                # Nothing has changed here, and the engine will refuse it.

    def _resumes(self, decision: d.ResumeJob) -> None:
        when = self.now if decision.timestamp is None else decision.timestamp
        self._resume(decision.job_id, decision.hosts, decision.amounts, when)

    def _start(self, job: Job, decision: d.ExecuteJob) -> None:
        start = self.now if decision.timestamp is None else decision.timestamp
        self._take(decision.hosts, decision.amounts)
        self.running[job.id] = Running(job, decision.hosts, start, decision.amounts)

    def _take(self, hosts: HostSet, amounts: Mapping[int, Mapping[str, float]] | None) -> None:
        if amounts is None:
            self._free -= hosts
        else:
            self._share(hosts, amounts)

    def _share(self, hosts: HostSet, amounts: Mapping[int, Mapping[str, float]]) -> None:
        given = [(host, amounts.get(host, {})) for host in hosts]
        self._free -= hosts
        for host, taken in given:
            if host not in self._shares:
                self._shares[host] = []
            self._shares[host].append(taken)

    def _give_back(self, running: Running) -> None:
        if running.amounts is None:
            self._free |= running.hosts
            return
        whole = []
        for host in running.hosts:
            self._shares[host].remove(running.amounts.get(host, {}))
            if not self._shares[host]:
                del self._shares[host]
                whole.append(host)
        self._free |= HostSet(whole)

    def _begins(self, notice: n.SimulationBegins) -> None:
        self.begins = notice
        self.hosts = notice.platform.hosts
        self.storages = notice.platform.storages
        self._free = HostPool(HostSet.span(len(self.hosts)))

    def _job_submitted(self, notice: n.JobSubmitted) -> None:
        job = notice.job
        self.waiting[job.id] = job

    def _job_completed(self, notice: n.JobCompleted) -> None:
        if self.suspended:
            self.suspended.pop(notice.job.id, None)
        running = self.running.pop(notice.job.id, None)
        if running is not None:
            self._give_back(running)

    def _job_suspended(self, notice: n.JobSuspended) -> None:
        running = self.running.pop(notice.job.id, None)
        if running is not None:
            self._give_back(running)
            self.suspended[notice.job.id] = running, notice.timestamp

    def _job_resumed(self, notice: n.JobResumed) -> None:
        self._resume(notice.job.id, notice.hosts, notice.amounts, notice.timestamp)

    def _resume(
        self, job_id: str, hosts: HostSet, amounts: Mapping[int, Mapping[str, float]] | None, now: float
    ) -> None:
        """A suspended job holds hosts again; once, whether its own decision or the notice comes first."""
        known = self.suspended.get(job_id)
        if known is None:
            return
        before, since = known
        if amounts is None and before.amounts is not None:
            had = before.amounts
            amounts = {new: had[old] for old, new in zip(before.hosts, hosts, strict=False) if old in had}
        resumed = Running(before.job, hosts, before.start + now - since, amounts)
        self._take(hosts, amounts)
        self.running[job_id] = resumed
        del self.suspended[job_id]

    def _available(self, notice: n.HostsBecameAvailable) -> None:
        self._unavailable -= notice.hosts

    def _no_longer_available(self, notice: n.HostsBecameUnavailable) -> None:
        self._unavailable |= notice.hosts

    def _all_submitted(self, _: n.AllStaticJobsHaveBeenSubmitted) -> None:
        self.all_submitted = True

    def _ends(self, _: n.SimulationEnds) -> None:
        self.ended = True

    def _refused(self, notice: n.DecisionRefused) -> None:
        decision = notice.decision
        if isinstance(decision, d.ExecuteJob):
            running = self.running.pop(decision.job_id, None)
            if running is not None:
                self.waiting[decision.job_id] = running.job
                self._give_back(running)
        elif isinstance(decision, d.ResumeJob):
            running = self.running.pop(decision.job_id, None)
            if running is not None:
                self._give_back(running)
                self.suspended[decision.job_id] = running, self.now

    def __iter__(self) -> Iterator[Job]:
        return iter(self.waiting.values())

    def __getstate__(self) -> dict[str, object]:
        return {k: v for k, v in self.__dict__.items() if k != "_appliers"}

    def __setstate__(self, state: dict[str, object]) -> None:
        View.__init__(self)
        self.__dict__.update(state)
