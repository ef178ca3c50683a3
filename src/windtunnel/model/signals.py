"""Signals: quantities that change in steps over time, such as the carbon intensity of the grid or a price.

What a row says holds from its date on until the next one (left-closed steps), so that integrals are sums: exact, and
found in O(log n) by sums of what came before. Outside the rows a signal holds, repeats, or is not known
(power-carbon.md 5).
"""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from math import floor, inf, isfinite, isnan
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.diagnostics import SimulationError, UsageError, show_time

__all__ = ["MOST", "MOST_ERROR", "OUTSIDE", "PERIODS", "Signal", "constant"]

PERIODS: Final = {"day": 86400.0, "week": 604800.0, "year": 31536000.0}
"""Seconds after which a signal may repeat; a year has 365 days."""

OUTSIDE: Final = ("error", "hold", *PERIODS)
"""What may happen before the first row and after the end of the last one."""


MOST: Final = 1e15
"""Larger dates and values have no meaning, and their integrals would overflow."""

MOST_ERROR: Final = 100.0
"""Forecasts that are off by more than this share have no meaning either."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Signal:
    """A quantity in steps. Dates are seconds: of the simulation, or since 1970 (UTC) where ``dated``.

    Args:
        name: what errors call it, such as a path.
        unit: of its values: ``g/kWh``, or a currency per MWh such as ``EUR/MWh``.
        dates: where steps begin, ascending.
        values: what holds from there on.
        end: where the last step ends; ``inf``: nowhere.
        outside: what holds before the first date and from ``end`` on: ``error`` (nothing is known), ``hold`` (the
            first and the last value), or the rows of one ``day``, ``week`` or ``year`` (365 days) before or after.
        dated: whether dates are those of the calendar.
        kind: which quantity of that unit it is, such as ``marginal`` or ``life-cycle``; empty: not said.
        zero: the date of second 0 (s since 1970, UTC), for errors to speak of dates; None: not known.

    Raises:
        UsageError: the steps are no signal, or there are too few of them to repeat.
    """

    def __init__(
        self,
        name: str,
        unit: str,
        dates: Sequence[float],
        values: Sequence[float],
        *,
        end: float = inf,
        outside: str = "error",
        dated: bool = False,
        kind: str = "",
        zero: float | None = None,
    ) -> None:
        self.name = name
        self.unit = unit
        self.dates = array("d", dates)
        self.values = array("d", values)
        self.end = end
        self.outside = outside
        self.dated = dated
        self.kind = kind
        self.zero = zero
        self.period = PERIODS.get(outside, 0.0)
        self._check()
        self.sums = array("d", [0.0])
        """Integrals from the first date to each."""
        total = 0.0
        for rank in range(1, len(self.dates)):
            total += self.values[rank - 1] * (self.dates[rank] - self.dates[rank - 1])
            self.sums.append(total)

    def _check(self) -> None:
        dates, outside = self.dates, self.outside
        if outside not in OUTSIDE:
            raise UsageError(f"outside must be one of {', '.join(OUTSIDE)}, not {outside!r:.40}")
        if not len(dates) or len(dates) != len(self.values):
            raise UsageError(f"{self.name}: a signal needs as many dates as values, and at least one of them")
        if any(not abs(number) <= MOST for number in (*dates, *self.values)):
            raise UsageError(f"{self.name}: dates and values of a signal are numbers of at most {MOST:g}")
        if any(dates[rank] <= dates[rank - 1] for rank in range(1, len(dates))) or not self.end > dates[-1]:
            raise UsageError(f"{self.name}: the dates of a signal ascend")
        if self.period > 0.0 and not self.end - dates[0] >= self.period:
            days = (self.end - dates[0]) / 86400.0
            raise UsageError(
                f"{self.name} cannot repeat every {outside}: its rows cover {days:.6g} days",
                f"a {outside} has {self.period / 86400.0:g} of them; outside=hold keeps the first and last value",
            )

    def from_zero(self, zero: float) -> "Signal":
        """The same signal in seconds from ``zero`` (s since 1970, UTC): second 0 of a simulation."""
        if not self.dated:
            return self
        shifted = [date - zero for date in self.dates]
        end, outside, kind = self.end - zero, self.outside, self.kind
        return Signal(self.name, self.unit, shifted, self.values, end=end, outside=outside, kind=kind, zero=zero)

    @property
    def first(self) -> float:
        """Where the first step begins."""
        return self.dates[0]

    def knows(self, date: float) -> bool:
        """Whether there is a value at a time."""
        return self.outside != "error" or self.dates[0] <= date < self.end

    def at(self, date: float) -> float:
        """The value at a time.

        Raises:
            SimulationError: it is outside the rows, and nothing is known there.
        """
        if date >= self.end:
            if self.period > 0.0:
                date = self._back(date)
            else:
                self._must_hold(date)
        elif date < self.dates[0]:
            if self.period > 0.0:
                date = self._forth(date)
            else:
                self._must_hold(date)
        return self.values[max(bisect_right(self.dates, date) - 1, 0)]

    def integral(self, since: float, until: float) -> float:
        """The integral over time (unit times s) from ``since`` to ``until``.

        Raises:
            SimulationError: a part lies outside the rows, and nothing is known there.
        """
        if until <= since:
            return 0.0
        first, end = self.dates[0], self.end
        total = 0.0
        if since < first:
            stop = min(until, first)
            total += self._before(since, stop)
            since = stop
        if until > end:
            start = max(since, end)
            total += self._after(start, until)
            until = start
        if until > since:
            total += self._within(since, until)
        return total

    def covers(self, since: float, until: float) -> bool:
        """Whether there are values all the time from ``since`` to ``until``."""
        return self.outside != "error" or (self.dates[0] <= since and until <= self.end)

    def steps(self, since: float, until: float) -> list[float]:
        """Where steps begin after ``since`` and before ``until``, ascending; also in the rows that repeat.

        Raises:
            UsageError: there is no end of them.
        """
        if not (isfinite(since) and isfinite(until)) and (self.period > 0.0 or isnan(since) or isnan(until)):
            raise UsageError(f"{self.name}: the steps from {since} s to {until} s have no end", "give finite times")
        dates, first, end, period = self.dates, self.dates[0], self.end, self.period
        found = list(dates[bisect_right(dates, since) : bisect_left(dates, until)])
        if period > 0.0 and until > end:
            last = [end - period, *dates[bisect_right(dates, end - period) :]]
            found += _repeated(last, period, max(since, end - period), until, end)
        if period > 0.0 and since < first:
            head = list(dates[: bisect_left(dates, first + period)])
            early = _repeated(head, period, since, min(until, first), since - period)
            found = [date for date in early if date < first] + found
        return found

    def forecast(self, now: float, until: float, *, error: float = 0.0, seed: int = 0) -> "Signal":
        """What is expected from ``now`` on: this signal up to ``until``, or as far as it is known.

        With an ``error`` each later step is off by a share drawn from a normal distribution with this standard
        deviation: the same share whenever that step is forecast with the same ``seed``.

        Raises:
            SimulationError: nothing is known at ``now``.
            UsageError: there is no end of it, or the error is no such share.
        """
        if not 0.0 <= error <= MOST_ERROR:
            raise UsageError(f"the error of a forecast is a share from 0 to {MOST_ERROR:g}, not {error!r}")
        stop = min(until, self.end) if self.outside == "error" else until
        dates = [now, *self.steps(now, stop)]
        values = [self.at(date) for date in dates]
        if error > 0.0:
            from random import Random  # plain runs do without

            values[1:] = [
                value * (1.0 + Random(f"{seed}:{date!r}").gauss(0.0, error))
                for date, value in zip(dates[1:], values[1:], strict=True)
            ]
        end = stop if stop > dates[-1] else dates[-1] + 1.0
        return Signal(self.name, self.unit, dates, values, end=end, kind=self.kind, zero=self.zero)

    def _within(self, since: float, until: float) -> float:
        """The integral between two dates of the rows; exact to rounding of its own size if both lie in one step."""
        dates, values = self.dates, self.values
        low = max(bisect_right(dates, since) - 1, 0)
        following = dates[low + 1] if low + 1 < len(dates) else inf
        if until <= following:
            return values[low] * (until - since)
        high = bisect_right(dates, until) - 1
        middle = self.sums[high] - self.sums[low + 1]
        return values[low] * (following - since) + middle + values[high] * (until - dates[high])

    def _before(self, since: float, until: float) -> float:
        """The integral between two dates up to the first row."""
        if self.period <= 0.0:
            self._must_hold(since)
            return self.values[0] * (until - since)
        first, period = self.dates[0], self.period
        rounds = floor((until - since) / period)
        total = rounds * self._within(first, first + period) if rounds > 0 else 0.0
        since += rounds * period
        if since >= until:
            return total
        low, high = self._forth(since), self._forth(until)
        if low <= high:
            return total + self._within(low, high)
        return total + self._within(low, first + period) + self._within(first, high)

    def _after(self, since: float, until: float) -> float:
        """The integral between two dates from the end of the rows on."""
        if self.period <= 0.0:
            self._must_hold(until)
            return self.values[-1] * (until - since)
        end, period = self.end, self.period
        rounds = floor((until - since) / period)
        total = rounds * self._within(end - period, end) if rounds > 0 else 0.0
        since += rounds * period
        if since >= until:
            return total
        low, high = self._back(since), self._back(until)
        if low <= high:
            return total + self._within(low, high)
        return total + self._within(low, end) + self._within(end - period, high)

    def _back(self, date: float) -> float:
        """A date from the end on, in the last period of the rows."""
        return self.end - self.period + (date - self.end) % self.period

    def _forth(self, date: float) -> float:
        """A date before the first one, in the first period of the rows."""
        return self.dates[0] + (date - self.dates[0]) % self.period

    def _must_hold(self, date: float) -> None:
        if self.outside != "hold":
            raise SimulationError(
                f"{self.name} has no value at {self._shown(date)}: its rows hold from {self._shown(self.first)} to "
                f"{self._shown(self.end)} (outside=hold keeps the first and last value, outside=day, week or year "
                "repeats)"
            )

    def _shown(self, date: float) -> str:
        """A time for people: seconds, and the date where second 0 has one."""
        return f"{date:.10g} s" + ("" if self.zero is None else f" ({show_time(date, self.zero)})")


def _repeated(
    dates: Sequence[float], period: float, since: float, until: float, after: float
) -> list[float]:
    """These dates of one period, and as many periods later or earlier as lie after ``since`` and before ``until``."""
    rounds = floor((since - dates[0]) / period)
    found = []
    start = dates[0] + rounds * period
    while start < until:
        for date in dates:
            moved = date + rounds * period
            if max(since, after) < moved < until or (moved == after and since < moved):
                found.append(moved)
        rounds += 1
        start = dates[0] + rounds * period
    return found


def constant(name: str, unit: str, value: float) -> Signal:
    """A signal that never changes.

    Raises:
        UsageError: the value is not finite.
    """
    return Signal(name, unit, [0.0], [value], outside="hold")
