"""Attribute values: every reader reports what is wrong and returns something harmless, so that reading goes on."""

import re
from collections.abc import Callable, Collection
from math import isfinite
from typing import TYPE_CHECKING

from windtunnel.diagnostics import Findings, did_you_mean
from windtunnel.formats.sites.simgrid_xml.grammar import children, line_of
from windtunnel.formats.sites.simgrid_xml.units import SPEED, Quantity, parse_quantity

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["Values", "label"]

INTEGER = re.compile(r"[ \t\r\n]*[+-]?[0-9]+")
RANGE = re.compile(r"\s*([0-9]{1,9})\s*(?:-\s*([0-9]{1,9})\s*)?", re.ASCII)
SUGGESTED = 30
MAY_BE_EMPTY = ("bb_bw", "bb_lat", "limiter_link", "loopback_bw", "loopback_lat")
MAX_HOSTS = 1_000_000
"""No more hosts in one radical."""
MAX_LEVELS = 100
MAX_COUNT = 10_000_000
"""No larger whole number."""


def label(element: "_Element") -> str:
    """How findings call an element: ``<host 'h0'>``."""
    name = element.get("id")
    return f"<{element.tag}>" if name is None else f"<{element.tag} {name!r}>"


class Values:
    """Reads attributes of elements; faults go to ``findings``."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings

    def fault(self, element: "_Element", code: str, message: str, hint: str = "") -> None:
        """Report an error at an element."""
        self.findings.add(message, code=code, line=line_of(element), hint=hint)

    def warn(self, element: "_Element", code: str, message: str, hint: str = "") -> None:
        """Report a trap that SimGrid accepts in silence."""
        self.findings.warn(message, code=code, line=line_of(element), hint=hint)

    def suggest(self, name: str, known: Callable[[], Collection[str]]) -> str:
        """A hint for a misspelt name; none once there are many findings, as looking for one takes time."""
        return did_you_mean(name, known()) if len(self.findings) < SUGGESTED else ""

    def properties(self, element: "_Element") -> dict[str, str]:
        """The ``<prop>`` children; of two with one name the first counts, as in SimGrid."""
        found: dict[str, str] = {}
        for prop in children(element, "prop"):
            name, value = prop.get("id"), prop.get("value")
            if name is None or value is None:
                continue
            if name in found:
                self.warn(prop, "duplicate-property", f"the property {name!r} is given twice: the first one counts")
            found.setdefault(name, value)
        return found

    def quantity(
        self, element: "_Element", name: str, kind: Quantity, default: float = 0.0, *, least: float = 0.0
    ) -> float:
        """A number with a unit; ``default`` where the attribute is absent (or empty, for those that may be)."""
        text = element.get(name)
        if text is None or (not text and name in MAY_BE_EMPTY):
            return default or least
        return self._quantity(element, name, text, kind, least)

    def _quantity(self, element: "_Element", name: str, text: str, kind: Quantity, least: float) -> float:
        try:
            value, unit = parse_quantity(text, kind)
        except ValueError as error:
            code = "bad-unit" if "unit" in str(error) else "bad-number"
            self.fault(element, code, f"{name} of {label(element)}: {error}", kind.hint)
            return 1.0
        if value < least:
            self.fault(
                element,
                "bad-number",
                f"{name} of {label(element)} is {text!r}",
                f"expected {'more than 0' if least else '0 or more'}",
            )
            return 1.0
        if value and not unit:
            self.warn(
                element,
                "no-unit",
                f"{name} of {label(element)} has no unit: read as {text}{kind.base}",
                f"write {text}{kind.base}",
            )
        return value

    def speeds(self, element: "_Element") -> tuple[float, ...]:
        """flop/s, one per power state."""
        text = element.get("speed", "1f")
        return tuple(self._quantity(element, "speed", part.strip(), SPEED, 0.0) for part in text.split(","))

    def integer(self, element: "_Element", name: str, default: int, *, least: int, most: int = MAX_COUNT) -> int:
        """A whole number; what follows its digits is ignored as in SimGrid (``0.0`` is 0), with a warning."""
        text = element.get(name)
        if text is None:
            return default
        match = INTEGER.match(text)
        if match is None:
            self.fault(element, "bad-number", f"{name} of {label(element)} is {text!r}", "expected a whole number")
            return default
        rest = text[match.end() :]
        if rest.strip() and rest.strip(".0"):
            self.warn(element, "ignored-text", f"{name} of {label(element)} is {text!r}, read as {match[0]}")
        value = int(match[0])
        if not least <= value <= most:
            self.fault(
                element,
                "bad-number",
                f"{name} of {label(element)} is {value}",
                f"expected {least} to {most}" if most < MAX_COUNT or value > most else f"expected at least {least}",
            )
            return default
        return value

    def numbers(self, element: "_Element", name: str, text: str, *, least: int = 1) -> tuple[int, ...]:
        """Whole numbers separated by commas (a part of ``topo_parameters``)."""
        shown = repr(text if len(text) <= 40 else f"{text[:37]}...")
        try:
            values = tuple(int(part) for part in text.split(","))
        except ValueError:
            self.fault(element, "bad-topology", f"{name}: {shown} is not a list of whole numbers")
            return ()
        if any(value < least for value in values):
            self.fault(element, "bad-topology", f"{name}: {shown} holds a number below {least}")
            return ()
        if len(values) > MAX_LEVELS or any(value > MAX_COUNT for value in values):
            self.fault(element, "bad-topology", f"{name}: {shown} holds too large or too many numbers")
            return ()
        return values

    def radical(self, element: "_Element") -> tuple[int, ...]:
        """The numbers of a cluster's hosts: ``0-3,7`` is 0, 1, 2, 3, 7."""
        text = element.get("radical", "")
        numbers: list[int] = []
        for part in text.split(","):
            match = RANGE.fullmatch(part)
            if match is None:
                self.fault(element, "bad-radical", f"radical holds {part!r}", _radical_hint(part))
                continue
            first = int(match[1])
            last = first if match[2] is None else int(match[2])
            if last < first:
                self.fault(element, "bad-radical", f"the range {part!r} of radical is empty", f"write {last}-{first}")
            elif len(numbers) + last - first >= MAX_HOSTS:
                self.fault(element, "bad-radical", f"radical names more than {MAX_HOSTS} hosts")
                return ()
            else:
                numbers.extend(range(first, last + 1))
        return tuple(numbers)

    def coordinates(self, element: "_Element") -> tuple[float, float, float] | None:
        """Vivaldi coordinates: three numbers; None where there are none (or bad ones, which are reported)."""
        text = element.get("coordinates")
        if not text:
            return None
        try:
            x, y, z = (self._finite(part) for part in text.split(" "))
        except ValueError:
            self.fault(
                element, "bad-coordinates", f"coordinates are {text!r}", "expected three numbers: x y height (ms)"
            )
            return (0.0, 0.0, 0.0)
        return (x, y, z)

    @staticmethod
    def _finite(text: str) -> float:
        value = float(text)
        if not isfinite(value):
            raise ValueError(text)
        return value


def _radical_hint(part: str) -> str:
    long = re.search("[0-9]{10}", part)
    return "numbers have at most 9 digits" if long else "expected numbers and ranges: 0-3,7"
