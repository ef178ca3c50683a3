"""Serving a scheduler of ours to a Batsim 3 or 4: we bind as REP, it connects as REQ."""

from collections.abc import Callable

from windtunnel.diagnostics import ComponentError, WindtunnelError
from windtunnel.vocabulary import Component, RegisterJob, RejectJob, SimulationBegins, SimulationEnds, WithView
from windtunnel.wires.json.hearing import Hearing
from windtunnel.wires.json.speaking import Speaking
from windtunnel.wires.zmq_peer import Replier

__all__ = ["Server", "serve"]

MISSING = {"cores": "Batsim's JSON protocol does not tell them"}
"""What this wire cannot tell a scheduler's view."""


class Server:
    """A scheduler that answers the messages of one Batsim."""

    def __init__(self, component: Component) -> None:
        self.component = component
        self.ended = False
        """Whether the simulation has ended."""
        self._hearing = Hearing()
        self._speaking = Speaking()
        component.hello()
        if isinstance(component, WithView):
            component.view.missing = MISSING

    def answer(self, request: bytes) -> bytes:
        """The reply to one message.

        Raises:
            ProtocolError: Batsim talks nonsense.
            ComponentError: the scheduler fails.
            UsageError: a decision cannot be said in this protocol.
        """
        hearing, speaking = self._hearing, self._speaking
        now, notices = hearing.message(request)
        if isinstance(notices[0] if notices else None, SimulationBegins):
            speaking.known.update(hearing.profiles)
            speaking.push = None if hearing.store is None else hearing.store.put
        try:
            reply = self.component.decide(now, notices)
        except WindtunnelError:
            raise
        except Exception as fault:
            raise ComponentError(f"the scheduler raised {type(fault).__name__}: {fault}", now=now) from fault
        for decision in reply.decisions:
            if isinstance(decision, RegisterJob):  # Batsim may never speak of it before its end
                hearing.jobs[decision.job.id] = decision.job
            elif isinstance(decision, RejectJob):  # Batsim will never speak of it again
                hearing.jobs.pop(decision.job_id, None)
        self.ended = any(isinstance(notice, SimulationEnds) for notice in notices)
        return speaking.reply(reply, now)


def serve(
    component: Component,
    endpoint: str,
    *,
    timeout: float | None = None,
    ready: Callable[[str], None] | None = None,
) -> None:
    """Answer one Batsim until its simulation ends.

    Args:
        component: the scheduler.
        endpoint: where to listen, for example ``tcp://127.0.0.1:28000``.
        timeout: seconds to wait for each message; None waits for ever.
        ready: called with the endpoint really bound.

    Raises:
        ComponentError: Batsim hangs or talks nonsense (ComponentTimeoutError, ProtocolError).
        UsageError: the endpoint cannot be bound, or a decision cannot be said in this protocol.
    """
    peer = Replier(endpoint, timeout)
    bound = peer.open()
    try:
        server = Server(component)
        if ready is not None:
            ready(bound)
        while not server.ended:
            peer.reply(server.answer(peer.receive()))
    finally:
        component.stop()
        peer.close()
