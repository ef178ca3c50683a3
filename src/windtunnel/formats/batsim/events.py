"""Batsim's external events: one JSON object a line.

Batsim 3 and 4 know ``machine_available`` and ``machine_unavailable`` (with ``resources``, an interval set), Batsim 5
knows ``generic`` (with opaque ``data``). Ours is ``machine_state`` (``resources``, ``state`` and perhaps
``cause``), for failure traces; files for Batsim itself do not have it. Kinds that packages register
(:mod:`windtunnel.model.event_kinds`) may stand among them.
"""

from pathlib import Path
from typing import Any, Final

import msgspec

from windtunnel.diagnostics import Findings, did_you_mean, replacing
from windtunnel.diagnostics.json_positions import json_pointer
from windtunnel.diagnostics.json_repeated import repeated_members
from windtunnel.entities.batsim_ids import Generation
from windtunnel.entities.json_members import Members, kind_of
from windtunnel.entities.unheard import names
from windtunnel.formats.files import json_fault, read_bytes
from windtunnel.formats.repeated_members import REPEATED
from windtunnel.model import EventList, ExternalEvent, HostSet
from windtunnel.model.event_kinds import EventKind, event_kind
from windtunnel.model.site import MachineState

__all__ = ["read_events", "write_events"]

_KINDS: Final = {
    4: frozenset({"machine_available", "machine_unavailable"}),
    5: frozenset({"generic"}),
}
_STATES: Final = tuple(state.value for state in MachineState)
_OURS: Final = frozenset({"machine_state"})


def read_events(
    path: str | Path,
    name: str = "ee0",
    *,
    generation: Generation | None = None,
    forward_unknown: bool = False,
) -> EventList:
    """Read a file of external events, plain or gzipped.

    An event's id is ``name!n``, n being the index of its line among those that are not blank; the list is sorted by
    (timestamp, type).

    Args:
        path: the file.
        name: what the list is called.
        generation: allow only the kinds of Batsim 4 (and 3) or 5; by default, both.
        forward_unknown: accept other kinds as well; their objects are forwarded whole.

    Raises:
        InputError: the file cannot be read, or is at fault; all faults are named with their line.
    """
    path = Path(path).absolute()
    findings = Findings(str(path))
    data = read_bytes(path, findings)
    known = _KINDS[generation] if generation else _KINDS[4] | _KINDS[5] | _OURS
    events: list[ExternalEvent] = []
    index = 0
    for line, text in enumerate(data.split(b"\n"), 1):
        if not text.strip():
            continue
        found = _Line(line, text, findings).event(None if forward_unknown else known, own=generation is None)
        if found is not None:
            found.id = f"{name}!{index}"
            events.append(found)
        index += 1
    findings.raise_if_errors()
    events.sort(key=lambda event: (event.timestamp, event.kind))
    return EventList(name=name, events=tuple(events), path=str(path), warnings=tuple(findings))


_MEMBERS: Final = {
    "machine_available": names("an event of machines", "timestamp type resources"),
    "machine_unavailable": names("an event of machines", "timestamp type resources"),
    "machine_state": names("a change of state", "timestamp type resources state cause"),
    "generic": names("a generic event", "timestamp type data"),
}
"""What events of our kinds and Batsim's may say; others are forwarded whole, or checked by their class."""


class _Line:
    """One line of the file; faults are noted with the line, and with the member's name as pointer."""

    def __init__(self, line: int, text: bytes, findings: Findings) -> None:
        self._line = line
        self._text = text
        self._all = findings
        self._findings = Findings()

    def event(self, known: frozenset[str] | None, *, own: bool) -> ExternalEvent | None:
        """The event, of a known kind (None: of any) or one's own; None, with findings, when the line is at fault."""
        try:
            value = msgspec.json.decode(self._text)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
            message, _, column = json_fault(error, self._text)
            self._all.add(message, code="json", line=self._line, column=column)
            return None
        for path, key, _, _ in repeated_members(self._text, value):
            message, at = f"the member {key!r} {REPEATED}", json_pointer((*path, key))
            self._all.tally(message, code="repeated-member", line=self._line, pointer=at)
        event = self._parse(value, known, own=own)
        for finding in self._findings:
            self._all.add(
                finding.message, code=finding.code, line=self._line, pointer=finding.pointer, hint=finding.hint
            )
        return None if self._findings.has_errors else event

    def _parse(self, value: Any, known: frozenset[str] | None, *, own: bool) -> ExternalEvent | None:
        if not isinstance(value, dict):
            self._findings.add(f"an event is {kind_of(value)}, an object is expected", code="type")
            return None
        members = Members(value, self._findings, "", "event")
        kind = members.text("type")
        event = ExternalEvent(timestamp=members.number("timestamp", least=0), kind=kind)
        if kind in _MEMBERS and (known is None or kind in known):
            _MEMBERS[kind].tell(value, self._all, line=self._line, pointer="")
        if kind in _KINDS[4] and (known is None or kind in known):
            event.hosts = _hosts(members)
        elif kind in _OURS and known is not None and kind in known:
            event.hosts = _hosts(members)
            cause = members.text("cause") if "cause" in value else ""
            state = members.text("state")
            if state and state not in _STATES:
                members.fault(f"unknown state {state!r}", "state", hint=did_you_mean(state, _STATES))
            event.attributes = {"state": state, "cause": cause}
        elif kind in _KINDS[5] and known is not None and kind in known:
            event.data = members.text("data")
        elif (registered := event_kind(kind) if own or known is None else None) is not None:
            event.attributes = value
            event.hosts = _hosts_of(registered, value, members)
        elif known is None:
            event.data = value["data"] if isinstance(value.get("data"), str) else ""
            event.attributes = value
        elif members.faultless or kind:
            hint = did_you_mean(kind, known) if kind else ""
            if hint.startswith("known"):
                hint += "; the option forward_unknown (--forward-unknown-events of batsim4) hands others on"
            members.fault(f"unknown type {kind!r}", "type", code="event-type", hint=hint)
        return event


def _hosts_of(kind: EventKind, value: dict[str, Any], members: Members) -> HostSet:
    """The hosts that an event of one's own names, once it is checked."""
    try:
        return kind.hosts(kind.read(value))
    except ValueError as fault:
        what, _, place = str(fault).partition(" - at `$")
        members.fault(what, place.strip("`").lstrip("."))
        return HostSet()


def _hosts(members: Members) -> HostSet:
    text = members.text("resources")
    try:
        hosts = HostSet.parse(text)
    except ValueError as error:
        members.fault(f"'resources': {error}", "resources")
        return HostSet()
    if not hosts and members.faultless:
        members.fault("'resources' is empty", "resources")
    return hosts


def write_events(events: EventList, path: str | Path) -> None:
    """Write events as lines of JSON, in their order."""
    lines = []
    for event in events.events:
        made: dict[str, Any] = {"type": event.kind, "timestamp": event.timestamp}
        if event.kind in _KINDS[4]:
            made["resources"] = str(event.hosts)
        elif event.kind in _OURS:
            made |= {"resources": str(event.hosts), "state": event.attributes.get("state", "")}
            made |= {"cause": cause} if (cause := event.attributes.get("cause")) else {}
        elif event.attributes:
            made = {**event.attributes}
        else:
            made["data"] = event.data
        lines.append(msgspec.json.encode(made).decode() + "\n")
    with replacing(path) as beside:
        beside.write_text("".join(lines), encoding="utf-8", newline="\n")
