"""WattTime's API, version 3: JSON with its ``meta`` and ``data``, or CSV of the same rows.

Its first signal, ``co2_moer``, is a *marginal* intensity: what one more kWh causes, not what the average one does.
The results name it so.
"""

from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from windtunnel.diagnostics import Findings
from windtunnel.formats.files import json_fault, read_bytes
from windtunnel.formats.repeated_members import tell_repeated
from windtunnel.formats.signals.one_of import tell_unread
from windtunnel.formats.signals.rows import SignalRows, seconds_of
from windtunnel.formats.signals.table_rows import head_of
from windtunnel.formats.signals.zoned_rows import ZonedTable, places_of
from windtunnel.model.signal_units import KNOWN, Quantity, convert
from windtunnel.model.signals import Signal

__all__ = ["looks_like_watttime", "looks_like_watttime_csv", "read_watttime", "read_watttime_csv"]

_KINDS: Final = {"co2_moer": "marginal", "co2_aoer": "average"}
_NEEDED: Final = "such as lbs_co2_per_mwh: the option unit=UNIT says it where the file does not"


def looks_like_watttime(head: str) -> bool:
    """Whether it is JSON with the members that the API answers with."""
    points = '"point_time"' in head  # the API tells its meta behind them, perhaps far behind
    return head.lstrip().startswith("{") and (points or ('"meta"' in head and '"data"' in head))


def looks_like_watttime_csv(head: str) -> bool:
    """Whether there are the columns of its rows."""
    return {"point_time", "value"} <= set(head_of(head))


def read_watttime(
    path: Path,
    quantity: Quantity,
    findings: Findings,
    *,
    outside: Literal["error", "hold", "day", "week", "year"] = "error",
    unit: str = "",
) -> Signal:
    """Read an answer of the API in JSON; ``unit`` where its meta has none.

    Raises:
        InputError: it is at fault; all faults are named with their place.
    """
    del quantity
    data = read_bytes(path, findings)
    try:
        whole: Any = msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        message, line, column = json_fault(error, data)
        findings.add(message, code="json", line=line, column=column)
        findings.raise_all()
    meta = whole.get("meta") if isinstance(whole, dict) else None
    points = whole.get("data") if isinstance(whole, dict) else None
    if not isinstance(meta, dict) or not isinstance(points, list):
        findings.add("expected an object with meta and data", code="members")
        findings.raise_all()
    tell_repeated(data, whole, findings)
    _tell_members(whole, meta, points, findings)
    factor = _factor(meta.get("units"), unit, findings, "/meta/units")
    kind = _kind(meta.get("signal_type"), findings, "/meta/signal_type")
    rows = SignalRows(findings)
    for rank, point in enumerate(points):
        _take(rows, point, rank, factor)
    return rows.signal("g/kWh", outside=outside, dated=True, kind=kind)


def _tell_members(
    whole: dict[str, Any], meta: dict[str, Any], points: list[Any], findings: Findings
) -> None:
    """What the source warns of, and members from which nothing is taken."""
    if warnings := meta.get("warnings"):
        findings.warn(f"the source warns: {str(warnings)[:200]}", code="source-warns", pointer="/meta/warnings")
    members = {key for point in points if isinstance(point, dict) for key in point}
    others = [*(whole.keys() - {"meta", "data"}), *(members - {"point_time", "value"})]
    others += [f"meta.{key}" for key in meta if key not in {"units", "signal_type", "warnings"}]
    tell_unread(findings, sorted(others), set(), "members")


def _take(rows: SignalRows, point: Any, rank: int, factor: float) -> None:
    """One member of ``data``."""
    date = seconds_of(str(point.get("point_time"))) if isinstance(point, dict) else None
    value = point.get("value") if isinstance(point, dict) else None
    if date is None or isinstance(value, bool | str | list | dict):
        what = "expected a point_time (a date) and a value (a number)"
        rows.findings.add(what, code="point", pointer=f"/data/{rank}")
    else:
        rows.add(date, "" if value is None else str(value), 0, factor, pointer=f"/data/{rank}")


def read_watttime_csv(
    path: Path,
    quantity: Quantity,
    findings: Findings,
    *,
    outside: Literal["error", "hold", "day", "week", "year"] = "error",
    unit: str = "",
    zone: str = "",
) -> Signal:
    """Read rows of the API as CSV: point_time, value, and perhaps units, signal_type and region.

    Raises:
        InputError: it is at fault; all faults are named with their line.
    """
    del quantity
    table = ZonedTable(path, findings, zone, "region")
    names = {"date": "point_time", "value": "value", "units": "units", "type": "signal_type", "zone": "region"}
    said: tuple[str, str] | None = None
    factor, kind = 1.0, ""
    for line, row in table.rows(lambda columns: places_of(columns, names)):
        units, type_ = (row[table.at[name]].strip() if name in table.at else "" for name in ("units", "type"))
        if said is None:
            factor, kind = _factor(units, unit, findings, ""), _kind(type_, findings, "")
            said = units, type_
        elif (units, type_) != said:
            findings.add("another unit or signal than in the rows before", code="unit", line=line)
        table.take(line, row, factor)
    return table.taken.signal("g/kWh", outside=outside, dated=True, kind=kind)


def _factor(said: Any, given: str, findings: Findings, pointer: str) -> float:
    """What values are multiplied by; the unit that the file says goes before the one that is given."""
    text = said if isinstance(said, str) and said else given
    known = convert("carbon", text) if text else None
    if known is None:
        message = f"{text!r:.40} is not a unit of carbon intensity ({KNOWN['carbon']})" if text else "has no unit"
        findings.add(message, code="unit", pointer=pointer, hint=_NEEDED)
        return 1.0
    if given and said and given != said:
        findings.warn(f"the file says {said}: unit={given} has no effect", code="unit", pointer=pointer)
    return known[1]


def _kind(said: Any, findings: Findings, pointer: str) -> str:
    """``marginal`` or ``average``; other signals of the API are no intensity of CO2, and errors."""
    if said is None or said == "":
        findings.warn("does not state whether it is marginal (co2_moer) or average (co2_aoer)", code="signal")
        return ""
    if not isinstance(said, str) or said not in _KINDS:
        hint = f"signals read: {', '.join(_KINDS)}"
        findings.add(f"is a signal {said!r:.40}", code="signal", pointer=pointer, hint=hint)
        return ""
    return _KINDS[said]
