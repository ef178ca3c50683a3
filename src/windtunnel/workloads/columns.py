"""The jobs of an arranged workload as columns of numbers: where each comes from, and what of it is changed."""

import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

from windtunnel.diagnostics import UsageError
from windtunnel.model import DelayProfile, Job, Workload
from windtunnel.model.abilities import outcomes_in, start_date_of

__all__ = ["Columns"]

_ONE: Final = 0
_BOTH: Final = 1
_ALL: Final = 2
_MARKED: Final = re.compile(r"\d+:")


class Columns:
    """Jobs in order of submission. Operations change these columns; jobs are made from them when asked for."""

    def __init__(self, bases: Sequence[Workload]) -> None:
        self.bases = list(bases)
        """The workloads that jobs come from."""
        self.origins = array("H")
        """For each job the rank of its workload in ``bases``."""
        self.ranks = array("q")
        """Its rank there."""
        self.submits = array("d")
        """When it is submitted (s)."""
        self.walltimes: array[float] | None = None
        """Its walltime (s) where that is changed; None: all are as they were."""
        self.processors: array[int] | None = None
        """The processors (or hosts) it requests where that is changed; None: all are as they were."""
        self.copies: array[int] | None = None
        """Tells jobs apart that come from one; None: none does."""
        self.elastic: array[int] | None = None
        """Whether it can change size, by ``plan``; None: none can."""
        self.plan: Any = None
        """How jobs change size (see ``operations.elasticity``)."""
        self.marks = -1
        """How names are told apart: -1 not known yet, 0 by one number, 1 by two, 2 by two of every job."""
        self.hosts = 0
        """For how many hosts (or processors) the workload is made; 0: unknown."""
        self.start_date: float | None = None
        """Seconds since 1970 at time 0; None: unknown."""

    @classmethod
    def of(cls, workload: Workload) -> "Columns":
        """A workload as it is."""
        made = cls([workload])
        made.submits.extend(job.submission_time for job in workload)
        made.ranks.extend(range(len(made.submits)))
        made.origins.extend([0] * len(made.submits))
        made.hosts = workload.hosts
        made.start_date = start_date_of(workload)
        return made

    def __len__(self) -> int:
        return len(self.submits)

    def source(self, index: int) -> Job:
        """The job that the one of this rank comes from, unchanged."""
        return self.bases[self.origins[index]][self.ranks[index]]

    def mark(self, index: int) -> str:
        """What stands before the names of jobs of merged workloads, and of copies: a number each tells them apart.

        Both numbers where there are both, and before all names where some begin so by themselves.
        """
        origin, copy = self.origins[index], self.copies[index] if self.copies is not None else 0
        if self.marks < 0:
            self.marks = self._marks()
        if self.marks and (origin or copy or self.marks == _ALL):
            return f"{origin}:{copy}:"
        return f"{origin}:" * (origin > 0) + f"{copy}:" * (copy > 0)

    def _marks(self) -> int:
        """How names are told apart (see :attr:`marks`)."""
        copies, merged = self.copies is not None and any(self.copies), len(self.bases) > 1
        if not copies and not merged:
            return _ONE
        if any(_MARKED.match(job.name) for base in self.bases for job in base):
            return _ALL
        return _BOTH if copies and merged else _ONE

    def sources(self) -> Iterator[Job]:
        """The jobs they come from, unchanged, in order; whole workloads are gone through in one go."""
        if len(self.bases) == 1 and self.ranks == array("q", range(len(self.bases[0]))):
            yield from self.bases[0]
        else:
            yield from map(self.source, range(len(self)))

    def sizes(self) -> "array[int]":
        """The processors each job requests; hosts where it counts no processors."""
        if self.processors is not None:
            return array("q", self.processors)
        return array("q", (job.request.processors or job.request.hosts for job in self.sources()))

    def runs(self, why: str) -> "array[float]":
        """How long each job runs (s).

        Raises:
            UsageError: a job's profile does not say; ``why`` is what needs it.
        """
        runs = array("d")
        for job in self.sources():
            if not isinstance(job.profile, DelayProfile):
                raise UsageError(f"{why} needs run times, and job {job.id!r} has none before it is simulated")
            runs.append(job.profile.delay)
        return runs

    def outcomes(self, why: str) -> list[str]:
        """What became of each job in the log that it comes from.

        Raises:
            UsageError: a workload does not say; ``why`` is what needs it.
        """
        known = [outcomes_in(base) for base in self.bases]
        for base, words in zip(self.bases, known, strict=True):
            if words is None and len(base):
                raise UsageError(f"{why}: the workload {base.name!r} does not say what became of its jobs")
        return [(known[origin] or ())[rank] for origin, rank in zip(self.origins, self.ranks, strict=True)]

    def keep(self, indices: Iterable[int]) -> None:
        """Only the jobs of these ranks, in this order; a rank may come again."""
        chosen = list(indices)
        for name in ("origins", "ranks", "submits", "walltimes", "processors", "copies", "elastic"):
            column = getattr(self, name)
            if column is not None:
                setattr(self, name, array(column.typecode, (column[index] for index in chosen)))

    def keep_where(self, wanted: Callable[[Job], bool]) -> None:
        """Only the jobs that come from such jobs."""
        self.keep([index for index, job in enumerate(self.sources()) if wanted(job)])

    def sort(self) -> None:
        """By submission; jobs of one instant stay in their order."""
        self.keep(sorted(range(len(self)), key=self.submits.__getitem__))
