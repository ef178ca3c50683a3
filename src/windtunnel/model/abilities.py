"""What some workloads can do or tell besides: declared here, so that nobody looks for methods by name.

A workload has an ability when it has the members of its protocol. The functions ask for one, and say what holds of
workloads without it; a workload that stands in front of another answers through them. What workloads ask of
schedulers is in :mod:`windtunnel.model.asks`.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

from windtunnel.model.job import Job
from windtunnel.model.job_record import JobRecord, records_of
from windtunnel.model.profiles import Profile
from windtunnel.model.workload import Workload

__all__ = [
    "Accounting",
    "CountingProcessors",
    "Dated",
    "Dropping",
    "InBatches",
    "InRecords",
    "Lossy",
    "NamingOthers",
    "OfSharedNodes",
    "Report",
    "SizedForCores",
    "Waited",
    "WithDependencies",
    "WithOutcomes",
    "cores_per_host_of",
    "has_dependencies",
    "jobs_between",
    "lost_in",
    "outcomes_in",
    "records_between",
    "report_of",
    "start_date_of",
    "unused_profiles",
    "waits_in",
]


@runtime_checkable
class InBatches(Protocol):
    """Makes many jobs at less cost than one by one."""

    def jobs_between(self, first: int, stop: int, /) -> Sequence[Job]:
        """The jobs of the ranks from ``first`` to before ``stop``."""


@runtime_checkable
class InRecords(Protocol):
    """Makes records of jobs with its jobs, at less cost than by looking at these."""

    def records_between(self, first: int, stop: int, /) -> list[JobRecord]:
        """Those of the jobs of the ranks from ``first`` to before ``stop``."""


@runtime_checkable
class CountingProcessors(Protocol):
    """Its requests count processors: how many hosts a job needs depends on how many cores a host has."""

    def with_cores(self, cores_per_host: int, /) -> Workload:
        """The same workload for hosts of so many cores."""


@runtime_checkable
class OfSharedNodes(Protocol):
    """Its jobs count processors, and take cores of hosts on a site that says that its nodes are shared."""

    def in_parts(self) -> Workload:
        """The same workload, whose jobs take cores of their hosts."""


@runtime_checkable
class WithDependencies(Protocol):
    """Knows whether its jobs wait for others."""

    @property
    def has_dependencies(self) -> bool:
        """Whether a job waits for others before it is submitted."""


@runtime_checkable
class Dated(Protocol):
    """Knows the calendar date of time 0."""

    @property
    def start_date(self) -> float | None:
        """Seconds since 1970 (UTC); None where it is not known after all."""


class Report(Protocol):
    """An account of what was read, dropped and repaired; it prints as text."""

    @property
    def shifted(self) -> float:
        """So many seconds earlier than written are jobs submitted."""

    @property
    def overview(self) -> str:
        """What was read, without what is told otherwise."""


@runtime_checkable
class Accounting(Protocol):
    """Keeps account of what was read, dropped and repaired."""

    @property
    def report(self) -> Report | None:
        """The account; None when there is nothing to account for."""


@runtime_checkable
class Dropping(Protocol):
    """Has profiles that none of its jobs uses."""

    @property
    def unused(self) -> Mapping[str, Profile]:
        """These profiles, by full id."""


@runtime_checkable
class NamingOthers(Protocol):
    """Has jobs whose profiles are those of other workloads."""

    @property
    def elsewhere(self) -> Mapping[str, str]:
        """These jobs, by id: where the profile is named (a JSON pointer)."""


@runtime_checkable
class Lossy(Protocol):
    """Says less than what it was read from."""

    @property
    def lost(self) -> Sequence[str]:
        """What it does not say, in words."""


@runtime_checkable
class Waited(Protocol):
    """Knows how long its jobs waited in the log that it was read from."""

    @property
    def waits(self) -> Sequence[float]:
        """Seconds by rank of the job; -1 where it is not known."""


@runtime_checkable
class WithOutcomes(Protocol):
    """Knows what became of its jobs in the log that it was read from."""

    @property
    def outcomes(self) -> Sequence[str]:
        """A word such as ``completed``, ``failed`` or ``cancelled`` by rank of the job; empty where it knows none."""


@runtime_checkable
class SizedForCores(Protocol):
    """Was sized for hosts of some number of cores."""

    @property
    def cores_per_host(self) -> int:
        """The cores of a host."""


def jobs_between(workload: Workload, first: int, stop: int) -> Sequence[Job]:
    """The jobs of the ranks from ``first`` to before ``stop``."""
    if isinstance(workload, InBatches):
        return workload.jobs_between(first, stop)
    return [workload[rank] for rank in range(first, stop)]


def records_between(workload: Workload, first: int, stop: int) -> list[JobRecord]:
    """The records of these jobs, which will be submitted."""
    if isinstance(workload, InRecords):
        return workload.records_between(first, stop)
    return records_of(jobs_between(workload, first, stop))


def has_dependencies(workload: Workload) -> bool:
    """Whether a job waits for others before it is submitted."""
    return isinstance(workload, WithDependencies) and workload.has_dependencies


def start_date_of(workload: Workload) -> float | None:
    """The calendar date of time 0 (s since 1970, UTC); None when it is not known."""
    return workload.start_date if isinstance(workload, Dated) else None


def report_of(workload: Workload) -> Report | None:
    """The account of what was read, dropped and repaired; None when there is none."""
    return workload.report if isinstance(workload, Accounting) else None


def unused_profiles(workload: Workload) -> Mapping[str, Profile]:
    """The profiles that no job uses, as far as that is known."""
    return workload.unused if isinstance(workload, Dropping) else {}


def lost_in(workload: Workload) -> Sequence[str]:
    """What the workload does not say of what it was read from, in words."""
    return workload.lost if isinstance(workload, Lossy) else ()


def waits_in(workload: Workload) -> Sequence[float] | None:
    """How long jobs waited in the log (s, by rank; -1 where that is not known); None when there was none."""
    return workload.waits if isinstance(workload, Waited) else None


def outcomes_in(workload: Workload) -> Sequence[str] | None:
    """What became of jobs in the log, by rank; None when there was none, or it does not say."""
    return (workload.outcomes or None) if isinstance(workload, WithOutcomes) else None


def cores_per_host_of(workload: Workload) -> int:
    """For hosts of how many cores the workload was sized."""
    return workload.cores_per_host if isinstance(workload, SizedForCores) else 1
