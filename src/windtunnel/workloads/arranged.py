"""A workload and what is to be done to it: nothing is computed before a job is asked for."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final, Literal

from msgspec.structs import replace

from windtunnel.diagnostics import Finding, Severity, UsageError
from windtunnel.model import Job, Profile, Workload
from windtunnel.model.abilities import CountingProcessors, unused_profiles
from windtunnel.model.asks import Ask, Some, Warned, asks_of_jobs
from windtunnel.model.job import restated
from windtunnel.model.workload import ShownWorkload
from windtunnel.workloads.columns import Columns
from windtunnel.workloads.merged_profiles import told_apart
from windtunnel.workloads.operations import Operation, applied, checked
from windtunnel.workloads.operations.elasticity import elastic_job
from windtunnel.workloads.sizing import Sizing

__all__ = ["NO_WALLTIMES", "Arranged"]

NO_WALLTIMES: Final = "no-walltimes"
"""The code of the finding that jobs request no time."""
_AHEAD = 64
"""Jobs that are made at once when all are gone through."""


class Arranged(ShownWorkload):
    """A workload to which operations are applied in their order, each when a job is first asked for.

    Every method returns a new workload; what it did stands in the account of a run. With equal seeds the jobs are
    equal::

        wt.arrange(wt.read_workload("kth.swf")).slice("1996-10", weeks=4).scale_load(0.9)
    """

    def __init__(self, base: Workload, operations: Sequence[Operation] = (), *, sizing: Sizing | None = None) -> None:
        self.base = base
        self.name = base.name
        """The part of the job ids before ``!``."""
        self.path = base.path
        """The absolute path of the file it came from, or ""."""
        self.operations = tuple(operations)
        """What is done, in order."""
        self.sizing = sizing or Sizing()
        """For which hosts jobs that count processors are sized."""

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("base", "name", "path", "operations", "sizing")}

    @property
    def cores_per_host(self) -> int:
        """The cores of a host, for jobs that count processors."""
        return self.sizing.cores_per_host

    def apply(self, operation: str, /, *arguments: Any, **options: Any) -> "Arranged":
        """The operation of this name, with its options; see ``windtunnel.workloads.operations.OPERATIONS``.

        Raises:
            UsageError: there is no such operation, or it has no such option.
        """
        return Arranged(self.base, (*self.operations, checked(operation, arguments, options)))

    def scale_load(self, load: float, *, hosts: int = 0) -> "Arranged":
        """Arrivals nearer together or farther apart, until the offered load is ``load`` (1: as much as there is).

        The offered load is the work (processor-seconds) over what so many ``hosts`` (0: those that the workload is
        made for) could do from the first to the last arrival. All gaps change by one factor, daily cycles with them.
        """
        return self.apply("scale_load", load, hosts=hosts)

    def slice(
        self, start: str | float = 0.0, *, weeks: float = 0.0, days: float = 0.0, hours: float = 0.0
    ) -> "Arranged":
        """The jobs submitted from ``start`` on (s, or a date in the log's calendar such as ``2014-06``), for so long.

        Time 0 is the start of the slice. Without a length the slice reaches to the end.
        """
        return self.apply("slice", start, weeks=weeks, days=days, hours=hours)

    def filter(
        self, *, user: str = "", group: str = "", queue: str = "", name: str = "", status: str = ""
    ) -> "Arranged":
        """The jobs of this user, group, queue, name or status; ``*`` and ``?`` stand for any text and any character.

        ``status`` is what became of a job in its log: ``completed``, ``failed``, ``cancelled``...
        """
        return self.apply("filter", user=user, group=group, queue=queue, name=name, status=status)

    def first(self, number: int, *, after: int = 0) -> "Arranged":
        """The first so many jobs; with ``after``, of those that follow so many others."""
        return self.apply("first", number, after=after)

    def resample(self, seed: int, *, weeks: int = 0, regular_weeks: int = 6) -> "Arranged":
        """Weeks of users drawn at random: another workload of the same users, of so many weeks (0: as many).

        Users whose first and last job lie ``regular_weeks`` or more apart are regular ones; see
        ``windtunnel.workloads.operations.resampling`` for the rule and its source.
        """
        return self.apply("resample", seed, weeks=weeks, regular_weeks=regular_weeks)

    def from_sessions(self, seed: int, *, weeks: int = 0, gap: float = 1200.0) -> "Arranged":
        """A workload like this one, of so many weeks (0: as many): sessions of its users drawn at random.

        A longer ``gap`` (s) between submissions of a user ends a session; see
        ``windtunnel.workloads.operations.sessions`` for the rule and its source.
        """
        return self.apply("from_sessions", seed, weeks=weeks, gap=gap)

    def shake(self, seed: int, *, seconds: float) -> "Arranged":
        """Each arrival moved at random by up to so many seconds, earlier or later."""
        return self.apply("shake", seed, seconds=seconds)

    def merge(self, other: Workload, *, by_date: bool = False) -> "Arranged":
        """The jobs of both workloads, each at its own time; with ``by_date`` at its own date in the logs' calendars.

        Time 0 is then the earlier of the two dates at which they start.

        Raises:
            UsageError: the other is not a workload: :func:`windtunnel.read_workload` reads one from a file.
        """
        if not isinstance(other, Workload):
            hint = "wt.read_workload(path) reads a file" if isinstance(other, str) else ""
            raise UsageError(f"merge takes a Workload, not a {type(other).__name__}", hint)
        return Arranged(self.base, (*self.operations, checked("merge", (other,), {"by_date": by_date})))

    def with_estimates(
        self,
        model: Literal["exact", "f-model", "tsafrir"],
        *,
        seed: int = 1,
        factor: float = 2.0,
        longest: float = 0.0,
    ) -> "Arranged":
        """Walltimes made anew: exact, the f-model (with its ``factor``), or Tsafrir's (``longest`` s at most)."""
        return self.apply("with_estimates", model, seed=seed, factor=factor, longest=longest)

    def with_elasticity(self, share: float, **options: Any) -> "Arranged":
        """A share of the jobs can change size; see ``windtunnel.workloads.operations.elasticity`` for the options."""
        return self.apply("with_elasticity", share, **options)

    def to_hosts(self, number: int) -> "Arranged":
        """Sizes for a machine of so many hosts (or processors), in the proportion to the machine it was made for."""
        return self.apply("to_hosts", number)

    @cached_property
    def _arranged(self) -> tuple[Columns, tuple[str, ...]]:
        columns = Columns.of(self.base)
        done = []
        for operation in self.operations:
            done.append(f"{operation}: {applied(operation, columns)}")
        return columns, tuple(done)

    @cached_property
    def _kept(self) -> Mapping[str, int]:
        """The ids of all jobs and their ranks, if any job waits for others."""
        columns, _ = self._arranged
        if not any(job.dependencies for job in columns.sources()):
            return {}
        return {self._id(columns, index, job.name): index for index, job in enumerate(columns.sources())}

    @property
    def columns(self) -> Columns:
        """The jobs as columns of numbers."""
        return self._arranged[0]

    @cached_property
    def _profiles(self) -> list[dict[str, Profile]]:
        """The named profiles of each workload, by the ids that they have there."""
        return told_apart(self.name, [{**base.profiles, **unused_profiles(base)} for base in self.columns.bases])

    @property
    def profiles(self) -> Mapping[str, Profile]:
        """All named profiles, by full id."""
        used = [base.profiles for base in self.columns.bases]
        return {own[one].id: own[one] for own, names in zip(self._profiles, used, strict=True) for one in names}

    @property
    def unused(self) -> Mapping[str, Profile]:
        """The profiles that no job uses, as far as that is known."""
        profiles = self.profiles
        return {one.id: one for own in self._profiles for one in own.values() if one.id not in profiles}

    @property
    def hosts(self) -> int:
        """The number of hosts the workload is made for; 0 when unknown."""
        return -(-self.columns.hosts // self.cores_per_host)

    @property
    def start_date(self) -> float | None:
        """Seconds since 1970 (UTC) at time 0; None when it is not known."""
        return self.columns.start_date

    @property
    def has_dependencies(self) -> bool:
        """Whether a job waits for others before it is submitted."""
        return bool(self._kept)

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """What the readers of its workloads found, and what each operation did."""
        columns, done = self._arranged
        read = [finding for base in columns.bases if isinstance(base, Warned) for finding in base.warnings]
        if columns.walltimes is not None:
            read = [finding for finding in read if finding.code != NO_WALLTIMES]
        where = self.path or self.name
        notes = [Finding(where, code="arranged", message=text, severity=Severity.NOTE) for text in done]
        if self._dropped_dependencies:
            message = "jobs wait for jobs that are not kept, or come later: they are not waited for"
            notes.append(
                Finding(
                    where,
                    code="dropped",
                    message=message,
                    severity=Severity.WARNING,
                    count=self._dropped_dependencies,
                )
            )
        return (*read, *notes)

    @cached_property
    def _dropped_dependencies(self) -> int:
        jobs = enumerate(self.columns.sources())
        return sum(len(job.dependencies) - len(self._dependencies(self.columns, index, job)) for index, job in jobs)

    @cached_property
    def asks(self) -> tuple[Ask, ...]:
        """What jobs ask for besides hosts."""
        asking = (job for job in self if job.dependencies or job.queue or job.request.amounts)
        return asks_of_jobs(list(asking))

    def larger_than(self, hosts: int, cores: int | None) -> Some | None:
        """The jobs that want more than there is; see :class:`~windtunnel.model.asks.Sized`."""
        ranks, most = self.sizing.larger_than(self.columns, hosts, cores)
        return Some(len(ranks), self[ranks[0]].id, most) if ranks else None

    def cores_in_vain(self) -> Some | None:
        """The jobs that use fewer cores than their hosts have; see :class:`~windtunnel.model.asks.Sized`."""
        ranks, fewer = self.sizing.cores_in_vain(self.columns)
        return Some(len(ranks), self[ranks[0]].id, fewer) if ranks else None

    def with_cores(self, cores_per_host: int) -> "Arranged":
        """The same jobs for hosts of so many cores, where they count processors."""
        if not self._counts_processors:
            return self
        if cores_per_host < 1:
            raise UsageError(f"a host has at least one core, not {cores_per_host}")
        return Arranged(self.base, self.operations, sizing=Sizing(cores_per_host, self.sizing.parts))

    @property
    def _counts_processors(self) -> bool:
        """Whether a workload of which jobs come does, as far as that is known before any is asked for."""
        merged = [operation.options["other"] for operation in self.operations if operation.name == "merge"]
        return any(
            one._counts_processors if isinstance(one, Arranged) else isinstance(one, CountingProcessors)
            for one in (self.base, *merged)
        )

    def in_parts(self) -> "Arranged":
        """The same jobs; those of logs that count processors take cores of their hosts."""
        return Arranged(self.base, self.operations, sizing=Sizing(self.cores_per_host, parts=True))

    def __len__(self) -> int:
        return len(self.columns)

    def __iter__(self) -> Iterator[Job]:
        for first in range(0, len(self), _AHEAD):
            yield from self.jobs_between(first, first + _AHEAD)

    def __getitem__(self, index: int, /) -> Job:
        count = len(self)
        if index < 0:
            index += count
        if not 0 <= index < count:
            raise IndexError(index)
        return self._job(index)

    def jobs_between(self, first: int, stop: int) -> list[Job]:
        """The jobs of the ranks from ``first`` to before ``stop``."""
        return [self._job(index) for index in range(first, min(stop, len(self)))]

    def _id(self, columns: Columns, index: int, name: str) -> str:
        """Of the job of this name that comes from where the one of this rank comes from."""
        return f"{self.name}!{columns.mark(index)}{name}"

    def _job(self, index: int) -> Job:
        columns = self.columns
        job = columns.source(index)
        made = replace(
            job,
            id=self._id(columns, index, job.name),
            request=self.sizing.request(columns, index, job.request),
            profile=self._profiles[columns.origins[index]].get(job.profile.id, job.profile),
            submission_time=columns.submits[index],
            walltime=job.walltime if columns.walltimes is None else columns.walltimes[index],
            dependencies=self._dependencies(columns, index, job) if job.dependencies else (),
        )
        if columns.elastic is not None and columns.elastic[index]:
            made = elastic_job(made, columns.plan)
        return restated(made, job)

    def _dependencies(self, columns: Columns, index: int, job: Job) -> tuple[str, ...]:
        """The jobs that it waits for: those of its own workload that are kept and, of copies, come before it."""
        found = [self._id(columns, index, one.partition("!")[2]) for one in job.dependencies]
        last = len(columns) if columns.copies is None else index
        return tuple(one for one in found if self._kept.get(one, last) < last)
