r"""The lines of ``slurm.conf`` and its like: keys with values, comments, ``Include``, lines that end in ``\``.

Lines are put together as slurmctld does it: nothing stands between a line that ends in ``\`` and the next one. Files
that are included by their path on the cluster are also found beside the file that includes them, for a copy of the
folder is what people have at hand.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from windtunnel.diagnostics import Findings, Severity, read_text

__all__ = ["Line", "lines_of", "same_key", "texts_of"]

_PAIR: Final = re.compile(r"""(?<![^\s"])([A-Za-z]\w*)\s*=\s*("[^"]*"|[^\s"]*(?:"[^"]*"[^\s"]*)*)""")
_COMMENT: Final = re.compile(r"(?<!\\)#.*")
_TEMPLATE: Final = re.compile(r"\{\{|\{%|<%")
_MOST_BYTES: Final = 1 << 26
_MOST_INCLUDES: Final = 50
_KINDS: Final = {
    kind.lower(): kind
    for kind in ("NodeName", "PartitionName", "NodeSet", "DownNodes", "FrontendName", "PowerAction")
}
"""What lines of their own begin with."""
_SAME: Final = {
    "feature": "features", "features": "feature", "cpus": "procs", "procs": "cpus",
    "oversubscribe": "shared", "shared": "oversubscribe",
}
"""Keys with two names."""
_AS_THEY_ARE: Final[Mapping[Path, str]] = MappingProxyType({})


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

    @property
    def kind(self) -> str:
        """What the line is about (``NodeName``, ``PartitionName``...); empty: it has global keys."""
        return next((_KINDS[key] for key in self.values if key in _KINDS), "")

    def over(self, defaults: dict[str, str], written: dict[str, str]) -> "Line":
        """This line with what it leaves open, under whichever name a key has there."""
        new = Line(self.file, self.number, [], self._findings)
        other = {_SAME[key] for key in self.values if key in _SAME} - self.values.keys()
        new.values = {key: value for key, value in defaults.items() if key not in other} | self.values
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
        """What stands between commas; a second equals sign before it does no harm."""
        return tuple(part.strip() for part in self.text(key).lstrip("=").split(",") if part.strip())


def same_key(line: Line, key: str) -> str:
    """A key under the other name that it has in a line, if it stands there so; else the key."""
    other = _SAME.get(key.lower(), "")
    return line.written[other] if line.has(other) and not line.has(key) else key


def lines_of(path: Path, findings: Findings, texts: Mapping[Path, str] = _AS_THEY_ARE) -> Iterator[Line]:
    """The lines of a file and of those it includes, without comments; files in ``texts`` as if they read so."""
    yield from _Included(path.parent, findings, texts).lines(path)


def texts_of(path: Path) -> dict[Path, str]:
    """The texts of a file and of those it includes, as far as they can be read; its own is the first.

    Raises:
        OSError: it cannot be read itself.
    """
    read = _Included(path.parent, Findings(str(path)), {path: _text(path)})
    for _ in read.lines(path):
        pass
    return read.read


def _text(path: Path) -> str:
    return read_text(path, encoding="utf-8-sig", errors="replace", most=_MOST_BYTES)


class _Included:
    """A file and those that it includes."""

    def __init__(self, base: Path, findings: Findings, texts: Mapping[Path, str]) -> None:
        self._base = base
        self._findings = findings
        self._texts = texts
        self.read: dict[Path, str] = {}
        """Files, and what they said."""
        self._files = 0
        self._cluster = ""
        """``ClusterName``, as far as it was met."""

    def lines(self, path: Path) -> Iterator[Line]:
        """The lines of a file, in the order in which slurmctld meets them."""
        for number, stripped in _joined(self._text(path)):
            if _TEMPLATE.search(stripped):
                Line(str(path), number, [], self._findings).note(
                    f"{stripped[:40]!r}: this is a template, from which a file is made",
                    "template",
                    hint="give the file that was made from it, as it stands on the cluster",
                )
                return
            first, _, rest = stripped.partition(" ")
            if first.lower() == "include" and "=" not in first:
                yield from self._include(rest.strip(), Line(str(path), number, [], self._findings))
                continue
            line = _line_of(stripped, str(path), number, self._findings)
            if line is not None:
                self._cluster = line.text("ClusterName", self._cluster)
                yield line

    def _text(self, path: Path) -> str:
        self._files += 1
        if self._files > _MOST_INCLUDES:
            if self._files == _MOST_INCLUDES + 1:
                message = f"more than {_MOST_INCLUDES} files are included"
                self._findings.add(message, code="include", file=str(path))
            return ""
        try:
            text = self._texts[path] if path in self._texts else _text(path)
        except OSError as error:
            self._findings.add(f"cannot be read: {error.strerror}", code="unreadable", file=str(path))
            return ""
        self.read[path] = text
        return text

    def _include(self, name: str, line: Line) -> Iterator[Line]:
        """The lines of a file that ``line`` includes; ``%c`` in its name stands for the cluster."""
        name = name.strip('"').replace("%c", self._cluster.lower())
        if "*" in name:
            line.note(f"Include {name}: Slurm does not look for several files, and passes over it", "include")
            return
        path = self._base / name
        if not path.exists():
            beside = self._base / path.name
            if not beside.exists():
                hint = f"copy it to the folder of this file ({path.name})"
                line.note(f"Include {name}: there is no such file", "unreadable", hint=hint)
                return
            line.note(f"Include {name}: the file {path.name} beside this one is read", "include", Severity.NOTE)
            path = beside
        yield from self.lines(path)


def _line_of(stripped: str, path: str, number: int, findings: Findings) -> Line | None:
    """The keys and values of a line; what else it holds is noted."""
    pairs = [(key, value.replace('"', "")) for key, value in _PAIR.findall(stripped)]
    left = _PAIR.sub("", stripped).strip()
    line = Line(path, number, pairs, findings)
    if len(line.values) < len(pairs):
        keys = [key.lower() for key, _ in pairs]
        for key, written in line.written.items():
            if keys.count(key) > 1:
                told = f"{written} stands more than once in this line: the last one holds"
                line.note(told, "duplicate", Severity.WARNING)
    if left:
        severity = Severity.WARNING if pairs else Severity.ERROR
        line.note(f"{left[:40]!r} is not a key=value", "syntax", severity)
    return line if pairs else None


def _joined(text: str) -> Iterator[tuple[int, str]]:
    """Lines that say something, with the number each starts on."""
    whole = ""
    first = 0
    for number, raw in enumerate(text.split("\n"), 1):
        first = first or number
        part = _COMMENT.sub("", raw.rstrip()).replace("\t", " ")
        if part.rstrip().endswith("\\"):
            whole += part.rstrip()[:-1]
            continue
        stripped = (whole + part).strip()
        if stripped:
            yield first, stripped
        whole, first = "", 0
    if whole.strip():
        yield first, whole.strip()
