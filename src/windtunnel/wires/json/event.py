"""One event of a scheduler's message that is being read: everything wrong with it is one clear ProtocolError."""

from collections.abc import Mapping
from typing import Any, NoReturn, TypeGuard

import msgspec

from windtunnel.diagnostics import Findings, ProtocolError, did_you_mean
from windtunnel.model import HostSet

__all__ = ["Event", "is_number", "is_too_far", "parsed", "shown"]


class Event:
    """One event being read: its place for messages, its data."""

    def __init__(self, rank: int, kind: str, data: Mapping[str, Any], now: float) -> None:
        self.rank = rank
        self.kind = kind
        self.data = data
        self.now = now

    def fail(self, what: str) -> NoReturn:
        """Say what is wrong with it."""
        raise ProtocolError(f"event {self.rank} ({self.kind}) of the scheduler's reply: {what}", now=self.now)

    def get(self, key: str, kind: type, what: str) -> Any:
        """A member of a type."""
        if key not in self.data:
            self.fail(f"data.{key} is missing, {what} is expected")
        value = self.data[key]
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            self.fail(f"data.{key} is {shown(value)}, {what} is expected")
        return value

    def text(self, key: str) -> str:
        """A string."""
        value: str = self.get(key, str, "a string")
        return value

    def hosts(self, key: str, data: Mapping[str, Any] | None = None) -> HostSet:
        """An interval set."""
        source = self.data if data is None else data
        value = source.get(key)
        if not isinstance(value, str):
            self.fail(f'data.{key} is {shown(value)}, an interval set such as "0-3 5" is expected')
        try:
            return HostSet.parse(value)
        except ValueError as fault:
            self.fail(f"data.{key}: {fault}")

    def only(self, *known: str, of: Mapping[str, Any] | None = None, where: str = "data.") -> None:
        """Refuse unknown members, which would be ignored otherwise."""
        unknown = [key for key in (self.data if of is None else of) if key not in known]
        if unknown:
            self.fail(f"{where}{unknown[0]} is unknown; {did_you_mean(unknown[0], known)}")

    def no_faults(self, findings: Findings) -> None:
        """Turn findings about a job or profile into this event's error."""
        if findings.has_errors:
            self.fail("; ".join(f.message for f in findings))


def shown(value: object) -> str:
    """A value for a message, not too long."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # a number of thousands of digits, or very deep nesting
        return f"a very large {type(value).__name__}"
    return text if len(text) <= 60 else text[:57] + "..."


def is_number(value: object) -> TypeGuard[float]:
    """Whether it is a number that a date, a duration... can be; none of those upstream writes is near the limit."""
    return type(value) in (int, float) and -1e100 < value < 1e100  # type: ignore[operator]  # told by its type


def is_too_far(value: object) -> bool:
    """Whether it is a number, but later than any date."""
    return type(value) in (int, float) and value >= 1e100  # type: ignore[operator]  # told by its type


def parsed(event: Event, text: str, key: str) -> Any:
    """What Redis has under a key."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as fault:
        event.fail(f"what Redis has under {key} is not JSON: {fault}")
