"""Streams of work: workloads (jobs by submission time) and external events."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, Protocol, Self, runtime_checkable

import msgspec

from windtunnel.diagnostics import Finding, UsageError, counted
from windtunnel.model.asks import Some, asks_of_jobs
from windtunnel.model.event_kinds import event_kind_of
from windtunnel.model.hostset import HostSet
from windtunnel.model.job import Job
from windtunnel.model.plain import plain_numbers
from windtunnel.model.profiles import DelayProfile, Profile

__all__ = ["EventList", "ExternalEvent", "JobList", "ShownWorkload", "Workflow", "Workload"]


@runtime_checkable
class Workload(Protocol):
    """Jobs in order of submission, made on demand so that a long trace needs little memory. Picklable.

    What else some workloads can do or provide is declared in :mod:`windtunnel.model.abilities`.
    """

    name: str
    """The part of the job ids before ``!``."""
    path: str
    """The absolute path of the file it came from, or ""."""

    @property
    def profiles(self) -> Mapping[str, Profile]:
        """All named profiles, by full id (empty for formats without named profiles)."""

    @property
    def hosts(self) -> int:
        """The number of hosts the workload was made for; 0 when unknown."""

    def __len__(self) -> int: ...

    def __getitem__(self, index: int, /) -> Job:
        """The job with this rank in order of submission."""

    def __iter__(self) -> Iterator[Job]: ...


_PLAIN_TIMES: Final = frozenset({float, int})


def _plain(job: Job) -> Job:
    profile, request = job.profile, job.request
    whole = type(request.hosts) is int and type(request.processors) is int and type(profile.return_code) is int
    times = type(job.submission_time) in _PLAIN_TIMES and type(job.walltime) in _PLAIN_TIMES
    if isinstance(profile, DelayProfile):
        times = times and type(profile.delay) in _PLAIN_TIMES
    return job if whole and times else plain_numbers(job)


class ShownWorkload:
    """How a workload prints: its size, never its jobs."""

    name: str
    path: str

    def __len__(self) -> int:
        raise NotImplementedError

    def __repr__(self) -> str:
        origin = f" of {self.path}" if self.path else ""
        return f"<{type(self).__name__} {self.name!r}: {counted(len(self), 'job')}{origin}>"

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from windtunnel.diagnostics.html_tables import html_table

        return html_table([("jobs", f"{len(self):,}"), ("from", self.path or "memory")], (), self.name)


class JobList(ShownWorkload):
    """A workload held as a list; sorted by (submission time, id) as Batsim does."""

    cores_per_host: int = 1
    """The number of cores per host for which it was sized, if its jobs count processors."""

    def __init__(
        self,
        name: str,
        jobs: Sequence[Job],
        profiles: Mapping[str, Profile] | None = None,
        *,
        hosts: int = 0,
        path: str = "",
    ) -> None:
        self.name = name
        self.path = path
        self.profiles: Mapping[str, Profile] = profiles if profiles is not None else {}
        self.hosts = hosts
        asking = [job for job in jobs if job.dependencies or job.queue or job.request.amounts or job.ask is not None]
        self.has_dependencies = any(job.dependencies for job in asking)
        """Whether any job waits for others before it is submitted."""
        self.warnings: tuple[Finding, ...] = ()
        """What the reader found suspicious, or could not express."""
        try:
            self.asks = asks_of_jobs(asking)
        except (TypeError, ValueError) as fault:
            hint = "amounts are a tuple of names and numbers, such as (('core', 4), ('memory', 2e9))"
            raise UsageError(f"workload {name!r}: amounts that jobs request cannot be read: {fault}", hint) from None
        self._jobs = [_plain(job) for job in jobs]
        with suppress(TypeError):  # of jobs made in Python: refused by name before they are simulated
            self._jobs.sort(key=lambda job: (job.submission_time, job.id))

    def __len__(self) -> int:
        return len(self._jobs)

    def __getitem__(self, index: int, /) -> Job:
        return self._jobs[index]

    def jobs_between(self, first: int, stop: int) -> list[Job]:
        """The jobs of these ranks."""
        return self._jobs[first:stop]

    def __iter__(self) -> Iterator[Job]:
        return iter(self._jobs)

    def larger_than(self, hosts: int, cores: int | None) -> Some | None:
        """The jobs that request more than the platform has; see :class:`~windtunnel.model.asks.Sized`."""
        if cores is None:
            wanted = [(job.request.hosts, job.id) for job in self._jobs if job.request.hosts > hosts]
        else:
            whole = cores // max(hosts, 1)
            counted = [(job.request.processors or job.request.hosts * whole, job.id) for job in self._jobs]
            wanted = [one for one in counted if one[0] > cores]
        return Some(len(wanted), wanted[0][1], max(wanted)[0]) if wanted else None

    def cores_in_vain(self) -> Some | None:
        """The jobs that use fewer cores than their hosts have; see :class:`~windtunnel.model.asks.Sized`."""
        cores = self.cores_per_host
        if cores == 1:
            return None
        counted = [
            (job.request.hosts * cores - job.request.processors, job.id)
            for job in self._jobs
            if 0 < job.request.processors < job.request.hosts * cores and not job.request.amounts
        ]
        return Some(len(counted), counted[0][1], sum(number for number, _ in counted)) if counted else None


class Workflow(JobList):
    """Tasks that wait for others, submitted as by Batsim 4 (batsim-inputs.md 9).

    When everything that a task waits for has ended, it becomes a job whose name is its rank of submission.
    """

    def __init__(
        self,
        name: str,
        tasks: Sequence[Job],
        children: Mapping[str, Sequence[str]],
        *,
        start: float = 0.0,
        limit: int = 0,
        path: str = "",
    ) -> None:
        super().__init__(name, tasks, path=path)
        self.has_dependencies = False  # as far as the engine's general way of holding jobs back is concerned
        self.children = children
        """Ids of the tasks that wait for each task, in the order in which they become ready."""
        self.start = start
        """When tasks without dependencies are submitted (s)."""
        self.limit = limit
        """The maximum number of tasks that are submitted but not ended; 0: unlimited."""


class ExternalEvent(msgspec.Struct, kw_only=True):
    """Something that happens outside the scheduler's control at ``timestamp`` (s).

    Kinds the engine knows: ``machine_available``, ``machine_unavailable`` (Batsim 4), ``generic`` (Batsim 5: opaque
    ``data``), ``machine_state`` and ``scheduler_change`` (JSSPP-OSP). Others are forwarded unchanged: those that are
    registered (:mod:`~windtunnel.model.event_kinds`), and all others if that is requested.
    """

    timestamp: float
    kind: str
    id: str = ""
    hosts: HostSet = msgspec.field(default_factory=HostSet)
    data: str = ""
    attributes: dict[str, Any] = {}
    """Other members of the input object, as read."""

    @classmethod
    def of(cls, timestamp: float, value: Any, id: str = "") -> Self:  # noqa: A002 -- the field's name
        """An event of a registered kind (see :func:`windtunnel.external_event`), from its data.

        Raises:
            UsageError: the class of ``value`` is not registered.
        """
        kind = event_kind_of(value)
        whole = {"type": kind.name, "timestamp": timestamp, **kind.members(value)}
        return cls(timestamp=timestamp, kind=kind.name, id=id, hosts=kind.hosts(value), attributes=whole)


class EventList(msgspec.Struct, kw_only=True):
    """External events of one file, in order of time."""

    name: str
    events: tuple[ExternalEvent, ...]
    path: str = ""
    warnings: tuple[Finding, ...] = ()
    """What the reader found suspicious in the input."""

    def renumbered(self, number: Callable[[HostSet], HostSet]) -> "EventList":
        """The same events for a component that numbers hosts differently, and may not know all of them."""
        events = tuple(msgspec.structs.replace(event, hosts=number(event.hosts)) for event in self.events)
        return msgspec.structs.replace(self, events=events)
