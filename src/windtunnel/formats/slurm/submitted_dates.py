"""Dates in a submit line: ``2024-01-01T12:00``, ``now+2hours``."""

import re
from datetime import UTC, tzinfo
from typing import Final

from windtunnel.formats.slurm.values import date

__all__ = ["date_in"]

_LATER: Final = re.compile(r"now\+(\d{1,9})(seconds?|minutes?|hours?|days?|weeks?)?", re.ASCII)
_UNITS: Final = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800}
_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?)?", re.ASCII)


def date_in(text: str, submitted: float, zone: tzinfo = UTC) -> int | None:
    """Seconds since 1970 of ``2024-01-01T12:00`` or ``now+2hours``; None for other words, which are not followed."""
    found = _LATER.fullmatch(text)
    if found is not None:
        return int(submitted) + int(found[1]) * _UNITS[(found[2] or "seconds").rstrip("s")]
    if _DATE.fullmatch(text) is None:
        return None
    try:
        when = date(text, zone)
    except ValueError:
        return None
    return None if when is None else int(when)
