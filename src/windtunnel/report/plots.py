"""Static plots (PNG, SVG, PDF) by matplotlib, which is loaded only here: ``pip install 'windtunnel[plot]'``."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from windtunnel.diagnostics import MissingExtraError, UsageError, did_you_mean, replacing
from windtunnel.report.series import Steps, busy_hosts, queue_length
from windtunnel.results.damaged_files import of_runs
from windtunnel.results.run import Run

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["PLOTS", "write_plot"]

_FORMATS: Final = (".pdf", ".png", ".svg")
_HUES: Final = 32


@of_runs
def write_plot(run: Run, kind: str, path: str | Path, *, size: tuple[float, float] = (12.0, 5.0)) -> Path:
    """Draw one of :data:`PLOTS` into a file; the suffix says which format. ``size`` is in inches.

    The same run gives the same bytes.

    Raises:
        UsageError: there is no such plot or format, or nothing can be written there.
        MissingExtraError: matplotlib is not installed.
        SimulationError: the disk is full.
    """
    target = Path(path)
    if kind not in PLOTS:
        raise UsageError(f"there is no plot {kind!r}", did_you_mean(kind, PLOTS))
    if target.suffix not in _FORMATS:
        raise UsageError(f"cannot draw into {target.name!r}", f"known formats: {', '.join(_FORMATS)}")
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("matplotlib", "plot") from None
    figure = Figure(figsize=size, layout="constrained")
    PLOTS[kind](run, figure.add_subplot())
    dated = {".pdf": {"CreationDate": None}, ".svg": {"Date": None}}
    with rc_context({"svg.hashsalt": "windtunnel"}), replacing(target) as beside:
        figure.savefig(beside, dpi=150, format=target.suffix[1:], metadata=dated.get(target.suffix, {}))
    return target


def _gantt(run: Run, axes: "Axes") -> None:
    """Hosts over time; a job has one of 32 colours by its rank."""
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import hsv_to_rgb

    wheel = [tuple(hsv_to_rgb((i / _HUES, 0.55, 0.85))) for i in range(_HUES)]
    ranks: dict[str, int] = {}
    boxes, colours = [], []
    for stretch in run.stretches():
        colour = wheel[ranks.setdefault(stretch.job, len(ranks)) * 13 % _HUES]
        for low, high in stretch.hosts.runs:
            a, b = stretch.start, stretch.finish
            boxes.append([(a, low - 0.5), (b, low - 0.5), (b, high + 0.5), (a, high + 0.5)])
            colours.append(colour)
    edge: Mapping[str, Any] = {"edgecolors": "white", "linewidths": 0.3} if len(boxes) < 2000 else {"linewidths": 0}
    axes.add_collection(PolyCollection(boxes, facecolors=colours, **edge))
    axes.autoscale_view()
    axes.set(ylim=(run.hosts - 0.5, -0.5), ylabel="host", xlabel="time [s]")


def _steps(axes: "Axes", steps: Steps, label: str) -> None:
    if steps:
        dates, values = zip(*steps, strict=True)
        axes.step(dates, values, where="post", linewidth=0.9)
        axes.fill_between(dates, values, step="post", alpha=0.3)
    axes.set(xlabel="time [s]", ylabel=label)


def _utilisation(run: Run, axes: "Axes") -> None:
    """Busy hosts over time."""
    _steps(axes, busy_hosts(run), "busy hosts")
    axes.set_ylim(0, max(run.hosts, 1))


def _queue(run: Run, axes: "Axes") -> None:
    """Waiting jobs over time."""
    _steps(axes, queue_length(run), "waiting jobs")
    axes.set_ylim(bottom=0)


def _waits(run: Run, axes: "Axes") -> None:
    """Which share of jobs waited at most so long."""
    waits = sorted(run.jobs["waiting_time"].drop_nulls())
    axes.step(waits, [(i + 1) / len(waits) for i in range(len(waits))], where="post")
    axes.set(xlabel="waiting time [s]", ylabel="share of jobs", ylim=(0, 1))
    axes.set_xscale("symlog", linthresh=1.0)


PLOTS: Final[Mapping[str, Callable[[Run, "Axes"], None]]] = {
    "gantt": _gantt,
    "utilisation": _utilisation,
    "queue": _queue,
    "waits": _waits,
}
"""The plots there are: what each shows is said by its function."""
