"""The figures on the page: cards for one run, columns side by side for several; tables of users and queues."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isfinite
from typing import Final

from windtunnel.diagnostics import counted, show_duration
from windtunnel.model.bill import Bill
from windtunnel.report.markup import Cell, card, number, table
from windtunnel.results.bill_rows import cost_of, mass_of
from windtunnel.results.compare_many import Compared, Group
from windtunnel.results.compared_figures import has_run
from windtunnel.results.distribution import Distribution
from windtunnel.results.metrics import GroupMetrics, Metrics

__all__ = ["cards", "deltas", "groups", "side_by_side"]


def _time(value: float) -> Cell:
    return number(value, show_duration(value))


def _ratio(value: float) -> Cell:
    return number(value, f"{value:,.2f}" if abs(value) < 1e15 else f"{value:.6g}")


def _share(value: float) -> Cell:
    return number(value, f"{value:.2%}")


def _count(value: float) -> Cell:
    return number(value, f"{value:,.0f}")


def _energy(value: float) -> Cell:
    """Joules in the largest unit that keeps them above 1."""
    for unit, size in (("GJ", 1e9), ("MJ", 1e6), ("kJ", 1e3)):
        if abs(value) >= size:
            return number(value, f"{value / size:,.2f} {unit}")
    return number(value, f"{value:,.0f} J")


def cards(m: Metrics) -> str:
    """One run: waits, bounded slowdown and utilisation first."""

    def spread(d: Distribution, show: Callable[[float], Cell]) -> list[tuple[str, Cell]]:
        return [("median", show(d.p50)), ("95 %", show(d.p95)), ("max", show(d.max))]

    ends = [(name.lower().replace("_", " "), _count(count)) for name, count in m.states.items()]
    made = []
    if m.jobs > m.states.get("REJECTED", 0):
        made = [
            card("Waiting time, mean", _time(m.waiting_time.mean), spread(m.waiting_time, _time)),
            card("Bounded slowdown, mean", _ratio(m.bounded_slowdown.mean), spread(m.bounded_slowdown, _ratio)),
            card("Turnaround time, mean", _time(m.turnaround_time.mean), spread(m.turnaround_time, _time)),
        ]
    stop = [] if m.up_to_stop is None else [("of all jobs, up to the stop", _share(m.up_to_stop.utilisation))]
    made.insert(2, card("Utilisation", _share(m.utilisation), stop))
    made += [
        card("Jobs", _count(m.jobs), ends),
        card("Makespan", _time(m.makespan)),
        card("Throughput", _ratio(m.throughput), [("jobs per hour", Cell(""))]),
    ]
    if m.consumed_joules is not None:
        made.append(card("Energy", _energy(m.consumed_joules)))
    if m.bill is not None:
        made += _bill_cards(m.bill)
    if m.rack_excesses:
        worst = Cell(f"{m.worst_rack_excess:,.1f} W", m.worst_rack_excess)
        made.append(card("Racks above their power", _count(m.rack_excesses), [("worst", worst)]))
    made += [card(one.label or name, Cell(str(one), one.value)) for name, one in m.own.items()]
    return f'<div class="facts">{"".join(made)}</div>'


def _bill_cards(bill: Bill) -> list[str]:
    """Electricity of the site."""
    pue = [] if bill.pue is None else [("PUE", Cell(f"{bill.pue:.3f}", bill.pue))]
    peak = ("peak of 15 min", _watts(bill.peak_watts))
    made = [card("Energy of the site", _energy(bill.site_joules), [*pue, peak])]
    moved = []
    if bill.generated_joules is not None and bill.exported_joules is not None:
        moved += [("generated", _energy(bill.generated_joules)), ("exported", _energy(bill.exported_joules))]
    if bill.battery_charged_joules is not None and bill.battery_given_joules is not None:
        moved += [("charged", _energy(bill.battery_charged_joules)), ("given", _energy(bill.battery_given_joules))]
    if moved:
        made.append(card("Energy of the grid", _energy(bill.grid_joules), moved))
    if bill.cap_excess_joules is not None and bill.cap_excess_watts is not None:
        most = ("by at most", Cell(f"{bill.cap_excess_watts:,.1f} W", bill.cap_excess_watts))
        made.append(card("Energy above the power cap", _energy(bill.cap_excess_joules), [most]))
    if bill.carbon_g is not None:
        kind = [("intensity", Cell(bill.carbon_kind))] if bill.carbon_kind else []
        made.append(card("Carbon (CO2e)", _mass(bill.carbon_g), kind))
    if bill.cost is not None:
        made.append(card("Cost", _money(bill.cost, bill.currency)))
    if bill.revenue is not None:
        made.append(card("Revenue of exports", _money(bill.revenue, bill.currency)))
    return made


def _mass(grams: float) -> Cell:
    return number(grams, mass_of(grams))


def _watts(watts: float) -> Cell:
    return number(watts, f"{watts:,.1f} W")


def _money(cost: float, currency: str = "") -> Cell:
    return number(cost, cost_of(cost, currency))


_ROWS: Final[tuple[tuple[str, Callable[[Metrics], float | None], Callable[[float], Cell]], ...]] = (
    ("waiting time, mean", lambda m: m.waiting_time.mean if has_run(m) else None, _time),
    ("waiting time, median", lambda m: m.waiting_time.p50 if has_run(m) else None, _time),
    ("waiting time, 95 %", lambda m: m.waiting_time.p95 if has_run(m) else None, _time),
    ("waiting time, max", lambda m: m.waiting_time.max if has_run(m) else None, _time),
    ("bounded slowdown, mean", lambda m: m.bounded_slowdown.mean if has_run(m) else None, _ratio),
    ("bounded slowdown, 95 %", lambda m: m.bounded_slowdown.p95 if has_run(m) else None, _ratio),
    ("utilisation", lambda m: m.utilisation, _share),
    ("turnaround time, mean", lambda m: m.turnaround_time.mean if has_run(m) else None, _time),
    ("makespan", lambda m: m.makespan, _time),
    ("throughput [jobs/h]", lambda m: m.throughput, _ratio),
    ("jobs", lambda m: float(m.jobs), _count),
    ("rejected", lambda m: float(m.states.get("REJECTED", 0)), _count),
    ("energy", lambda m: m.consumed_joules, _energy),
    ("energy of the site", lambda m: None if m.bill is None else m.bill.site_joules, _energy),
    ("energy of the grid", lambda m: None if m.bill is None else m.bill.grid_joules, _energy),
    ("PUE", lambda m: None if m.bill is None else m.bill.pue, _ratio),
    ("peak of 15 min", lambda m: None if m.bill is None else m.bill.peak_watts, _watts),
)


def side_by_side(names: Sequence[str], measured: Sequence[Metrics]) -> str:
    """Several runs: a row for each figure, a column for each run; of the later ones also the change in per cent."""
    rows = []
    for label, figure, show in _ROWS:
        values = [figure(m) for m in measured]
        if any(value is not None for value in values):
            rows.append([Cell(label), *_changes(values, show)])
    rows += _billed([m.bill for m in measured])
    for name, one in measured[0].own.items():
        others = [m.own.get(name) for m in measured]
        rows.append([Cell(one.label or name), *(Cell("-") if o is None else Cell(str(o), o.value) for o in others)])
    return table("Figures", ["figure", *names], rows)


def _billed(bills: Sequence[Bill | None]) -> Iterator[list[Cell]]:
    """Grams and cost; there is no change from one currency, or one kind of intensity, to another."""
    grams = [None if bill is None else bill.carbon_g for bill in bills]
    if any(one is not None for one in grams):
        kinds = ["" if bill is None else bill.carbon_kind for bill in bills]
        shown = [Cell("-") if one is None else _mass(one) for one in grams]
        yield [Cell("carbon (CO2e)"), *_changed(grams, shown, kinds)]
    costs = [None if bill is None else bill.cost for bill in bills]
    if any(one is not None for one in costs):
        currencies = ["" if bill is None else bill.currency for bill in bills]
        shown = [
            Cell("-") if one is None else _money(one, currency)
            for one, currency in zip(costs, currencies, strict=True)
        ]
        yield [Cell("cost"), *_changed(costs, shown, currencies)]


def _changes(values: Sequence[float | None], show: Callable[[float], Cell]) -> Iterator[Cell]:
    return _changed(values, [Cell("-") if value is None else show(value) for value in values], [""] * len(values))


def _changed(values: Sequence[float | None], shown: Sequence[Cell], kinds: Sequence[str]) -> Iterator[Cell]:
    """Values as they are shown, the later ones with the change from the first where both are of one kind."""
    first = values[0]
    for rank, (value, cell, kind) in enumerate(zip(values, shown, kinds, strict=True)):
        alike = kind in ("", kinds[0]) or not kinds[0]
        if rank and alike and first and value is not None and isfinite(first) and isfinite(value):
            times = value / first
            many = times >= 10 and first > 0
            change = f"{times:,.0f} times" if many else f"{(value - first) / abs(first):+.1%}"
            yield Cell(f"{cell.text} ({change})", value)
        else:
            yield cell


def groups(title: str, found: Mapping[str, GroupMetrics]) -> str:
    """One run's users or queues, those with the most host-hours first."""
    if not found or set(found) == {""}:
        return ""
    head = (title.lower()[:-1], "jobs", "host-hours", "mean wait", "max wait", "mean turnaround", "bounded slowdown")
    largest = sorted(found.items(), key=lambda item: (-item[1].host_seconds, item[0]))
    rows = [
        (
            Cell(name or "(none)"),
            _count(g.jobs),
            number(g.host_seconds, f"{g.host_seconds / 3600:,.1f}"),
            _time(g.mean_waiting_time),
            _time(g.max_waiting_time),
            _time(g.mean_turnaround_time),
            _ratio(g.mean_bounded_slowdown),
        )
        for name, g in largest
    ]
    listed = table(f"{title}, most host-hours first", head, rows)
    return f"<section><h2>{title}</h2>{listed}</section>"


def deltas(names: Sequence[str], made: Compared) -> str:
    """Several runs: who waited longer or less than in the first, over the jobs they share."""
    text = f"<p>{counted(made.shared, 'job')} ran in all of these runs."
    if any(made.moved):
        text += " Some of them were submitted at other times than in the first run."
    parts = [text + "</p>"] if not made.alike else []
    if made.shared:
        rows = [
            [Cell(name), _count(gained), _count(lost)]
            for name, gained, lost in list(zip(names, made.gained, made.lost, strict=True))[1:]
        ]
        head = (f"against {names[0]}", "jobs that waited less", "jobs that waited longer")
        parts.append(table("Who gained, who lost", head, rows))
    for title, found in (("user", made.users), ("queue", made.queues)):
        if {group.name for group in found} - {""}:
            columns = (title, "jobs", *(f"mean wait, {name}" for name in names), *(f"change, {n}" for n in names[1:]))
            parts.append(table(f"Mean wait by {title}", columns, [_delta(group) for group in found]))
    return f"<section><h2>Who gained, who lost</h2>{''.join(parts)}</section>"


def _delta(group: Group) -> list[Cell]:
    changes = [number(c, ("+" if c > 0 else "") + show_duration(c)) for c in group.changes[1:]]
    return [Cell(group.name or "(none)"), _count(group.jobs), *map(_time, group.waits), *changes]
