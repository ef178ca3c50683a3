"""What runs in the processes of a Dask cluster; a module of its own, so that Dask sends no copy of its state."""

from typing import Final

from windtunnel.studies.executors.executor import Given
from windtunnel.studies.trials import Context, Trial
from windtunnel.studies.worker import Worker

__all__ = ["begin", "end", "run"]

_WORKERS: Final[dict[str, Worker]] = {}
"""What runs points, by the mark of their study."""


def begin(mark: str, context: Context) -> None:
    """There will be points of a study."""
    _WORKERS.setdefault(mark, Worker(context))


def end(mark: str) -> None:
    """There will be no more points of a study."""
    _WORKERS.pop(mark, None)


def run(trial: Trial, mark: str) -> Given:
    """Simulate a point."""
    return _WORKERS[mark].run(trial)
