"""A conversation in batprotocol, seen from the simulator: a remote decision component as one of the vocabulary's."""

import logging
from collections.abc import Callable, Sequence
from math import isfinite
from types import FunctionType
from typing import ClassVar, Final

from mypy_extensions import mypyc_attr

from windtunnel import vocabulary as v
from windtunnel.diagnostics import ComponentError, ProtocolError
from windtunnel.wires.batprotocol import binary, text
from windtunnel.wires.batprotocol import schema as s
from windtunnel.wires.batprotocol.decisions import decision_in
from windtunnel.wires.batprotocol.notices import BATPROTOCOL_VERSION, notice_out
from windtunnel.wires.batprotocol.plain_replies import plain_reply
from windtunnel.wires.batprotocol.stencils import filled
from windtunnel.wires.batprotocol.text_stencils import filled_text
from windtunnel.wires.transport import FORMAT_JSON, Transport

__all__ = ["BatprotocolComponent", "hello_in", "release"]

_log: Final = logging.getLogger("windtunnel.wires.batprotocol")
_LAST_WORDS: Final = 5.0
"""Seconds that a component has for its (ignored) answer to the news that the run has failed."""
_NO_HELLO: Final = (
    "Batsim did not receive an answer to its Hello message. "
    "Please fix your EDC so that it sends an EDCHello back to Batsim."
)


@mypyc_attr(allow_interpreted_subclasses=True)
class BatprotocolComponent:
    """A decision component behind a transport: dates in its replies must be in order, as upstream demands."""

    wants_errors: ClassVar[bool] = True
    """It is told of the end of a run that fails (SimulationErrorEvent)."""

    def __init__(
        self,
        transport: Transport,
        init_data: bytes = b"",
        *,
        log: Callable[[str, str], None] | None = None,
        log_binary: bool = False,
    ) -> None:
        """``log`` gets the messages (``Sending`` or ``Received``, the text); with ``log_binary`` also binary ones."""
        self._log = log
        self._log_binary = log_binary
        self._transport = transport
        self._init_data = init_data
        self._json = False
        self._failed = False

    def hello(self) -> v.Hello:
        """Start the component and read how it presents itself.

        Raises:
            ComponentError: it cannot be reached; ProtocolError: it does not say hello.
        """
        flags, answer = self._transport.start(self._init_data)
        self._json = bool(flags & FORMAT_JSON)
        if not answer:
            raise ProtocolError(f"{self._transport.name}: {_NO_HELLO}")
        try:
            hello = hello_in(self._decode(answer))
        except ProtocolError as error:
            raise ProtocolError(f"{self._transport.name}: {error.message}") from None
        if release(hello.protocol_version) != release(BATPROTOCOL_VERSION):
            _log.warning(
                "%s speaks batprotocol %s, we speak %s: going on",
                hello.name,
                hello.protocol_version,
                BATPROTOCOL_VERSION,
            )
        return hello

    def decide(self, now: float, notices: Sequence[v.Notice]) -> v.Reply:
        """Tell the component what happened and read its decisions.

        Raises:
            ComponentError: it failed; ProtocolError: its answer is invalid.
        """
        json = self._json
        if self._log is None or not (json or self._log_binary):  # the most frequent messages go the shortest way
            common = filled_text(now, notices) if json else filled(now, notices)
            if common is not None:
                answer = self._ask(common, now, None)
                reply = plain_reply(answer, now) if json else swift_reply(answer, now) if _COMPILED else None
                return self._reply(answer, now) if reply is None else reply
        events = [event for notice in notices if (event := notice_out(notice)) is not None]
        if not events:
            return v.Reply(now, [])
        message = s.Message(now=now, events=tuple(events))
        asked = text.encode(message, check=False) + b"\0" if json else binary.encode(message)
        if self._log is not None and (self._json or self._log_binary):
            self._log("Sending", text.encode(message, check=False).decode())
        last = bool(notices) and type(notices[-1]) is v.SimulationErrorOccurred
        answer = self._ask(asked, now, _LAST_WORDS if last else None)
        if self._log is not None and self._json:
            self._log("Received", answer.rstrip(b"\0").decode(errors="replace"))
        return self._reply(answer, now)

    def _reply(self, answer: bytes, now: float) -> v.Reply:
        try:
            reply = self._decode(answer)
            if self._log is not None and self._log_binary and not self._json:
                self._log("Received", text.encode(reply).decode())
            return v.Reply(max(now, reply.now), _decisions(reply, now))
        except ProtocolError as error:
            raise ProtocolError(f"{self._transport.name}: {error.message}", now=now) from None

    def _ask(self, asked: bytes, now: float, within: float | None) -> bytes:
        if self._failed:
            raise ComponentError(f"{self._transport.name}: the component has failed before", now=now)
        try:
            return self._transport.ask(asked, within)
        except ComponentError as error:
            self._failed = True
            raise type(error)(error.message, now=now) from None

    def stop(self) -> None:
        """End the component."""
        self._transport.stop()

    def _decode(self, raw: bytes) -> s.Message:
        return text.decode(raw) if self._json else binary.decode(raw)


_COMPILED: Final = not isinstance(BatprotocolComponent.decide, FunctionType)
if _COMPILED:
    from windtunnel.wires.batprotocol.swift_replies import swift_reply


def _decisions(reply: s.Message, now: float) -> list[v.Decision]:
    """The decisions of a reply to a message of ``now``; what is dated before is to be done at once."""
    if not isfinite(reply.now):
        raise ProtocolError(f"invalid message: now is {reply.now!r}")
    decisions = []
    previous = float("-inf")
    for index, stamped in enumerate(reply.events):
        when = stamped.timestamp
        if not previous <= when <= reply.now:
            raise ProtocolError(
                f"invalid event {index} (type='{type(stamped.event).__name__}') in message: "
                f"event timestamp ({when:g}) "
                + (
                    f"is before preceding event's timestamp ({previous:g}); events must be in chronological order"
                    if when < previous
                    else f"is after message's now ({reply.now:g})"
                )
            )
        previous = when
        decisions.append(decision_in(stamped.event, when if when > now else None))
    return decisions


def hello_in(message: s.Message) -> v.Hello:
    """The hello in a message; raises ProtocolError, in upstream's words, when it is not one EDCHello alone."""
    if len(message.events) != 1 or not isinstance(message.events[0].event, s.EDCHelloEvent):
        raise ProtocolError(_NO_HELLO)
    event = message.events[0].event
    wanted = event.requested_simulation_features
    return v.Hello(
        name=event.decision_component_name,
        version=event.decision_component_version,
        commit=event.decision_component_commit,
        features=v.Features(**{name: getattr(wanted, name) for name in wanted.__struct_fields__}),
        protocol_version=event.batprotocol_version,
        protocol_commit=event.batprotocol_commit or "",
    )


def release(version: str) -> str:
    """A version without what follows its numbers (``1.0.0-local``, ``1.0.0+9a04b9d``) or precedes them (``v``)."""
    return version.removeprefix("v").partition("-")[0].partition("+")[0]
