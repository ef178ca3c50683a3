"""CSV files with a head, as sources of signals write them."""

import csv
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
        try:
            with open_lines(self.path) as file:
                first = file.readline()
                separator = _separator(first)
                reader = csv.reader([first], delimiter=separator)
                self.columns = [name.strip() for name in next(reader, [])]
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
            findings.add(f"is not a table of CSV: {error}", code="csv")
