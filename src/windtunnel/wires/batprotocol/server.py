"""A conversation in batprotocol, seen from the scheduler: our decision components served to the real Batsim 5."""

import struct
from collections.abc import Callable

from msgspec.structs import replace

from windtunnel import vocabulary as v
from windtunnel.diagnostics import ComponentError, ProtocolError, UsageError
from windtunnel.wires.batprotocol import binary, text
from windtunnel.wires.batprotocol import schema as s
from windtunnel.wires.batprotocol.decisions import decision_out
from windtunnel.wires.batprotocol.memory import Memory
from windtunnel.wires.batprotocol.notices import BATPROTOCOL_VERSION, notice_in
from windtunnel.wires.numbering import Numbering
from windtunnel.wires.transport import FORMAT_BINARY, FORMAT_JSON
from windtunnel.wires.zmq_peer import Replier

__all__ = ["SchedulerSession", "hello_out", "serve"]


class SchedulerSession:
    """Answers the messages of one simulation on behalf of a component; ``over`` once the simulation has ended."""

    def __init__(self, component: v.Component, *, json: bool = False) -> None:
        self._component = component
        self._json = json
        self._memory = Memory()
        self._numbering = Numbering()
        self.now: float | None = None
        """The date of the last message (s)."""
        self.over = False
        self.error = ""
        """Why the simulation has failed, if it has said so."""

    def greet(self) -> tuple[int, bytes]:
        """The format flags and the hello message."""
        hello = s.EventAndTimestamp(timestamp=0.0, event=hello_out(self._component.hello()))
        return FORMAT_JSON if self._json else FORMAT_BINARY, self._encode(s.Message(now=0.0, events=(hello,)))

    def answer(self, raw: bytes) -> bytes:
        """The answer to one message.

        Raises:
            ProtocolError: the message is invalid; UsageError: batprotocol has no form for a decision.
        """
        message = text.decode(raw) if self._json else binary.decode(raw)
        notices = [notice_in(stamped, self._memory) for stamped in message.events]
        self._check_order(message.now, notices)
        # Where its jobs are is what the scheduler itself said, in its own numbers.
        told = [n if isinstance(n, v.JobCompleted) else self._numbering.notices([n])[0] for n in notices]
        reply = self._component.decide(message.now, told)
        for notice in notices:
            if isinstance(notice, v.SimulationErrorOccurred):
                self.error = notice.error or "the simulator does not say why"
            self.over |= isinstance(notice, v.SimulationEnds | v.SimulationErrorOccurred)
        events: list[s.EventAndTimestamp] = []
        now = max(message.now, reply.now)
        for decision in _in_order(reply.decisions, message.now):
            when = message.now if decision.timestamp is None else decision.timestamp
            now = max(now, when)
            said = self._events(self._numbering.decision(decision))
            events += [s.EventAndTimestamp(timestamp=when, event=event) for event in said]
            self._memory.decided(decision, when)
        return self._encode(s.Message(now=now, events=tuple(events)))

    def _check_order(self, now: float, notices: list[v.Notice]) -> None:
        begins = [isinstance(notice, v.SimulationBegins) for notice in notices]
        first = self.now is None
        if first and not any(begins[:1]) and not any(isinstance(n, v.SimulationErrorOccurred) for n in notices):
            raise ProtocolError("the simulator's first message does not begin with SimulationBegins", now=now)
        if any(begins[first:]):
            raise ProtocolError("SimulationBegins comes a second time", now=now)
        if self.now is not None and now < self.now:
            raise ProtocolError(f"a message of {now!r} s comes after one of {self.now!r} s", now=now)
        self.now = now

    def _events(self, decision: v.Decision) -> list[s.Event]:
        """What to send for a decision; a job that comes with a profile of its own needs it registered first."""
        if isinstance(decision, v.RegisterJob) and not decision.profile_id:
            profile_id = decision.job.profile.id or decision.job.id
            if profile_id not in self._memory.profiles:
                register = v.RegisterProfile(profile=replace(decision.job.profile, id=profile_id))
                self._memory.decided(register, 0.0)
                return _said(register, decision)
        return _said(decision)

    def _encode(self, message: s.Message) -> bytes:
        return text.encode(message) + b"\0" if self._json else binary.encode(message)


def _in_order(decisions: list[v.Decision], now: float) -> list[v.Decision]:
    """Batprotocol wants the events of a message in order of date."""
    if all(decision.timestamp is None for decision in decisions):
        return decisions
    return sorted(decisions, key=lambda decision: now if decision.timestamp is None else decision.timestamp)


def hello_out(hello: v.Hello) -> s.EDCHelloEvent:
    """The hello of a component; raises UsageError where its name or version holds a comma or a double quote."""
    for what in (hello.name, hello.version, hello.commit or ""):
        if "," in what or '"' in what:
            raise UsageError(f"batprotocol allows neither comma nor double quote in a component's name: {what!r}")
    wanted = hello.features
    return s.EDCHelloEvent(
        batprotocol_version=hello.protocol_version or BATPROTOCOL_VERSION,
        batprotocol_commit="",
        decision_component_name=hello.name,
        decision_component_version=hello.version,
        decision_component_commit=hello.commit or "",  # upstream does not bear null here
        requested_simulation_features=s.EDCRequestedSimulationFeatures(
            **{name: getattr(wanted, name) for name in wanted.__struct_fields__}
        ),
    )


def serve(
    make: Callable[[bytes], v.Component],
    endpoint: str,
    *,
    json: bool = False,
    timeout: float | None = None,
    ready: Callable[[str], None] | None = None,
) -> None:
    """Bind to an endpoint and serve one simulation: ``make(init_data)`` gives the component.

    Args:
        make: called with the initialisation data of the simulator.
        endpoint: where to listen.
        json: ask for messages in JSON instead of binary.
        timeout: seconds of wall clock that may pass without a message; None: any number.
        ready: told the endpoint really bound (a port may have been chosen).

    Raises:
        ProtocolError: the simulator's messages make no sense; UsageError: the endpoint cannot be bound.
        ComponentTimeoutError: no message came in time. ComponentError: the simulation has failed.
    """
    replier = Replier(endpoint, timeout, _sensible)
    bound = replier.open()
    try:
        if ready is not None:
            ready(bound)
        first = replier.receive()
        component = make(first[4:])
        session = SchedulerSession(component, json=json)
        try:
            flags, hello = session.greet()
            replier.reply(struct.pack("=I", flags) + hello)
            while not session.over:
                replier.reply(session.answer(replier.receive()))
            if session.error:
                raise ComponentError(f"the simulation has failed: {session.error}", now=session.now)
        finally:
            component.stop()
    finally:
        replier.close()


def _sensible(first: bytes) -> bool:
    """Whether bytes of a stranger are a simulator's first frame: a length, and that many bytes."""
    return len(first) >= 4 and int(struct.unpack_from("=I", first)[0]) == len(first) - 4


def _said(*decisions: v.Decision) -> list[s.Event]:
    """Their events; some are silent on purpose."""
    return [event for event in map(decision_out, decisions) if event is not None]
