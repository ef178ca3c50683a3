"""OpenDC's carbon traces: Parquet with ``timestamp`` (ms since 1970, or a time) and ``carbon_intensity`` (g/kWh).

They are read in a process of its own: damaged Parquet may end the one that reads it.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Final, Literal

from windtunnel.diagnostics import Findings
from windtunnel.formats.files import read_bytes
from windtunnel.formats.signals.one_of import tell_unread
from windtunnel.formats.signals.rows import MOST_ROWS, SignalRows
from windtunnel.model.signal_units import Quantity
from windtunnel.model.signals import Signal

__all__ = ["looks_like_parquet", "read_opendc"]

_PATIENCE: Final = 120.0
"""Seconds that a file may take."""

_SECONDS: Final = (1e9, 1e10)
"""Such timestamps are probably seconds since 1970, of the years 2001 to 2286."""

_PROGRAM: Final = """
import io, json, sys
import polars as pl

frame = pl.read_parquet(io.BytesIO(sys.stdin.buffer.read()))
read = {"columns": frame.columns, "rows": frame.height}
for name in ("timestamp", "carbon_intensity") if frame.height <= int(sys.argv[1]) else ():
    if name not in frame.columns:
        continue
    column = frame[name]
    kind = column.dtype
    if name == "timestamp" and isinstance(kind, pl.Datetime):
        column = column.dt.epoch("ms")
    elif not (kind.is_integer() if name == "timestamp" else kind.is_numeric()):
        read[name] = str(kind)
        continue
    read[name] = column.to_list() if column.dtype.is_integer() else column.cast(pl.Float64).to_list()
sys.stdout.write(json.dumps(read))
"""


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
    table = _table(read_bytes(path, findings), findings)
    needed = ["timestamp", "carbon_intensity"]
    columns: list[str] = table["columns"]
    if missing := [name for name in needed if name not in columns]:
        message = f"has no column {' and '.join(missing)}, but {', '.join(columns)[:200]}"
        findings.add(message, code="columns", hint="those of an OpenDC carbon trace: timestamp, carbon_intensity")
    elif table["rows"] > MOST_ROWS:
        findings.add(f"has more than {MOST_ROWS:,} rows", code="too-many-rows")
    elif isinstance(kind := table["timestamp"], str):
        findings.add(f"timestamp is {kind}: milliseconds since 1970 are expected", code="not-a-time")
    elif isinstance(kind := table["carbon_intensity"], str):
        findings.add(f"carbon_intensity is {kind}: numbers are expected", code="not-a-number")
    findings.raise_if_errors()
    tell_unread(findings, columns, set(needed))
    rows = SignalRows(findings)
    for rank, (date, value) in enumerate(zip(table["timestamp"], table["carbon_intensity"], strict=True), 1):
        if date is None:
            findings.add("the row has no timestamp", code="not-a-time", line=rank)
        else:
            rows.add(date / 1000.0, "" if value is None else repr(float(value)), rank)
    if rows.dates and _SECONDS[0] <= rows.dates[0] * 1000.0 < _SECONDS[1]:
        message = "timestamps lie in 1970: they seem to be seconds, and are read as milliseconds"
        findings.warn(message, code="early-times", line=rows.lines[0])
    return rows.signal("g/kWh", outside=outside, dated=True)


def _table(data: bytes, findings: Findings) -> dict[str, Any]:
    """The names of the columns, how many rows there are, and two columns; what else they are, where they are no
    numbers.
    """
    command = [sys.executable, "-P", "-c", _PROGRAM, str(MOST_ROWS)]
    try:
        done = subprocess.run(  # noqa: S603 -- our own interpreter; the file travels as data
            command, input=data, capture_output=True, timeout=_PATIENCE, check=False
        )
    except subprocess.TimeoutExpired:
        findings.add(f"takes more than {_PATIENCE:g} s to read", code="parquet")
        findings.raise_all()
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        reason = said[-1][:200] if said and done.returncode > 0 else "its reader was ended by it"
        findings.add(f"is not Parquet that can be read: {reason}", code="parquet")
        findings.raise_all()
    table: dict[str, Any] = json.loads(done.stdout)
    return table
