"""User-defined metrics: functions of what a run has recorded, shown wherever the built-in ones are.

A metric is registered with :func:`metric`, or by a package in the entry point group ``windtunnel.metrics`` (name of
the metric -> the function), and appears in ``run.metrics.own``, ``metrics.json``, the table of metrics, comparisons
and the report, whether a run has just ended or is read again from its files.
"""

from collections.abc import Callable, Iterator
from math import isfinite
from typing import Final, NamedTuple, TypeVar

from windtunnel.diagnostics import UsageError, did_you_mean
from windtunnel.loading import entry_points, load_entry
from windtunnel.model import JobState
from windtunnel.results.columns import STATES, Columns
from windtunnel.results.fields import table_rows
from windtunnel.results.layout import KNOWN_FILES
from windtunnel.results.metrics import Figure, Metrics

__all__ = ["GROUP", "Ran", "Record", "figures_of", "metric"]

GROUP: Final = "windtunnel.metrics"
"""The entry point group of metrics."""


_TABLES: Final = tuple(name for name in KNOWN_FILES if name.endswith(".csv"))


class Ran(NamedTuple):
    """A job that ran. Times in s; ``hosts`` in whole hosts; ``user`` and ``queue`` are empty if not given."""

    submitted: float
    start: float
    finish: float
    hosts: float
    state: JobState
    user: str
    queue: str


class Record:
    """What a metric is computed from."""

    def __init__(self, metrics: Metrics, columns: Columns, read: Callable[[str], bytes | None]) -> None:
        self.metrics: Final = metrics
        """The built-in metrics of the run."""
        self.columns: Final = columns
        """The jobs submitted within the window, including rejected ones, column by column."""
        self.read: Final = read
        """The content of one of the run's files by name (``jobs.csv``); None if there is no such file."""

    @property
    def hosts(self) -> int:
        """The number of compute hosts of the site."""
        return self.columns.hosts

    @property
    def window(self) -> tuple[float, float]:
        """The part of the run that counts (s): without warm-up and cool-down."""
        return self.metrics.window

    def ran(self) -> Iterator[Ran]:
        """The jobs that ran and were submitted within the window, in the order in which they ended."""
        columns = self.columns.ran()
        rows = zip(columns.submitted, columns.start, columns.finish, columns.used, columns.codes, strict=True)
        for submitted, start, finish, used, code in rows:
            owner, state = divmod(code, STATES)
            yield Ran(submitted, start, finish, float(used), JobState(state), *columns.owners[owner])

    def rows(self, name: str) -> Iterator[dict[str, str]]:
        """The rows of one of the run's tables (``events.csv``), strings by column; none if it was not written.

        Raises:
            UsageError: no run has such a table.
        """
        if name not in _TABLES:
            raise UsageError(f"runs have no table {name!r}", did_you_mean(name, _TABLES))
        return table_rows(self.read(name), errors="replace")


Function = Callable[[Record], float | None]
F = TypeVar("F", bound=Function)


class _Metric(NamedTuple):
    function: Function
    unit: str
    label: str


_METRICS: Final[dict[str, _Metric]] = {}


def metric(name: str, *, unit: str = "", label: str = "") -> Callable[[F], F]:
    """Register a function of a :class:`Record` as a metric.

    Args:
        name: its name in ``run.metrics.own`` and ``metrics.json``.
        unit: the unit of its value, for display.
        label: its label in tables; if empty, its name with spaces for underscores.

    Raises:
        UsageError: the name is empty, or is taken by another function, or what is registered is no function.
    """
    if not isinstance(name, str) or not name:
        raise UsageError(f"{name!r} is not a valid name of a metric")

    def register(function: F) -> F:
        if not callable(function):
            raise UsageError(f"the metric {name!r} must be a function of a record, not {function!r:.60}")
        known = _METRICS.get(name)
        if known is not None and _place(known.function) != _place(function):
            raise UsageError(f"there is a metric {name!r} already: {_place(known.function)[0]} has it")
        _METRICS[name] = _Metric(function, unit, label or name.replace("_", " "))
        return function

    return register


def _place(function: Function) -> tuple[str, str]:
    return function.__module__, function.__qualname__


def figures_of(record: Callable[[], Record]) -> dict[str, Figure]:
    """The values of all user-defined metrics, by name; ``record`` is called only if there are any.

    If one fails, its figure says why, and the others are not affected.
    """
    broken = {}
    for point in entry_points(GROUP):
        if point.name not in _METRICS:
            try:
                load_entry(point, "metric")
            except UsageError as fault:
                broken[point.name] = Figure(None, error=str(fault))
            else:
                if point.name not in _METRICS:
                    broken[point.name] = Figure(None, error=f"{point.value} does not register it")
    if not _METRICS:
        return broken
    given = record()
    return {name: _value(one, given) for name, one in sorted(_METRICS.items())} | broken


def _value(one: _Metric, record: Record) -> Figure:
    try:
        found = one.function(record)
        value = None if found is None else float(found)
    except Exception as fault:  # noqa: BLE001 -- anything may be wrong in somebody's function
        return Figure(None, one.unit, one.label, f"{type(fault).__name__}: {fault}")
    if value is not None and not isfinite(value):
        return Figure(None, one.unit, one.label, f"it is {value}")
    return Figure(value, one.unit, one.label)
