"""Units and durations of SSS objects: exact, and the same in both directions.

The units are powers of 2^10 (seed document 003, appendix A; its table has lost the abbreviations: B to YB are
certain, NB and DB likely). Memory, disk and swap without units are MB, as in all its examples.
"""

import re
from decimal import Decimal
from fractions import Fraction
from typing import Final

__all__ = ["DEFAULT_UNITS", "UNITS", "best_units", "duration_seconds", "duration_text", "in_bytes"]

_NAMES = ("B", "KB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB", "NB", "DB")
UNITS: Final = {name: 1 << (10 * power) for power, name in enumerate(_NAMES)}
"""Bytes of each unit."""
DEFAULT_UNITS: Final = "MB"

_DURATION = re.compile(
    r"P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?",
    re.ASCII,
)
_MOST_CHARACTERS: Final = 1000
"""Of a duration: Python refuses to read very long numbers."""
_LONGEST: Final = 1e18
"""Seconds; more would be written as infinity at last."""
_SECONDS = (365 * 86400, 30 * 86400, 86400, 3600, 60)


def in_bytes(value: float, units: str = "") -> int:
    """An amount in bytes, rounded to whole ones; exact for whole values.

    Raises:
        KeyError: there is no such unit.
    """
    factor = UNITS[units or DEFAULT_UNITS]
    return value * factor if isinstance(value, int) else round(Fraction(value) * factor)


def best_units(amount: int) -> tuple[int, str]:
    """Bytes as a whole number of the largest unit that gives one: 8000000000 B are 7812500 KB."""
    if amount <= 0:
        return amount, DEFAULT_UNITS if amount == 0 else "B"
    power = min(((amount & -amount).bit_length() - 1) // 10, len(UNITS) - 1)
    return amount >> (10 * power), list(UNITS)[power]


def duration_seconds(text: str) -> float | None:
    """Seconds of an xsd:duration (years of 365 and months of 30 days) or of plain seconds; None if it is neither,
    or longer than the age of the world.
    """
    text = text.strip()
    if len(text) > _MOST_CHARACTERS:
        return None
    seconds = _seconds(text)
    return seconds if seconds is not None and seconds < _LONGEST else None


def _seconds(text: str) -> float | None:
    if re.fullmatch(r"\d+(\.\d+)?", text, re.ASCII):
        return float(text)
    match = _DURATION.fullmatch(text)
    if match is None or not any(match.groups()):
        return None
    whole = sum(int(part or 0) * size for part, size in zip(match.groups()[:5], _SECONDS, strict=True))
    return whole + float(match[6] or 0) if whole < _LONGEST else None


def duration_text(seconds: float, *, plain: bool = False) -> str:
    """Seconds as ``PT3576S``, or as the bare number that Moab writes."""
    number = repr(int(seconds)) if float(seconds).is_integer() else format(Decimal(repr(seconds)), "f")
    return number if plain else f"PT{number}S"
