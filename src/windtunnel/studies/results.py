"""The results of a study so far."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

import msgspec

from windtunnel.diagnostics import UsageError
from windtunnel.studies.directory import JOBS, JOURNAL, read_facts
from windtunnel.studies.findings import REPORTED, USUAL, differences, means, quantiles, ranking
from windtunnel.studies.frame import points_frame
from windtunnel.studies.journal import read_journal
from windtunnel.studies.plan import Point
from windtunnel.studies.statistics.ranking import Ranking
from windtunnel.studies.statistics.table import Table
from windtunnel.studies.trials import Outcome

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Progressed", "StudyResults"]

_LINES: Final = re.compile(r"\n(?!  )")
"""The separator between the lines of an account; a hint is continued below its line."""


class Progressed(msgspec.Struct, frozen=True, kw_only=True):
    """The progress of a study in points; ``seconds`` is the work spent on those that are done."""

    points: int
    done: int
    failed: int
    pending: int
    seconds: float


class StudyResults:
    """The results of a study, complete or so far."""

    def __init__(self, folder: Path, name: str, points: list[Point], outcomes: dict[str, Outcome]) -> None:
        self.folder = folder
        self.name = name
        self._points = points
        self._outcomes = outcomes

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read the results in the directory of a study.

        Raises:
            UsageError: there is no study, or it is damaged.
        """
        folder = Path(path)
        facts = read_facts(folder)
        return cls(folder, facts.name or folder.absolute().name, facts.points, read_journal(folder / JOURNAL))

    @cached_property
    def points(self) -> "pl.DataFrame":
        """One row per point, as in ``points.parquet``; see docs/guides/studies.md for the columns."""
        return points_frame(self._points, self._outcomes)

    @cached_property
    def done(self) -> "pl.DataFrame":
        """The rows of the points that have results."""
        import polars as pl

        return self.points.filter(pl.col("status") == "done")

    @property
    def progress(self) -> Progressed:
        """The progress of the study."""
        counts = dict(self.points["status"].value_counts().iter_rows())
        keys = {point.key for point in self._points}
        return Progressed(
            points=len(self._points),
            done=counts.get("done", 0),
            failed=counts.get("failed", 0),
            pending=counts.get("pending", 0),
            seconds=sum(one.seconds for key, one in self._outcomes.items() if key in keys),
        )

    @property
    def errors(self) -> dict[str, int]:
        """The reasons why points failed, with the number of points for each; the most frequent first."""
        return _counted(self.points["error"].drop_nulls().to_list())

    @property
    def accounts(self) -> dict[str, int]:
        """What did not take effect as written, with the number of points for each; the most frequent first."""
        return _counted(line for text in self.points["account"].drop_nulls() for line in _LINES.split(text))

    def means(self, metric: str = USUAL, **options: Any) -> Table:
        """The mean of a figure in each group of points, with confidence intervals over the seeds.

        Args:
            metric: a column of :attr:`points` such as ``waiting_time_mean``.
            options: ``by`` (columns to group by, besides the scheduler; default: all that vary except seeds),
                ``confidence`` (0.95), ``method`` (``t`` or ``bootstrap``).

        Raises:
            UsageError: there is no such figure, column or method.
            MissingExtraError: scipy is not installed.
        """
        return means(self.done, metric, **options)

    def quantiles(self, metric: str = USUAL, share: float = 0.5, **options: Any) -> Table:
        """A quantile of a figure over the points of each group (the median for a share of 0.5), with intervals.

        ``method`` is ``order`` (exact, between values) or ``bootstrap``; otherwise as for :meth:`means`.
        """
        return quantiles(self.done, metric, share, **options)

    def differences(self, baseline: object, metric: str = USUAL, **options: Any) -> Table:
        """Paired differences between each policy and a baseline on the same inputs, with intervals, p-values (also
        Holm-adjusted for several policies), and effect sizes (Cohen's d, Vargha and Delaney's A).

        Args:
            baseline: the label of a scheduler, or another value of ``among``.
            metric: a column of :attr:`points`.
            options: ``by`` (columns: one row for each of their values), ``among`` (what to compare: ``scheduler``),
                ``confidence``, ``method``.

        Raises:
            UsageError: there is no such policy, figure or column.
            MissingExtraError: scipy is not installed.
        """
        return differences(self.done, baseline, metric, **options)

    def ranking(self, metric: str = USUAL, **options: Any) -> Ranking:
        """The policies by mean rank over all inputs, with Friedman's, Iman and Davenport's and Nemenyi's tests.

        Options are ``among`` and ``confidence``.

        Raises:
            UsageError: there is no such figure, or there are fewer than two policies or inputs.
            MissingExtraError: scipy is not installed.
        """
        return ranking(self.done, metric, **options)

    def report(
        self, path: str | Path | None = None, metrics: str | Sequence[str] = REPORTED, **options: Any
    ) -> Path:
        """Write one self-contained HTML page about the study (default: ``report.html`` in its directory).

        Options are ``baseline`` (the label of a scheduler; default: the first) and ``confidence``.

        Raises:
            UsageError: there is nothing to report, or the page cannot be written.
            MissingExtraError: scipy is not installed.
        """
        from windtunnel.studies.page import Reported, write_page

        now = self.progress
        study = Reported(self.name, self.done, now.points, now.failed, self.errors, self.accounts)
        shown = [metrics] if isinstance(metrics, str) else metrics
        return write_page(study, Path(path) if path else self.folder / "report.html", shown, **options)

    def jobs(self) -> "pl.LazyFrame":
        """The jobs of all points, with the number and the key of each point.

        Raises:
            UsageError: the study does not keep job tables.
        """
        import polars as pl

        if not any((self.folder / JOBS).glob("point=*/key=*/jobs.parquet")):
            hint = "run it with job_tables = true" if self.done.height else "no point of it has a result yet"
            raise UsageError("the study keeps no tables of jobs", hint)
        return pl.scan_parquet(self.folder / JOBS / "**" / "*.parquet", hive_partitioning=True)

    def __repr__(self) -> str:
        now = self.progress
        return f"<StudyResults {self.name}: {now.done:,} of {now.points:,} points, {now.failed:,} failed>"


def _counted(texts: Iterable[str]) -> dict[str, int]:
    return dict(Counter(texts).most_common())
