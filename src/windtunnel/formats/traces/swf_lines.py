"""The lines of an SWF file: header comments and rows of 18 fields, read in chunks (Standard Workload Format 2.2).

A chunk in which every line is plain is decoded or split at C speed. A chunk with a comment, a blank or an odd line is
gone through line by line: odd rows are mended where that is safe (more than 18 fields, ``4.0`` for ``4``), the others
are findings.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from math import isfinite
from pathlib import Path
from typing import Final

import msgspec

from windtunnel.diagnostics import Findings, open_lines
from windtunnel.formats.files import reason
from windtunnel.formats.traces.swf_plain import END, STRIDE, plain, spaced

__all__ = ["FIELDS", "TIME_FIELDS", "Chunk", "Header", "SwfLines", "first_integer"]

FIELDS: Final = (
    "job number",
    "submit time",
    "wait time",
    "run time",
    "allocated processors",
    "average CPU time used",
    "used memory",
    "requested processors",
    "requested time",
    "requested memory",
    "status",
    "user",
    "group",
    "executable",
    "queue",
    "partition",
    "preceding job",
    "think time",
)
TIME_FIELDS: Final = frozenset({1, 2, 3, 5, 6, 8, 9, 17})
"""The fields that may hold fractions; the others are integers."""

_CHUNK: Final = 1 << 16
_BREAK: Final = f" {END} "
_KEY: Final = re.compile(r";\s*([A-Za-z]+)\s*:\s*(.*)")
_INTEGER: Final = re.compile(r"(-?\d{1,18})(?:\.0+)?(?!\w|[.,]\d)", re.ASCII)
_HEAD: Final = re.compile(r"(?:;.*\n)+")


@cache
def _plain_row() -> re.Pattern[str]:
    return re.compile(r"\s*(?:-?\d{1,18}\s+){17}-?\d{1,18}\s*", re.ASCII)


@cache
def _number() -> re.Pattern[str]:
    return re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?", re.ASCII)


class Chunk(msgspec.Struct, frozen=True):
    """Rows, the fields of each one after the other."""

    lines: list[int] | range
    """The line of each row."""
    texts: list[str]
    """18 fields as they stand in the file, some perhaps no numbers, and a mark behind each row."""
    integers: list[int]
    """18 fields, instead of ``texts``, where all rows hold nothing but plain integers."""


class Header:
    """The comments of the file, and the ``Key: value`` pairs among them."""

    def __init__(self) -> None:
        self.comments: list[str] = []
        self.values: dict[str, list[str]] = {}
        self._last = ""
        self._next = 0

    def add(self, line: str, number: int) -> None:
        """Take one comment line; what is not ``Key: value`` continues the value of the line before."""
        line = line.rstrip()
        if number != self._next:
            self._last = ""
        self._next = number + 1
        self.comments.append(line)
        if found := _KEY.fullmatch(line):
            self._last = found[1]
            self.values.setdefault(found[1], []).append(found[2].strip())
        elif self._last and (text := line.lstrip("; \t")):
            self.values[self._last][-1] += "\n" + text
        else:
            self._last = ""

    def integer(self, key: str) -> int | None:
        """The first number in the value of ``key``, which often goes on with remarks; None when there is none."""
        return first_integer(self.values.get(key, ()))

    def unreadable(self, *keys: str) -> list[str]:
        """Of these keys those with a value that is no number, in words."""
        told = []
        for key in keys:
            values = list(filter(None, self.values.get(key, ())))
            if values and first_integer(values) is None:
                told.append(f"{key} of the header is {values[0][:40]!r}, which is not an integer: it has no effect")
        return told


def first_integer(values: Iterable[str]) -> int | None:
    """The number that the first of some values begins with, of those that begin with one."""
    for value in values:
        if found := _INTEGER.match(value):
            return int(found[1])
    return None


class SwfLines:
    """Iterates over the chunks of one file; fills ``header`` and ``findings`` on the way."""

    def __init__(self, path: Path, findings: Findings) -> None:
        self.header = Header()
        self.extra_fields = 0
        """Rows with more than 18 fields, which were cut."""
        self.odd: list[str] = []
        """What was passed over, in words."""
        self._path = path
        self._findings = findings

    def __iter__(self) -> Iterator[Chunk]:
        line = 1
        try:
            with open_lines(self._path) as file:
                while text := file.read(_CHUNK):
                    text += file.readline()
                    count = text.count("\n")
                    yield self._chunk(text, line, count)
                    line += count
        except OSError as error:
            self._findings.add(f"cannot be read: {reason(error)}", code="unreadable", line=line if line > 1 else 0)

    def _chunk(self, text: str, line: int, count: int) -> Chunk:
        """What is in so many whole lines, of which this is the first."""
        if head := _HEAD.match(text):
            self._sift(head[0].split("\n"), line)
            text = text[head.end() :]
            comments = head[0].count("\n")
            line += comments
            count -= comments
        places = range(line, line + count)
        if integers := plain(text, count):
            return Chunk(places, [], integers)
        # One split for the whole chunk: half the cost of one for each line.
        tokens = text.replace("\n", _BREAK).split()
        if len(tokens) == STRIDE * count and tokens[STRIDE - 1 :: STRIDE].count(END) == count:
            if integers := spaced(text, tokens, count):
                return Chunk(places, [], integers)
            if ";" not in text and "_" not in text and not head:
                return Chunk(places, tokens, [])
        return self._sift(text.split("\n"), line)

    def _sift(self, lines: list[str], first: int) -> Chunk:
        """Go through lines one by one: comments, blank lines, rows."""
        tokens: list[str] = []
        places: list[int] = []
        for place, text in enumerate(lines, first):
            row = text.split()
            if not row:
                continue
            if row[0][0] == ";":
                self.header.add(text, place)
            elif _plain_row().fullmatch(text) or self._mend_row(row, place):
                tokens += row
                tokens.append(END)
                places.append(place)
        return Chunk(places, tokens, [])

    def mend(self, chunk: Chunk) -> Chunk:
        """Of a chunk in which something is not a number, keep the rows that are, or can be made, 18 numbers."""
        rows = chunk.texts
        tokens: list[str] = []
        places: list[int] = []
        for start, place in zip(range(0, len(rows), STRIDE), chunk.lines, strict=True):
            row = rows[start : start + STRIDE - 1]
            if self._mend_row(row, place):
                tokens += row
                tokens.append(END)
                places.append(place)
        return Chunk(places, tokens, [])

    def _mend_row(self, row: list[str], line: int) -> bool:
        fields = len(row)
        if fields < 18:
            self._too_few(row, line)
            return False
        if fields > 18:
            del row[18:]
        if line <= len(self.header.comments) + 1 and not any(map(_number().fullmatch, row)):
            self.odd.append(f"line {line} holds no number, but perhaps the names of columns: passed over")
            return False
        self.extra_fields += fields > 18
        good = True
        for index, text in enumerate(row):
            try:
                row[index] = _normal(text, index)
            except ValueError as error:
                self._findings.add(
                    f"field {index + 1} ({FIELDS[index]}) is {text!r}, which is {error}", code="number", line=line
                )
                good = False
        return good

    def _too_few(self, row: list[str], line: int) -> None:
        hint = ""
        if row[0].count(";") >= 5 or row[0].count(",") >= 5:
            hint = f"fields are separated by spaces here, not by {';' if ';' in row[0] else ','!r}"
        fields = "1 field" if len(row) == 1 else f"{len(row)} fields"
        self._findings.add(f"{fields} instead of 18", code="fields", line=line, hint=hint)


def _normal(text: str, index: int) -> str:
    """The text as a plain number, an integer where the field wants one; ValueError says what it is instead."""
    if not _number().fullmatch(text):
        raise ValueError("not a number")
    value = float(text)
    if not isfinite(value):
        raise ValueError("too large")
    if index in TIME_FIELDS:
        return text
    if value != int(value):
        raise ValueError("not an integer")
    exact = int(text) if text.lstrip("-").isdigit() else int(value)
    if abs(exact) >= 10**18:
        raise ValueError("too large")
    return str(exact)
