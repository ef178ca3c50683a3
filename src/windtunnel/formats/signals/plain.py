"""Our own CSV: ``time`` and a column whose name has the unit (``gCO2e/kWh``, ``price [EUR/MWh]``).

Times are seconds of the simulation, or ISO dates (UTC unless they say otherwise). A row holds until the next one, the
last one as long as the one before it.
"""

import re
from pathlib import Path
from typing import Final, Literal

from windtunnel.diagnostics import Findings, Severity
from windtunnel.formats.signals.one_of import tell_unread
from windtunnel.formats.signals.rows import SignalRows, number_of, seconds_of
from windtunnel.formats.signals.table_rows import Table, head_of
from windtunnel.model.signal_units import KNOWN, Quantity, convert
from windtunnel.model.signals import Signal

__all__ = ["has_unit", "looks_like_plain", "read_plain"]

_LATE: Final = 1e9
"""Seconds, 31 years: a signal that begins later probably has dates, in seconds since 1970."""
_UNIT: Final = re.compile(r"(?:.*[(\[])?([^()\[\]]+)[)\]]?")


def looks_like_plain(head: str) -> bool:
    """Whether a column is called ``time``."""
    return "time" in (name.casefold() for name in head_of(head))


def has_unit(head: str, quantity: Quantity) -> bool:
    """Whether a column is named with a unit of the quantity."""
    return any(convert(quantity, _unit(name)) is not None for name in head_of(head))


def read_plain(
    path: Path,
    quantity: Quantity,
    findings: Findings,
    *,
    outside: Literal["error", "hold", "day", "week", "year"] = "error",
    column: str = "",
    unit: str = "",
) -> Signal:
    """Read such a file; ``column`` chooses one of several, ``unit`` is that of a column whose name has none.

    Raises:
        InputError: it is at fault; all faults are named with their line.
    """
    table, rows = Table(path, findings), SignalRows(findings)
    place = _Place(quantity, column, unit)
    dated: bool | None = None
    for line, row in table.rows():
        if not place.looked:
            place.find(table.columns, findings)
        text = row[place.time].strip()
        date = number_of(text)
        seconds = date is not None
        date = date if date is not None else seconds_of(text)
        if date is None:
            hint = "seconds of the simulation, or dates such as 2024-01-01T00:00Z"
            findings.add(f"{text!r:.60} is not a time", code="not-a-time", line=line, hint=hint)
        elif dated is seconds:
            hint = "all rows have one or the other"
            findings.add("mixes seconds and dates", code="mixed-times", line=line, hint=hint)
        else:
            dated = not seconds
            rows.add(date, row[place.value], line, place.factor)
    if dated is False and rows.dates and rows.dates[0] >= _LATE:
        message = f"times such as {rows.dates[0]:.10g} are seconds of the simulation, not of the calendar"
        hint = "dates are written as 2024-01-01T00:00Z"
        findings.add(message, code="late-times", line=rows.lines[0], hint=hint, severity=Severity.WARNING)
    if place.looked:
        tell_unread(findings, table.columns, {table.columns[place.time], table.columns[place.value]})
    return rows.signal(place.unit, outside=outside, dated=bool(dated), regular=False)


class _Place:
    """Which columns hold time and value, and the unit of the latter."""

    def __init__(self, quantity: Quantity, column: str, unit: str) -> None:
        self.quantity = quantity
        self.column = column
        self.given = unit
        self.time = self.value = 0
        self.unit, self.factor = "", 1.0
        self.looked = False

    def find(self, columns: list[str], findings: Findings) -> None:
        """Look at the names of the columns; what is wrong with them ends the reading.

        Raises:
            InputError: no column, or more than one, has a unit of the quantity.
        """
        self.looked = True
        self.time = [name.casefold() for name in columns].index("time")
        others = {name: convert(self.quantity, self.given or _unit(name)) for name in columns}
        others.pop(columns[self.time])
        fitting = [name for name, known in others.items() if known is not None]
        if self.given or self.column:
            fitting = [name for name in fitting if not self.column or name == self.column]
        if len(fitting) != 1 or columns.count(fitting[0]) > 1:
            self._refuse(columns, fitting, findings)
        found, own = others[fitting[0]], convert(self.quantity, _unit(fitting[0]))
        assert found is not None
        if own not in (None, found):
            message = f"column {fitting[0]!r:.60} says its unit: unit={self.given} is another"
            findings.add(message, code="unit", line=1, hint=f"leave out unit={self.given}")
        self.value = columns.index(fitting[0])
        self.unit, self.factor = found

    def _refuse(self, columns: list[str], fitting: list[str], findings: Findings) -> None:
        if self.given and convert(self.quantity, self.given) is None:
            message = f"{self.given!r:.40} is not a unit of {self.quantity}"
        elif fitting:
            message = f"several columns are a {self.quantity}: {', '.join(fitting)}"
        elif self.column and self.column not in columns:
            message = f"has no column {self.column!r:.60}, but {', '.join(columns)[:200]}"
        else:
            message = f"no column is named with a unit of {self.quantity}: {', '.join(columns)[:200]}"
        hint = f"units: {KNOWN[self.quantity]}; column=NAME chooses a column, unit=UNIT gives one to its values"
        findings.add(message, code="unit", line=1, hint=hint)
        findings.raise_all()


def _unit(name: str) -> str:
    """What stands in parentheses or brackets at the end of a column's name, or all of it."""
    found = _UNIT.fullmatch(name.strip())
    return found[1] if found else name
