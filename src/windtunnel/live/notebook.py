"""A progress bar in notebooks, for runs that take a while; elsewhere there is none."""

from collections.abc import Mapping, Sequence
from html import escape
from time import monotonic
from typing import Any, Final

from windtunnel.diagnostics import show_duration
from windtunnel.diagnostics.notebooks import in_notebook
from windtunnel.model import JobRecord, Platform, Workload
from windtunnel.vocabulary import Observer

__all__ = ["NotebookProgress", "notebook_progress"]

QUIET: Final = 1.0
"""Runs shorter than this (s) show nothing."""
_EVERY: Final = 0.25
_LOOK: Final = 0x3F
"""The clock is read once in so many ends of jobs, and one."""


def notebook_progress() -> list[Observer]:
    """The bar, in a notebook."""
    return [NotebookProgress()] if in_notebook() else []


class NotebookProgress(Observer):
    """Counts ended jobs against those of the workloads, in one output that is updated in place."""

    def __init__(self) -> None:
        self._total = 0
        self._done = 0
        self._shown = monotonic() + QUIET - _EVERY
        self._display: Any = None

    def on_begin(self, now: float, platform: Platform, workloads: Sequence[Workload]) -> None:
        """Take the number of jobs."""
        del now, platform
        self._total = sum(map(len, workloads))

    def on_job_ended(self, now: float, record: JobRecord) -> None:
        """One more."""
        del record
        self._done += 1
        if self._done & _LOOK == 0 and monotonic() - self._shown > _EVERY:
            self._shown = monotonic()
            self._show(f"simulated {show_duration(now)}")

    def on_job_rejected(self, now: float, record: JobRecord) -> None:
        """One more."""
        self.on_job_ended(now, record)

    def on_end(self, now: float, outcome: str, totals: Mapping[str, Any]) -> None:
        """What is shown, if anything is, stays as a line."""
        del totals
        if self._display is not None:
            self._show(f"simulated {show_duration(now)}: {outcome}")

    def _show(self, said: str) -> None:
        import IPython.display as untyped

        ipython: Any = untyped

        text = f"{self._done:,} of {self._total:,} jobs, {said}"
        bar = f'<progress value="{self._done}" max="{max(self._total, self._done, 1)}"></progress>'
        shown = ipython.HTML(f"{bar} {escape(text)}")
        if self._display is None:
            self._display = ipython.display(shown, display_id=True)
        else:
            self._display.update(shown)
