"""One HTML page about a run, or several side by side: everything is in it, so that it opens without network."""

from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any, Final

import msgspec

from windtunnel.diagnostics import UsageError, counted, show_duration, show_time
from windtunnel.report.charts import histogram
from windtunnel.report.data import extent, page_data
from windtunnel.report.figures import cards, deltas, groups, side_by_side
from windtunnel.report.markup import definitions
from windtunnel.results.compare_many import compare_runs
from windtunnel.results.damaged_files import of_runs
from windtunnel.results.files import save_page
from windtunnel.results.metrics import Metrics
from windtunnel.results.run import Run
from windtunnel.results.state import Status, as_text
from windtunnel.results.trimming import Trim

__all__ = ["html", "part", "script", "style", "write_report"]

_SCRIPTS: Final = ("columns", "time", "colours", "canvas", "gantt", "curves", "why", "details", "tables", "view")
"""The parts of the page's script, in the order in which they stand in it."""


def write_report(
    run: Run, path: str | Path, *, beside: Sequence[Run] = (), warm_up: Trim = 0.0, cool_down: Trim = 0.0
) -> Path:
    """Write the page; trims apply to the figures, the schedule is shown whole.

    Args:
        run: the run.
        path: the file to write.
        beside: further runs to show side by side with it.
        warm_up: what the figures leave out at the beginning.
        cool_down: what they leave out at the end.

    Raises:
        UsageError: a run has no jobs.csv, a trim is malformed, or nothing can be written there.
        SimulationError: the disk is full.
    """
    if not isinstance(beside, Sequence) or not all(isinstance(one, Run) for one in beside):
        raise UsageError(f"beside is a list of runs, not {beside!r:.80}", "load_run reads one from its directory")
    return save_page(path, html(run, beside=beside, warm_up=warm_up, cool_down=cool_down))


@of_runs
def html(run: Run, *, beside: Sequence[Run] = (), warm_up: Trim = 0.0, cool_down: Trim = 0.0) -> str:
    """The page as text; see :func:`write_report`."""
    runs = [run, *beside]
    names = _names(runs)
    measured = [one.measure(warm_up, cool_down) for one in runs]
    ends = [extent(one) for one in runs]
    window = (min(first for first, _ in ends), max(last for _, last in ends))
    content = [page_data(one, name if beside else "", window) for one, name in zip(runs, names, strict=True)]
    data = msgspec.json.encode({"runs": content}).decode()
    if len(runs) == 1:
        facts = cards(measured[0])
        tables = groups("Users", measured[0].users) + groups("Queues", measured[0].queues)
        title = f"{_place(run)}: {_schedulers(run)}" if _schedulers(run) else _place(run)
    else:
        facts = side_by_side(names, measured)
        tables = deltas(names, compare_runs(*runs, warm_up=warm_up, cool_down=cool_down))
        title = " · ".join(names)
    return Template(part("page.html")).substitute(
        title=escape(title),
        status="".join(_status(one, name if beside else "") for one, name in zip(runs, names, strict=True)),
        facts=facts,
        note="".join(map(_note, content)),
        charts=_charts(runs, names),
        groups=tables,
        inputs="".join(_inputs(*each, named=bool(beside)) for each in zip(runs, names, measured, strict=True)),
        footer=f"Windtunnel {escape(run.state.windtunnel)}",
        style=style(),
        script=script((*_SCRIPTS, "page")),
        data=data.replace("<", "\\u003c"),  # no text of ours ends the script element
    )


def part(name: str) -> str:
    """A file of our pages."""
    return (files("windtunnel.report") / "web" / name).read_text(encoding="utf-8")


def style() -> str:
    """The style sheet of our pages."""
    return part("page.css")


def script(parts: Sequence[str]) -> str:
    """Parts of our pages' script, as one closed scope."""
    return '"use strict";\n(() => {\n' + "".join(part(f"{name}.js") for name in parts) + "})();\n"


def _schedulers(run: Run) -> str:
    return as_text(run.state.facts.get("schedulers", ""))


def _place(run: Run) -> str:
    return Path(run.name).name or run.name


def _names(runs: Sequence[Run]) -> list[str]:
    """What the runs are called: the first of place, scheduler and both that tells them apart."""
    places, schedulers = [_place(run) for run in runs], [_schedulers(run) for run in runs]
    for names in (places, schedulers):
        if len(set(names)) == len(names) and all(names):
            return names
    return [f"{rank}: {place}" for rank, place in enumerate(places, 1)]


def _status(run: Run, name: str) -> str:
    state = run.state
    named = f"{escape(name)}: " if name else ""
    if state.status is Status.COMPLETE:
        return f'<p class="status">{named}complete</p>'
    why = state.reason or "it was killed, or is still running: what is shown is what had been recorded"
    when = show_time(max([state.simulated_time, *run.jobs["finish_time"].drop_nulls()]), state.start_date)
    return f'<p class="status bad">{named}not complete at {when}: {escape(why)}</p>'


def _note(content: Mapping[str, Any]) -> str:
    named = f"{escape(content['name'])}: " if content["name"] else ""
    notes = []
    if content["left_out"]:
        notes.append(f"{named}the picture shows the largest bars; {content['left_out']:,} smaller ones are left out.")
    if content["conditions"]["left_out"]:
        notes.append(f"{named}{content['conditions']['left_out']:,} short outages or switchings are left out.")
    return "".join(f'<p class="status">{note}</p>' for note in notes)


def _charts(runs: Sequence[Run], names: Sequence[str]) -> str:
    started = [run.jobs.drop_nulls("starting_time") for run in runs]
    if all(jobs.is_empty() for jobs in started):
        return '<p class="hint">No job ran.</p>'

    def each(values: Any) -> list[tuple[str, list[float]]]:
        return [(name, values(jobs)) for name, jobs in zip(names, started, strict=True)]

    def bounded(jobs: Any) -> list[float]:
        pairs = zip(jobs["turnaround_time"], jobs["execution_time"], strict=True)
        return [max(1.0, turnaround / max(execution, 10.0)) for turnaround, execution in pairs]

    legend = "".join(f'<li class="run{rank % 8}">{escape(name)}</li>' for rank, name in enumerate(names))
    return (f'<ul class="legend">{legend}</ul>' if len(runs) > 1 else "") + "".join(
        (
            '<div class="charts">',
            histogram("Waiting time", each(lambda jobs: jobs["waiting_time"].to_list()), show=show_duration),
            histogram("Bounded slowdown", each(bounded)),
            histogram("Run time", each(lambda jobs: jobs["execution_time"].to_list()), show=show_duration),
            histogram(
                "Size", each(lambda jobs: jobs["requested_number_of_resources"].cast(float).to_list()), "hosts"
            ),
            "</div>",
        )
    )


def _inputs(run: Run, name: str, metrics: Metrics, *, named: bool) -> str:
    """Where a run came from, and what of it did not take effect as written."""
    state = run.state
    zero = state.start_date
    rows = [("platform", f"{state.platform.path or state.platform.name}, {counted(run.hosts, 'host')}")]
    rows += [("workload", f"{w.path or w.name}, {counted(w.jobs, 'job')}") for w in state.workloads]
    rows.append(("figures cover", " to ".join(show_time(end, zero) for end in metrics.window)))
    if zero is not None:
        rows.append(("time 0 is", f"{show_time(0.0, zero)} UTC"))
    rows += [(fact.replace("_", " "), as_text(value)) for fact, value in state.facts.items() if value]
    told = [line for line in run.account if not line.note]
    lines = "".join(f"<li>{escape(str(line))}</li>" for line in told)
    account = f"<h4>What did not take effect as written</h4><ul class=account>{lines}</ul>" if lines else ""
    head = f"<h3>{escape(name)}</h3>" if named else ""
    return head + definitions(rows) + account
