"""A recorded run, with its report, plots, comparisons and explanations."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windtunnel.results.run import Run as RecordedRun
from windtunnel.results.trimming import Trim

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from windtunnel.results.compare import Comparison
    from windtunnel.results.explanation import Explanation
    from windtunnel.results.fairness import Fairness

__all__ = ["Run", "load_run"]


class Run(RecordedRun):
    """The results of a run, in memory or in a directory: outcome, metrics, jobs, report, plots and comparisons."""

    @property
    def directory(self) -> Path | None:
        """Where the files are; None if nothing was written."""
        recording = self._recording
        stem = self.name if recording is None else recording.layout.stem
        return None if stem is None else Path(stem) if Path(stem).is_dir() else Path(stem).parent

    def read(self, name: str) -> bytes | None:
        """The content of one of the run's files (``jobs.csv``...), even if they are kept in memory."""
        return self.file(name)

    def report(
        self,
        path: str | Path,
        *,
        beside: Sequence[RecordedRun] = (),
        warm_up: Trim = 0.0,
        cool_down: Trim = 0.0,
    ) -> Path:
        """Write one self-contained HTML page about the run, side by side with other runs if any are given.

        Raises:
            UsageError: a trim is malformed, or nothing remains.
            SimulationError: the file cannot be written.
        """
        from windtunnel.report.page import write_report

        return write_report(self, path, beside=beside, warm_up=warm_up, cool_down=cool_down)

    def plot(
        self,
        kind: str = "gantt",
        path: str | Path | None = None,
        *,
        ax: "Axes | None" = None,
        beside: Sequence[RecordedRun] = (),
        size: tuple[float, float] | None = None,
        style: str = "screen",
        columns: float | None = None,
    ) -> "Axes":
        """Draw ``gantt``, ``utilisation``, ``queue``, ``power``, ``waits`` or ``slowdowns``; returns its axes.

        Args:
            kind: which plot.
            path: a PNG, SVG or PDF file in which to save it as well.
            ax: axes to draw on, such as those of a figure with several; default: a new figure.
            beside: further runs to draw on the same axes (not for ``gantt``).
            size: width and height of a new figure in inches.
            style: ``screen``, or ``paper``: fonts and lines for print.
            columns: the width of a new figure in columns of a two-column paper.

        Raises:
            UsageError: there is no such plot, style or format.
            MissingExtraError: matplotlib is not installed.
        """
        from windtunnel.report.plots import plot

        return plot(self, kind, path, ax=ax, beside=beside, size=size, style=style, columns=columns)

    def compare(self, other: RecordedRun, **options: Any) -> "Comparison":
        """The differences between this run (a) and another (b); options as for ``results.compare.compare``."""
        from windtunnel.results.compare import compare

        return compare(self, other, **options)

    def fairness(self) -> "Fairness":
        """How evenly jobs and users were treated: Gini's and Jain's indices, fair starts, stretch by user."""
        from windtunnel.results.fairness import fairness

        return fairness(self)

    def why(self, job: str) -> "Explanation":
        """Why a job waited.

        Raises:
            UsageError: there is no such job in the run.
        """
        from windtunnel.results.why import explain

        return explain(self, job)


load_run = Run.load
