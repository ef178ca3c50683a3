"""Static plots by matplotlib, which is loaded only here: ``pip install 'windtunnel[plot]'``."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from windtunnel.diagnostics import MissingExtraError, UsageError, did_you_mean, replacing
from windtunnel.diagnostics.notebooks import in_notebook
from windtunnel.report.axes import HUES, LINES, STYLES, plain_times, size_of, time_axis
from windtunnel.report.conditions import conditions
from windtunnel.report.series import Steps, busy_hosts, power, queue_length
from windtunnel.results.damaged_files import of_runs
from windtunnel.results.run import Run

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["PLOTS", "plot", "write_plot"]

_FORMATS: Final = (".pdf", ".png", ".svg")

Runs = Sequence[tuple[str, Run]]
"""Runs by name."""


def write_plot(
    run: Run,
    kind: str,
    path: str | Path,
    *,
    beside: Sequence[Run] = (),
    size: tuple[float, float] | None = None,
    style: str = "screen",
    columns: float | None = None,
) -> Path:
    """Draw one of :data:`PLOTS` into a PNG, SVG or PDF file; arguments as for :func:`plot`.

    The same run gives the same bytes.

    Raises:
        UsageError: there is no such plot, style or format, or nothing can be written there.
        MissingExtraError: matplotlib is not installed.
        SimulationError: the disk is full.
    """
    plot(run, kind, path, beside=beside, size=size, style=style, columns=columns)
    return Path(path)


@of_runs
def plot(
    run: Run,
    kind: str,
    path: str | Path | None = None,
    *,
    ax: "Axes | None" = None,
    beside: Sequence[Run] = (),
    size: tuple[float, float] | None = None,
    style: str = "screen",
    columns: float | None = None,
) -> "Axes":
    """Draw one of :data:`PLOTS`, and return matplotlib's axes, to go on with.

    Args:
        run: the run.
        kind: which plot.
        path: a file to save it in, too; its suffix says which format.
        ax: axes to draw on; without, a figure of its own is made.
        beside: further runs, drawn over it (not of ``gantt``).
        size: width and height of a new figure in inches.
        style: ``screen``, or ``paper``: fonts and lines for print.
        columns: the width of a new figure in columns of a two-column paper (3.35 in each, 7 in both); the default of
            ``paper`` is 1.

    Raises:
        UsageError: there is no such plot, style or format, or nothing can be written there.
        MissingExtraError: matplotlib is not installed.
        SimulationError: the disk is full.
    """
    if kind not in PLOTS:
        raise UsageError(f"there is no plot {kind!r}", did_you_mean(kind, PLOTS))
    if style not in STYLES:
        raise UsageError(f"there is no style {style!r}", did_you_mean(style, STYLES))
    if not isinstance(path, str | Path | None):
        raise UsageError(f"a plot is saved in a file, not in a {type(path).__name__}")
    target = None if path is None else Path(path)
    if target is not None and target.suffix.lower() not in _FORMATS:
        raise UsageError(f"cannot draw into {str(path)!r}", f"known formats: {', '.join(_FORMATS)}")
    if beside and kind == "gantt":
        raise UsageError("a gantt shows one run", "draw the others on axes of their own (ax=)")
    with _styled(style):
        if ax is None:
            ax = _figure(size_of(style, columns, size)).add_subplot()
        runs = _named([run, *beside])
        PLOTS[kind](runs, ax)
        if not ax.get_title() and style != "paper":  # a paper has captions
            ax.set_title(" and ".join(name for name, _ in runs) + f": {_TITLES[kind]}")
        if len(runs) > 1:
            ax.legend()
        if target is not None:
            _save(ax, target)
    return ax


def _figure(size: tuple[float, float]) -> Any:
    """A figure of its own; in a notebook one that is shown below the cell."""
    if in_notebook():
        from matplotlib import pyplot as plt

        return plt.figure(figsize=size, layout="constrained")
    from matplotlib.figure import Figure

    return Figure(figsize=size, layout="constrained")


def _save(ax: "Axes", target: Path) -> None:
    figure: Any = ax.get_figure(root=True) if _takes_root() else ax.get_figure()
    dated: Mapping[str, Any] = {".pdf": {"CreationDate": None}, ".svg": {"Date": None}}
    suffix = target.suffix.lower()
    with replacing(target) as beside:
        figure.savefig(beside, dpi=150, format=suffix[1:], metadata=dated.get(suffix, {}))


def _takes_root() -> bool:
    """Whether this matplotlib knows figures in figures by name (3.10)."""
    from matplotlib import __version_info__

    return tuple(__version_info__[:2]) >= (3, 10)


@contextmanager
def _styled(style: str) -> Iterator[None]:
    try:
        from matplotlib import rc_context
    except ImportError:
        raise MissingExtraError("matplotlib", "plot") from None
    settings: Any = {"svg.hashsalt": "windtunnel"} | dict(STYLES[style])
    with rc_context(settings):
        yield


def _named(runs: Sequence[Run]) -> Runs:
    """What runs are called: by scheduler where that tells them apart, else by place."""
    schedulers = [", ".join(map(str, run.state.facts.get("schedulers", []))) for run in runs]
    places = [Path(run.name).name or run.name for run in runs]
    for names in (schedulers, places):
        if len(set(names)) == len(names) and all(names):
            return list(zip(names, runs, strict=True))
    return [(f"{place} {rank}", run) for rank, (place, run) in enumerate(zip(places, runs, strict=True), 1)]


def _gantt(runs: Runs, axes: "Axes") -> None:
    """Hosts over time; a job has one of 32 colours by its rank; hosts that are away are hatched."""
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import hsv_to_rgb
    from matplotlib.patches import Polygon

    ((_, run),) = runs
    wheel = [tuple(hsv_to_rgb((i / HUES, 0.55, 0.85))) for i in range(HUES)]
    ranks: dict[str, int] = {}
    boxes, colours = [], []
    for stretch in run.stretches():
        colour = wheel[ranks.setdefault(stretch.job, len(ranks)) * 13 % HUES]
        for low, high in stretch.hosts.runs:
            a, b = stretch.start, stretch.finish
            boxes.append([(a, low - 0.5), (b, low - 0.5), (b, high + 0.5), (a, high + 0.5)])
            colours.append(colour)
    end = max((box[1][0] for box in boxes), default=0.0)
    for since, until, low, count, _ in conditions(run, end)["spans"]:
        shape = [(since, low - 0.5), (until, low - 0.5), (until, low + count - 0.5), (since, low + count - 0.5)]
        axes.add_patch(Polygon(shape, facecolor="none", edgecolor="0.4", hatch="////", linewidth=0.3))
    edge: Mapping[str, Any] = {"edgecolors": "white", "linewidths": 0.3} if len(boxes) < 2000 else {"linewidths": 0}
    axes.add_collection(PolyCollection(boxes, facecolors=colours, **edge))
    axes.autoscale_view()
    axes.set(ylim=(run.hosts - 0.5, -0.5), ylabel="host")
    time_axis(axes, run.state.start_date)


def _over_time(runs: Runs, axes: "Axes", label: str, curve: Callable[[Run], Steps]) -> None:
    for rank, (name, run) in enumerate(runs):
        steps = curve(run)
        if steps:
            dates, values = zip(*steps, strict=True)
            axes.step(dates, values, where="post", color=LINES[rank % len(LINES)], label=name)
            if len(runs) == 1:
                axes.fill_between(dates, values, step="post", alpha=0.25, color=LINES[0], linewidth=0)
    axes.set(ylabel=label)
    axes.set_ylim(bottom=0)
    axes.margins(x=0)
    zeros = {run.state.start_date for _, run in runs}
    time_axis(axes, zeros.pop() if len(zeros) == 1 else None)


def _utilisation(runs: Runs, axes: "Axes") -> None:
    """Busy hosts over time."""
    _over_time(runs, axes, "busy hosts", busy_hosts)
    axes.set_ylim(0, max(1, *(run.hosts for _, run in runs)))


def _queue(runs: Runs, axes: "Axes") -> None:
    """Waiting jobs over time."""
    _over_time(runs, axes, "waiting jobs", queue_length)


def _power(runs: Runs, axes: "Axes") -> None:
    """Mean power between the rows of ``consumed_energy.csv``."""
    if not any(power(run) for _, run in runs):
        raise UsageError("the run has no energy to plot", "simulate it with --energy")
    _over_time(runs, axes, "power [W]", power)


def _shares(runs: Runs, axes: "Axes", column: Callable[[Run], Sequence[float]]) -> float:
    """Which share of jobs has at most so much; the greatest value."""
    most = 0.0
    for rank, (name, run) in enumerate(runs):
        values = sorted(value for value in column(run) if isfinite(value))
        if values:
            shares = [(i + 1) / len(values) for i in range(len(values))]
            first = values[0]
            axes.step([first, *values], [0.0, *shares], where="post", color=LINES[rank % len(LINES)], label=name)
            most = max(most, values[-1])
    axes.set(ylabel="share of jobs", ylim=(0, 1))
    return most


def _waits(runs: Runs, axes: "Axes") -> None:
    """Which share of jobs waited at most so long; linear up to a second, logarithmic beyond."""
    most = _shares(runs, axes, lambda run: run.jobs["waiting_time"].drop_nulls().to_list())
    axes.set_xscale("symlog", linthresh=1.0)
    axes.set_xlim(0, max(most * 1.2, 1.0))
    axes.set_xlabel("waiting time (logarithmic)")
    plain_times(axes, most)


def _slowdowns(runs: Runs, axes: "Axes") -> None:
    """Which share of jobs had at most such a bounded slowdown."""

    def bounded(run: Run) -> list[float]:
        pairs = run.jobs.select("turnaround_time", "execution_time").drop_nulls().iter_rows()
        return [max(1.0, turnaround / max(execution, 10.0)) for turnaround, execution in pairs]

    most = _shares(runs, axes, bounded)
    axes.set_xscale("log")
    axes.set_xlim(1, max(most * 1.2, 2.0))
    axes.set_xlabel("bounded slowdown (logarithmic)")


PLOTS: Final[Mapping[str, Callable[[Runs, "Axes"], None]]] = {
    "gantt": _gantt,
    "utilisation": _utilisation,
    "queue": _queue,
    "power": _power,
    "waits": _waits,
    "slowdowns": _slowdowns,
}
"""The plots there are: what each shows is said by its function."""
_TITLES: Final = {
    "gantt": "schedule",
    "utilisation": "busy hosts",
    "queue": "waiting jobs",
    "power": "power",
    "waits": "waiting times",
    "slowdowns": "bounded slowdowns",
}
