"""Batsim's workloads and external events (JSON), of all generations."""

from typing import Final

from windtunnel.formats import recognise
from windtunnel.formats.format import Format

__all__ = ["FORMATS", "looks_like_events"]


def looks_like_events(head: bytes) -> bool:
    """Lines that are objects with a date."""
    first = head.lstrip().split(b"\n", 1)[0].rstrip()
    return first.startswith(b"{") and first.endswith(b"}") and b'"timestamp"' in first and b'"type"' in first


FORMATS: Final = (
    Format(
        name="batsim",
        kind="workload",
        description="Batsim workload (JSON) of whichever generation",
        starts="{",
        looks_like=recognise.json,
        catch_all=True,
        reader="windtunnel.formats.batsim.workload:read_batsim",
    ),
    Format(
        name="batsim4",
        kind="workload",
        description="Batsim 3 and 4 workload (JSON)",
        looks_like=recognise.nothing,
        reader="windtunnel.formats.batsim.workload:read_batsim4",
        writer="windtunnel.formats.batsim.write:write_batsim4",
    ),
    Format(
        name="batsim5",
        kind="workload",
        description="Batsim 5 workload (JSON)",
        looks_like=recognise.nothing,
        reader="windtunnel.formats.batsim.workload:read_batsim5",
        writer="windtunnel.formats.batsim.write:write_batsim5",
        suffixes=(".json",),
    ),
    Format(
        name="events",
        kind="events",
        description="Batsim external events (lines of JSON)",
        looks_like=looks_like_events,
        reader="windtunnel.formats.batsim.events:read_events",
        writer="windtunnel.formats.batsim.events:write_events",
    ),
)
"""In the order in which they are tried."""
