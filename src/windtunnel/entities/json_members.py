"""Typed access to the members of a JSON object, every fault noted as a finding."""

from collections.abc import Sequence
from math import isfinite
from typing import Any, Final

from windtunnel.diagnostics import Findings
from windtunnel.diagnostics.json_positions import json_pointer

__all__ = ["LARGEST", "Members", "kind_of"]

LARGEST: Final = 1.7976931348623157e308
"""Of numbers; a whole number of JSON may be larger, and is less than infinity all the same."""

_REQUIRED: Final = object()


def kind_of(value: object) -> str:
    """What JSON calls a value: ``a string``, ``an object``..."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    kinds = {str: "a string", dict: "an object", list: "an array", int: "an integer", float: "a number"}
    return kinds.get(type(value), type(value).__name__)


class Members:
    """The members of one object of a document.

    Each method answers the value of a member; when it is missing or wrong, a finding is noted and a harmless value
    answered, so that the other faults are found too.
    """

    def __init__(self, members: dict[str, Any], findings: Findings, pointer: str, what: str) -> None:
        self.members: Final = members
        self.what: Final = what
        """What the object is, as messages call it: ``profile 'p'``."""
        self._findings = findings
        self._pointer = pointer
        self._before = len(findings)
        self.asked: set[str] = set()
        """The members that somebody wanted to know."""

    @property
    def faultless(self) -> bool:
        """Whether nothing was noted since this object is looked at."""
        return len(self._findings) == self._before

    def fault(self, message: str, key: str | int = "", *, code: str = "value", hint: str = "") -> None:
        """Note a fault of the object, or of its member ``key``."""
        pointer = self._pointer + (json_pointer((key,)) if key != "" else "")
        self._findings.add(f"{self.what}: {message}", code=code, pointer=pointer, hint=hint)

    def _get(self, key: str, default: object, wanted: str) -> tuple[Any, bool]:
        """The raw value and whether it is there to be judged."""
        self.asked.add(key)
        if key in self.members:
            return self.members[key], True
        if default is _REQUIRED:
            self.fault(f"{key!r} is missing, {wanted} is expected", code="missing")
        return default, False

    def number(
        self, key: str, default: Any = _REQUIRED, *, above: float | None = None, least: float | None = None
    ) -> float:
        """A finite number, greater than ``above``, not less than ``least``."""
        wanted = "a number"
        if above is not None:
            wanted += f" > {above:g}"
        if least is not None:
            wanted += f" >= {least:g}"
        value, there = self._get(key, default, wanted)
        if not there:
            return 0.0 if value is _REQUIRED else value
        number = self._checked(value, key, wanted)
        if number is None:
            return 0.0
        if (above is not None and number <= above) or (least is not None and number < least):
            self.fault(f"{key!r} is {value!r}, {wanted} is expected", key)
        return number

    def _checked(self, value: Any, key: str, wanted: str) -> float | None:
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.fault(f"{key!r} is {kind_of(value)}, {wanted} is expected", key, code="type")
            return None
        try:
            number = float(value)
        except OverflowError:
            number = float("inf")
        if not isfinite(number):
            self.fault(f"{key!r} is too large a number", key)
            return None
        return number

    def integer(self, key: str, default: Any = _REQUIRED, *, least: int | None = None) -> int:
        """An integer, not less than ``least``."""
        wanted = "an integer" if least is None else f"an integer >= {least}"
        value, there = self._get(key, default, wanted)
        if not there:
            return 0 if value is _REQUIRED else int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            self.fault(f"{key!r} is {kind_of(value)}, {wanted} is expected", key, code="type")
            return 0
        if (least is not None and value < least) or abs(value) >= 1 << 63:
            self.fault(f"{key!r} is {value}, {wanted} is expected", key)
        return value

    def text(self, key: str, default: Any = _REQUIRED) -> str:
        """A string."""
        value, there = self._get(key, default, "a string")
        if not there:
            return "" if value is _REQUIRED else str(value)
        if not isinstance(value, str):
            self.fault(f"{key!r} is {kind_of(value)}, a string is expected", key, code="type")
            return ""
        return value

    def array(self, key: str, wanted: str = "an array") -> list[Any]:
        """An array that must be there."""
        value, there = self._get(key, _REQUIRED, wanted)
        if not there:
            return []
        if not isinstance(value, list):
            self.fault(f"{key!r} is {kind_of(value)}, {wanted} is expected", key, code="type")
            return []
        return value

    def amounts(self, key: str) -> tuple[float, ...]:
        """An array of numbers >= 0."""
        wanted = "an array of numbers >= 0"
        values = self.array(key, wanted)
        for index, value in enumerate(values):
            if isinstance(value, bool) or not isinstance(value, int | float):
                self.element_fault(key, index, f"is {kind_of(value)}, a number >= 0 is expected", "type")
            elif value > LARGEST:
                self.element_fault(key, index, "is too large a number", "value")
            elif not value >= 0:
                self.element_fault(key, index, f"is {value!r}, a number >= 0 is expected", "value")
        return tuple(map(float, values)) if self.faultless else (0.0,) * len(values)

    def names(self, key: str) -> Sequence[str]:
        """A non-empty array of strings."""
        values = self.array(key, "an array of names")
        if not values and key in self.members and isinstance(self.members[key], list):
            self.fault(f"{key!r} is empty", key)
        for index, value in enumerate(values):
            if not isinstance(value, str):
                self.element_fault(key, index, f"is {kind_of(value)}, a name is expected", "type")
        return [value for value in values if isinstance(value, str)]

    def element_fault(self, key: str, index: int, message: str, code: str = "value") -> None:
        """Note a fault of one element of the array ``key``."""
        pointer = self._pointer + json_pointer((key, index))
        self._findings.add(f"{self.what}: {key!r}[{index}] {message}", code=code, pointer=pointer)
