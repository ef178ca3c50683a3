"""Where things stand in a TOML text: a second scan, made only when a fault needs a line and a column.

The text has been read by :mod:`tomllib` before, so that it is known to be TOML: the scan only counts where keys and
elements begin.
"""

import re
from typing import Final

from windtunnel.diagnostics.json_positions import Path

__all__ = ["toml_places"]

_BLANK: Final = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_SPACE: Final = re.compile(r"[ \t]*")
_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
_STRING: Final = re.compile(r'"""(?:[^\\]|\\.)*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'', re.DOTALL)
_SCALAR: Final = re.compile(r"[^,\]}#\n]*")


def toml_places(text: str) -> dict[Path, tuple[int, int]]:
    """Line and column, from 1, of every key and element by the way to it from the root."""
    scan = _Scan(text)
    scan.document()
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    places = {}
    line = 0
    for path, at in sorted(scan.found.items(), key=lambda item: item[1]):
        while line + 1 < len(starts) and starts[line + 1] <= at:
            line += 1
        places[path] = (line + 1, at - starts[line] + 1)
    return places


class _Scan:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.found: dict[Path, int] = {}
        self._counts: dict[Path, int] = {}
        """The tables there are so far of each array of tables."""

    def document(self) -> None:
        table: Path = ()
        self._skip(_BLANK)
        while self.at < len(self.text):
            start = self.at
            if self.text.startswith("[", start):
                several = self.text.startswith("[[", start)
                self.at += 2 if several else 1
                table = self._header(self._key(), several=several)
                self.found.setdefault(table, start)
                self.at += 2 if several else 1
            else:
                self._member(table)
            self._skip(_BLANK)

    def _header(self, keys: Path, *, several: bool) -> Path:
        """The way to a table whose header has these keys: those of arrays of tables go on in the last of them."""
        path: Path = ()
        for rank, key in enumerate(keys):
            path = (*path, key)
            if several and rank == len(keys) - 1:
                self._counts[path] = self._counts.get(path, -1) + 1
                self.found.setdefault(path, self.at)
            if path in self._counts:
                path = (*path, self._counts[path])
        return path

    def _member(self, table: Path) -> None:
        start = self.at
        keys = self._key()
        for rank in range(1, len(keys) + 1):
            self.found.setdefault((*table, *keys[:rank]), start)
        self.at += 1  # the sign =
        self._skip(_SPACE)
        self._value((*table, *keys))

    def _key(self) -> Path:
        keys: list[str] = []
        while True:
            self._skip(_SPACE)
            match = _STRING.match(self.text, self.at) or _BARE.match(self.text, self.at)
            if match is None:
                return tuple(keys)
            keys.append(match[0].strip("\"'"))
            self.at = match.end()
            self._skip(_SPACE)
            if not self.text.startswith(".", self.at):
                return tuple(keys)
            self.at += 1

    def _value(self, path: Path) -> None:
        if self.text.startswith(("[", "{"), self.at):
            self._several(path, "]" if self.text[self.at] == "[" else "}")
        else:
            match = _STRING.match(self.text, self.at) or _SCALAR.match(self.text, self.at)
            self.at = match.end() if match else len(self.text)

    def _several(self, path: Path, end: str) -> None:
        """The elements of an array, or the members of a table in a line."""
        rank = 0
        self.at += 1
        self._skip(_BLANK)
        while self.at < len(self.text) and not self.text.startswith(end, self.at):
            if self.text.startswith(",", self.at):
                self.at += 1
            elif end == "]":
                self.found.setdefault((*path, rank), self.at)
                self._value((*path, rank))
                rank += 1
            else:
                self._member(path)
            self._skip(_BLANK)
        self.at += 1

    def _skip(self, what: re.Pattern[str]) -> None:
        match = what.match(self.text, self.at)
        self.at = match.end() if match else self.at
