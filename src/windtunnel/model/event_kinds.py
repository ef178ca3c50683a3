"""User-defined kinds of external events: a class for each, whose fields are the members of the event's JSON object.

A price, a power limit, a heat warning: events that the engine does not act on, but schedulers need to know. A kind is
registered with :func:`external_event`, or by a package in the entry point group ``windtunnel.external_events``
(name of the kind -> its class). Event files may then contain such events, checked like any others; they reach
schedulers in process and behind every wire, and each has a row in ``events.csv``.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

import msgspec

from windtunnel.diagnostics import UsageError
from windtunnel.loading import entry_points, load_entry
from windtunnel.model.hostset import HostSet

__all__ = ["GROUP", "KINDS", "EventKind", "event_kind", "event_kind_of", "external_event"]

GROUP: Final = "windtunnel.external_events"
"""The entry point group of kinds of events."""

_TAKEN: Final = frozenset(
    {
        "available",
        "decision_refused",
        "event_machine_available",
        "event_machine_unavailable",
        "generic",
        "machine_available",
        "machine_state",
        "machine_unavailable",
        "no_more_external_event_to_occur",
        "no_more_static_job_to_submit",
        "scheduler_change",
        "unavailable",
    }
)
"""Names that have another meaning in a file or protocol."""

KINDS: Final = ("generic", "machine_available", "machine_state", "machine_unavailable", "scheduler_change")
"""Kinds that are there without being registered."""

_COMMON: Final = ("type", "timestamp")
"""Members common to all events."""

Form = TypeVar("Form", bound=type[msgspec.Struct])


class EventKind(msgspec.Struct, frozen=True):
    """A kind of event: its name, and the class of its data."""

    name: str
    form: type[msgspec.Struct]

    def read(self, whole: Mapping[str, Any]) -> Any:
        """An instance of the class, from an event's JSON object (host sets are strings in it, such as ``"0-3 7"``).

        Raises:
            ValueError: a member is missing, unknown, or not of its type.
        """
        members = {name: value for name, value in whole.items() if name not in _COMMON}
        known = {field.encode_name for field in msgspec.structs.fields(self.form)}
        for name in members:
            if name not in known:
                raise ValueError(f"unknown member {name!r} of an event of kind {self.name!r}")
        return msgspec.convert(members, self.form, dec_hook=_decoded)

    def members(self, value: Any) -> dict[str, Any]:
        """The members of the JSON object of an instance."""
        found: dict[str, Any] = msgspec.to_builtins(value, enc_hook=_encoded)
        return found

    def hosts(self, value: Any) -> HostSet:
        """All hosts named in an instance."""
        found = HostSet()
        for field in self.form.__struct_fields__:
            if isinstance(one := getattr(value, field), HostSet):
                found |= one
        return found


def _decoded(kind: type, value: Any) -> Any:
    if kind is HostSet and isinstance(value, str):
        return HostSet.parse(value)
    raise ValueError(f"an event cannot have a {kind.__name__} from {value!r:.50}")


def _encoded(value: Any) -> str:
    if isinstance(value, HostSet):
        return str(value)
    raise TypeError(f"an event cannot have a {type(value).__name__}")


_KINDS: Final[dict[str, EventKind]] = {}
_BY_FORM: Final[dict[type, EventKind]] = {}


def external_event(kind: str) -> Callable[[Form], Form]:
    """Register a class (a ``msgspec.Struct`` of numbers, strings, lists, host sets...) as a kind of external event.

    Raises:
        UsageError: the name is already in use, or the class is not a Struct.
    """
    if not isinstance(kind, str) or not kind or kind in _TAKEN:
        hint = "the name is already in use" if isinstance(kind, str) and kind else "a name is a string, and not empty"
        raise UsageError(f"{kind!r} cannot be the name of a kind of external events", hint)

    def register(form: Form) -> Form:
        if not (isinstance(form, type) and issubclass(form, msgspec.Struct)):
            raise UsageError(f"the external event {kind!r} is described by a msgspec.Struct, not by {form!r:.50}")
        known = _KINDS.get(kind)
        if known is not None and _place(known.form) != _place(form):
            raise UsageError(f"there is an external event {kind!r} already: {known.form.__module__} has it")
        _KINDS[kind] = _BY_FORM[form] = EventKind(kind, form)
        return form

    return register


def _place(form: type) -> tuple[str, str]:
    return form.__module__, form.__qualname__


def event_kind(name: str) -> EventKind | None:
    """The registered kind of this name; None if there is none.

    Raises:
        UsageError: a package provides the kind, but cannot be imported.
    """
    found = _KINDS.get(name)
    if found is None and name not in _TAKEN:
        for point in entry_points(GROUP):
            if point.name == name:
                load_entry(point, "external event")
                found = _KINDS.get(name)
                if found is None:
                    raise UsageError(f"{point.value} does not register the external event {name!r}")
    return found


def event_kind_of(value: object) -> EventKind:
    """The kind whose class a value is an instance of.

    Raises:
        UsageError: its class is not registered.
    """
    found = _BY_FORM.get(type(value))
    if found is None:
        raise UsageError(
            f"{type(value).__name__} is not a registered kind of external events",
            "decorate the class with @windtunnel.external_event(NAME)",
        )
    return found
