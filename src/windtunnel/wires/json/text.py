"""JSON text as Batsim writes it: floats with six decimals, integers as they are, no blanks, order kept."""

from math import isfinite
from types import FunctionType
from typing import Any, Final

import msgspec

__all__ = ["date_text", "quoted", "to_text"]

_encode = msgspec.json.Encoder().encode
_PLAIN: Final = frozenset({str, int})


def quoted(text: str) -> str:
    """A JSON string."""
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return _encode(text).decode()


def date_text(seconds: float) -> str:
    """A date or duration, as C's ``%f``."""
    if _COMPILED and 0.0 < seconds < _LARGEST:  # most dates are whole, and formatting a float takes longer
        whole = int(seconds)
        if float(whole) == seconds:
            return f"{whole}.000000"
    return format(seconds, ".6f")


_COMPILED: Final = not isinstance(date_text, FunctionType)
_LARGEST: Final = 9.0e15
"""Below this integers are exact."""


def to_text(value: Any) -> str:
    """Any JSON value.

    Raises:
        ValueError: a number is not finite, which JSON cannot say.
    """
    kind = type(value)
    if kind is str:
        return quoted(value)
    if kind is int:
        return str(value)
    if kind is float:
        if not isfinite(value):
            raise ValueError(f"{value!r} cannot be written as JSON")
        return format(value, ".6f")
    if kind is dict:
        if _PLAIN.issuperset(map(type, value.values())):  # no floats in it: most jobs
            try:
                return _encode(value).decode()
            except OverflowError:  # an integer of more than 64 bits
                pass
        return "{" + ",".join([f"{quoted(key)}:{to_text(member)}" for key, member in value.items()]) + "}"
    if kind is list or kind is tuple:
        return "[" + ",".join([to_text(element) for element in value]) + "]"
    return _encode(value).decode()
