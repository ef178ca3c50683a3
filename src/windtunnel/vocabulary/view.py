"""The read-only view of a site that a scheduler sees, rebuilt from notices and its own decisions alone.

It is therefore the same in process and behind a socket. What a wire does not provide is missing here, and is an error
when requested (:attr:`View.missing`). The state itself is in the :class:`~windtunnel.vocabulary.mirror.Mirror`.
"""

from collections.abc import Iterator, Mapping, Sequence, ValuesView

from mypy_extensions import mypyc_attr

from windtunnel.diagnostics import UsageError
from windtunnel.model import Host, HostPool, HostSet, Job
from windtunnel.model.signals import Signal
from windtunnel.vocabulary import decisions as d
from windtunnel.vocabulary import notices as n
from windtunnel.vocabulary.checking import wrong_field
from windtunnel.vocabulary.held import Running
from windtunnel.vocabulary.mirror import Mirror
from windtunnel.vocabulary.waiting import ArrivalQueue

__all__ = ["Running", "View"]


@mypyc_attr(allow_interpreted_subclasses=True)
class View:
    """The site, the queue and the running jobs, as known at ``now`` (simulated s).

    ``queue`` holds waiting jobs in the order they were announced, ``running`` those that hold hosts, by id.
    """

    def __init__(self, mirror: Mirror | None = None) -> None:
        self.mirror = Mirror() if mirror is None else mirror
        self.missing: Mapping[str, str] = {}
        """What this wire does not provide: name -> reason."""
        self.notices: Sequence[n.Notice] = ()
        """All notices of this message, in order, including what the view does not show: calls, answers, events."""

    @property
    def now(self) -> float:
        """The simulated time (s)."""
        return self.mirror.now

    @property
    def hosts(self) -> Sequence[Host]:
        """The compute hosts, by id."""
        return self.mirror.hosts

    @property
    def storages(self) -> tuple[Host, ...]:
        """The hosts that only store data."""
        begins = self.mirror.begins
        return () if begins is None else begins.platform.storages

    @property
    def begins(self) -> n.SimulationBegins | None:
        """The first notice of the run: the platform, the workloads, the options."""
        return self.mirror.begins

    @property
    def waiting(self) -> dict[str, Job]:
        """The waiting jobs by id, in the order of the queue."""
        queue = self.mirror.queue
        return queue.jobs if isinstance(queue, ArrivalQueue) else {job.id: job for job in queue}

    @property
    def queue(self) -> ValuesView[Job]:
        """The waiting jobs, oldest announcement first (or in the order of a scheduler's own queue)."""
        return self.waiting.values()

    @property
    def running(self) -> dict[str, Running]:
        """The jobs that hold hosts by id, in the order of their starts."""
        return self.mirror.running

    @property
    def stopped(self) -> Mapping[str, int]:
        """The jobs that are paused until this is answered, and the number of hosts that each requests.

        0: it is at a scheduling point. ``Resize`` takes effect at once; without it a job continues unchanged.
        """
        return self.mirror.stopped

    @property
    def kept(self) -> Mapping[str, HostSet]:
        """Hosts reserved for running jobs until they can change, by job id; they are not free."""
        return self.mirror.kept

    @property
    def suspended(self) -> dict[str, tuple[Running, float]]:
        """Suspended jobs by id: as they ran, and when they were suspended (s)."""
        return self.mirror.suspended

    @property
    def all_submitted(self) -> bool:
        """Whether all jobs of the workloads have been submitted."""
        return self.mirror.all_submitted

    @property
    def ended(self) -> bool:
        """Whether the simulation is over."""
        return self.mirror.ended

    @property
    def free(self) -> HostPool:
        """The hosts that can be given to a job, as a copy that you may change.

        No job holds them (not even a part of them), they are available, awake, and not being switched.
        """
        return self.mirror.free.copy()

    @property
    def free_count(self) -> int:
        """The number of free hosts."""
        return len(self.mirror.free)

    @property
    def unavailable(self) -> HostSet:
        """The hosts that are not available, whether a job still runs there or not."""
        return self.mirror.unavailable

    @property
    def asleep(self) -> HostSet:
        """The hosts that are in a power state in which they cannot compute."""
        return self.mirror.asleep

    @property
    def switching(self) -> HostSet:
        """The hosts that are being switched on or off."""
        return self.mirror.waking | self.mirror.dozing

    def cores(self, host: int) -> int:
        """The cores of a host.

        Raises:
            UsageError: the protocol of this run does not provide them (Batsim 4).
        """
        if "cores" in self.missing:
            raise UsageError(f"the cores of hosts are not known here: {self.missing['cores']}")
        return self.hosts[host].cores

    def signal(self, name: str) -> Signal:
        """What a signal says over the whole run, by its name.

        Args:
            name: ``carbon`` (the carbon intensity of the grid, g/kWh), ``price`` (a currency per MWh), ``generation``
                (what the site generates, W) or ``power_cap`` (what its machines may draw, W).

        Raises:
            UsageError: the run was given none, or the protocol of this run does not provide it.
        """
        begins = self.mirror.begins
        found = None if begins is None else begins.signals.get(name)
        if found is None:
            raise UsageError(
                f"this run has no {name!r:.40} to follow",
                "add --energy with --carbon, --price, --generation or --power-cap; no protocol tells them",
            )
        return found

    def forecast(self, name: str, until: float, *, error: float = 0.0, seed: int = 0) -> Signal:
        """The same from now on, up to ``until`` (s) or as far as it is known.

        With an ``error`` each step to come is off by a share drawn from a normal distribution with this standard
        deviation, the same share whenever that step is forecast with the same ``seed``.

        Raises:
            UsageError: as for :meth:`signal`, or ``until`` is not finite where a signal repeats, or the error is
                no share from 0 to 100.
        """
        return self.signal(name).forecast(self.mirror.now, until, error=error, seed=seed)

    def left(self, host: int) -> dict[str, float]:
        """What is left of each resource of a host (``cores`` too); nothing if it is unavailable or taken whole.

        Raises:
            UsageError: the protocol of this run does not provide the cores of hosts.
        """
        self.cores(host)
        return self.mirror.left_of(host)

    def by_expected_end(self) -> list[Running]:
        """Running jobs by expected end (ties: in order of start)."""
        return [held for _, _, _, held in self.mirror.ends if isinstance(held, Running)]

    def apply(self, now: float, notices: Sequence[n.Notice]) -> None:
        """Update the view by what happened."""
        self.notices = notices
        mirror = self.mirror
        mirror.apply(now, notices)
        for running in mirror.refused:
            mirror.queue.add(running.job, now)
        for job in mirror.arrived:
            mirror.queue.add(job, now)

    def decided(self, decisions: Sequence[d.Decision]) -> None:
        """Update the view by what the scheduler itself decided."""
        for decision in decisions:
            try:
                self._decided(decision)
            except (TypeError, AttributeError):
                if not isinstance(decision, d.Decision) or not wrong_field(decision):
                    raise
                # Nothing has changed here, and the engine will refuse it.

    def _decided(self, decision: d.Decision) -> None:
        mirror = self.mirror
        if isinstance(decision, d.ExecuteJob):
            job = self.waiting.get(decision.job_id)
            if job is not None:
                mirror.start(job, decision.hosts, decision.amounts, decision.timestamp)
                mirror.queue.discard(job)
        elif isinstance(decision, d.ResumeJob):
            when = mirror.now if decision.timestamp is None else decision.timestamp
            mirror.resume(decision.job_id, decision.hosts, decision.amounts, when)
        elif isinstance(decision, d.ResizeJob):
            mirror.resize(decision.job_id, decision.hosts)
        elif isinstance(decision, d.RejectJob):
            job = self.waiting.get(decision.job_id)
            if job is not None:
                mirror.queue.discard(job)
        elif isinstance(decision, d.TurnOnOffHosts | d.SetResourceState):
            mirror.switch(decision.hosts, decision.state)
        elif not isinstance(decision, d.Decision):
            raise TypeError(f"expected decisions, not {type(decision).__name__} {decision!r:.50}")

    def __iter__(self) -> Iterator[Job]:
        return iter(self.mirror.queue)
