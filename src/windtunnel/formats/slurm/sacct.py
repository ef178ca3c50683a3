"""Slurm's accounting: ``sacct -P`` (fields between ``|``, with a head) and ``sacct --json`` (:mod:`~.sacct_json`).

Columns may come in any order. Needed: JobID; Submit; ElapsedRaw or Elapsed, else Start and End; NCPUS, AllocCPUS,
AllocTRES or ReqCPUS. What a job asked for is carried over from ReqTRES, ReqMem, ReqCPUS, ReqNodes, TimelimitRaw or
Timelimit, QOS, Account, Partition, Constraints, Reservation, Eligible and SubmitLine (:mod:`~.asks`). Rows of steps
(``123.batch``, ``123.0``) are left out; array tasks (``123_4``) are jobs of their own; the parts of a heterogeneous
job (``123+0``, ``123+1``) are one job where all of it is there. Each run of a requeued job is a job of its own,
submitted when it was requeued (``sacct -D`` shows them). What runs when the log ends lasts as long as it has; what is
pending is left out, and both are told. Dates without a zone are local times of the option ``tz``.
"""

import re
from collections import Counter
from collections.abc import Iterator
from datetime import tzinfo
from math import inf
from pathlib import Path
from typing import Final

from windtunnel.diagnostics import Findings
from windtunnel.entities.unheard import names
from windtunnel.formats.files import read_bytes
from windtunnel.formats.sacct_heads import first_line, separator_of
from windtunnel.formats.slurm.asks import Asked, ask_of, history, later, minutes_of, not_heard
from windtunnel.formats.slurm.folding import folded, with_array_limits
from windtunnel.formats.slurm.quoted import unquoted
from windtunnel.formats.slurm.rows import rows
from windtunnel.formats.slurm.sacct_json import records_of_json
from windtunnel.formats.slurm.site import zone_of
from windtunnel.formats.slurm.values import GONE, date, duration, gres_counts, job_state, tres_counts
from windtunnel.formats.traces.records import Record, replay
from windtunnel.formats.traces.rules import ReplayOptions, WalltimePolicy
from windtunnel.formats.traces.workload import Recorded, TraceWorkload
from windtunnel.model.slurm.cluster import FOR_EVER

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
    "State User Account Partition ReqMem NNodes ReqNodes QOS Constraints Reservation Eligible SubmitLine JobName "
    "NodeList ReqGRES Licenses",
    ignored="QOSREQ Exclusive OverSubscribe SegmentSize ReqReservation",
    noted="AllocGRES OriginalSLUID AdminComment AllocNodes AssocID AveCPU AveCPUFreq AveDiskRead AveDiskWrite "
    "AvePages AveRSS AveVMSize "
    "BlockID Cluster Comment ConsumedEnergy ConsumedEnergyRaw Container CPUTime CPUTimeRAW DBIndex "
    "DerivedExitCode ExitCode Extra FailedNode Flags GID Group JobIDRaw Layout MaxDiskRead "
    "MaxDiskReadNode MaxDiskReadTask MaxDiskWrite MaxDiskWriteNode MaxDiskWriteTask MaxPages MaxPagesNode "
    "MaxPagesTask MaxRSS MaxRSSNode MaxRSSTask MaxVMSize MaxVMSizeNode MaxVMSizeTask McsLabel MinCPU "
    "MinCPUNode MinCPUTask NTasks Planned PlannedCPU PlannedCPURAW Priority QOSRAW Reason ReqCPUFreq "
    "ReqCPUFreqGov ReqCPUFreqMax ReqCPUFreqMin ReservationId Reserved Restarts ResvCPU ResvCPURAW SLUID "
    "StdErr StdIn StdOut Suspended SystemComment SystemCPU TotalCPU TRESUsageInAve TRESUsageInMax "
    "TRESUsageInMaxNode TRESUsageInMaxTask TRESUsageInMin TRESUsageInMinNode TRESUsageInMinTask "
    "TRESUsageInTot TRESUsageOutAve TRESUsageOutMax TRESUsageOutMaxNode TRESUsageOutMaxTask TRESUsageOutMin "
    "TRESUsageOutMinNode TRESUsageOutMinTask TRESUsageOutTot UID UserCPU WCKey WCKeyID WorkDir",
)
"""The columns that sacct can print (Slurm 24.11)."""
_OPTIONS: Final = {
    "account": ("Account",),
    "partition": ("Partition",),
    "qos": ("QOS",),
    "constraint": ("Constraints",),
    "reservation": ("Reservation",),
    "job-name": ("JobName",),
    "time": ("Timelimit", "TimelimitRaw"),
    "begin": ("Eligible",),
}
"""The columns that tell what was asked for by options of a submit line."""
_CPUS: Final = re.compile(r"(?:^|,)cpu=(\d+)")


def read_sacct(
    path: str | Path,
    name: str = "w0",
    *,
    walltime: WalltimePolicy = "extend",
    keep_epoch: bool = False,
    max_processors: int | None = None,
    strict: bool = False,
    tz: str = "UTC",
    delimiter: str = "",
    columns: str = "",
) -> TraceWorkload:
    """Read accounting data, plain or gzipped; options and rules as for SWF.

    Args:
        path: the file.
        name: the name of the workload.
        walltime: what a run time beyond the limit means: ``extend`` or ``kill``.
        keep_epoch: submit times stay as they are.
        max_processors: jobs that want more are dropped.
        strict: rows dropped or repaired are errors.
        tz: the time zone of dates without one, such as Europe/Berlin.
        delimiter: what stands between fields (``sacct --delimiter``); empty: what the head tells.
        columns: names of the columns, commas between them, where the head is missing (``sacct -n``).

    Raises:
        InputError: the file cannot be read, or is at fault; all faults are named with their line.
        UsageError: an option has no such value.
    """
    zone = zone_of(tz)
    path = Path(path).absolute()
    findings = Findings(str(path))
    data = read_bytes(path, findings)
    noted: Counter[str] = Counter()
    if data.lstrip()[:1] == b"{":
        found = records_of_json(data, findings, zone)
    else:
        found = _of_text(_table(data, delimiter, columns), findings, noted, zone)
    records = with_array_limits(list(folded(found, noted)))
    options = ReplayOptions(walltime=walltime, keep_epoch=keep_epoch, max_processors=max_processors, strict=strict)
    workload = replay(records, name=name, path=str(path), options=options, findings=findings, noted=noted)
    workload.recorded = {
        f"{name}!{record.id}": Recorded(record.waited, record.run or 0.0, record.nodes) for record in records
    }
    return workload


def _table(data: bytes, delimiter: str, columns: str) -> str:
    """The text with a head, strokes between the fields, and no quotes around them."""
    text = data.decode("utf-8", "replace")
    mark = delimiter or separator_of(first_line(data)) or "|"
    return unquoted(f"{columns.replace(',', mark)}\n{text}" if columns else text, mark)


def _of_text(whole: str, findings: Findings, noted: Counter[str], zone: tzinfo) -> Iterator[Record]:
    text = whole.lstrip("\r\n")
    if not text.strip():
        return  # no job, as is said of every file without one
    skipped = whole.count("\n") - text.count("\n")
    first = text.split("\n", 1)[0]
    if "|" not in first and first.split()[:1] == ["JobID"] and len(first.split()) > 1:
        findings.add(
            "this is sacct's output for people, with truncated columns",
            code="plain",
            line=1 + skipped,
            hint="sacct -a -X -P -S 2024-01-01 --format=ALL > jobs.txt, or the script of: windtunnel slurm extract",
        )
        return
    head = set(first.strip().split("|"))
    if first[:1].isdigit() and not head.intersection(_COLUMNS.heard):
        findings.add(
            "the names of the columns are missing: sacct -n and squeue -h leave them out",
            code="head",
            line=1 + skipped,
            hint="columns=JobID,Submit,... names those of sacct in their order; or export without -n",
        )
        return
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
        try:
            yield _record(row, line + skipped, zone)
        except ValueError as error:
            findings.add(str(error), code="value", line=line + skipped)


def _record(row: dict[str, str], line: int, zone: tzinfo) -> Record:
    state = job_state(row.get("State", ""))
    submit, start, end = (date(row.get(name, ""), zone) for name in ("Submit", "Start", "End"))
    limit = _limit(row)
    run: float | None = None
    if row.get("ElapsedRaw"):
        run = float(row["ElapsedRaw"])
    elif row.get("Elapsed"):
        run = duration(row["Elapsed"])
    elif start is not None and end is not None:
        run = end - start
    devices = row.get("ReqGRES", "")
    asked = Asked(
        name=row.get("JobName", ""),
        user=row.get("User", ""),
        account=row.get("Account", ""),
        partition=row.get("Partition", ""),
        qos=row.get("QOS", ""),
        reservation=row.get("Reservation", ""),
        constraints=row.get("Constraints", ""),
        tres=_requested(row),
        cpus=_count(row.get("ReqCPUS", "")),
        nodes=_count(row.get("ReqNodes") or row.get("NNodes", "")),
        memory=row.get("ReqMem", ""),
        limit=minutes_of(limit),
        begin=later(date(row.get("Eligible", ""), zone), submit),
        licences=row.get("Licenses", ""),
        submit_line=row.get("SubmitLine", ""),
        lacking=_lacking(row),
        submitted=submit,
        zone=zone,
        component=_count(row["JobID"].partition("+")[2]),
    )
    ask = ask_of(asked)
    if limit is None and ask.time_limit is not None:
        limit = inf if ask.time_limit == FOR_EVER else ask.time_limit * 60.0
    return Record(
        id=row["JobID"],
        line=line,
        submit=submit,
        run=run,
        processors=_processors(row),
        walltime=limit,
        user=row.get("User", ""),
        group=ask.account,
        queue=",".join(ask.partitions),
        status=state.lower(),
        cancelled=state in GONE,
        waited=-1.0 if start is None or submit is None else start - submit,
        nodes=row.get("NodeList", ""),
        history=history(start=start, nodes=row.get("NodeList"), allocated=tres_counts(row.get("AllocTRES", ""))),
        ask=ask,
        ignored=(*not_heard(asked), *(f"ReqGRES {how}" for how in ("PER_TASK", "PER_SOCKET") if how in devices)),
    )


def _lacking(row: dict[str, str]) -> frozenset[str]:
    """The options for which there is no column."""
    if not row.get("SubmitLine"):
        return frozenset()
    return frozenset(option for option, columns in _OPTIONS.items() if not row.keys() & columns)


def _requested(row: dict[str, str]) -> dict[str, int]:
    """``ReqTRES``; where it tells no devices, with ``ReqGRES`` of older releases, which is for each node."""
    found = tres_counts(row.get("ReqTRES", ""))
    if not row.get("ReqGRES") or any(name.startswith("gres/") for name in found):
        return found
    nodes = max(1, found.get("node", 0) or _count(row.get("ReqNodes") or row.get("NNodes", "")))
    for word in row["ReqGRES"].split(","):
        each, text = word[4:].split(":", 1) if word.startswith("PER_") and ":" in word else ("NODE", word)
        for name, kind, count in gres_counts(text) if each in {"NODE", "JOB"} else ():
            found[f"gres/{name}:{kind}" if kind else f"gres/{name}"] = count * (nodes if each == "NODE" else 1)
    return found


def _count(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 12 else 0


def _processors(row: dict[str, str]) -> int | None:
    for key in ("NCPUS", "AllocCPUS"):
        if count := _count(row.get(key, "")):
            return count
    for key in ("AllocTRES", "ReqTRES"):
        if found := _CPUS.search(row.get(key, "")):
            return int(found[1])
    asked = row.get("ReqCPUS", "")
    return int(asked) if asked.isdecimal() and len(asked) < 12 else None


def _limit(row: dict[str, str]) -> float | None:
    raw = row.get("TimelimitRaw", "")
    if raw.isdecimal() and len(raw) < 12:
        return int(raw) * 60.0
    return duration(row.get("Timelimit") or raw)
