"""Slurm's accounting: ``sacct -P`` (fields between ``|``, with a head) and ``sacct --json``.

Rows of steps (``123.batch``, ``123.0``) are left out; array tasks (``123_4``) and parts of heterogeneous jobs
(``123+0``) are jobs of their own. Columns used: JobID; Submit; ElapsedRaw or Elapsed, else End - Start; NCPUS,
AllocCPUS, or ``cpu=`` of AllocTRES, else ReqCPUS; TimelimitRaw (minutes) or Timelimit; State; User, Account (group),
Partition (queue). Dates without a zone are taken for UTC.
"""

import re
from collections import Counter
from collections.abc import Iterator
from math import inf
from pathlib import Path
from typing import Any, Final

import msgspec

from windtunnel.diagnostics import Findings
from windtunnel.entities.json_members import kind_of
from windtunnel.entities.unheard import Names, names
from windtunnel.formats.files import json_fault, read_bytes
from windtunnel.formats.slurm.rows import rows
from windtunnel.formats.slurm.values import date, duration, job_state
from windtunnel.formats.traces.records import Record, replay
from windtunnel.formats.traces.rules import ReplayOptions, WalltimePolicy
from windtunnel.formats.traces.workload import TraceWorkload

__all__ = ["read_sacct"]

_NEEDED: Final = {
    "JobID": ("JobID",),
    "Submit": ("Submit",),
    "a run time": ("ElapsedRaw", "Elapsed", "Start"),
    "processors": ("NCPUS", "AllocCPUS", "AllocTRES", "ReqCPUS"),
}
_COLUMNS: Final = names(
    "a row",
    "JobID Submit Start End ElapsedRaw Elapsed NCPUS AllocCPUS AllocTRES ReqTRES ReqCPUS TimelimitRaw Timelimit "
    "State "
    "User Account Partition",
    ignored="ReqMem NNodes ReqNodes QOS QOSREQ Priority Constraints Reservation Licenses Flags Eligible Layout",
    noted="AdminComment AllocNodes AssocID AveCPU AveCPUFreq AveDiskRead AveDiskWrite AvePages AveRSS AveVMSize "
    "BlockID "
    "Cluster Comment ConsumedEnergy ConsumedEnergyRaw Container CPUTime CPUTimeRAW DBIndex DerivedExitCode ExitCode "
    "Extra FailedNode GID Group JobIDRaw JobName MaxDiskRead MaxDiskReadNode MaxDiskReadTask MaxDiskWrite "
    "MaxDiskWriteNode MaxDiskWriteTask MaxPages MaxPagesNode MaxPagesTask MaxRSS MaxRSSNode MaxRSSTask MaxVMSize "
    "MaxVMSizeNode MaxVMSizeTask McsLabel MinCPU MinCPUNode MinCPUTask NodeList NTasks Planned PlannedCPU "
    "PlannedCPURAW "
    "QOSRAW Reason ReqCPUFreq ReqCPUFreqGov ReqCPUFreqMax ReqCPUFreqMin ReservationId Reserved ResvCPU ResvCPURAW "
    "Restarts SLUID StdErr StdIn StdOut SubmitLine Suspended SystemComment SystemCPU TotalCPU TRESUsageInAve "
    "TRESUsageInMax TRESUsageInMin TRESUsageInTot TRESUsageOutAve TRESUsageOutMax TRESUsageOutMin "
    "TRESUsageOutTot UID "
    "UserCPU WCKey WCKeyID WorkDir",
)
"""The columns that sacct can print (Slurm 24.11)."""
_TRES: Final = Names(
    "what a job requests",
    frozenset({"cpu"}),
    frozenset({"mem", "node", "gres/gpu"}),
    frozenset({"billing", "energy"}),
)
_CPUS: Final = re.compile(r"(?:^|,)cpu=(\d+)")
_GONE: Final = frozenset({"CANCELLED", "PENDING", "RUNNING", "SUSPENDED", "REVOKED"})


def read_sacct(
    path: str | Path,
    name: str = "w0",
    *,
    walltime: WalltimePolicy = "extend",
    keep_epoch: bool = False,
    max_processors: int | None = None,
    strict: bool = False,
) -> TraceWorkload:
    """Read accounting data, plain or gzipped; options and rules as for SWF.

    Raises:
        InputError: the file cannot be read, or is at fault; all faults are named with their line.
        UsageError: an option has no such value.
    """
    path = Path(path).absolute()
    findings = Findings(str(path))
    data = read_bytes(path, findings)
    noted: Counter[str] = Counter()
    records = _of_json(data, findings) if data.lstrip()[:1] == b"{" else _of_text(data, findings, noted)
    options = ReplayOptions(walltime=walltime, keep_epoch=keep_epoch, max_processors=max_processors, strict=strict)
    return replay(records, name=name, path=str(path), options=options, findings=findings, noted=noted)


def _of_text(data: bytes, findings: Findings, noted: Counter[str]) -> Iterator[Record]:
    text = data.decode("utf-8", "replace").lstrip("\r\n")
    skipped = data.decode("utf-8", "replace").count("\n") - text.count("\n")
    head = set(text.split("\n", 1)[0].strip().split("|"))
    for what, columns in _NEEDED.items():
        if not head.intersection(columns):
            findings.add(f"there is no column for {what} ({' or '.join(columns)})", code="column", line=1 + skipped)
    if findings.has_errors:
        return
    _COLUMNS.tell([name for name in text.split("\n", 1)[0].strip().split("|") if name], findings, line=1 + skipped)
    for line, row in rows(text, findings):
        if "." in row["JobID"]:
            noted["row of a step, left out"] += 1
            continue
        asked = [entry.partition("=")[0] for entry in (row.get("ReqTRES") or row.get("AllocTRES", "")).split(",")]
        _TRES.tell(filter(None, asked), findings, line=line + skipped)
        try:
            yield _record(row, line + skipped)
        except ValueError as error:
            findings.add(str(error), code="value", line=line + skipped)


def _record(row: dict[str, str], line: int) -> Record:
    state = job_state(row.get("State", ""))
    start, end = date(row.get("Start", "")), date(row.get("End", ""))
    run: float | None = None
    if row.get("ElapsedRaw"):
        run = float(row["ElapsedRaw"])
    elif row.get("Elapsed"):
        run = duration(row["Elapsed"])
    elif start is not None and end is not None:
        run = end - start
    return Record(
        id=row["JobID"],
        line=line,
        submit=date(row["Submit"]),
        run=run,
        processors=_processors(row),
        walltime=_limit(row),
        user=row.get("User", ""),
        group=row.get("Account", ""),
        queue=row.get("Partition", ""),
        status=state.lower(),
        cancelled=state in _GONE,
    )


def _processors(row: dict[str, str]) -> int | None:
    for key in ("NCPUS", "AllocCPUS"):
        if row.get(key, "").isdigit() and int(row[key]):
            return int(row[key])
    for key in ("AllocTRES", "ReqTRES"):
        if found := _CPUS.search(row.get(key, "")):
            return int(found[1])
    return int(row["ReqCPUS"]) if row.get("ReqCPUS", "").isdigit() else None


def _limit(row: dict[str, str]) -> float | None:
    raw = row.get("TimelimitRaw", "")
    if raw.isdigit():
        return int(raw) * 60.0
    return duration(row.get("Timelimit") or raw)


def _of_json(data: bytes, findings: Findings) -> Iterator[Record]:
    try:
        document = msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        message, line, column = json_fault(error, data)
        findings.add(message, code="json", line=line, column=column)
        return
    jobs = document.get("jobs")
    if not isinstance(jobs, list):
        findings.add(f"'jobs' is {kind_of(jobs)}, an array is expected", code="type", pointer="/jobs")
        return
    for index, value in enumerate(jobs):
        pointer = f"/jobs/{index}"
        if not isinstance(value, dict):
            findings.add(f"a job is {kind_of(value)}, an object is expected", code="type", pointer=pointer)
            continue
        _tell_unheard(value, findings, pointer)
        try:
            yield _json_record(value)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
            findings.add(f"the job is not as sacct writes it: {what}", code="value", pointer=pointer)


_JSON_HEARD: Final = {
    "": frozenset(["job_id", "array", "het", "time", "state", "tres", "required", "user", "account", "partition"]),
    "time": frozenset(["submission", "elapsed", "limit"]),
    "state": frozenset({"current"}),
    "tres": frozenset({"allocated", "requested"}),
    "required": frozenset({"CPUs"}),
    "array": frozenset({"job_id", "task_id"}),
    "het": frozenset({"job_id", "job_offset"}),
}
"""Of a job, and of its members that are objects."""
_JSON_ASKED: Final = frozenset(
    {"allocation_nodes", "constraints", "licenses", "memory", "memory_per_cpu", "memory_per_node", "priority"}
    | {"qos", "reservation"}
)


def _tell_unheard(value: dict[str, Any], findings: Findings, pointer: str) -> None:
    """Note the members of a job that nothing comes of: sacct writes about sixty."""
    for key, heard in _JSON_HEARD.items():
        inside = value.get(key) if key else value
        if isinstance(inside, dict):
            others = frozenset(inside) - heard
            known = Names(f"{key!r} of a job" if key else "a job", heard, others & _JSON_ASKED, others - _JSON_ASKED)
            known.tell(sorted(others), findings, pointer=f"{pointer}/{key}" if key else pointer)
    tres = value.get("tres")
    wanted = tres.get("requested") or tres.get("allocated") if isinstance(tres, dict) else None
    for entry in wanted if isinstance(wanted, list) else ():
        if isinstance(entry, dict):
            kind = f"{entry.get('type')}/{entry.get('name')}" if entry.get("name") else str(entry.get("type"))
            _TRES.tell([kind], findings, pointer=f"{pointer}/tres")


def _json_record(value: dict[str, Any]) -> Record:
    times = value["time"]
    state = value["state"]["current"]
    state = (state[0] if state else "") if isinstance(state, list) else str(state)
    limit = _json_number(times.get("limit"))
    allocated = value.get("tres", {}).get("allocated") or value.get("tres", {}).get("requested") or []
    counts = {entry["type"]: entry["count"] for entry in allocated}
    processors = counts.get("cpu") or _json_number(value.get("required", {}).get("CPUs"))
    return Record(
        id=_json_id(value),
        submit=_json_number(times["submission"]) or None,
        run=_json_number(times["elapsed"]),
        processors=int(processors) if processors is not None and processors < inf else None,
        walltime=None if limit is None else limit * 60.0,
        user=str(value.get("user") or ""),
        group=str(value.get("account") or ""),
        queue=str(value.get("partition") or ""),
        status=state.lower(),
        cancelled=state in _GONE,
    )


def _json_id(value: dict[str, Any]) -> str:
    """``123``, ``123_4`` for a task of an array, ``123+1`` for a part of a heterogeneous job."""
    array, het = value.get("array") or {}, value.get("het") or {}
    if task := array.get("job_id"):
        number = _json_number(array.get("task_id"))
        return f"{task}_{int(number)}" if number is not None else str(value["job_id"])
    if leader := het.get("job_id"):
        return f"{leader}+{int(_json_number(het.get('job_offset')) or 0)}"
    return str(value["job_id"])


def _json_number(value: Any) -> float | None:
    """A number, or Slurm's object of one: ``{"set": true, "infinite": false, "number": 60}``."""
    if isinstance(value, dict):
        if value.get("infinite"):
            return inf
        return float(value["number"]) if value.get("set", True) else None
    return None if value is None else float(value)
