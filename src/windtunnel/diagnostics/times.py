"""Times as people write and read them: ``5h``, ``1d12h``, ``1996-10-01 14:05``; ``3 h 12 min``."""

import re
from itertools import pairwise
from math import isfinite, isnan
from numbers import Real
from typing import Final

from windtunnel.diagnostics.errors import UsageError

__all__ = ["is_year", "read_duration", "read_time", "show_duration", "show_seconds", "show_time"]

_UNITS: Final = {
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1.0),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), 60.0),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), 3600.0),
    **dict.fromkeys(("d", "day", "days"), 86400.0),
    **dict.fromkeys(("w", "week", "weeks"), 604800.0),
}
_PART: Final = r"(\d{1,15}(?:\.\d{1,15})?)\s*([a-z]+)"
_DATES: Final = (
    "%Y",
    "%Y-%m",
    "%Y-%m-%d",
    "%Y-%m-%d %H:%M",
    "%Y-%m-%dT%H:%M",
    "%Y-%m-%d %H:%M:%S",
    "%Y-%m-%dT%H:%M:%S",
)
_LONGEST: Final = 60
"""Characters of a time; more are not looked at."""
_EXACT: Final = 1e15
"""Durations beyond this many seconds are shown as a power of ten."""


def read_duration(text: str) -> float:
    """Seconds, from a number of them or from parts with a unit: ``90``, ``5h``, ``1d12h``, ``2 min``.

    Units: ``s``, ``min`` (or ``m``), ``h``, ``d``, ``w``, and these in full (``2 hours``).

    Raises:
        UsageError: it is neither.
    """
    text = text.strip()
    if len(text) <= _LONGEST:
        try:
            return float(text)
        except ValueError:
            lower = text.lower()
            found = re.findall(_PART, lower) if re.fullmatch(rf"(?:{_PART}\s*)+", lower) else []
            if found and all(unit in _UNITS for _, unit in found):
                return sum(float(number) * _UNITS[unit] for number, unit in found)
    raise UsageError(
        f"{text!r:.80} is not a duration", "expected seconds, or a duration such as 90min, 5h, 2d or 1d12h"
    )


def read_time(time: str | float | Real, start_date: float | None) -> float:
    """Seconds from the start of the simulation, from a duration, or from a date (UTC) of the log's calendar.

    Args:
        time: seconds, a duration as :func:`read_duration` reads it, or a date such as ``1996-10`` or
            ``1996-10-01 14:05``. Four digits alone are a year (1900 to 2099) where a calendar is known.
        start_date: when the simulation starts in that calendar (s since 1970, UTC); None where it is not known.

    Raises:
        UsageError: it is none of them, or a date without a calendar.
    """
    expected = "expected seconds, a duration such as 5h, or a date such as 1996-10-01 14:05"
    if isinstance(time, Real) and not (isinstance(time, float) and isnan(time)):
        try:
            return float(time)
        except OverflowError:
            raise UsageError(f"a time of {len(str(time))} digits is not a valid time", expected) from None
    if not isinstance(time, str):
        raise UsageError(f"{time!r:.80} is not a valid time", expected)
    from datetime import UTC, datetime  # most runs need no calendar

    text = time.strip()
    if start_date is None or not is_year(text):
        try:
            return read_duration(text)
        except UsageError:
            pass
    for pattern in _DATES if len(text) <= _LONGEST else ():
        try:
            moment = datetime.strptime(text, pattern).replace(tzinfo=UTC)
        except ValueError:
            continue
        if start_date is None:
            raise UsageError(f"{time!r} is a date, and the workload has no start date", "such as 5h or 2d")
        return moment.timestamp() - start_date
    raise UsageError(f"{time!r:.80} is not a valid time", expected)


def is_year(text: str) -> bool:
    """Whether a text may stand for a year: four digits, from 1900 to 2099."""
    return len(text) == len("1996") and text.isdecimal() and text[:2] in {"19", "20"}


def show_duration(seconds: float) -> str:
    """A duration in its two largest units: ``42.5 s``, ``12 min 5 s``, ``3 h 12 min``, ``2 d 4 h``."""
    if isnan(seconds):
        return "-"
    if not isfinite(seconds) or abs(seconds) >= _EXACT:
        return f"{seconds:.6g} s"
    sign, left = ("-", -seconds) if seconds < 0.0 else ("", seconds)
    if left < 59.995:
        return f"{sign}{left:.2f}".rstrip("0").rstrip(".") + " s"
    units = (("d", 86400), ("h", 3600), ("min", 60), ("s", 1))
    for (name, size), (smaller, part) in pairwise(units):
        count, rest = divmod(round(left / part), size // part)
        if count:
            return f"{sign}{count:,} {name}" + (f" {rest} {smaller}" if rest else "")
    return f"{sign}{left:.0f} s"  # not reached: 59.995 s and more make a minute


def show_seconds(seconds: float) -> str:
    """A duration in seconds, and from a minute on what that is: ``26,643.95 s (7 h 24 min)``."""
    exact = f"{seconds:,.2f}".removesuffix(".00") if abs(seconds) < _EXACT else f"{seconds:.6g}"
    return f"{exact} s ({show_duration(seconds)})" if 59.995 <= abs(seconds) < _EXACT else f"{exact} s"


def show_time(seconds: float, start_date: float | None) -> str:
    """An instant of a simulation: a date (UTC) where the log has a calendar, else the duration from the start."""
    if start_date is None or not isfinite(seconds):
        return show_duration(seconds)
    from datetime import UTC, datetime

    try:
        return datetime.fromtimestamp(start_date + seconds, UTC).strftime("%Y-%m-%d %H:%M")
    except (OverflowError, ValueError, OSError):  # beyond the year 9999
        return show_duration(seconds)
