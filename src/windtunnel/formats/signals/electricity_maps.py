"""Electricity Maps: the tables of its portal (a zone and a year each, in three spellings) and of its API's history.

Columns of the portal: ``Datetime (UTC)``, ``Zone Id`` (or ``Zone id``), ``Carbon Intensity gCO₂eq/kWh (direct)`` and
``... (LCA)`` or ``(Life cycle)``; of the history: ``datetime``, ``zone_name``, ``carbon_intensity_avg`` (g/kWh).
"""

import re
from pathlib import Path
from typing import Final, Literal

from windtunnel.diagnostics import Findings, InputError, Severity
from windtunnel.formats.signals.table_rows import head_of
from windtunnel.formats.signals.zoned_rows import ZonedTable, places_of
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
    table = ZonedTable(path, findings, zone, "Zone Id")
    estimated = 0
    factor = 1.0

    def places(columns: list[str]) -> dict[str, int]:
        nonlocal factor
        at, factor = _columns(columns, column, findings)
        return at

    for line, row in table.rows(places):
        if "estimated" in table.at and row[table.at["estimated"]].strip().casefold() in _YES:
            estimated += 1
        table.take(line, row, factor)
    if estimated:
        message = "rows are estimated by the source (Data Estimated), and taken as they are"
        findings.add(message, code="estimated", severity=Severity.NOTE, count=estimated)
    return table.taken.signal("g/kWh", outside=outside, dated=True, kind=column)


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
    table = ZonedTable(path, findings, zone, "zone_name")
    names = {"date": "datetime", "value": "carbon_intensity_avg", "zone": "zone_name"}
    for line, row in table.rows(lambda columns: places_of(columns, names)):
        table.take(line, row)
    return table.taken.signal("g/kWh", outside=outside, dated=True, kind="life-cycle")


def _columns(columns: list[str], wanted: str, findings: Findings) -> tuple[dict[str, int], float]:
    """Where date, value, zone and mark of estimates stand, and what the values are multiplied by.

    Raises:
        InputError: there is no such carbon intensity, or its unit is unknown.
    """
    plain = [name.casefold() for name in columns]
    named = {"zone": "zone id", "estimated": "data estimated"}
    at = {"date": 0, **places_of(plain, named)}
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
