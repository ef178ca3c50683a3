"""The dates at which all usage is forgotten (PriorityUsageResetPeriod; §7.3)."""

from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from mypy_extensions import mypyc_attr

__all__ = ["Resets", "next_reset"]

_DAY: Final = 86400
_WEEK: Final = 7 * _DAY
_PERIODS: Final = ("DAILY", "WEEKLY", "MONTHLY", "QUARTERLY", "YEARLY")


def next_reset(period: str, last: int, now: int, zone: str) -> int:
    """The first date after ``last`` at which a period ends, in seconds since 1970.

    Periods begin at midnight of the time zone: of a day, a Sunday, or the first of a month, a quarter or a year. Days
    and weeks that are over at ``now`` are passed over; they have 24 hours each, whatever the clocks are put to.
    """
    then = datetime.fromtimestamp(last, ZoneInfo(zone)).replace(hour=0, minute=0, second=0, microsecond=0)
    if period in ("DAILY", "WEEKLY"):
        length = _DAY if period == "DAILY" else _WEEK
        sunday = then.isoweekday() % 7
        due = int(then.timestamp()) + (_DAY if period == "DAILY" else _DAY * (7 - sunday))
        return due + max(0, -(-(now - due) // length) - 1) * length
    year, month = then.year, then.month
    if period == "MONTHLY":
        month += 1
    elif period == "QUARTERLY":
        month += 3 - (month - 1) % 3
    else:
        month = 13
    if month > 12:
        year, month = year + 1, 1
    return int(then.replace(year=year, month=month, day=1).timestamp())


@mypyc_attr(allow_interpreted_subclasses=True)
class Resets:
    """When usage is next forgotten; the first period is the one in which the run begins."""

    def __init__(self, period: str, zone: str, start: int) -> None:
        self.period = period if period in _PERIODS else ""
        self.zone = zone
        self.due = next_reset(self.period, start, start, zone) if self.period else 0

    def over(self, now: int) -> bool:
        """Whether a period has ended since this was last asked."""
        if not self.period or now < self.due:
            return False
        self.due = next_reset(self.period, self.due, now, self.zone)
        return True
