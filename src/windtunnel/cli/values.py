"""Numbers of a command line, checked where they are read."""

from math import isfinite
from typing import Any

import typer

__all__ = ["date", "positive"]


def date(value: Any) -> float:
    """A number of seconds, 0 or more."""
    number = _number(value)
    if not (isfinite(number) and number >= 0.0):
        raise typer.BadParameter(f"{value!r} is not a number of seconds, 0 or more")
    return number


def positive(value: Any) -> float:
    """A number of seconds, more than 0."""
    number = _number(value)
    if not (isfinite(number) and number > 0.0):
        raise typer.BadParameter(f"{value!r} is not a number of seconds, more than 0")
    return number


def _number(value: Any) -> float:
    try:
        return float(value)
    except ValueError:
        raise typer.BadParameter(f"{value!r} is not a number") from None
