"""Axes and styles of static plots: calendar times, sizes in columns of a paper, colours that can be told apart."""

from collections.abc import Mapping
from math import ceil, floor, log10
from numbers import Real
from typing import TYPE_CHECKING, Any, Final

from windtunnel.diagnostics import UsageError, show_duration

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["HUES", "LINES", "STYLES", "plain_times", "size_of", "step_of", "time_axis"]

HUES: Final = 32
LINES: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#8a6d00", "#5b4bc4", "#444444")
"""Colours of runs (Okabe and Ito, who chose them to be told apart by everybody)."""
STYLES: Final[Mapping[str, Mapping[str, Any]]] = {
    "screen": {"lines.linewidth": 1.1, "axes.spines.top": False, "axes.spines.right": False},
    "paper": {
        "font.size": 8,
        "font.family": "serif",
        "axes.labelsize": 8,
        "axes.titlesize": 8,
        "xtick.labelsize": 7,
        "ytick.labelsize": 7,
        "legend.fontsize": 7,
        "legend.frameon": False,
        "lines.linewidth": 0.9,
        "axes.linewidth": 0.6,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "pdf.fonttype": 42,
        "savefig.bbox": "tight",
        "savefig.pad_inches": 0.02,
    },
}
"""Settings of matplotlib by the name of a style."""
_COLUMN, _GUTTER = 3.35, 0.3
"""Inches: a column of a two-column paper, and what lies between two."""
_TIMES: Final = (0.0, 1.0, 10.0, 60.0, 600.0, 3600.0, 6 * 3600.0, 86400.0, 7 * 86400.0, 30 * 86400.0, 365 * 86400.0)
_DAY: Final = 86400.0
_STEPS: Final = (
    *(1.0, 2.0, 5.0, 10.0, 15.0, 30.0),
    *(60.0 * n for n in (1, 2, 5, 10, 15, 30)),
    *(3600.0 * n for n in (1, 2, 3, 6, 12)),
    *(_DAY * n for n in (1, 2, 7)),
)
"""Between ticks of time since the start (s)."""
_MOST_TICKS: Final = 7
_MOST_COLUMNS: Final = 4
"""No paper has more."""


def size_of(style: str, columns: float | None, size: tuple[float, float] | None) -> tuple[float, float]:
    """Width and height of a figure in inches.

    Raises:
        UsageError: both are given, or the number of columns is not positive.
    """
    if size is not None:
        if columns is not None:
            raise UsageError("give size or columns, not both")
        return size
    if columns is None and style != "paper":
        return (12.0, 5.0)
    wide = 1.0 if columns is None else columns
    if not isinstance(wide, Real):
        raise UsageError(f"columns is a number, not {columns!r:.50}", "1 or 2")
    if not 0.0 < wide <= _MOST_COLUMNS:
        raise UsageError(f"a figure is more than 0 and at most {_MOST_COLUMNS} columns wide, not {wide:g}", "1 or 2")
    width = wide * _COLUMN + max(0.0, wide - 1.0) * _GUTTER
    return (width, min(0.62 * width, 3.0))


def time_axis(axes: "Axes", zero: float | None) -> None:
    """Time along the x axis: dates (UTC) where time 0 has one, else durations."""
    from matplotlib.ticker import FuncFormatter

    if zero is None:
        axes.xaxis.set_major_locator(_rounds(axes))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda seconds, _: show_duration(seconds)))
        axes.set_xlabel("time since the start")
        return
    locator, formatter = _calendar(axes, zero)
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(formatter)
    axes.set_xlabel("time (UTC)")


def step_of(span: float, most: int = _MOST_TICKS) -> float:
    """The round duration (s) of which at most so many fit into a span: minutes, hours, days as they are counted."""
    wanted = max(span, 1e-9) / most
    if wanted <= 1.0 or wanted > _STEPS[-1]:
        unit = 1.0 if wanted <= 1.0 else _DAY
        power = 10.0 ** floor(log10(wanted / unit))
        return unit * next(n * power for n in (1.0, 2.0, 5.0, 10.0) if n * power * unit >= wanted * (1.0 - 1e-9))
    return next(step for step in _STEPS if step >= wanted)


def _rounds(axes: "Axes") -> Any:
    """Ticks at round durations, such as each second hour."""
    from matplotlib.ticker import Locator

    class Rounds(Locator):
        def __call__(self) -> list[float]:
            return self.tick_values(*sorted(axes.get_xlim()))

        def tick_values(self, low: float, high: float) -> list[float]:
            step = step_of(high - low)
            return [rank * step for rank in range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)]

    return Rounds()


def _calendar(axes: "Axes", zero: float) -> tuple[Any, Any]:
    """Ticks of the calendar on an axis of seconds, and their labels: what they share stands once, at the end."""
    import matplotlib.dates as untyped
    from matplotlib.ticker import Formatter, Locator

    calendar: Any = untyped
    dates = calendar.AutoDateLocator(minticks=3, maxticks=7)
    concise = calendar.ConciseDateFormatter(dates)

    class Calendar(Locator):
        def __call__(self) -> list[float]:
            return self.tick_values(*sorted(axes.get_xlim()))

        def tick_values(self, low: float, high: float) -> list[float]:
            ends = (calendar.num2date((zero + end) / _DAY) for end in (low, max(high, low + 1.0)))
            return [float(tick) * _DAY - zero for tick in dates.tick_values(*ends)]

    class Dates(Formatter):
        def __call__(self, seconds: float, place: int | None = None) -> str:  # noqa: ARG002 -- matplotlib's
            return str(calendar.num2date((zero + seconds) / _DAY).strftime("%Y-%m-%d %H:%M"))

        def format_ticks(self, values: Any) -> list[str]:
            return list(concise.format_ticks([(zero + float(value)) / _DAY for value in values]))

        def get_offset(self) -> str:
            return str(concise.get_offset())

    return Calendar(), Dates()


def plain_times(axes: "Axes", most: float) -> None:
    """Ticks at durations that people know, on an axis of seconds."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    shown = [time for time in _TIMES if time <= max(most * 1.2, 1.0)]
    axes.xaxis.set_major_locator(FixedLocator(shown))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda seconds, _: show_duration(seconds)))
