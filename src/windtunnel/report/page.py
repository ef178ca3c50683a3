"""One HTML page about a run: everything is in it, so that it opens anywhere, without network."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

import msgspec

from windtunnel.report.charts import histogram
from windtunnel.report.data import page_data
from windtunnel.results.distribution import Distribution
from windtunnel.results.files import write_whole
from windtunnel.results.metrics import GroupMetrics, Metrics, Trim
from windtunnel.results.run import Run
from windtunnel.results.state import Status, as_text

__all__ = ["html", "write_report"]


def write_report(run: Run, path: str | Path, *, warm_up: Trim = 0.0, cool_down: Trim = 0.0) -> Path:
    """Write the page; trims apply to the figures, the schedule is shown whole.

    Raises:
        UsageError: the run has no jobs.csv, a trim is malformed, or nothing can be written there.
        SimulationError: the disk is full.
    """
    target = Path(path)
    write_whole(target, html(run, warm_up=warm_up, cool_down=cool_down).encode("utf-8", "replace"))
    return target


def html(run: Run, *, warm_up: Trim = 0.0, cool_down: Trim = 0.0) -> str:
    """The page as text; see :func:`write_report`."""
    metrics = run.measure(warm_up, cool_down)
    part = files("windtunnel.report")
    content = page_data(run)
    data = msgspec.json.encode(content).decode()
    name = Path(run.name).name or run.name
    schedulers = as_text(run.state.facts.get("schedulers", ""))
    return Template((part / "page.html").read_text(encoding="utf-8")).substitute(
        title=escape(f"{name}: {schedulers}" if schedulers else name),
        status=_status(run),
        facts=_facts(metrics),
        note=_note(content),
        charts=_charts(run),
        groups=_groups("Users", metrics.users) + _groups("Queues", metrics.queues),
        inputs=_inputs(run, metrics),
        footer=f"Windtunnel {escape(run.state.windtunnel)}",
        style=(part / "page.css").read_text(encoding="utf-8"),
        script=(part / "page.js").read_text(encoding="utf-8"),
        data=data.replace("<", "\\u003c"),  # no text of ours ends the script element
    )


def _status(run: Run) -> str:
    state = run.state
    if state.status is Status.COMPLETE:
        return '<p class="status">complete</p>'
    why = state.reason or "it was killed, or goes on: what is shown is what had been recorded"
    when = max([state.simulated_time, *run.jobs["finish_time"].drop_nulls()])
    return f'<p class="status bad">not complete at {when:,.2f} s: {escape(why)}</p>'


def _note(content: Mapping[str, Any]) -> str:
    left_out = content["left_out"]
    if not left_out:
        return ""
    shown = len(content["bars"]["start"])
    return (
        f'<p class="status">The picture shows the {shown:,} largest bars; {left_out:,} smaller ones are left out.</p>'
    )


def _fact(name: str, value: str, more: str = "") -> str:
    small = f"<small>{escape(more)}</small>" if more else ""
    return f'<div class="fact"><span>{escape(name)}</span><b>{escape(value)}</b>{small}</div>'


def _facts(m: Metrics) -> str:
    def spread(d: Distribution, unit: str) -> str:
        return f"median {d.p50:,.2f}{unit}, 95 % {d.p95:,.2f}{unit}, max {d.max:,.2f}{unit}"

    ends = ", ".join(f"{count:,} {name.lower().replace('_', ' ')}" for name, count in m.states.items())
    facts = [
        _fact("jobs", f"{m.jobs:,}", ends),
        _fact("makespan", f"{m.makespan:,.2f} s"),
        _fact("utilisation", f"{m.utilisation:.1%}"),
        _fact("waiting time, mean", f"{m.waiting_time.mean:,.2f} s", spread(m.waiting_time, " s")),
        _fact("turnaround time, mean", f"{m.turnaround_time.mean:,.2f} s", spread(m.turnaround_time, " s")),
        _fact("bounded slowdown, mean", f"{m.bounded_slowdown.mean:,.2f}", spread(m.bounded_slowdown, "")),
        _fact("throughput", f"{m.throughput:,.2f} jobs/h"),
    ]
    if m.consumed_joules is not None:
        facts.append(_fact("energy", f"{m.consumed_joules:,.0f} J"))
    facts += [_fact(figure.label or name, str(figure)) for name, figure in m.own.items()]
    return "".join(facts)


def _charts(run: Run) -> str:
    jobs = run.jobs.drop_nulls("starting_time")
    execution = jobs["execution_time"].to_list()
    bounded = [max(1.0, t / max(e, 10.0)) for t, e in zip(jobs["turnaround_time"], execution, strict=True)]
    return "".join(
        (
            histogram("Waiting time", jobs["waiting_time"].to_list(), "s"),
            histogram("Bounded slowdown", bounded),
            histogram("Execution time", execution, "s"),
            histogram("Hosts requested", [float(n) for n in jobs["requested_number_of_resources"]]),
        )
    )


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    def cells(tag: str, row: Sequence[str]) -> str:
        return "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in row)

    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    return (
        f'<div class="scroll"><table><thead><tr>{cells("th", head)}</tr></thead><tbody>{body}</tbody></table></div>'
    )


def _groups(title: str, groups: Mapping[str, GroupMetrics]) -> str:
    if not groups:
        return ""
    head = ("", "jobs", "host-hours", "mean wait [s]", "max wait [s]", "mean turnaround [s]", "mean bounded slowdown")
    largest = sorted(groups.items(), key=lambda item: (-item[1].host_seconds, item[0]))
    rows = [
        (
            name or "(none)",
            f"{g.jobs:,}",
            f"{g.host_seconds / 3600:,.1f}",
            f"{g.mean_waiting_time:,.1f}",
            f"{g.max_waiting_time:,.1f}",
            f"{g.mean_turnaround_time:,.1f}",
            f"{g.mean_bounded_slowdown:,.2f}",
        )
        for name, g in largest
    ]
    return f"<section><h2>{escape(title)}</h2>{_table(head, rows)}</section>"


def _inputs(run: Run, metrics: Metrics) -> str:
    state = run.state
    rows = [("platform", f"{state.platform.path or state.platform.name}, {run.hosts} hosts")]
    rows += [("workload", f"{w.path or w.name}, {w.jobs:,} jobs") for w in state.workloads]
    rows.append(("figures cover", f"{metrics.window[0]:,.2f} to {metrics.window[1]:,.2f} s"))
    if state.start_date is not None:
        rows.append(("time 0 is", datetime.fromtimestamp(state.start_date, UTC).isoformat(sep=" ")))
    rows += [(name.replace("_", " "), as_text(value)) for name, value in state.facts.items() if value]
    return "<dl>" + "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in rows) + "</dl>"
