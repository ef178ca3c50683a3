"""What readers of signals share: dates, numbers, and rows that become a signal, with what is missing of them."""

from array import array
from collections import Counter
from datetime import UTC, datetime
from math import inf, isfinite
from typing import Final

from windtunnel.diagnostics import Findings, Severity
from windtunnel.model.signals import MOST, Signal

__all__ = ["MISSING", "MOST_ROWS", "SignalRows", "number_of", "seconds_of"]

MISSING: Final = frozenset({"", "-", "n/e", "n/a", "na", "nan", "null", "none"})
"""How sources write that they have no value."""

MOST_ROWS: Final = 10_000_000
"""A signal has no more rows than this: a hundred years by minutes are five times less."""


def seconds_of(text: str) -> float | None:
    """Seconds since 1970 (UTC) of an ISO date, which is UTC unless it says otherwise; None if it is none."""
    try:
        date = datetime.fromisoformat(text.strip())
        return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def number_of(text: str) -> float | None:
    """A finite number as sources write it; None if it is none."""
    if "_" in text:
        return None
    try:
        value = float(text)
    except ValueError:
        return None
    return value if isfinite(value) else None


class SignalRows:
    """Rows as they are read: what is wrong with their order is found at once, what is missing at the end."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self.dates = array("d")
        self.values = array("d")
        self.lines = array("q")
        self.missing = 0
        self.first_missing = 0
        self._last = -inf
        self._until = inf
        """Where the row before ends, if it says so."""
        self._seen: array[float] = array("d")
        """Dates of all rows, with or without a value."""

    def add(
        self, date: float, text: str, line: int, factor: float = 1.0, until: float = inf, *, pointer: str = ""
    ) -> None:
        """A row: its date (s), its value as written, the line where it is, what the value is multiplied by, and the
        end of the row, if the source says it; ``pointer`` is where it is in JSON.
        """
        if len(self._seen) >= MOST_ROWS:
            self.findings.add(f"has more than {MOST_ROWS:,} rows", code="too-many-rows", line=line)
            self.findings.raise_all()
        if date <= self._last:
            what = "has the date of the row before" if date == self._last else "is earlier than the row before"
            hint = "rows are in order of time, one for each date"
            self.findings.add(f"the row {what}", code="row-order", line=line, pointer=pointer, hint=hint)
            return
        if date > self._until:
            self._miss(line, max(round((date - self._until) / max(self._until - self._last, 1.0)), 1))
        self._last, self._until = date, until
        self._seen.append(date)
        if text.strip().casefold() in MISSING:
            self._miss(line, 1)
            return
        value = number_of(text)
        if value is None or not abs(value * factor) <= MOST:
            what = "is not a number" if value is None else f"is more than {MOST:g} in our unit"
            comma = value is None and number_of(text.replace(",", ".", 1)) is not None
            hint = "decimals are behind a point, as in 45.3" if comma else ""
            self.findings.add(f"{text!r:.60} {what}", code="not-a-number", line=line, pointer=pointer, hint=hint)
            return
        if not abs(date) <= MOST:
            self.findings.add(f"{date:g} s is not a time", code="not-a-time", line=line, pointer=pointer)
            return
        self.dates.append(date)
        self.values.append(value * factor)
        self.lines.append(line)

    def _miss(self, line: int, count: int) -> None:
        self.missing += count
        self.first_missing = min(self.first_missing or line, line)

    def signal(self, unit: str, *, outside: str, dated: bool, kind: str = "", regular: bool = True) -> Signal:
        """The signal; ``regular`` rows lie as far from each other as most do, and those that are away are counted.

        Raises:
            InputError: there are errors, or too few rows.
        """
        findings = self.findings
        if not self.dates and not findings.has_errors:
            findings.add("has no row with a value", code="no-rows")
        findings.raise_if_errors()
        step = self._usual_step(regular=regular)
        if regular and step > 0.0:
            self._count_gaps(step)
        if self.missing:
            early = "; those before the first value are as if they were not there"
            findings.add(
                "rows without a value: what holds before them continues to hold"
                + (early if self._seen[0] < self.dates[0] else ""),
                code="missing-rows",
                line=self.first_missing,
                hint="nothing is interpolated; fill them in the file if that is not what is meant",
                severity=Severity.WARNING,
                count=self.missing,
            )
        self._tell_negative(unit)
        last = self._seen[-1]
        end = self._until if last < self._until < inf else last + step if step > 0.0 else inf
        if end == inf and outside == "error":
            findings.add("one row does not say how long it holds", code="one-row", hint="outside=hold: from then on")
            findings.raise_all()
        return Signal(
            findings.file, unit, self.dates, self.values, end=end, outside=outside, dated=dated, kind=kind
        )

    def _tell_negative(self, unit: str) -> None:
        """Carbon intensities below 0, which are often no values, but marks of missing ones."""
        below = [line for value, line in zip(self.values, self.lines, strict=True) if value < 0.0]
        if below and unit == "g/kWh":
            self.findings.add(
                "carbon intensities below 0, which are taken as they are: they lower the grams",
                code="negative",
                line=below[0],
                hint="if they mark missing values, leave these empty",
                severity=Severity.WARNING,
                count=len(below),
            )

    def _usual_step(self, *, regular: bool) -> float:
        """Seconds from a row to the next: as most often, or between the last two; 0 if there are not two rows."""
        seen = self._seen
        if len(seen) < 2:
            return 0.0
        if not regular:
            return seen[-1] - seen[-2]
        steps = Counter(seen[rank] - seen[rank - 1] for rank in range(1, len(seen)))
        return max(steps, key=lambda step: (steps[step], step))

    def _count_gaps(self, step: float) -> None:
        """Rows that are not there at all."""
        for rank in range(1, len(self._seen)):
            away = round((self._seen[rank] - self._seen[rank - 1]) / step) - 1
            if away > 0:
                self._miss(self._line_of(rank), away)

    def _line_of(self, rank: int) -> int:
        """The line of the first row with a value from a date on; 0 if there is none."""
        date = self._seen[rank]
        return next((line for at, line in zip(self.dates, self.lines, strict=True) if at >= date), 0)
