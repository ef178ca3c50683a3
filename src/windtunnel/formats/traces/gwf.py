"""Grid Workloads: the archive's format (29 columns), and AtLarge's workflows (CSV), which share the name.

The archive's: ``#`` comments, columns between blanks, -1 unknown; 1 to 16 are those of SWF (users, groups, queues are
texts), what follows (sites, structure, network, disk) is not simulated. AtLarge's: a head with WorkflowID, JobID,
SubmitTime, RunTime, NProcs, ReqNProcs, Dependencies (ids in the same workflow, between blanks); job ids are
``<workflow>_<job>``.
"""

from collections.abc import Iterator
from math import isfinite
from pathlib import Path
from typing import Annotated, Final

from msgspec import Meta

from windtunnel.diagnostics import Findings, open_lines
from windtunnel.entities.unheard import names
from windtunnel.formats.files import reason
from windtunnel.formats.traces.mapped_csv import Mapped, csv_records
from windtunnel.formats.traces.records import Record, replay
from windtunnel.formats.traces.rules import MOST_PROCESSORS, ReplayOptions, WalltimePolicy
from windtunnel.formats.traces.workload import TraceWorkload

__all__ = ["COLUMNS", "read_gwf"]

COLUMNS: Final = (
    "JobID",
    "SubmitTime",
    "WaitTime",
    "RunTime",
    "NProcs",
    "AverageCPUTimeUsed",
    "UsedMemory",
    "ReqNProcs",
    "ReqTime",
    "ReqMemory",
    "Status",
    "UserID",
    "GroupID",
    "ExecutableID",
    "QueueID",
    "PartitionID",
    "OrigSiteID",
    "LastRunSiteID",
    "JobStructure",
    "JobStructureParams",
    "UsedNetwork",
    "UsedLocalDiskSpace",
    "UsedResources",
    "ReqPlatform",
    "ReqNetwork",
    "ReqLocalDiskSpace",
    "ReqResources",
    "VOID",
    "ProjectID",
)
"""The columns of the archive's format."""

_COLUMNS: Final = names(
    "a row",
    "JobID SubmitTime RunTime NProcs ReqNProcs ReqTime Status UserID GroupID QueueID",
    ignored="ReqMemory PartitionID JobStructure JobStructureParams ReqPlatform ReqNetwork ReqLocalDiskSpace "
    "ReqResources",
    noted="WaitTime AverageCPUTimeUsed UsedMemory ExecutableID OrigSiteID LastRunSiteID UsedNetwork "
    "UsedLocalDiskSpace UsedResources VOID ProjectID",
)
_BURSTS: Final = frozenset({"2", "3", "4"})
_STATUS: Final = {"0": "failed", "1": "completed", "5": "cancelled", **dict.fromkeys(_BURSTS, "burst")}
_WORKFLOWS: Final = Mapped(
    {
        "id": "JobID",
        "submit": "SubmitTime",
        "run": "RunTime",
        "processors": "NProcs",
        "group": "WorkflowID",
        "parents": "Dependencies",
    }
)


def read_gwf(
    path: str | Path,
    name: str = "w0",
    *,
    walltime: WalltimePolicy = "extend",
    keep_epoch: bool = False,
    max_processors: Annotated[int, Meta(ge=1)] | None = None,
    strict: bool = False,
) -> TraceWorkload:
    """Read a trace of either kind, plain or gzipped; options and rules as for SWF.

    Raises:
        InputError: the file cannot be read, or is at fault; all faults are named with their line.
        UsageError: an option has no such value.
    """
    path = Path(path).absolute()
    findings = Findings(str(path))
    try:
        with open_lines(path) as file:
            workflows = file.read(len("WorkflowID")) == "WorkflowID"
    except OSError as error:
        findings.add(f"cannot be read: {reason(error)}", code="unreadable")
        findings.raise_all()
    records = _workflows(path, findings) if workflows else _rows(path, findings)
    options = ReplayOptions(walltime=walltime, keep_epoch=keep_epoch, max_processors=max_processors, strict=strict)
    return replay(records, name=name, path=str(path), options=options, findings=findings)


def _workflows(path: Path, findings: Findings) -> Iterator[Record]:
    for record in csv_records(path, _WORKFLOWS, findings):
        record.id = f"{record.group}_{record.id}"
        record.parents = tuple(f"{record.group}_{parent}" for parent in record.parents)
        yield record


def _rows(path: Path, findings: Findings) -> Iterator[Record]:
    try:
        with open_lines(path) as file:
            for line, text in enumerate(file, 1):
                fields = text.split()
                if not fields or fields[0].startswith("#"):
                    continue
                if len(fields) != len(COLUMNS):
                    findings.add(f"{len(fields)} fields instead of {len(COLUMNS)}", code="fields", line=line)
                elif (record := _record(fields, line, findings)) is not None:
                    yield record
    except OSError as error:
        findings.add(f"cannot be read: {reason(error)}", code="unreadable")


def _record(fields: list[str], line: int, findings: Findings) -> Record | None:
    numbers: dict[str, float | None] = {}
    good = True
    for place in (1, 3, 4, 7, 8):
        try:
            value = float(fields[place])
        except ValueError:
            value = float("nan")
        whole = place in {4, 7} and isfinite(value)
        if not isfinite(value) or (whole and (value != int(value) or abs(value) >= MOST_PROCESSORS)):
            what = "not a number" if not whole else "not an integer" if value != int(value) else "too large"
            message = f"{COLUMNS[place]} is {fields[place]!r}, which is {what}"
            findings.add(message, code="number", line=line)
            good = False
        numbers[COLUMNS[place]] = None if value == -1 else value
    if not good:
        return None
    _COLUMNS.tell((name for name, text in zip(COLUMNS, fields, strict=True) if text != "-1"), findings, line=line)
    status = fields[10]
    return Record(
        id=fields[0].replace("!", "_"),
        line=line,
        submit=numbers["SubmitTime"],
        run=numbers["RunTime"],
        processors=int(numbers["ReqNProcs"] or 0),
        allocated=int(numbers["NProcs"] or 0),
        walltime=numbers["ReqTime"] or None,
        user=_label(fields[11]),
        group=_label(fields[12]),
        queue=_label(fields[14]),
        status=_STATUS.get(status) or ("unknown" if status == "-1" else f"code {status}"),
        cancelled=status == "5",
        burst=status in _BURSTS,
    )


def _label(text: str) -> str:
    return "" if text == "-1" else text
