"""Times as Haizea writes them: ``[[D:]HH:]MM``-like lengths and timestamps, read as its parser reads them.

Three fields are H:M:S, also with decimals (``01:02:03.50``); four are D:H:M:S; two are H:M; ``2d 3h 4m 5s`` and
``1 d 02:30`` work too. Haizea takes any other text silently as zero (``3600``!): here that is an error. With
``document=True`` a value ``DD:HH:MM.SS`` is read as the manual's text says (decisions.md 23); the manual's own
example ``01:00:00`` for one hour has no decimals and stays H:M:S under both.
"""

import re
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Final

__all__ = [
    "LONGEST",
    "format_length",
    "format_timestamp",
    "is_timestamp",
    "parse_date",
    "parse_length",
    "parse_timestamp",
]

_N = r"\d+(?:\.\d+)?"
_LENGTH = re.compile(
    rf"(?P<sign>[+-]?)\s*(?:"
    rf"(?P<d4>{_N}):(?P<h4>{_N}):(?P<m4>{_N}):(?P<s4>{_N})"
    rf"|(?:(?P<d3>{_N})\s*d[a-z]*[,\s]*)?(?P<h3>{_N}):(?P<m3>{_N})(?::(?P<s3>{_N}))?"
    rf"|(?=.*[dhms])(?:(?P<d2>{_N})\s*d[a-z]*[,\s]*)?(?:(?P<h2>{_N})\s*h[a-z]*[,\s]*)?"
    rf"(?:(?P<m2>{_N})\s*m[a-z]*[,\s]*)?(?:(?P<s2>{_N})\s*s[a-z]*)?"
    r")",
    re.IGNORECASE | re.ASCII,
)
_DOCUMENT = re.compile(r"(?P<sign>[+-]?)\s*(?P<d>\d+):(?P<h>\d+):(?P<m>\d+)\.(?P<s>\d+)", re.ASCII)
_DATE = re.compile(r"\s*\d{4}-\d", re.ASCII)
_UNITS = {"d": 86400, "h": 3600, "m": 60, "s": 1}


def parse_length(text: str, *, document: bool = False) -> float:
    """A length of time in seconds, to the hundredth.

    Raises:
        ValueError: the text has none of the forms above; the message says what it would mean to Haizea.
    """
    stripped = text.strip()
    found = (_DOCUMENT if document else _LENGTH).fullmatch(stripped) or _LENGTH.fullmatch(stripped)
    parts = {} if found is None else {key: value for key, value in found.groupdict().items() if value}
    sign = -1 if parts.pop("sign", "") == "-" else 1
    if not parts:
        number = re.fullmatch(r"[+-]?\d{1,15}(\.\d+)?", stripped, re.ASCII)
        as_seconds = f"; {stripped} seconds are {format_length(float(stripped))}" if number else ""
        raise ValueError(f"not a duration: {text!r} (Haizea would silently take it as zero){as_seconds}")
    total = sum((Decimal(value) * _UNITS[key[0]] for key, value in parts.items()), Decimal(0))
    return _number(sign * total)


def format_length(seconds: float) -> str:
    """``[D:]HH:MM:SS.ss``, rounded to the hundredth, the day part only when there is one."""
    hundredths = round(abs(seconds) * 100)
    sign = "-" if seconds < 0 and hundredths else ""
    minutes, rest = divmod(hundredths, 6000)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    day = f"{days}:" if days else ""
    return f"{sign}{day}{hours:02d}:{minutes:02d}:{rest // 100:02d}.{rest % 100:02d}"


def is_timestamp(text: str) -> bool:
    """Whether a text begins as a calendar date does."""
    return _DATE.match(text) is not None


def parse_date(text: str) -> datetime:
    """A date of the one clock that all dates are of.

    Raises:
        ValueError: not a date ``YYYY-MM-DD HH:MM:SS[.ss]``, or one of another clock.
    """
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        raise ValueError(f"not a timestamp YYYY-MM-DD HH:MM:SS: {text!r}") from None
    if moment.tzinfo is not None:
        raise ValueError(f"a timestamp has no time zone, all dates are of one clock: {text!r}")
    return moment


def parse_timestamp(text: str, epoch: datetime) -> float:
    """An ISO timestamp as seconds since ``epoch``, to the hundredth.

    Raises:
        ValueError: not a timestamp ``YYYY-MM-DD HH:MM:SS[.ss]``, or one that cannot be written again.
    """
    moment = parse_date(text)
    delta = moment - epoch
    micro = (delta.days * 86400 + delta.seconds) * 1_000_000 + delta.microseconds
    seconds = _number(Decimal(micro) / 1_000_000)
    try:
        format_timestamp(seconds, epoch)
    except OverflowError:
        raise ValueError(f"rounded to the hundredth there is no such date: {text!r}") from None
    return seconds


def format_timestamp(seconds: float, epoch: datetime) -> str:
    """``YYYY-MM-DD HH:MM:SS.ss`` of a date given in seconds since ``epoch``."""
    moment = epoch + timedelta(milliseconds=10 * round(seconds * 100))
    return moment.isoformat(sep=" ", timespec="milliseconds")[:-1]


LONGEST: Final = Decimal(9 * 10**13)
"""Seconds; beyond, numbers of the machine have no hundredths any more, and leases never start at their time."""


def _number(value: Decimal) -> float:
    """To the hundredth (the resolution of Haizea's own round trip), as an int where it is one.

    Raises:
        ValueError: it is longer than any time with hundredths.
    """
    if not abs(value) < LONGEST:
        raise ValueError(f"no time lasts {value:.3e} seconds")
    rounded = round(value, 2)
    return int(rounded) if rounded == int(rounded) else float(rounded)
