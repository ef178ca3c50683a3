"""Points in processes of this machine: a pool of one process for each slot, so that a death concerns one point.

Processes come from a fork server that has loaded Windtunnel already, and not from this process, which may have
threads (those of polars, of a notebook): forking such a process may leave its child stuck.
"""

import multiprocessing
import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Final

from windtunnel.diagnostics import UsageError
from windtunnel.operating_system import PROCESSES
from windtunnel.schedulers.registry import name_of
from windtunnel.studies.executors.executor import Given, WorkerLostError
from windtunnel.studies.trials import Context, Trial
from windtunnel.studies.worker import Worker

__all__ = ["Local", "check_processes"]

_OURS: Final = "windtunnel.studies.executors.local"


class Local:
    """So many processes.

    Raises:
        UsageError: they do not start.
    """

    def __init__(self, context: Context, jobs: int) -> None:
        self.width = jobs
        self.lacking = ""
        self._context = context
        self._methods = multiprocessing.get_context(PROCESSES)
        self._methods.set_forkserver_preload([_OURS])
        self._pools: dict[int, ProcessPoolExecutor] = {}
        try:
            self._pool(0).submit(_ready).result()
        except BrokenProcessPool:
            self.close()
            raise UsageError("the processes of a study do not start", "their messages are above") from None

    def submit(self, trial: Trial, slot: int, done: Callable[["Future[Given]"], None]) -> None:
        """Begin a trial in the process of the slot, which is started anew if it has died."""
        told: Future[Given] = Future()

        def ended(future: "Future[Given]") -> None:
            fault = future.exception()
            if isinstance(fault, BrokenProcessPool):
                fault = WorkerLostError("its process was killed or has crashed")
            if fault is not None:
                told.set_exception(fault)
            else:
                told.set_result(future.result())
            done(told)

        try:
            future = self._pool(slot).submit(_run, trial)
        except BrokenProcessPool:  # it died while it had nothing to do
            self._pools.pop(slot).shutdown(wait=False)
            future = self._pool(slot).submit(_run, trial)
        future.add_done_callback(ended)

    def _pool(self, slot: int) -> ProcessPoolExecutor:
        pool = self._pools.get(slot)
        if pool is None:
            pool = self._pools[slot] = ProcessPoolExecutor(
                1, mp_context=self._methods, initializer=_begin, initargs=(self._context,)
            )
        return pool

    def close(self) -> None:
        """End all processes, in the middle of a point if need be."""
        for pool in self._pools.values():
            processes = list((pool._processes or {}).values())
            pool.shutdown(wait=False, cancel_futures=True)
            for process in processes:
                process.terminate()
        self._pools.clear()


_here: dict[str, Worker] = {}
"""The worker of this process."""


def _begin(context: Context) -> None:
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _here["worker"] = Worker(context)


def _end_with_parent() -> None:
    """A worker whose driver was killed has nobody to tell anything."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _ready() -> bool:
    return "worker" in _here


def _run(trial: Trial) -> Given:
    return _here["worker"].run(trial)


def check_processes(context: Context) -> None:
    """Whether processes can be started from here, and will find the schedulers.

    Raises:
        UsageError: this is a program that was loaded again by a worker of its own, or a scheduler was typed in and
            has no file to be found in.
    """
    if multiprocessing.current_process().name != "MainProcess" and "__mp_main__" in sys.modules:
        raise UsageError(
            "this program starts a study when it is only imported, and so would each of its workers",
            "put what it does below: if __name__ == '__main__':",
        )

    typed_in = not vars(sys.modules["__main__"]).get("__file__")
    for thing in context.schedulers.values():
        if typed_in and not isinstance(thing, str) and thing.__module__ == "__main__":
            raise UsageError(
                f"other processes cannot load {name_of(thing)}, which was typed in",
                "put it into a file, or run the study with jobs=1",
            )
