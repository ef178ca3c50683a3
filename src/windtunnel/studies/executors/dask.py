"""Points on a Dask cluster, by Dask's own client.

The context goes to each worker once, those that join later included, with a plugin of Dask's. Dask itself repeats a
trial whose worker is gone; what it gives up is begun anew by the driver.
"""

from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import Any
from uuid import uuid4

from windtunnel.diagnostics import MissingExtraError, UsageError
from windtunnel.studies.executors.dask_worker import begin, end, run
from windtunnel.studies.executors.executor import Given, WorkerLostError
from windtunnel.studies.trials import Context, Trial

__all__ = ["Dask"]


class Dask:
    """A cluster that there is.

    Args:
        context: what the points share.
        client: Dask's client; it is closed with the executor, and ``cluster`` too.
    """

    def __init__(self, context: Context, client: Any, cluster: Any = None) -> None:
        self._client = client
        self._cluster = cluster
        self._mark = uuid4().hex
        self._under_way: set[Any] = set()
        client.register_plugin(_plugin(context, self._mark))

    @classmethod
    def at(cls, context: Context, address: str) -> "Dask":
        """The cluster whose scheduler listens at ``HOST:PORT``.

        Raises:
            UsageError: there is none.
            MissingExtraError: Dask is not installed.
        """
        distributed = _distributed()
        try:
            return cls(context, distributed.Client(f"tcp://{address}", timeout=10, set_as_default=False))
        except (OSError, ValueError) as fault:
            raise UsageError(f"there is no Dask cluster at {address}: {fault}") from fault

    @property
    def width(self) -> int:
        """Twice the threads of all workers, so that each has something to go on with."""
        threads: int = sum(self._client.nthreads().values())
        return max(2, 2 * threads)

    @property
    def lacking(self) -> str:
        """Said while there is no worker at all: jobs of a batch system may be in its queue, or have failed there."""
        if self._client.nthreads():
            return ""
        queue = " (`squeue --me` shows where its jobs are, their output why one failed)" if self._cluster else ""
        return f"the cluster has no worker yet{queue}"

    def submit(self, trial: Trial, slot: int, done: Callable[["Future[Given]"], None]) -> None:
        """Begin a trial somewhere."""
        del slot
        future = self._client.submit(run, trial, self._mark, pure=False)
        self._under_way.add(future)  # Dask forgets what nobody holds

        def ended(ours: Any) -> None:
            told: Future[Given] = Future()
            self._under_way.discard(ours)
            if ours.status == "finished":
                told.set_result(ours.result())
            elif ours.status == "cancelled":
                told.set_exception(WorkerLostError("the cluster has lost it"))
            else:
                fault = ours.exception()
                lost = type(fault).__name__ in {"KilledWorker", "CommClosedError", "CancelledError"}
                told.set_exception(WorkerLostError(str(fault)) if lost else fault)
            done(told)

        future.add_done_callback(ended)

    def close(self) -> None:
        """Let go of the cluster, and of what is under way there."""
        with suppress(OSError, TimeoutError):  # the cluster may be gone
            self._client.unregister_worker_plugin(f"windtunnel-{self._mark}")
        self._client.close()
        if self._cluster is not None:
            self._cluster.close()


def _distributed() -> Any:
    try:
        import distributed
    except ImportError as fault:
        raise MissingExtraError("distributed (Dask)", "dask") from fault
    return distributed


def _plugin(context: Context, mark: str) -> Any:
    class Studies(_distributed().WorkerPlugin):  # type: ignore[misc]  # distributed has no types
        """Gives each worker what the points share."""

        name = f"windtunnel-{mark}"

        def setup(self, worker: Any) -> None:
            del worker
            begin(mark, context)

        def teardown(self, worker: Any) -> None:
            del worker
            end(mark)

    return Studies()
