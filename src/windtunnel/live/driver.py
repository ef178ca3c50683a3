"""Drives simulations that pages look at: all that touches them happens in one thread, between parts of the runs."""

from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, TypeVar

from windtunnel.diagnostics import SimulationError, UsageError, WindtunnelError
from windtunnel.live.watched import Watched

if TYPE_CHECKING:
    from concurrent.futures import Future

__all__ = ["MOST_FORKS", "Driver"]

MOST_FORKS: Final = 8
"""Each keeps its whole state and its record in memory."""
_PATIENCE: Final = 10.0
"""Seconds for which a run that is over stays, after a page has asked last."""
_TICK: Final = 0.05
T = TypeVar("T")


class Driver:
    """A run and its forks. :meth:`ask` may be called from any thread; everything else is the driving thread's."""

    def __init__(self, first: Watched) -> None:
        self.watched: dict[int, Watched] = {0: first}
        self._questions: SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = SimpleQueue()
        self._lock = Lock()
        self._closed = False
        self._forks = 0
        self._fault: SimulationError | None = None
        """Why the run itself failed."""

    @property
    def first(self) -> Watched:
        """The run itself."""
        return self.watched[0]

    # -- from any thread ----------------------------------------------------------------------------------------

    def ask(self, question: Callable[[], T]) -> "Future[T]":
        """Have something done in the driving thread.

        Raises:
            UsageError: nobody drives any more.
        """
        from concurrent.futures import Future  # loaded when somebody asks

        answer: Future[T] = Future()
        with self._lock:
            if self._closed:
                raise UsageError("the run is over and no longer served")
            self._questions.put((answer, question))
        return answer

    # -- in the driving thread ----------------------------------------------------------------------------------

    def drive(self) -> None:
        """Until the run is over and no page looks at it any more.

        Raises:
            SimulationError: it could not go on; pages saw why.
        """
        waiting = 0.0
        try:
            while not (self.first.over and not self.first.watched_within(_PATIENCE)):
                self._answer(waiting)
                waiting = _TICK
                for one in list(self.watched.values()):
                    if one.going:
                        try:
                            waiting = 0.0 if one.advance() else waiting
                        except SimulationError as fault:
                            self._failed(one, fault)
                    one.forget()
        except KeyboardInterrupt:
            if not self.first.over:
                raise
        finally:
            self._close()
        if self._fault is not None:
            raise self._fault

    def step(self, number: int) -> None:
        """One round of a run.

        Raises:
            UsageError: there is no such run.
            SimulationError: it could not go on; of the run itself :meth:`drive` raises it, too.
        """
        one = self.get(number)
        try:
            one.step()
        except SimulationError as fault:
            self._failed(one, fault)
            raise

    def _failed(self, one: Watched, fault: SimulationError) -> None:
        one.failed(fault)
        if one is self.first:
            self._fault = fault

    def _answer(self, seconds: float) -> None:
        """What is asked now; waits for the first question for so many seconds."""
        try:
            while True:
                answer, question = self._questions.get(block=seconds > 0.0, timeout=seconds or None)
                seconds = 0.0
                try:
                    answer.set_result(question())
                except Exception as fault:  # noqa: BLE001 -- the asker gets it
                    answer.set_exception(fault)
        except Empty:
            return

    def _close(self) -> None:
        with self._lock:
            self._closed = True
        self._answer(0.0)
        for number, one in self.watched.items():
            if number:
                one.simulation.engine.close()
                with suppress(WindtunnelError):
                    one.simulation.recording.close()

    # -- forks --------------------------------------------------------------------------------------------------

    def fork(self, number: int) -> int:
        """Another run in the same state, paused; its number.

        Raises:
            UsageError: there is no such run, it is over, its scheduler cannot be forked, or there are too many.
        """
        source = self.get(number)
        if source.over:
            raise UsageError("a run that is over cannot be forked")
        if len(self.watched) > MOST_FORKS:
            raise UsageError(f"there are {MOST_FORKS} forks already", "drop one")
        self._forks += 1
        fork = Watched(source.simulation.fork(), f"what if {self._forks}", until=source.until, paused=True)
        fork.reach(source.now)
        self.first.name = self.first.name or "the run"
        self.watched[self._forks] = fork
        return self._forks

    def drop(self, number: int) -> None:
        """Give a fork up.

        Raises:
            UsageError: it is none.
        """
        if number == 0:
            raise UsageError("this is the run itself, not a fork of it")
        one = self.get(number)
        del self.watched[number]
        one.simulation.engine.close()
        one.simulation.recording.close()

    def get(self, number: int) -> Watched:
        """A run by its number.

        Raises:
            UsageError: there is none.
        """
        if number not in self.watched:
            raise UsageError(f"there is no run {number}")
        return self.watched[number]
