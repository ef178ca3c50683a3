"""Attributes of LWF and what they hold: whole numbers, lengths of time, dates, words and flags."""

import re
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, TypeVar

from mypy_extensions import mypyc_attr

from windtunnel.diagnostics import Findings
from windtunnel.formats.haizea.lwf_grammar import line_of
from windtunnel.formats.haizea.lwf_times import is_timestamp, parse_length, parse_timestamp
from windtunnel.model.lease import MOST_AMOUNT

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

T = TypeVar("T")

__all__ = ["ValueReader", "flag", "word"]

_INTEGER = re.compile(r"\s*[+-]?\d{1,40}\s*", re.ASCII)
"""Python's own would take 1_000, and digits of other scripts."""
_FLAGS = {"true": True, "yes": True, "false": False, "no": False}


def word(text: str) -> str:
    """A text that is not empty."""
    if not text.strip():
        raise ValueError("must not be empty")
    return text


def flag(text: str) -> bool:
    """Whether it is so, in the words of Haizea."""
    value = _FLAGS.get(text.strip().lower())
    if value is None:
        raise ValueError(f"must be true, false, yes or no, not {text!r}")
    return value


@mypyc_attr(allow_interpreted_subclasses=True)
class ValueReader:
    """Reads children and attributes and notes faults; what is faulty is replaced by a harmless value, so that reading
    goes on.
    """

    def __init__(
        self,
        findings: Findings,
        *,
        document_times: bool = False,
        epoch: datetime | None = None,
        starttime: datetime | None = None,
    ) -> None:
        self.findings = findings
        self._document = document_times
        self._epoch = epoch
        """Set: dates are timestamps (a lease on its own). Not set: they are lengths since the start."""
        self._starttime = starttime
        """When a workload starts, if that is known: it may have timestamps besides."""

    def fault(self, element: "Element", message: str, *, code: str, hint: str = "") -> None:
        """Note an error at an element."""
        self.findings.add(message, code=code, line=line_of(element), hint=hint)

    def warn(self, element: "Element", message: str, *, code: str, hint: str = "") -> None:
        """Note a warning at an element."""
        self.findings.warn(message, code=code, line=line_of(element), hint=hint)

    def children(self, element: "Element", known: tuple[str, ...]) -> dict[str, list["Element"]]:
        """The children by name; what is not known was noted when the grammar was checked."""
        found: dict[str, list[Element]] = {name: [] for name in known}
        for child in element:
            if child.tag in found:
                found[str(child.tag)].append(child)
        return found

    def one(self, element: "Element", found: dict[str, list["Element"]], name: str) -> "Element | None":
        """The only child of that name; a fault if it is missing."""
        children = found[name]
        if not children:
            self.fault(element, f"<{element.tag}> needs a <{name}> element", code="missing-element")
            return None
        return children[0]

    def value(self, element: "Element", name: str, default: T, convert: Callable[[str], T]) -> T:
        """What an attribute says, as ``convert`` reads it; ``default`` if it is missing or at fault."""
        text = element.get(name)
        if text is None:
            self.fault(element, f"<{element.tag}> needs an attribute {name!r}", code="missing-attribute")
            return default
        try:
            return convert(text)
        except ValueError as error:
            self.fault(element, f"{name} of <{element.tag}>: {error}", code="bad-value")
            return default

    def integer(
        self, element: "Element", name: str, *, minimum: int, maximum: int = MOST_AMOUNT, default: int = 1
    ) -> int:
        """A whole number not below ``minimum`` nor above ``maximum``."""

        def convert(text: str) -> int:
            if not _INTEGER.fullmatch(text):
                raise ValueError(f"not a whole number: {text!r}")
            value = int(text)
            if value < minimum:
                raise ValueError(f"{value} is below {minimum}")
            if value > maximum:
                raise ValueError(f"{value} is above {maximum}")
            return value

        return self.value(element, name, default, convert)

    def length(self, element: "Element", name: str, *, positive: bool = False) -> float:
        """A length of time in seconds, not negative."""

        def convert(text: str) -> float:
            value = parse_length(text, document=self._document)
            if value < 0 or (positive and value == 0):
                raise ValueError(f"{text!r} must be {'positive' if positive else 'zero or more'}")
            return value

        return self.value(element, name, 1.0, convert)

    def date(self, element: "Element", name: str, submit: float | None = None) -> float:
        """A date in seconds: a length since the start of the workload, or (in a lease on its own) a timestamp.

        With a plus it counts from the submission.
        """
        epoch, starttime = self._epoch, self._starttime

        def convert(text: str) -> float:
            if text.lstrip().startswith("+"):
                if submit is None:
                    raise ValueError(
                        f"{text!r} is relative: it must be made a timestamp by the client that submits the lease"
                    )
                return submit + parse_length(text, document=self._document)
            if epoch is not None:
                return parse_timestamp(text, epoch)
            if is_timestamp(text):
                if starttime is None:
                    raise ValueError(
                        f"{text!r} is a timestamp, but the start of the workload is not known (the option starttime, "
                        "[simulation] starttime of a configuration)"
                    )
                seconds = parse_timestamp(text, starttime)
                if seconds < 0:
                    raise ValueError(f"{text!r} is before the workload starts")
                return seconds
            value = parse_length(text, document=self._document)
            if value < 0:
                raise ValueError(f"{text!r} must be zero or more")
            return value

        return self.value(element, name, 0.0 if epoch is not None else 1.0, convert)
