"""Comparing our output files with recorded ones, field by field, to the digits that are printed.

``assert_same_csv(ours, theirs, ...)`` and ``assert_same_schedule(ours, theirs, ...)`` fail with the first
differences, named by row and column. Wall-clock figures and the version text are never compared.
"""

import csv
import gzip
import io
import json
import math
from collections.abc import Collection
from pathlib import Path

NEVER_COMPARED = frozenset(
    {
        "batsim_version",
        "scheduling_time",
        "simulation_time",
        "memory_VmHWM_kB",
        "memory_VmPeak_kB",
        "time_in_edc_seconds",
        "time_in_simu_seconds",
    }
)


def text_of(source: Path | str | bytes) -> str:
    """The text of a recorded file (``.gz`` too), or of what is given."""
    if isinstance(source, bytes):
        return source.decode()
    if isinstance(source, str):
        return source
    if not source.exists() and source.with_name(source.name + ".gz").exists():
        source = source.with_name(source.name + ".gz")
    return gzip.decompress(source.read_bytes()).decode() if source.suffix == ".gz" else source.read_text()


def table(source: Path | str | bytes) -> list[dict[str, str]]:
    """The rows of a CSV file."""
    return list(csv.DictReader(io.StringIO(text_of(source))))


def near(mine: str, theirs: str, tolerance: float) -> bool:
    """Whether two fields agree: equal text, or numbers closer than the tolerance (relative above 1)."""
    if mine == theirs:
        return True
    try:
        a, b = float(mine), float(theirs)
    except ValueError:
        return False
    if math.isnan(a) and math.isnan(b):
        return True
    return abs(a - b) <= tolerance * max(1.0, abs(b))


def differences(
    ours: Path | str | bytes,
    theirs: Path | str | bytes,
    *,
    key: Collection[str] = (),
    ignore: Collection[str] = (),
    tolerance: float = 1.5e-6,
) -> list[str]:
    """What differs between two CSV files; with ``key`` columns rows are matched by them, else by rank."""
    mine, their = table(ours), table(theirs)
    found = []
    if mine and their and (odd := set(mine[0]) ^ set(their[0])):
        found.append(f"columns differ: {sorted(odd)}")
    if key:
        mine.sort(key=lambda row: [row[k] for k in key])
        their.sort(key=lambda row: [row[k] for k in key])
    if len(mine) != len(their):
        found.append(f"{len(mine)} rows, not {len(their)}")
    skip = NEVER_COMPARED | set(ignore)
    for rank, (a, b) in enumerate(zip(mine, their, strict=False)):
        who = " ".join(b[k] for k in key) or f"row {rank}"
        for name in b:
            if name not in skip and not near(a.get(name, ""), b[name], tolerance):
                found.append(f"{who}: {name} is {a.get(name)!r}, not {b[name]!r}")
    return found


def assert_same_csv(ours, theirs, **options) -> None:
    """Fail with the first differences between two CSV files; options as for :func:`differences`."""
    found = differences(ours, theirs, **options)
    assert not found, f"{len(found)} differences:\n" + "\n".join(found[:20])


def assert_same_jobs(ours, theirs, *, ignore: Collection[str] = (), tolerance: float = 1.5e-6) -> None:
    """Compare two ``jobs.csv`` job by job, whatever the order of rows."""
    assert_same_csv(ours, theirs, key=("workload_name", "job_id"), ignore=ignore, tolerance=tolerance)


def assert_same_states(ours, theirs, **options) -> None:
    """Compare two ``machine_states.csv``: dates have six digits, so the last one may be off by one."""
    assert_same_csv(ours, theirs, **({"tolerance": 1.1e-5} | options))


def schedule(source: Path | str | bytes) -> dict[str, str]:
    """The figures of a ``schedule.csv`` or ``schedule.json`` as texts."""
    text = text_of(source)
    if not text.startswith("{"):
        return next(iter(csv.DictReader(io.StringIO(text))))
    numbers = text.replace("-nan", "NaN").replace(": nan", ": NaN").replace("null", "NaN")
    return {k: str(v) for k, v in json.loads(numbers, parse_float=str).items()}


def assert_same_schedule(ours, theirs, *, ignore: Collection[str] = (), tolerance: float = 1.5e-6) -> None:
    """Compare the figures of a whole run (csv and json alike)."""
    mine, their = schedule(ours), schedule(theirs)
    skip = NEVER_COMPARED | set(ignore)
    found = [
        f"{name} is {mine.get(name)!r}, not {value!r}"
        for name, value in their.items()
        if name not in skip and not near(mine.get(name, ""), value, tolerance)
    ]
    assert not found, "\n".join(found)
