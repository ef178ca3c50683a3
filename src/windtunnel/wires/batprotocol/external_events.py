"""External events in batprotocol: generic ones with an object in JSON, and so is what it has no events for."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

import msgspec

from windtunnel import model as m
from windtunnel import vocabulary as v
from windtunnel.diagnostics import ProtocolError, UsageError
from windtunnel.model.event_kinds import event_kind
from windtunnel.wires.batprotocol import schema as s
from windtunnel.wires.batprotocol import text
from windtunnel.wires.batprotocol.decisions import decision_in, decision_out
from windtunnel.wires.batprotocol.memory import Memory

__all__ = ["availability_out", "external_in", "external_out", "refused_out"]


def _generic(event_id: str, told: Mapping[str, Any]) -> s.ExternalEventOccurredEvent:
    data = msgspec.json.encode(told).decode()
    return s.ExternalEventOccurredEvent(id=event_id, external_event=s.GenericExternalEvent(data=data))


def external_out(notice: v.ExternalEventOccurred) -> s.ExternalEventOccurredEvent:
    """Opaque data as they are; a kind of event with its attributes as an object."""
    if notice.kind == "generic" and not notice.attributes:
        return s.ExternalEventOccurredEvent(id=notice.id, external_event=s.GenericExternalEvent(data=notice.data))
    return _generic(notice.id, {"type": notice.kind, **notice.attributes})


def external_in(timestamp: float, event: s.ExternalEventOccurredEvent, memory: Memory) -> v.Notice:
    """What a generic event stands for, if it holds an object as we write them; else it is as opaque as it came."""
    del memory
    data = event.external_event.data
    told = _object(data)
    kind = told.get("type")
    try:
        if kind in _AVAILABILITY:
            return _AVAILABILITY[kind](timestamp, m.HostSet.parse(told["resources"]), event.id)
        if kind == "decision_refused":
            return _refused_in(timestamp, told)
    except (KeyError, TypeError, ValueError):
        pass  # somebody else's, that looks alike
    registered = event_kind(kind) if isinstance(kind, str) else None
    if registered is None:
        return v.ExternalEventOccurred(timestamp, event.id, data)
    try:
        registered.read(told)
    except ValueError as fault:
        raise ProtocolError(f"ExternalEventOccurredEvent {event.id!r}: {fault}") from None
    return v.ExternalEventOccurred(timestamp, event.id, "", registered.name, told)


def _object(data: str) -> dict[str, Any]:
    """The JSON object in a text; empty if it holds none."""
    try:
        found = msgspec.json.decode(data) if data.startswith("{") else None
    except (msgspec.DecodeError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


_AVAILABILITY: Final = {
    "machine_available": v.HostsBecameAvailable,
    "machine_unavailable": v.HostsBecameUnavailable,
}


def availability_out(notice: Any) -> s.ExternalEventOccurredEvent:
    """Batprotocol has generic external events only: theirs carry the object of Batsim 4's event files."""
    kind = next(kind for kind, made in _AVAILABILITY.items() if made is type(notice))
    return _generic(notice.cause, {"type": kind, "resources": str(notice.hosts)})


def refused_out(notice: v.DecisionRefused) -> s.ExternalEventOccurredEvent:
    """Nor has it refusals: the decision goes with the reason, as a message of one event in JSON."""
    decision = notice.decision
    told: dict[str, Any] = {"type": "decision_refused", "rule": notice.rule, "reason": notice.reason}
    told["decision"] = type(decision).__name__
    with suppress(UsageError, ProtocolError):  # what has no form did not come by this wire
        when = notice.timestamp if decision.timestamp is None else decision.timestamp
        if (event := decision_out(decision)) is not None:
            stamped = s.EventAndTimestamp(timestamp=when, event=event)
            told["message"] = msgspec.Raw(text.encode(s.Message(now=when, events=(stamped,))))
    return _generic(f"refused:{notice.rule}", told)


def _refused_in(timestamp: float, told: Mapping[str, Any]) -> v.DecisionRefused:
    """The decision is None where it cannot be read."""
    decision = None
    with suppress(ProtocolError, KeyError):
        (stamped,) = text.decode(msgspec.json.encode(told["message"])).events
        decision = decision_in(stamped.event, None if stamped.timestamp == timestamp else stamped.timestamp)
    return v.DecisionRefused(timestamp, decision, str(told["rule"]), str(told["reason"]))
