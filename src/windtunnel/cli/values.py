"""Numbers of a command line, checked where they are read."""

from collections.abc import Callable
from math import isfinite
from typing import Any

import typer

__all__ = ["date", "not_empty", "positive"]


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


def not_empty(convert: Callable[..., Any]) -> Callable[..., Any]:
    """The conversion of a word, which must not be empty."""

    def checked(value: Any, *more: Any) -> Any:
        if value == "":
            raise typer.BadParameter("an empty text is no path")
        return convert(value, *more)

    return checked


def _number(value: Any) -> float:
    try:
        return float(value)
    except ValueError:
        raise typer.BadParameter(f"{value!r} is not a number") from None
