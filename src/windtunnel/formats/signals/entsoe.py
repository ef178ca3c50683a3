"""ENTSO-E's day-ahead prices, as the Transparency Platform exports them: the old platform and the one since 2024.

``MTU (CET/CEST)`` (or ``(UTC)``) is a span such as ``01.01.2024 00:00 - 01.01.2024 01:00`` or
``01/01/2024 00:00:00 - 01/01/2024 01:00:00``; ``Day-ahead Price [EUR/MWh]`` or ``(EUR/MWh)`` has the currency. Where
clocks are put back, an hour comes twice, and the second time is the later one; where they are put forward, the row of
the hour that does not exist is passed over if it has no value.
"""

import re
from datetime import UTC, datetime, tzinfo
from math import inf
from pathlib import Path
from typing import Final, Literal

from windtunnel.diagnostics import Findings
from windtunnel.formats.signals.one_of import OneOf, tell_unread
from windtunnel.formats.signals.rows import MISSING, SignalRows
from windtunnel.formats.signals.table_rows import Table, head_of
from windtunnel.model.signal_units import Quantity, convert
from windtunnel.model.signals import Signal

__all__ = ["looks_like_entsoe", "read_entsoe"]

_MTU: Final = re.compile(r"MTU \((UTC|CET/CEST)\)")
_PRICE: Final = re.compile(r"Day-ahead Price [\[(](\S+)[\])]", re.IGNORECASE)
_DATE: Final = re.compile(
    r"(\d\d)([./])(\d\d)\2(\d{4}) (\d\d):(\d\d)(?::(\d\d))?(?: \((CET|CEST|UTC)\))?"
)
_CENTRAL: Final = "Europe/Brussels"
_EXPECTED: Final = "such as 01.01.2024 00:00 - 01.01.2024 01:00, or 01/01/2024 00:00:00 - 01/01/2024 01:00:00"


def looks_like_entsoe(head: str) -> bool:
    """Whether there is a market time unit and a day-ahead price."""
    columns = head_of(head)
    return any(map(_MTU.fullmatch, columns)) and any(map(_PRICE.fullmatch, columns))


def read_entsoe(
    path: Path,
    quantity: Quantity,
    findings: Findings,
    *,
    outside: Literal["error", "hold", "day", "week", "year"] = "error",
    zone: str = "",
    sequence: str = "",
) -> Signal:
    """Read such a table; ``zone`` and ``sequence`` choose where it holds several areas or auctions.

    Raises:
        InputError: it is at fault; all faults are named with their line.
    """
    del quantity
    table, rows = Table(path, findings), SignalRows(findings)
    zones, auctions = OneOf(findings, "zone", zone), OneOf(findings, "sequence", sequence)
    head: _Head | None = None
    for line, row in table.rows():
        if head is None:
            head = _Head(table.columns, findings)
            for one, column in ((zones, "Area"), (auctions, "Sequence")):
                if column.casefold() not in head.at:
                    one.absent(column)
        if head.takes(row, line, zones, auctions):
            head.add(rows, row, line)
    zones.close()
    auctions.close()
    if head is not None:
        tell_unread(findings, table.columns, {table.columns[place] for place in head.at.values()})
    return rows.signal(head.unit if head else "", outside=outside, dated=True, regular=False)


class _Head:
    """Which columns are what, and which date came last."""

    def __init__(self, columns: list[str], findings: Findings) -> None:
        self.findings = findings
        self.at: dict[str, int] = {}
        self.local: tzinfo = UTC
        self.unit, self.factor = "", 1.0
        self._last = -inf
        for place, name in enumerate(columns):
            self._know(place, name)
        if "price" not in self.at:
            findings.raise_all()

    def _know(self, place: int, name: str) -> None:
        if found := _MTU.fullmatch(name):
            self.at["span"] = place
            if found[1] != "UTC":
                from zoneinfo import ZoneInfo

                self.local = ZoneInfo(_CENTRAL)
        elif found := _PRICE.fullmatch(name):
            known = convert("price", found[1])
            if known is None:
                self.findings.add(f"the unit of {name!r} is not known", code="unit", line=1)
            else:
                self.at["price"] = place
                self.unit, self.factor = known
        elif name.casefold() in {"area", "sequence", "currency"}:
            self.at[name.casefold()] = place

    def takes(self, row: list[str], line: int, zones: OneOf, auctions: OneOf) -> bool:
        """Whether a row is of the area and auction that are read."""
        if "area" in self.at and not zones.takes(row[self.at["area"]], line):
            return False
        if "sequence" in self.at and not auctions.takes(row[self.at["sequence"]], line):
            return False
        currency = row[self.at["currency"]].strip() if "currency" in self.at else ""
        if currency and currency != self.unit.partition("/")[0]:
            message = f"the currency {currency!r:.20} is not that of the column of prices, {self.unit}"
            self.findings.add(message, code="unit", line=line)
        return True

    def add(self, rows: SignalRows, row: list[str], line: int) -> None:
        """A row of that area and auction."""
        start, dash, end = row[self.at["span"]].partition(" - ")
        first, stop = _DATE.fullmatch(start.strip()), _DATE.fullmatch(end.strip())
        price = row[self.at["price"]]
        dates = self._dates(first) if dash and first else None
        ends = self._dates(stop) if stop else None
        if dates is None or ends is None or max(ends[:2]) <= min(dates[:2]):
            message = f"{row[self.at['span']]!r:.60} is not a span of time"
            self.findings.add(message, code="not-a-time", line=line, hint=_EXPECTED)
            return
        early, late, exists = dates
        if not exists:
            if price.strip().casefold() not in MISSING:
                message = "has a price in an hour that does not exist: clocks are put forward there"
                self.findings.add(message, code="clock-change", line=line)
            return
        date = late if early <= self._last < late else early
        self._last = date
        rows.add(date, price, line, self.factor, ends[0] if ends[0] > date else ends[1])

    def _dates(self, found: re.Match[str]) -> tuple[float, float, bool] | None:
        """When that is (s since 1970), the first and the second time it comes, and whether there is such a time."""
        day, _, month, year, hour, minute, second, named = found.groups()
        try:
            local = datetime(*map(int, (year, month, day, hour, minute, second or 0)), tzinfo=self.local)  # type: ignore[misc, arg-type]
            early, late = local.timestamp(), local.replace(fold=1).timestamp()
            exists = datetime.fromtimestamp(early, self.local).replace(fold=0) == local
        except (ValueError, OverflowError, OSError):
            return None
        if named == "CET" and late > early:
            early = late
        elif named == "CEST" and late > early:
            late = early
        return early, late, exists
