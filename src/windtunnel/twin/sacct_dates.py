"""Dates as ``sacct`` reads them (its manual page says how), checked before anybody takes a script to a cluster."""

import re
from datetime import UTC, datetime
from typing import Final

from windtunnel.diagnostics import UsageError

__all__ = ["check_period"]

_ISO: Final = re.compile(r"\d{4}-\d{1,2}-\d{1,2}(T\d{1,2}:\d{2}(:\d{2})?)?")
_TIME: Final = r"\d{1,2}:\d{2}(:\d{2})?\s*([AP]M)?"
_OTHERS: Final = re.compile(
    rf"{_TIME}|(\d{{4}}(\d\d)?|\d\d?[./]\d\d?([./]\d\d)?)(-{_TIME})?|today|tomorrow|midnight|noon|fika|teatime"
    r"|now([+-]\d+(s(ec(ond)?s?)?|min(ute)?s?|hours?|days?|weeks?)?)?",
    re.IGNORECASE,
)
_FORMS: Final = "such as 2024-01-31, 2024-01-31T08:00, now-30days, today"


def check_period(start: str, end: str) -> tuple[str, str]:
    """A period whose ends ``sacct`` reads, without blanks around or within them.

    Raises:
        UsageError: it reads one of them otherwise, or nothing is between them.
    """
    start, end = _date("--start", start), _date("--end", end)
    if _ISO.fullmatch(start) and _ISO.fullmatch(end) and _moment(start) >= _moment(end):
        raise UsageError(f"--start {start} is not before --end {end}", "no job would be extracted")
    return start, end


def _date(option: str, given: str) -> str:
    text = re.sub(r"(?<=\d)\s+(?=\d)", "T", given.strip())
    if _ISO.fullmatch(text):
        try:
            _moment(text)
        except ValueError as fault:
            raise UsageError(f"{option}: {given!r:.80} is not a valid date: {fault}") from None
        return text
    if _OTHERS.fullmatch(text):
        return text
    raise UsageError(f"{option}: {given!r:.80} is not a date as sacct reads them", _FORMS)


def _moment(text: str) -> datetime:
    date, _, time = text.partition("T")
    hour, minute, second = [*map(int, time.split(":") if time else ()), 0, 0, 0][:3]
    year, month, day = map(int, date.split("-"))
    return datetime(year, month, day, hour, minute, second, tzinfo=UTC)  # compared with each other only
