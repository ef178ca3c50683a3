"""Paths into a node object, as queries write them: ``State``, ``Configured/Processors``,
``Utilized/Resource[@name="GPU"]/@metric``. A subset of XPath: child steps, attribute tests, one attribute at the end.
"""

import re
from fractions import Fraction
from typing import Final

import msgspec

from windtunnel.diagnostics import did_you_mean
from windtunnel.entities.sss_node import CATEGORIES, CONSUMABLES, Consumable, SssNode
from windtunnel.entities.sss_units import UNITS, in_bytes

__all__ = ["NodePath", "PathFaultError", "Value", "as_number", "parse_path"]

Value = str | Fraction
"""Texts, or exact numbers (bytes for memory, disk and swap)."""

_STEP = re.compile(r"""([A-Za-z]+)((?:\[@[A-Za-z]+=(?:"[^"]*"|'[^']*')\])*)""")
_TEST = re.compile(r"""\[@([A-Za-z]+)=(?:"([^"]*)"|'([^']*)')\]""")
_SIMPLE = ("Id", "Name", "Opsys", "Arch", "Description", "State")
_BYTES = ("Memory", "Disk", "Swap")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?", re.ASCII)
"""What reads as a number: Python would take ``1_0`` for 10 too, and work for hours on ``1e999999999``."""
_LONGEST: Final = 100
"""Characters of a number."""
_LARGEST: Final = 10**300
"""Beyond it figures over many nodes may be no number any more."""
_ATTRIBUTES = {
    "units": "units",
    "metric": "metric",
    "wallDuration": "wall_duration",
    "consumptionRate": "consumption_rate",
    "name": "name",
    "type": "type",
}


class PathFaultError(Exception):
    """A path that a node object does not have; ``hint`` may name a better one."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class NodePath(msgspec.Struct, frozen=True):
    """A parsed path: the first step, the second one inside a category, tests on the last of them, an attribute."""

    text: str
    top: str
    element: str = ""
    tests: tuple[tuple[str, str], ...] = ()
    attribute: str = ""

    @property
    def is_duration(self) -> bool:
        """Whether its values are seconds, which may be written as ``PT1H``."""
        return bool(self.element) and self.attribute == "wallDuration"

    @property
    def is_bytes(self) -> bool:
        """Whether its values are bytes."""
        return self.element in _BYTES and not self.attribute

    @property
    def is_number(self) -> bool:
        """Whether its values are numbers and nothing else."""
        return bool(self.element) and self.attribute in {"", "consumptionRate"}

    @property
    def is_label(self) -> bool:
        """Whether its values are texts even where they have digits only: the nodes 1 and 01 are two."""
        return self.top in _SIMPLE or self.top == "Feature"

    def items(self, node: SssNode) -> list[Consumable]:
        """The consumables it leads to."""
        return [
            item
            for item in node.category(self.top)
            if self.element in {"", item.element} and all(_attribute(item, name) == text for name, text in self.tests)
        ]

    def values(self, node: SssNode) -> list[Value]:
        """All values it leads to."""
        if self.top in CATEGORIES:
            return [value for item in self.items(node) if (value := self._value(item)) is not None]
        if self.top == "Feature":
            return list(node.features)
        if self.top == "Extension":
            found = [e for e in node.extensions if all(getattr(e, name) == text for name, text in self.tests)]
            texts: list[str] = [getattr(e, self.attribute or "value") for e in found]
            return [text for text in texts if text or not self.attribute]
        text: str = getattr(node, self.top.lower())
        return [text] if text else []

    def _value(self, item: Consumable) -> Value | None:
        if self.attribute:
            return _attribute(item, self.attribute) or None
        if item.element in _BYTES and (item.units or "MB") in UNITS:
            return Fraction(in_bytes(item.value, item.units))
        return Fraction(item.value)


def _attribute(item: Consumable, name: str) -> str:
    value = getattr(item, _ATTRIBUTES[name])
    return "" if value is None else f"{value:.15g}" if isinstance(value, float) else str(value)


def as_number(text: str) -> Fraction | None:
    """A number, exactly; None if it is none."""
    text = text.strip()
    if len(text) >= _LONGEST or not _NUMBER.fullmatch(text):
        return None
    number = Fraction(text)
    return number if abs(number) <= _LARGEST else None


def parse_path(text: str) -> NodePath:
    """Parse a path.

    Raises:
        PathFaultError: a node object has no such thing.
    """
    plain, attribute = text.strip().removeprefix("/").removeprefix("Node/"), ""
    if "@" in plain.rpartition("/")[2] and plain.rpartition("/")[2].startswith("@"):
        plain, _, attribute = plain.rpartition("/")
        attribute = attribute[1:]
    steps = []
    rest = plain
    while rest:
        match = _STEP.match(rest)
        if match is None or (match.end() < len(rest) and rest[match.end()] != "/"):
            raise PathFaultError(f"{text!r} is not a known path", "such as Configured/Processors or Feature")
        tests = tuple((name, one or two) for name, one, two in _TEST.findall(match[2]))
        steps.append((match[1], tests))
        rest = rest[match.end() + 1 :]
    return _checked(text, steps, attribute)


def _checked(text: str, steps: list[tuple[str, tuple[tuple[str, str], ...]]], attribute: str) -> NodePath:
    if not steps:
        raise PathFaultError("an empty path")
    top, tests = steps[0]
    if top in CATEGORIES and len(steps) <= 2:
        element = ""
        if len(steps) == 2:
            if tests:
                raise PathFaultError(f"{text!r}: {top} has no attributes")
            element, tests = steps[1]
            if element not in CONSUMABLES:
                raise PathFaultError(f"{top} has no {element!r}", did_you_mean(element, CONSUMABLES))
        wrong = [
            name for name in (*(name for name, _ in tests), *filter(None, [attribute])) if name not in _ATTRIBUTES
        ]
        if wrong or (attribute and not element):
            raise PathFaultError(f"{text!r}: there is no attribute {(wrong or [attribute])[0]!r}", "")
        return NodePath(text, top, element, tests, attribute)
    if len(steps) == 1 and top == "Extension":
        if any(name not in {"name", "type"} for name in (*(name for name, _ in tests), attribute or "name")):
            raise PathFaultError(f"{text!r}: an Extension has a name and a type")
        return NodePath(text, top, "", tests, attribute)
    if len(steps) == 1 and top in (*_SIMPLE, "Feature") and not tests and not attribute:
        return NodePath(text, top)
    known = (*_SIMPLE, "Feature", "Extension", *CATEGORIES)
    hint = f"did you mean 'Configured/{top}'?" if top in CONSUMABLES else did_you_mean(top, known)
    raise PathFaultError(f"a node has no {text!r}", hint)
