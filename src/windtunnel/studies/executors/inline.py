"""Points one after the other, in this very process."""

from collections.abc import Callable
from concurrent.futures import Future

from windtunnel.studies.executors.executor import Given
from windtunnel.studies.trials import Context, Trial
from windtunnel.studies.worker import Worker

__all__ = ["Inline"]


class Inline:
    """No workers: schedulers may be whatever Python knows, and a debugger sees everything."""

    width = 1
    lacking = ""

    def __init__(self, context: Context) -> None:
        self._worker = Worker(context)

    def submit(self, trial: Trial, slot: int, done: Callable[["Future[Given]"], None]) -> None:
        """Simulate the point."""
        del slot
        future: Future[Given] = Future()
        future.set_result(self._worker.run(trial))
        done(future)

    def close(self) -> None:
        """Nothing is under way."""
