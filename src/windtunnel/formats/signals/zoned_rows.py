"""Tables of one value for each date, perhaps of several zones, of which one is read."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from windtunnel.diagnostics import Findings
from windtunnel.formats.signals.one_of import OneOf, tell_unread
from windtunnel.formats.signals.rows import SignalRows, seconds_of
from windtunnel.formats.signals.table_rows import Table

__all__ = ["ZonedTable", "places_of"]

_EXPECTED: Final = "such as 2024-01-01T00:00Z"


class ZonedTable:
    """Reads such a table: goes through its rows, and takes the value of those that are to be read."""

    def __init__(self, path: Path, findings: Findings, zone: str, column: str) -> None:
        self.findings = findings
        self.table = Table(path, findings)
        self.taken = SignalRows(findings)
        """What was read, to be made a signal."""
        self.at: dict[str, int] = {}
        """Where its columns are: ``date``, ``value``, perhaps ``zone`` and others."""
        self._zones = OneOf(findings, "zone", zone)
        self._column = column

    def rows(self, places: Callable[[list[str]], dict[str, int]]) -> Iterator[tuple[int, list[str]]]:
        """Line and fields of each row of the zone; ``places`` says where the columns are that are read.

        Raises:
            InputError: the file cannot be read.
        """
        for line, row in self.table.rows():
            if not self.at:
                self.at = places(self.table.columns)
                if "zone" not in self.at:
                    self._zones.absent(self._column)
            if "zone" not in self.at or self._zones.takes(row[self.at["zone"]], line):
                yield line, row
        self._zones.close()
        if self.at:
            tell_unread(self.findings, self.table.columns, {self.table.columns[place] for place in self.at.values()})

    def take(self, line: int, row: list[str], factor: float = 1.0) -> None:
        """Date and value of a row, the value multiplied by a factor."""
        text = row[self.at["date"]]
        date = seconds_of(text)
        if date is None:
            message = f"{text!r:.60} is not a date"
            self.findings.add(message, code="not-a-time", line=line, hint=_EXPECTED)
        else:
            self.taken.add(date, row[self.at["value"]], line, factor)


def places_of(columns: list[str], names: dict[str, str]) -> dict[str, int]:
    """Where columns are, of those that there are: what they hold, by their names."""
    return {what: columns.index(name) for what, name in names.items() if name in columns}
