"""Rows of the lease tables: numbers as short as they can be, nothing for ``None``."""

from collections.abc import Sequence
from typing import Any, Final

from windtunnel.results.fields import plain

__all__ = ["line", "sample_lines", "short"]

_plain: Final = plain


def line(values: Sequence[Any]) -> str:
    """A row of several fields."""
    return ",".join([_field(value) for value in values]) + "\n"


def sample_lines(name: str, samples: Sequence[tuple[float, int | None, float, float | None]]) -> str:
    """Rows of a counter: its name, time (s), lease, value and average of each sample."""
    counter = _plain(name)
    lines: list[str] = []
    for time, lease, value, average in samples:
        lines.append(f"{counter},{_field(time)},{_field(lease)},{_field(value)},{_field(average)}\n")
    return "".join(lines)


def _field(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return short(value)
    return _plain(value) if isinstance(value, str) else str(value)


def short(value: float) -> str:
    """A number without decimals it does not need."""
    return str(int(value)) if value.is_integer() else repr(round(value, 9))
