"""CSV files with a head, as sources of signals write them."""

import csv
from collections import Counter
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

from windtunnel.diagnostics import Findings, open_lines
from windtunnel.formats.files import reason

__all__ = ["Table", "head_of"]


def head_of(text: str) -> list[str]:
    """The columns that a first line names; empty if it is no such line."""
    try:
        return [name.strip() for name in next(csv.reader(StringIO(text), delimiter=_separator(text)), [])]
    except csv.Error:
        return []


def _separator(head: str) -> str:
    return max(",;\t", key=head.count)


class Table:
    """The rows of a CSV file, with their lines; fields are separated as in the first line (comma, semicolon, tab)."""

    def __init__(self, path: Path, findings: Findings) -> None:
        self.path = path
        self.findings = findings
        self.columns: list[str] = []

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Line and fields of each row that is as wide as the head; others are errors.

        Raises:
            InputError: the file cannot be read.
        """
        findings = self.findings
        line = 0
        try:
            with open_lines(self.path) as file:
                first = file.readline()
                separator = _separator(first)
                reader = csv.reader([first], delimiter=separator)
                self.columns = [name.strip() for name in next(reader, [])]
                self._tell_doubled()
                line = 1
                reader = csv.reader(file, delimiter=separator)
                for row in reader:
                    line = reader.line_num + 1
                    if not any(field.strip() for field in row):
                        continue
                    if len(row) != len(self.columns):
                        message = f"has {len(row)} fields where the first line names {len(self.columns)} columns"
                        findings.add(message, code="fields", line=line)
                        continue
                    yield line, row
        except OSError as error:
            findings.add(f"cannot be read: {reason(error)}", code="unreadable")
            findings.raise_all()
        except csv.Error as error:
            findings.add(f"is not a table of CSV: {error}", code="csv", line=line + 1)

    def _tell_doubled(self) -> None:
        """Columns of the same name, of which the first is read."""
        doubled = {name for name, count in Counter(self.columns).items() if count > 1 and name}
        if doubled:
            message = f"several columns have the same name, and the first is read: {', '.join(sorted(doubled)):.200}"
            self.findings.warn(message, code="columns", line=1)
