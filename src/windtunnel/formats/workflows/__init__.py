"""Workflows: tasks that wait for each other."""

import re
from typing import Final

from windtunnel.formats.format import Format

__all__ = ["FORMATS", "looks_like_dax", "looks_like_osp", "looks_like_wfcommons"]

_OSP: Final = rb'"workflows"\s*:'


def looks_like_osp(head: bytes) -> bool:
    """A JSON object with workflows."""
    return re.search(_OSP, head) is not None


def looks_like_wfcommons(head: bytes) -> bool:
    """A JSON object with a workflow, which is none of Batsim's."""
    return b'"workflow"' in head and (b'"schemaVersion"' in head or b'"nb_res"' not in head)


def looks_like_dax(head: bytes) -> bool:
    """An element of Pegasus' abstract graphs."""
    return b"<adag" in head


FORMATS: Final = (
    Format(
        name="jsspp-osp",
        kind="workload",
        description="JSSPP-OSP workload (JSON): workflows of tasks",
        starts="{",
        looks_like=looks_like_osp,
        reader="windtunnel.formats.workflows.osp_workload:read_workload",
    ),
    Format(
        name="wfcommons",
        kind="workload",
        description="WfCommons workflow (JSON, versions 1.0 to 1.6)",
        starts="{",
        looks_like=looks_like_wfcommons,
        reader="windtunnel.formats.workflows.wfcommons:read_wfcommons",
    ),
    Format(
        name="dax",
        kind="workload",
        description="Pegasus workflow (DAX, XML)",
        starts="<",
        looks_like=looks_like_dax,
        reader="windtunnel.formats.workflows.dax:read_dax",
    ),
)
"""In the order in which they are tried."""
