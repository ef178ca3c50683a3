"""The operation that fits sizes of jobs to another machine."""

from array import array
from typing import Annotated

from msgspec import Meta

from windtunnel.diagnostics import UsageError
from windtunnel.workloads.columns import Columns

__all__ = ["to_hosts"]


def to_hosts(columns: Columns, number: Annotated[int, Meta(gt=0)]) -> str:
    """Sizes in the proportion of so many hosts (or processors) to those the workload was made for; at least one each.

    Halves are rounded up, so that a job of the whole machine stays one.
    """
    if not columns.hosts:
        raise UsageError("to_hosts: the workload does not say for how many hosts it is made")
    before = columns.hosts
    columns.processors = array(
        "q", (max(1, (2 * size * number + before) // (2 * before)) if size else 0 for size in columns.sizes())
    )
    columns.hosts = number
    return f"sizes for {before:,} hosts times {number / before:.4g}"
