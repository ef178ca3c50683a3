"""The part of a run that counts: without warm-up and cool-down."""

from math import inf, nan

from windtunnel.diagnostics import UsageError, read_duration
from windtunnel.results.columns import Columns
from windtunnel.results.derived import Derived

__all__ = ["Trim", "check_trims", "seconds_of", "window"]

Trim = float | str
"""A part of the run to exclude: seconds, a duration as a string (``"2d"``), or a share of the run (``"10%"``)."""


def seconds_of(trim: Trim, whole: float, what: str) -> float:
    """A trim in seconds, given the length of the run.

    Raises:
        UsageError: it is malformed.
    """
    try:
        text = str(trim).strip()
        share = float(text[:-1]) / 100.0 if text.endswith("%") else 0.0
        value = share * whole if text.endswith("%") else read_duration(text)
    except (ValueError, UsageError):
        share = value = nan
    if share >= 1.0:
        raise UsageError(f"{what}: {trim} leaves nothing", "such as 3600, 2d or 10%")
    if not (0.0 <= value < inf and share >= 0.0):
        raise UsageError(f"{what}: {trim!r} is neither a duration nor a percentage", "such as 3600, 2d or 10%")
    return value


def check_trims(warm_up: Trim, cool_down: Trim) -> None:
    """Find out before a run what would leave nothing of any.

    Raises:
        UsageError: a trim is malformed, or both are shares that leave nothing.
    """
    left = 1.0 - seconds_of(warm_up, 1.0, "warm-up") - seconds_of(cool_down, 1.0, "cool-down")
    if left <= 0.0 and all(str(trim).strip().endswith("%") for trim in (warm_up, cool_down)):
        raise UsageError(f"warm-up {warm_up} and cool-down {cool_down} leave nothing", "such as 10% and 5%")


def window(
    columns: Columns, warm_up: Trim = 0.0, cool_down: Trim = 0.0, derived: Derived | None = None
) -> tuple[float, float]:
    """The part of the run that counts (s); ``derived`` are values computed from all jobs, if there are any yet.

    Raises:
        UsageError: a trim is malformed, or nothing remains.
    """
    first = derived.earliest if derived and derived.ran is columns else min(columns.submitted, default=0.0)
    last = max(derived.latest if derived else max(columns.finish, default=0.0), first)
    opens = first + seconds_of(warm_up, last - first, "warm-up")
    closes = last - seconds_of(cool_down, last - first, "cool-down")
    if opens > closes or (opens == closes and first < last):
        raise UsageError(f"warm-up {warm_up} and cool-down {cool_down} leave nothing of {last - first:g} s")
    return opens, closes
