r"""The lines of ``slurm.conf`` and its like: keys with values, comments, ``Include``, lines that end in ``\``."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from windtunnel.diagnostics import Findings, Severity, read_text

__all__ = ["Line", "lines_of"]

_PAIR: Final = re.compile(r"""(?<![^\s"])([A-Za-z]\w*)\s*=\s*("[^"]*"|[^\s"]*(?:"[^"]*"[^\s"]*)*)""")
_COMMENT: Final = re.compile(r"(?<!\\)#.*")
_MOST_BYTES: Final = 1 << 26
_MOST_INCLUDES: Final = 50


class Line:
    """Keys and values of a line; asks for values note what is wrong with them."""

    __slots__ = ("_findings", "file", "number", "values", "written")

    def __init__(self, file: str, number: int, pairs: list[tuple[str, str]], findings: Findings) -> None:
        self.file = file
        self.number = number
        self.written = {key.lower(): key for key, _ in pairs}
        """Keys as they are written."""
        self.values = {key.lower(): value for key, value in pairs}
        self._findings = findings

    def over(self, defaults: dict[str, str], written: dict[str, str]) -> "Line":
        """This line with what it leaves open."""
        new = Line(self.file, self.number, [], self._findings)
        new.values = defaults | self.values
        new.written = written | self.written
        return new

    def note(self, message: str, code: str, severity: Severity = Severity.ERROR, hint: str = "") -> None:
        """Something about this line."""
        self._findings.add(message, code=code, line=self.number, file=self.file, severity=severity, hint=hint)

    def text(self, key: str, default: str = "") -> str:
        """A value as written; Slurm's own way to say nothing counts as nothing."""
        value = self.values.get(key.lower(), default)
        return default if value in {"(null)", "N/A", "n/a"} else value

    def has(self, key: str) -> bool:
        """Whether it says anything under this key."""
        return key.lower() in self.values

    def ask(self, key: str, convert: Callable[[str], Any], default: Any) -> Any:
        """A converted value; what cannot be converted is noted, with what is expected."""
        text = self.text(key)
        if not text and not self.has(key):
            return default
        if not text and self.values[key.lower()]:
            return default
        try:
            return convert(text)
        except ValueError as error:
            self.note(f"{self.written.get(key.lower(), key)} is {text!r}, {error}", "value")
            return default

    def integer(self, key: str, default: Any, *, least: int = 0, endless: bool = False) -> Any:
        """A whole number; with ``endless``, None for UNLIMITED."""
        text = self.text(key, "" if self.has(key) else "\0")
        if text == "\0" or (not text and self.values[key.lower()]):
            return default
        if endless and text.upper() in {"UNLIMITED", "INFINITE", "-1"}:
            return None
        number = text.removesuffix(" sec").removesuffix(" min")
        if not (number.isascii() and number.isdigit() and len(number) < 16 and int(number) >= least):
            self.note(
                f"{self.written.get(key.lower(), key)} is {text!r}, an integer >= {least} is expected", "number"
            )
            return default
        return int(number)

    def flag(self, key: str, *, default: bool = False) -> bool:
        """YES or NO."""
        text = self.text(key).upper()
        if not text:
            return default
        if text not in {"YES", "NO", "TRUE", "FALSE", "1", "0"}:
            self.note(f"{self.written[key.lower()]} is {self.text(key)!r}, YES or NO is expected", "value")
        return text in {"YES", "TRUE", "1"}

    def words(self, key: str) -> tuple[str, ...]:
        """What stands between commas."""
        return tuple(part.strip() for part in self.text(key).split(",") if part.strip())


def lines_of(path: Path, findings: Findings, text: str | None = None) -> Iterator[Line]:
    """The lines of a file (with ``text``: as if it read so) and of those it includes, without comments."""
    yield from _lines(path, path.parent, findings, [0], text)


def _lines(
    path: Path, base: Path, findings: Findings, included: list[int], given: str | None = None
) -> Iterator[Line]:
    included[0] += 1
    if included[0] > _MOST_INCLUDES:
        if included[0] == _MOST_INCLUDES + 1:
            findings.add(f"more than {_MOST_INCLUDES} files are included", code="include", file=str(path))
        return
    try:
        text = (
            given if given is not None else read_text(path, encoding="utf-8-sig", errors="replace", most=_MOST_BYTES)
        )
    except OSError as error:
        findings.add(f"cannot be read: {error.strerror}", code="unreadable", file=str(path))
        return
    for number, stripped in _joined(text):
        first, _, rest = stripped.partition(" ")
        if first.lower() == "include" and "=" not in first:
            yield from _lines(base / rest.strip(), base, findings, included)
            continue
        pairs = [(key, value.replace('"', "")) for key, value in _PAIR.findall(stripped)]
        left = _PAIR.sub("", stripped).strip()
        line = Line(str(path), number, pairs, findings)
        if left:
            severity = Severity.WARNING if pairs else Severity.ERROR
            line.note(f"{left[:40]!r} is not a key=value", "syntax", severity)
        if pairs:
            yield line


def _joined(text: str) -> Iterator[tuple[int, str]]:
    """Lines that say something, with the number each starts on."""
    parts: list[str] = []
    first = 1
    for number, raw in enumerate(text.split("\n"), 1):
        first = first if parts else number
        part = _COMMENT.sub("", raw.rstrip()).replace("\t", " ")
        if part.endswith("\\"):
            parts.append(part[:-1])
            continue
        parts.append(part)
        stripped = " ".join(parts).strip()
        parts = []
        if stripped:
            yield first, stripped
    if stripped := " ".join(parts).strip():
        yield first, stripped
