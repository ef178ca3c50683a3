"""A slurm.conf and the files that it includes, as texts; lines to be changed are found as the reader finds them."""

import re
from collections.abc import Mapping, Sequence
from difflib import unified_diff
from pathlib import Path
from typing import Final

from windtunnel.diagnostics import Findings, UsageError
from windtunnel.formats.slurm.lines import Line, lines_of, texts_of

__all__ = ["ConfFiles", "with_pairs"]

_COMMENT: Final = re.compile(r"(?<!\\)#.*")


class ConfFiles:
    """The files of one configuration, as they would read."""

    __slots__ = ("_lines", "path", "texts")

    def __init__(self, path: Path, texts: Mapping[Path, str]) -> None:
        self.path = path
        """Of the slurm.conf."""
        self.texts = texts
        """Of each file; :func:`~windtunnel.formats.slurm.conf.read_as` takes them."""
        self._lines: list[Line] | None = None

    @classmethod
    def read(cls, path: str | Path) -> "ConfFiles":
        """The files as they are; those that cannot be read are left to the reader, which says so.

        Raises:
            UsageError: the slurm.conf cannot be read.
        """
        path = Path(path).absolute()
        try:
            return cls(path, texts_of(path))
        except OSError as error:
            raise UsageError(f"{path}: cannot be read: {error.strerror}") from error

    @property
    def lines(self) -> list[Line]:
        """The lines of all files, in the order in which slurmctld meets them."""
        if self._lines is None:
            self._lines = list(lines_of(self.path, Findings(str(self.path)), self.texts))
        return self._lines

    def text_of(self, line: Line) -> str:
        r"""A line in one piece, with its comment unless it goes on behind a ``\``."""
        pieces = self.texts[Path(line.file)].split("\n")[line.number - 1 :]
        return _in_one_piece(pieces)[0]

    def replaced(self, line: Line, *new: str) -> "ConfFiles":
        """The same with other lines in the place of one."""
        path = Path(line.file)
        pieces = self.texts[path].split("\n")
        count = _in_one_piece(pieces[line.number - 1 :])[1]
        pieces[line.number - 1 : line.number - 1 + count] = new
        return ConfFiles(self.path, {**self.texts, path: "\n".join(pieces)})

    def begun_with(self, new: str) -> "ConfFiles":
        """The same with one more line, before all others."""
        return ConfFiles(self.path, {**self.texts, self.path: f"{new}\n{self.texts[self.path]}"})

    def difference(self, after: "ConfFiles") -> str:
        """What another state changes in the files, in unified form."""
        lines: list[str] = []
        for path, text in self.texts.items():
            old, new = text.splitlines(), after.texts[path].splitlines()
            lines += unified_diff(old, new, path.name, f"{path.name} (changed)", lineterm="", n=1)
        return "\n".join(lines)


def _in_one_piece(pieces: Sequence[str]) -> tuple[str, int]:
    """The line that begins there, and how many pieces it has."""
    whole = pieces[0]
    for count, following in enumerate((*pieces[1:], ""), 1):
        plain = _COMMENT.sub("", whole).rstrip()
        if not plain.endswith("\\"):
            return whole, count
        whole = plain[:-1] + _COMMENT.sub("", following)
    return whole, len(pieces)


def with_pairs(line: str, pairs: Sequence[tuple[str, str]]) -> str:
    """A line with some keys set: in place, or behind the others; its comment stays."""
    comment = _COMMENT.search(line)
    told = comment[0] if comment else ""
    line = line[: comment.start()].rstrip() if comment else line.rstrip()
    for key, value in pairs:
        there = re.search(rf'(?i)(?<![^\s"]){re.escape(key)}\s*=\s*("[^"]*"|\S*)', line)
        new = f"{key}={value}"
        line = f"{line} {new}" if there is None else f"{line[: there.start()]}{new}{line[there.end() :]}"
    return f"{line} {told}" if told else line
