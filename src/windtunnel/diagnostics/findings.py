"""Findings: what is wrong (or odd) in an input, and where exactly.

A finding names the file and, as far as the format allows, line, column and JSON pointer, what was met, what was
expected, and how to mend it. Readers collect them in :class:`~windtunnel.diagnostics.collector.Findings`, and raise
all of them at once.
"""

from collections.abc import Iterable
from enum import IntEnum
from typing import Final

import msgspec

__all__ = ["Finding", "Severity", "as_text", "in_a_cell", "printable"]


_CONTROL: Final = {code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\n\t"}


def printable(text: str) -> str:
    """A text without what a terminal would obey: control characters are shown by their numbers."""
    return text.translate(_CONTROL)


_WIDEST: Final = 40
"""Characters of a name in a table."""


def in_a_cell(name: str) -> str:
    """A name as a table shows it: on one line, not too long, without what turns the text beside it."""
    begin = name[: _WIDEST + 1]
    shown = begin if begin.isprintable() else repr(begin)[1:-1]
    return shown if len(shown) <= _WIDEST else f"{shown[: _WIDEST - 3]}..."


class Severity(IntEnum):
    """How bad a finding is; the command line fails from ``ERROR`` on (``WARNING`` with ``--strict``)."""

    NOTE = 0
    WARNING = 1
    ERROR = 2


class Finding(msgspec.Struct, frozen=True, order=True):
    """One thing to say about an input. Lines and columns count from 1; 0 means unknown."""

    file: str
    line: int = 0
    column: int = 0
    pointer: str = ""
    code: str = ""
    message: str = ""
    hint: str = ""
    severity: Severity = Severity.ERROR
    chain: tuple[str, ...] = ()
    """Through which other places (bases, includes) the faulty value came, nearest first."""
    resolved: str = ""
    """The JSON pointer of the value once inheritance is resolved, where that differs from ``pointer``."""
    count: int = 1
    """How often it was met; the place is the first."""

    @property
    def place(self) -> str:
        """``file:line:column`` or ``file#pointer``, as much as is known."""
        where = self.file
        if self.line:
            where += f":{self.line}"
            if self.column:
                where += f":{self.column}"
        if self.pointer:
            where += f"#{self.pointer}"
        return where

    def __str__(self) -> str:
        code = f" [{self.code}]" if self.code else ""
        often = f" ({self.count:,} times)" if self.count > 1 else ""
        lines = [f"{self.place}: {self.severity.name.lower()}{code}: {self.message}{often}"]
        if self.resolved:
            lines.append(f"  seen as: #{self.resolved}")
        lines += [f"  through: {step}" for step in self.chain]
        if self.hint:
            lines.append(f"  hint: {self.hint}")
        return printable("\n".join(lines))


def as_text(findings: Iterable[Finding]) -> str:
    """All findings, one paragraph each."""
    return "\n".join(str(f) for f in findings)
