"""A progress bar for long runs, on a terminal only."""

import sys
from collections.abc import Mapping, Sequence
from time import monotonic
from typing import Any

from windtunnel.model import JobRecord, Platform, Workload
from windtunnel.vocabulary import Observer

__all__ = ["ProgressBar", "progress_observers"]


class ProgressBar(Observer):
    """Counts ended jobs against those of the workloads."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._progress.add_task("simulating", total=None)
        self._done = 0
        self._shown = 0.0

    def on_begin(self, now: float, platform: Platform, workloads: Sequence[Workload]) -> None:
        """Show the bar."""
        del now, platform
        self._progress.start()
        self._progress.update(self._task, total=sum(map(len, workloads)))

    def on_job_ended(self, now: float, record: JobRecord) -> None:
        """One more."""
        del record
        self._done += 1
        if self._done & 255 == 0 and monotonic() - self._shown > 0.2:
            self._shown = monotonic()
            self._progress.update(self._task, completed=self._done, description=f"simulated {now / 86400:.1f} days")

    def on_job_rejected(self, now: float, record: JobRecord) -> None:
        """One more."""
        self.on_job_ended(now, record)

    def on_end(self, now: float, outcome: str, totals: Mapping[str, Any]) -> None:
        """Take the bar away."""
        del now, outcome, totals
        self._progress.stop()


def progress_observers(*, wanted: bool) -> list[Observer]:
    """The bar, if it is wanted and there is a terminal to show it on."""
    return [ProgressBar()] if wanted and sys.stderr.isatty() else []
