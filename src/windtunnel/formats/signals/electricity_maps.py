"""Electricity Maps: the tables of its portal (a zone and a year each, in three spellings) and of its API's history.

Columns of the portal: ``Datetime (UTC)``, ``Zone Id`` (or ``Zone id``), ``Carbon Intensity gCO₂eq/kWh (direct)`` and
``... (LCA)`` or ``(Life cycle)``; of the history: ``datetime``, ``zone_name``, ``carbon_intensity_avg`` (g/kWh).
"""

import re
from pathlib import Path
from typing import Final, Literal

from windtunnel.diagnostics import Findings, InputError, Severity
from windtunnel.formats.signals.one_of import OneOf, tell_unread
from windtunnel.formats.signals.rows import SignalRows, seconds_of
from windtunnel.formats.signals.table_rows import Table, head_of
from windtunnel.model.signal_units import Quantity, convert
from windtunnel.model.signals import Signal

__all__ = ["looks_like_history", "looks_like_portal", "read_history", "read_portal"]

_INTENSITY: Final = re.compile(r"carbon intensity (\S+/\S+) \((direct|lca|life cycle)\)")
_YES: Final = frozenset({"true", "1", "yes"})


def looks_like_portal(head: str) -> bool:
    """Whether the first column is ``Datetime (UTC)``, and one a carbon intensity."""
    columns = [name.casefold() for name in head_of(head)]
    return columns[:1] == ["datetime (utc)"] and any(name.startswith("carbon intensity") for name in columns)


def looks_like_history(head: str) -> bool:
    """Whether there is an average carbon intensity and a date."""
    return {"datetime", "carbon_intensity_avg"} <= set(head_of(head))


def read_portal(
    path: Path,
    quantity: Quantity,
    findings: Findings,
    *,
    outside: Literal["error", "hold", "day", "week", "year"] = "error",
    column: Literal["life-cycle", "direct"] = "life-cycle",
    zone: str = "",
) -> Signal:
    """Read a table of the portal: emissions over the whole life of plants, or those of their operation (direct).

    Raises:
        InputError: it is at fault; all faults are named with their line.
    """
    del quantity
    table, rows, zones = Table(path, findings), SignalRows(findings), OneOf(findings, "zone", zone)
    estimated = 0
    at: dict[str, int] = {}
    factor = 1.0
    for line, row in table.rows():
        if not at:
            at, factor = _columns(table.columns, column, findings)
        if "zone" in at and not zones.takes(row[at["zone"]], line):
            continue
        if "estimated" in at and row[at["estimated"]].strip().casefold() in _YES:
            estimated += 1
        _add(rows, row[0], row[at["value"]], line, factor)
    zones.close()
    if estimated:
        message = "rows are estimated by the source (Data Estimated), and taken as they are"
        findings.add(message, code="estimated", severity=Severity.NOTE, count=estimated)
    tell_unread(findings, table.columns, {table.columns[place] for place in (0, *at.values())} if at else set())
    return rows.signal("g/kWh", outside=outside, dated=True, kind=column)


def read_history(
    path: Path,
    quantity: Quantity,
    findings: Findings,
    *,
    outside: Literal["error", "hold", "day", "week", "year"] = "error",
    zone: str = "",
) -> Signal:
    """Read a table of the API's history (consumption, life cycle).

    Raises:
        InputError: it is at fault; all faults are named with their line.
    """
    del quantity
    table, rows, zones = Table(path, findings), SignalRows(findings), OneOf(findings, "zone", zone)
    at: dict[str, int] = {}
    for line, row in table.rows():
        if not at:
            names = {"date": "datetime", "value": "carbon_intensity_avg", "zone": "zone_name"}
            at = {what: table.columns.index(name) for what, name in names.items() if name in table.columns}
        if "zone" not in at or zones.takes(row[at["zone"]], line):
            _add(rows, row[at["date"]], row[at["value"]], line, 1.0)
    zones.close()
    tell_unread(findings, table.columns, {table.columns[place] for place in at.values()})
    return rows.signal("g/kWh", outside=outside, dated=True, kind="life-cycle")


def _columns(columns: list[str], wanted: str, findings: Findings) -> tuple[dict[str, int], float]:
    """Where value, zone and mark of estimates stand, and what the values are multiplied by.

    Raises:
        InputError: there is no such carbon intensity, or its unit is unknown.
    """
    plain = [name.casefold() for name in columns]
    named = {"zone": "zone id", "estimated": "data estimated"}
    at = {what: plain.index(name) for what, name in named.items() if name in plain}
    for place, name in enumerate(plain):
        found = _INTENSITY.fullmatch(name)
        if found is None or (found[2] == "direct") != (wanted == "direct"):
            continue
        known = convert("carbon", found[1])
        if known is not None:
            return {**at, "value": place}, known[1]
        findings.add(f"the unit of {columns[place]!r} is not known", code="unit", line=1)
    if not findings.has_errors:
        message = f"has no carbon intensity ({wanted}), but {', '.join(columns)[:300]}"
        findings.add(message, code="columns", line=1, hint="column=direct or column=life-cycle chooses one")
    raise InputError(findings.sorted())


def _add(rows: SignalRows, text: str, value: str, line: int, factor: float) -> None:
    date = seconds_of(text)
    if date is None:
        hint = "such as 2024-01-01T00:00Z"
        rows.findings.add(f"{text!r:.60} is not a date", code="not-a-time", line=line, hint=hint)
    else:
        rows.add(date, value, line, factor)
