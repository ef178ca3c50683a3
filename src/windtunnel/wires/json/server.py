"""Serving a scheduler of ours to a Batsim 3 or 4: we bind as REP, it connects as REQ."""

from collections.abc import Callable, Sequence

from windtunnel.diagnostics import ComponentError, ProtocolError, WindtunnelError
from windtunnel.vocabulary import (
    AnswerWaitingTime,
    Component,
    Decision,
    FinishRegistration,
    Notice,
    RegisterJob,
    RejectJob,
    Reply,
    SimulationBegins,
    SimulationEnds,
    WaitingTimeQueried,
    WithView,
)
from windtunnel.wires.json.hearing import Hearing
from windtunnel.wires.json.speaking import Speaking
from windtunnel.wires.numbering import Numbering
from windtunnel.wires.zmq_peer import Replier

__all__ = ["Server", "serve"]

MISSING = {"cores": "Batsim's JSON protocol does not tell them"}
"""What this wire cannot tell a scheduler's view."""


UNKNOWN = -1.0
"""The waiting time that stands for "not known" (as batsched answers)."""


class Server:
    """A scheduler that answers the messages of one Batsim.

    What the protocol wants of every scheduler is said for those that do not say it themselves: that registration has
    finished, where it is enabled and the scheduler registers nothing, and that a waiting time is not known. What it
    does not want is left out: that registration has finished, where it was never enabled.
    """

    def __init__(self, component: Component) -> None:
        self.component = component
        self.ended = False
        """Whether the simulation has ended."""
        self._hearing = Hearing()
        self._speaking = Speaking()
        self._numbering = Numbering()
        self._now: float | None = None
        """The date of the last message; None before the first."""
        self._registers = component.hello().features.dynamic_registration
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
        self._check_order(now, notices)
        notices = self._numbering.notices(notices)
        if isinstance(notices[0] if notices else None, SimulationBegins):
            speaking.known.update(hearing.profiles)
            speaking.push = None if hearing.store is None else hearing.store.put
        try:
            reply = self.component.decide(now, notices)
        except WindtunnelError:
            raise
        except Exception as fault:
            raise ComponentError(f"the scheduler raised {type(fault).__name__}: {fault}", now=now) from fault
        reply.decisions = [
            self._numbering.decision(d) for d in (*self._wanted(reply), *self._left_unsaid(reply, notices))
        ]
        for decision in reply.decisions:
            if isinstance(decision, RegisterJob):  # Batsim may never speak of it before its end
                hearing.jobs[decision.job.id] = decision.job
            elif isinstance(decision, RejectJob):  # Batsim will never speak of it again
                hearing.jobs.pop(decision.job_id, None)
        self.ended = any(isinstance(notice, SimulationEnds) for notice in notices)
        return speaking.reply(reply, now)

    def _check_order(self, now: float, notices: Sequence[Notice]) -> None:
        begins = [isinstance(notice, SimulationBegins) for notice in notices]
        if self._now is None and not any(begins[:1]):
            raise ProtocolError("Batsim's first message does not begin with SIMULATION_BEGINS", now=now)
        if any(begins[self._now is None :]):
            raise ProtocolError("SIMULATION_BEGINS comes a second time", now=now)
        if self._now is not None and now < self._now:
            raise ProtocolError(f"a message of {now!r} s comes after one of {self._now!r} s", now=now)
        self._now = now

    def _wanted(self, reply: Reply) -> list[Decision]:
        if not self._registers or self._hearing.options.dynamic_jobs:
            said: list[Decision] = reply.decisions
            return said
        return [decision for decision in reply.decisions if not isinstance(decision, FinishRegistration)]

    def _left_unsaid(self, reply: Reply, notices: Sequence[Notice]) -> list[Decision]:
        said: list[Decision] = []
        asked = [notice.job.id for notice in notices if isinstance(notice, WaitingTimeQueried)]
        answered = {d.job_id for d in reply.decisions if isinstance(d, AnswerWaitingTime)} if asked else set()
        said += [
            AnswerWaitingTime(job_id=job_id, estimated_waiting_time=UNKNOWN)
            for job_id in asked
            if job_id not in answered
        ]
        begins = bool(notices) and isinstance(notices[0], SimulationBegins)
        if begins and self._hearing.options.dynamic_jobs and not self._registers:
            said.append(FinishRegistration())
        return said


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
        timeout: seconds to wait for each message; None waits indefinitely.
        ready: called with the endpoint really bound.

    Raises:
        ComponentError: Batsim hangs or talks nonsense (ComponentTimeoutError, ProtocolError).
        UsageError: the endpoint cannot be bound, or a decision cannot be said in this protocol.
    """
    peer = Replier(endpoint, timeout, _sensible)
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


def _sensible(request: bytes) -> bool:
    """Whether bytes of a stranger may be Batsim's first message; what is wrong in it is said later."""
    return request.lstrip()[:1] == b"{"
