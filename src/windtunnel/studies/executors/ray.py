"""Points on a Ray cluster, by Ray's own client: an actor for each processor that the cluster has."""

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from windtunnel.diagnostics import MissingExtraError, UsageError
from windtunnel.studies.executors.executor import Given, WorkerLostError
from windtunnel.studies.trials import Context, Trial
from windtunnel.studies.worker import Worker

__all__ = ["Ray"]

_ATTEMPTS = 3
"""At starting the server of a client."""


class Ray:
    """The cluster at ``ray://HOST:PORT``.

    Raises:
        UsageError: there is none.
        MissingExtraError: Ray, or its client, is not installed.
    """

    def __init__(self, context: Context, address: str) -> None:
        try:
            import ray
        except ImportError as fault:
            raise MissingExtraError("ray", "ray") from fault
        self._ray: Any = ray
        self._client = self._connected(address)
        with self._client:
            self._context = ray.put(context)
            self._actor = ray.remote(num_cpus=1, max_restarts=0)(Worker)
            self.width = max(1, int(ray.cluster_resources().get("CPU", 1)))
            self.lacking = ""
        self._actors: dict[int, Any] = {}

    def _connected(self, address: str) -> Any:
        """A client of the cluster.

        A head that is busy may fail to start the client's server in the half minute that Ray gives
        it, and has it ready a moment later: so the refusal of a head that answers is asked again.
        """
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                return self._ray.init(address=address, log_to_driver=False, allow_multiple=True)
            except (ConnectionError, RuntimeError, ValueError, TimeoutError) as fault:
                if attempt == _ATTEMPTS or not isinstance(fault, ConnectionAbortedError):
                    raise UsageError(f"there is no Ray cluster at {address}: {fault}") from fault
        raise AssertionError

    def submit(self, trial: Trial, slot: int, done: Callable[["Future[Given]"], None]) -> None:
        """Begin a trial in the actor of the slot, which is made anew if it has died."""
        with self._client:
            actor = self._actors.get(slot)
            if actor is None:
                actor = self._actors[slot] = self._actor.remote(self._context)
            future = actor.run.remote(trial).future()

        def ended(theirs: "Future[Given]") -> None:
            told: Future[Given] = Future()
            fault = theirs.exception()
            if isinstance(fault, self._ray.exceptions.RayActorError):
                self._actors.pop(slot, None)
                first = str(fault).partition("\n")[0]
                fault = WorkerLostError(f"its actor has died: {first}")
            if fault is not None:
                told.set_exception(fault)
            else:
                told.set_result(theirs.result())
            done(told)

        future.add_done_callback(ended)

    def close(self) -> None:
        """End the actors, in the middle of a point if need be, and let go of the cluster."""
        with self._client:
            for actor in self._actors.values():
                self._ray.kill(actor)
        self._actors.clear()
        self._client.disconnect()
