"""OpenDC's carbon traces: Parquet with ``timestamp`` (ms since 1970, or a time) and ``carbon_intensity`` (g/kWh)."""

import io
from pathlib import Path
from typing import Any, Literal

from windtunnel.diagnostics import Findings, InputError
from windtunnel.formats.files import read_bytes
from windtunnel.formats.signals.one_of import tell_unread
from windtunnel.formats.signals.rows import SignalRows
from windtunnel.model.signal_units import Quantity
from windtunnel.model.signals import Signal

__all__ = ["looks_like_parquet", "read_opendc"]


def looks_like_parquet(head: str) -> bool:
    """Whether it begins as Parquet does."""
    return head.startswith("PAR1")


def read_opendc(
    path: Path,
    quantity: Quantity,
    findings: Findings,
    *,
    outside: Literal["error", "hold", "day", "week", "year"] = "error",
) -> Signal:
    """Read such a trace. (OpenDC itself holds the first and last row outside them: ``outside=hold``.)

    Raises:
        InputError: it is at fault.
    """
    del quantity
    import polars as pl  # loaded by those who read Parquet

    data = read_bytes(path, findings)
    try:
        frame = pl.read_parquet(io.BytesIO(data))
    except (Exception, pl.exceptions.PanicException) as error:  # noqa: BLE001 -- whatever its reader raises
        findings.add(f"is not Parquet that can be read: {str(error)[:200]}", code="parquet")
        findings.raise_all()
    needed = ["timestamp", "carbon_intensity"]
    if missing := [name for name in needed if name not in frame.columns]:
        message = f"has no column {' and '.join(missing)}, but {', '.join(frame.columns)[:200]}"
        findings.add(message, code="columns", hint="those of an OpenDC carbon trace: timestamp, carbon_intensity")
        findings.raise_all()
    tell_unread(findings, frame.columns, set(needed))
    rows = SignalRows(findings)
    for rank, (date, value) in enumerate(zip(_seconds(frame, findings), _values(frame, findings), strict=True), 1):
        if date is None:
            findings.add(f"row {rank} has no timestamp", code="not-a-time")
        else:
            rows.add(date, "" if value is None else repr(value), 0)
    return rows.signal("g/kWh", outside=outside, dated=True)


def _seconds(frame: Any, findings: Findings) -> list[float | None]:
    """Dates in s since 1970."""
    import polars as pl

    column = frame["timestamp"]
    if isinstance(column.dtype, pl.Datetime):
        return [None if ms is None else ms / 1000.0 for ms in column.dt.epoch("ms").to_list()]
    if column.dtype.is_integer():
        return [None if ms is None else ms / 1000.0 for ms in column.to_list()]
    findings.add(f"timestamp is {column.dtype}: milliseconds since 1970 are expected", code="not-a-time")
    raise InputError(findings.sorted())


def _values(frame: Any, findings: Findings) -> list[float | None]:
    column = frame["carbon_intensity"]
    if not column.dtype.is_numeric():
        findings.add(f"carbon_intensity is {column.dtype}: numbers are expected", code="not-a-number")
        findings.raise_all()
    return [None if value is None else float(value) for value in column.to_list()]
