"""Numbers of a command line, checked where they are read."""

from collections.abc import Callable
from math import isfinite
from typing import Any

import typer

__all__ = ["date", "factor", "key_values", "moment", "not_empty", "positive", "said"]


def date(value: Any) -> float:
    """A time as seconds, 0 or more, or as a duration such as ``5h``."""
    number = _seconds(value)
    if not (isfinite(number) and number >= 0.0):
        raise typer.BadParameter(f"{value!r} is not a time: expected seconds, 0 or more, or such as 5h or 2d")
    return number


def positive(value: Any) -> float:
    """A duration as seconds, more than 0, or such as ``5min``."""
    number = _seconds(value)
    if not (isfinite(number) and number > 0.0):
        raise typer.BadParameter(f"{value!r} is not a duration: expected seconds, more than 0, or such as 5min or 2h")
    return number


def factor(value: Any) -> float:
    """A number of times, more than 0."""
    try:
        number = float(value)
    except ValueError:
        number = 0.0
    if not (isfinite(number) and number > 0.0):
        raise typer.BadParameter(f"{value!r} is not a number of more than 0")
    return number


def key_values(items: list[str], what: str) -> dict[str, Any]:
    """``key=value`` texts as a mapping.

    Raises:
        UsageError: an item has no ``=``, or a key is there twice.
    """
    from windtunnel.diagnostics import UsageError

    made: dict[str, Any] = {}
    for item in items:
        key, equals, value = item.partition("=")
        if not equals or not key:
            raise UsageError(f"{what} {item!r} is not of the form key=value")
        name = key.replace("-", "_")
        if name in made:
            raise UsageError(f"{what} {key!r} is given twice: {made[name]!r} and {value!r}", "remove one of them")
        made[name] = value
    return made


def moment(value: Any) -> float | str:
    """A time as :func:`date` reads it, or a date in the log's calendar, which is returned as it is written."""
    from windtunnel.diagnostics import UsageError, read_time
    from windtunnel.diagnostics.times import is_year

    try:
        number = read_time(str(value), None)
    except UsageError:
        try:
            read_time(str(value), 0.0)
        except UsageError as fault:
            raise typer.BadParameter(str(fault).replace("\n  hint: ", ": ")) from None
        return str(value)
    return str(value) if is_year(str(value)) else date(number)


def not_empty(convert: Callable[..., Any]) -> Callable[..., Any]:
    """The conversion of a word, which must not be empty."""

    def checked(value: Any, *more: Any) -> Any:
        if value == "":
            raise typer.BadParameter("an empty string is not a path")
        return convert(value, *more)

    return checked


def said(context: Any, parameter: Any, value: Any) -> Any:
    """The value of an option that is empty where it is left out, and must not be given so (by an unset variable)."""
    if value == "" and context.get_parameter_source(parameter.name).name == "COMMANDLINE":
        raise typer.BadParameter("an empty string says nothing: leave it out")
    return value


def _seconds(value: Any) -> float:
    from windtunnel.diagnostics import UsageError, read_duration

    try:
        return read_duration(str(value))
    except UsageError as fault:
        raise typer.BadParameter(str(fault).replace("\n  hint: ", ": ")) from None
