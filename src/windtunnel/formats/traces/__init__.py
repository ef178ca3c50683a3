"""Logs of batch systems and grids: rows of jobs that were run, replayed as workloads."""

import re
from typing import Final

from windtunnel.formats.format import Format

__all__ = ["FORMATS", "looks_like_gwf", "looks_like_nrel", "looks_like_swf"]

_SWF_ROW: Final = rb"[ \t]*-?[0-9.]+([ \t;,]+-?[0-9.]+){3}"


def looks_like_gwf(head: bytes) -> bool:
    """Rows of 29 fields, or a CSV head of workflows."""
    if head.startswith(b"WorkflowID"):
        return b"Dependencies" in head.split(b"\n", 1)[0]
    for line in head.splitlines():
        if line.strip() and not line.lstrip().startswith(b"#"):
            return len(line.split()) == 29
    return False


def looks_like_swf(head: bytes) -> bool:
    """Comments that start with a semicolon, or rows of numbers, perhaps below a row of names."""
    first, second = ([line for line in head.splitlines() if line.strip()] + [b"", b""])[:2]
    if first.lstrip().startswith(b";") or re.match(_SWF_ROW, first):
        return True
    return re.match(_SWF_ROW, second) is not None and all(len(line.split()) >= 18 for line in (first, second))


def looks_like_nrel(head: bytes) -> bool:
    """Whether the first line is the head of NREL's Eagle."""
    return head.startswith(b"job_id,user,account,partition,")


FORMATS: Final = (
    Format(
        name="gwf",
        kind="workload",
        description="Grid Workloads Format (29 columns), and AtLarge's workflows (CSV)",
        starts="#0123456789W",
        looks_like=looks_like_gwf,
        reader="windtunnel.formats.traces.gwf:read_gwf",
    ),
    Format(
        name="swf",
        kind="workload",
        description="Standard Workload Format 2.2 (Parallel Workloads Archive)",
        looks_like=looks_like_swf,
        reader="windtunnel.formats.traces.swf:read_swf",
        writer="windtunnel.formats.traces.swf_write:write_swf",
        copier="windtunnel.formats.traces.swf_write:copy_swf_log",
        suffixes=(".swf",),
    ),
    Format(
        name="csv",
        kind="workload",
        description="CSV, whose option mapping says which column is which (mapping=FILE.toml, or nrel-eagle)",
        looks_like=looks_like_nrel,
        needs="mapping=FILE.toml",
        reader="windtunnel.formats.traces.mapped_csv:read_csv",
    ),
)
"""In the order in which they are tried."""
