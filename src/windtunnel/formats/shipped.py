"""The file formats of this package, as data: nothing of theirs is imported before it is needed."""

from collections.abc import Callable
from typing import Any, Final, Literal, get_args

import msgspec

__all__ = ["FORMATS", "KINDS", "Format", "Kind"]

Kind = Literal["workload", "platform", "events", "leases"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)


class Format(msgspec.Struct, frozen=True, kw_only=True):
    """A file format. Functions are given as ``module:function``, and imported when needed, or as such."""

    name: str
    kind: Kind
    description: str
    looks_like: str | Callable[[bytes], bool]
    """Tells from the first 64 KiB of a file whether it is in this format."""
    starts: str = ""
    """The characters (spaces apart) such a file may begin with; empty: any. Spares imports."""
    catch_all: bool = False
    """Whether ``looks_like`` says yes to more than its own: then the others are asked first."""
    reader: str | Callable[..., Any] = ""
    """``reader(path, name, **options)`` for workloads and events, ``reader(path, **options)`` for the others."""
    writer: str | Callable[..., Any] = ""
    """``writer(workload, path) -> what was lost``; empty where nothing is written."""

    def __str__(self) -> str:
        does = "read, write" if self.writer and self.reader else "write" if self.writer else "read"
        return f"{self.name:<12} {self.kind:<9} {does:<12} {self.description}"


_HERE: Final = "windtunnel.formats"

FORMATS: Final = (
    Format(
        name="gwf",
        kind="workload",
        description="Grid Workloads Format (29 columns), and AtLarge's workflows (CSV)",
        starts="#0123456789W",
        looks_like=f"{_HERE}.recognise:gwf",
        reader=f"{_HERE}.traces.gwf:read_gwf",
    ),
    Format(
        name="swf",
        kind="workload",
        description="Standard Workload Format 2.2 (Parallel Workloads Archive)",
        starts=";-0123456789",
        looks_like=f"{_HERE}.recognise:swf",
        reader=f"{_HERE}.traces.swf:read_swf",
        writer=f"{_HERE}.traces.swf_write:write_swf",
    ),
    Format(
        name="sacct",
        kind="workload",
        description="Slurm accounting (sacct -P, sacct --json)",
        looks_like=f"{_HERE}.slurm.sacct:looks_like_sacct",
        reader=f"{_HERE}.slurm.sacct:read_sacct",
    ),
    Format(
        name="csv",
        kind="workload",
        description="CSV, whose option mapping says which column is what (mapping=FILE.toml, or nrel-eagle)",
        looks_like=f"{_HERE}.traces.mapped_csv:looks_like_nrel",
        reader=f"{_HERE}.traces.mapped_csv:read_csv",
    ),
    Format(
        name="jsspp-osp",
        kind="workload",
        description="JSSPP-OSP workload (JSON): workflows of tasks",
        starts="{",
        looks_like=f"{_HERE}.workflows.osp_workload:looks_like_workload",
        reader=f"{_HERE}.workflows.osp_workload:read_workload",
    ),
    Format(
        name="wfcommons",
        kind="workload",
        description="WfCommons workflow (JSON, versions 1.0 to 1.6)",
        starts="{",
        looks_like=f"{_HERE}.workflows.wfcommons:looks_like_wfcommons",
        reader=f"{_HERE}.workflows.wfcommons:read_wfcommons",
    ),
    Format(
        name="dax",
        kind="workload",
        description="Pegasus workflow (DAX, XML)",
        starts="<",
        looks_like=f"{_HERE}.workflows.dax:looks_like_dax",
        reader=f"{_HERE}.workflows.dax:read_dax",
    ),
    Format(
        name="lwf",
        kind="workload",
        description="Haizea lease workload (XML) as jobs: one per lease, one host per virtual node",
        starts="<",
        looks_like=f"{_HERE}.haizea.lwf:looks_like_lwf",
        reader=f"{_HERE}.haizea.lwf_jobs:read_lwf_jobs",
        writer=f"{_HERE}.haizea.lwf_jobs:write_lwf_jobs",
    ),
    Format(
        name="batsim",
        kind="workload",
        description="Batsim workload (JSON) of whichever generation",
        starts="{",
        looks_like=f"{_HERE}.recognise:json",
        catch_all=True,
        reader=f"{_HERE}.batsim.workload:read_batsim",
    ),
    Format(
        name="batsim4",
        kind="workload",
        description="Batsim 3 and 4 workload (JSON)",
        looks_like=f"{_HERE}.recognise:nothing",
        reader=f"{_HERE}.batsim.workload:read_batsim4",
        writer=f"{_HERE}.batsim.write:write_batsim4",
    ),
    Format(
        name="batsim5",
        kind="workload",
        description="Batsim 5 workload (JSON)",
        looks_like=f"{_HERE}.recognise:nothing",
        reader=f"{_HERE}.batsim.workload:read_batsim5",
        writer=f"{_HERE}.batsim.write:write_batsim5",
    ),
    Format(
        name="events",
        kind="events",
        description="Batsim external events (lines of JSON)",
        looks_like=f"{_HERE}.recognise:events",
        reader=f"{_HERE}.batsim.events:read_events",
        writer=f"{_HERE}.batsim.events:write_events",
    ),
    Format(
        name="environment",
        kind="platform",
        description="JSSPP-OSP environment (JSON): datacenters down to memory modules, and their events",
        starts="{",
        looks_like=f"{_HERE}.sites.environment.as_platform:looks_like_environment",
        reader=f"{_HERE}.sites.environment.as_platform:read_platform",
    ),
    Format(
        name="sss",
        kind="platform",
        description="SSS node objects 3.1.0 (XML)",
        starts="<",
        looks_like=f"{_HERE}.recognise:nodes",
        reader=f"{_HERE}.sites.sss.platform:read_platform",
    ),
    Format(
        name="slurm",
        kind="platform",
        description="Slurm's slurm.conf: nodes with cores, memory and GPUs",
        looks_like=f"{_HERE}.recognise:slurm_conf",
        reader=f"{_HERE}.slurm.conf:read_slurm_conf",
    ),
    Format(
        name="simgrid",
        kind="platform",
        description="SimGrid platform (XML, versions 4 to 4.1)",
        starts="<",
        looks_like=f"{_HERE}.recognise:xml",
        catch_all=True,
        reader=f"{_HERE}.sites.simgrid_xml:read_platform",
    ),
    Format(
        name="lwf",
        kind="leases",
        description="Haizea lease workload (XML)",
        starts="<",
        looks_like=f"{_HERE}.haizea.lwf:looks_like_lwf",
        reader=f"{_HERE}.haizea.lwf:read_lwf",
        writer=f"{_HERE}.haizea.lwf_write:write_lwf",
    ),
)
"""The formats of this package, in the order in which they are tried."""
