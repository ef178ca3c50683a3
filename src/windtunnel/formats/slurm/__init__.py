"""Slurm: slurm.conf, accounting, and the notations they share."""

import re
from typing import Final

from windtunnel.formats.format import Format
from windtunnel.formats.sacct_heads import first_line, is_headless, separator_of

__all__ = [
    "FORMATS",
    "looks_like_sacct",
    "looks_like_scontrol",
    "looks_like_scontrol_job",
    "looks_like_sinfo_json",
    "looks_like_slurm_conf",
    "looks_like_squeue_json",
]

_CONF: Final = rb"(?im)^[ \t]*(NodeName|ClusterName|SlurmctldHost|ControlMachine)[ \t]*="

_NO_CONF: Final = (b"Configuration data as of ", b"Current Association Manager state")
"""What scontrol shows speaks of nodes and clusters, too."""


def looks_like_sacct(head: bytes) -> bool:
    """Whether the first line is a head of ``sacct -P``, or the file looks like ``sacct --json``."""
    if head.lstrip().startswith(b"{"):
        if b'"job_state"' in head:
            return False  # of squeue
        return b'"jobs"' in head and (b'"job_id"' in head or b'"slurm"' in head.lower())
    first, rest = first_line(head), head.lstrip(b"\r\n").partition(b"\n")[2]
    if first.split()[:1] == [b"JobID"] and rest.lstrip().startswith(b"----"):
        return True  # for people, not for programs: its reader says which command prints the other
    return b"JobID" in first.strip().split(b"|") or bool(separator_of(first)) or is_headless(first)


def looks_like_slurm_conf(head: bytes) -> bool:
    """Text that names nodes as slurm.conf does."""
    return re.search(_CONF, head) is not None and not head.lstrip().startswith(_NO_CONF)


def looks_like_scontrol(head: bytes) -> bool:
    """What ``scontrol show node`` prints."""
    return head.lstrip().startswith(b"NodeName=") and b" CPUTot=" in head


def looks_like_scontrol_job(head: bytes) -> bool:
    """What ``scontrol show job`` prints."""
    return head.lstrip().startswith(b"JobId=") and (b" JobName=" in head or b" Name=" in head)


def looks_like_squeue_json(head: bytes) -> bool:
    """What ``squeue --json`` prints."""
    return head.lstrip().startswith(b"{") and b'"jobs"' in head and b'"job_state"' in head


def looks_like_sinfo_json(head: bytes) -> bool:
    """What ``sinfo --json`` or ``scontrol show node --json`` prints."""
    if not head.lstrip().startswith(b"{"):
        return False
    return (b'"nodes"' in head and b'"real_memory"' in head) or (b'"sinfo"' in head and b'"threads"' in head)


FORMATS: Final = (
    Format(
        name="sacct",
        kind="workload",
        description="Slurm accounting (sacct -P, sacct --json)",
        looks_like=looks_like_sacct,
        reader="windtunnel.formats.slurm.sacct:read_sacct",
    ),
    Format(
        name="scontrol",
        kind="platform",
        description="Slurm's scontrol show node, with show partition and show config beside it",
        looks_like=looks_like_scontrol,
        reader="windtunnel.formats.slurm.scontrol:read_scontrol",
    ),
    Format(
        name="scontrol-job",
        kind="workload",
        description="Slurm's scontrol show job: the running and waiting jobs at an instant",
        looks_like=looks_like_scontrol_job,
        reader="windtunnel.formats.slurm.snapshot:read_scontrol_job",
    ),
    Format(
        name="sinfo-json",
        kind="platform",
        description="Slurm's sinfo --json and scontrol show node --json",
        looks_like=looks_like_sinfo_json,
        reader="windtunnel.formats.slurm.json_nodes:read_sinfo_json",
    ),
    Format(
        name="squeue-json",
        kind="workload",
        description="Slurm's squeue --json: the running and waiting jobs at an instant",
        looks_like=looks_like_squeue_json,
        reader="windtunnel.formats.slurm.json_jobs:read_squeue_json",
    ),
    Format(
        name="slurm",
        kind="platform",
        description="Slurm's slurm.conf: nodes with cores, memory and GPUs",
        looks_like=looks_like_slurm_conf,
        reader="windtunnel.formats.slurm.conf:read_slurm_conf",
    ),
    Format(
        name="slurm-listing",
        kind="workload",
        description="Slurm's other listings (squeue, sinfo, sprio...): recognised, with the command to run instead",
        looks_like="windtunnel.formats.slurm.listings:looks_like_listing",
        catch_all=True,
        reader="windtunnel.formats.slurm.listings:read_listing",
    ),
    Format(
        name="slurm-listing",
        kind="platform",
        description="The same, given for a site",
        looks_like="windtunnel.formats.slurm.listings:looks_like_listing",
        catch_all=True,
        reader="windtunnel.formats.slurm.listings:read_listing",
    ),
)
"""In the order in which they are tried."""
