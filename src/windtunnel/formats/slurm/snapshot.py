"""The jobs of an instant as ``scontrol show job`` prints them (with ``-d`` and ``-o`` or without).

What waits or runs lasts as long as its time limit, for nobody knows better; what has ended lasts as long as it did.
Held jobs are left out. All of it is told. Parts of a heterogeneous job are one job, tasks of an array that wait are
jobs of their own.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, tzinfo
from math import inf
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from windtunnel.diagnostics import Findings, Severity
from windtunnel.entities.unheard import names
from windtunnel.formats.slurm.asks import Asked, ask_of, minutes_of
from windtunnel.formats.slurm.folding import folded, with_array_limits
from windtunnel.formats.slurm.lines import Line
from windtunnel.formats.slurm.nodes import hosts_in
from windtunnel.formats.slurm.reservations import records_of
from windtunnel.formats.slurm.shown_devices import DEVICE_KEYS, devices_shown
from windtunnel.formats.slurm.site import zone_of
from windtunnel.formats.slurm.submitted_values import dependencies_in
from windtunnel.formats.slurm.values import date, duration, job_state, megabytes, tres_counts
from windtunnel.formats.traces.records import Record, replay
from windtunnel.formats.traces.rules import ReplayOptions
from windtunnel.formats.traces.workload import Recorded, TraceWorkload
from windtunnel.model.slurm import JobAsk

__all__ = ["read_records", "read_scontrol_job"]

_KEYS: Final = names(
    "a job",
    "JobId JobName UserId Account QOS JobState Reason Priority Nice Dependency RunTime TimeLimit SubmitTime "
    "EligibleTime StartTime Partition ReqNodeList ExcNodeList NodeList NumNodes NumCPUs NumTasks CPUs/Task TRES "
    "ReqTRES AllocTRES MinMemoryCPU MinMemoryNode Features Reservation OverSubscribe Licenses ArrayJobId "
    "ArrayTaskId ArrayTaskThrottle HetJobId HetJobOffset TimeMin Deadline Contiguous Prefer SpreadJob Exclusive "
    + " ".join(DEVICE_KEYS),
    noted="GroupId MCS_label Requeue Restarts BatchFlag Reboot ExitCode DerivedExitCode AccrueTime EndTime "
    "PreemptEligibleTime PreemptTime SuspendTime SecsPreSuspend LastSchedEval Scheduler AllocNode:Sid BatchHost "
    "JOB_GRES Nodes CPU_IDs Mem GRES Network Command WorkDir "
    "Comment AdminComment SystemComment StdErr StdIn StdOut Power HetJobIdSet SchedNodeList BurstBuffer "
    "BurstBufferState WCKey MailUser MailType DelayBoot BatchFeatures Switches KillOInInvalidDependent SubmitLine "
    "ReservationId Container Extra OriginalJobId SLUID MinTmpDiskNode MinCPUsNode ResizeTime CompletingTime "
    "FailedNode FedOrigin FedSiblings FedViableSiblings FedActiveSiblings GRES_IDX BatchScript CronJob CrontabSpec "
    "SELinuxContext ContainerID ResvPorts StepMgrEnabled LicensesAlloc KillOnInvalidDependent OOMKillStep Block_ID "
    "CnloadImage MloaderImage IoloadImage BlrtsImage LinuxImage RamDiskImage ExpeditedRequeue",
    ignored="ReqB:S:C:T Socks/Node NtasksPerN:B:S:C CoreSpec TresBind TresFreq ThreadSpec NtasksPerTRES "
    "ClusterFeatures GresEnforceBind GresAllowTaskSharing GresOneTaskPerSharing MemUpdate SegmentSize SpreadSegments "
    "ConsolidateSegments",
)
_OPEN: Final = {
    "PENDING": "pending: lasts as long as its time limit",
    "RUNNING": "running: lasts as long as its time limit",
    "SUSPENDED": "suspended: lasts as long as its time limit",
    "COMPLETING": "completing: lasts as long as its time limit",
    "CONFIGURING": "configuring: lasts as long as its time limit",
}
_SHARING: Final = ("", "OK", "NO", "USER", "YES")
"""What jobs say of sharing: nothing, --exclusive, --exclusive=user, --oversubscribe."""
_RENAMED: Final = {
    "name": "JobName",
    "shared": "OverSubscribe",
    "packjobid": "HetJobId",
    "packjoboffset": "HetJobOffset",
    "packjobidset": "HetJobIdSet",
}
"""What Slurm 14 to 18 called them."""
_EXCLUSIVE: Final = ("", "NO", "NODE", "USER")
"""What jobs of Slurm 26.11 say of having nodes for themselves."""
_HELD: Final = ("JobHeldUser", "JobHeldAdmin")
_LAYOUT: Final = "NtasksPerN:B:S:C"
_UNSAID: Final = re.compile(r"None|[0*:]*")
_EACH: Final = re.compile(r"([1-9]\d{0,8}):[0*]:[0*]:[0*]", re.ASCII)
"""Tasks of each node alone, of ``NtasksPerN:B:S:C``."""
_TASKS: Final = re.compile(r"(\d{1,9})(?:-(\d{1,9})(?::(\d{1,9}))?)?", re.ASCII)
_COUNT: Final = re.compile(r"(\d{1,11})(?:-\d{1,11})?", re.ASCII)
_NICE: Final = re.compile(r"[+-]?\d{1,11}", re.ASCII)
_MOST_TASKS: Final = 1_000_000


def read_scontrol_job(
    path: str | Path,
    name: str = "w0",
    *,
    keep_epoch: bool = False,
    max_processors: int | None = None,
    strict: bool = False,
    tz: str = "UTC",
) -> TraceWorkload:
    """Read the jobs of an instant; rules as for SWF.

    Args:
        path: what ``scontrol show job`` printed.
        name: the name of the workload.
        keep_epoch: submit times stay as they are.
        max_processors: jobs that want more are dropped.
        strict: rows dropped or repaired are errors.
        tz: the time zone of dates, such as Europe/Berlin.

    Raises:
        InputError: the file cannot be read, or is at fault; all faults are named with their line.
        UsageError: there is no such time zone.
    """
    zone = zone_of(tz)
    path = Path(path).absolute()
    findings = Findings(str(path))
    lines = records_of(path, "JobId", findings)
    return read_records(
        path, name, lines, findings, zone, keep_epoch=keep_epoch, max_processors=max_processors, strict=strict
    )


def read_records(
    path: Path,
    name: str,
    lines: Iterable[Line],
    findings: Findings,
    zone: tzinfo = UTC,
    *,
    keep_epoch: bool,
    max_processors: int | None,
    strict: bool,
) -> TraceWorkload:
    """The jobs of records that ``scontrol show job`` prints, or of what says the same in other words."""
    noted: Counter[str] = Counter()
    found = _records(lines, findings, noted, zone)
    records = with_array_limits(list(folded(found, Counter())))
    options = ReplayOptions(walltime="extend", keep_epoch=keep_epoch, max_processors=max_processors, strict=strict)
    workload = replay(records, name=name, path=str(path), options=options, findings=findings, noted=noted)
    workload.recorded = {f"{name}!{one.id}": Recorded(one.waited, one.run or 0.0, one.nodes) for one in records}
    return workload


def _records(lines: Iterable[Line], findings: Findings, noted: Counter[str], zone: tzinfo) -> Iterator[Record]:
    for given in lines:
        line = _as_now(given, findings)
        unsaid = {written for key, written in line.written.items() if _UNSAID.fullmatch(line.text(key))}
        if _EACH.fullmatch(line.text(_LAYOUT)):
            unsaid.add(_LAYOUT)  # it is followed
        said = [written for written in line.written.values() if written not in unsaid & _KEYS.ignored]
        _KEYS.tell(said, findings, line=line.number)
        if line.text("Reason").startswith(_HELD):
            noted["held: left out"] += 1
            continue
        record = _record(line, noted, zone)
        for number in _ids(line):
            yield replace(record, id=number)


def _as_now(line: Line, findings: Findings) -> Line:
    """A record under the keys that Slurm prints now."""
    if not line.values.keys() & _RENAMED.keys():
        return line
    pairs = [(_RENAMED.get(key, line.written[key]), value) for key, value in line.values.items()]
    return Line(line.file, line.number, pairs, findings)


def _ids(line: Line) -> list[str]:
    """The ids of the jobs that a record stands for: the tasks of an array that wait are one record."""
    if line.text("HetJobId"):
        return [f"{line.text('HetJobId')}+{line.text('HetJobOffset', '0')}"]
    if not line.text("ArrayTaskId"):
        return [line.text("JobId")]
    numbers: list[int] = []
    for part in line.text("ArrayTaskId").partition("%")[0].split(","):
        found = _TASKS.fullmatch(part)
        low, high, step = (int(text) if text else None for text in found.groups()) if found else (None, None, None)
        last = low if high is None else high
        if low is None or last is None or step == 0 or (last - low) // (step or 1) + len(numbers) >= _MOST_TASKS:
            line.note(f"ArrayTaskId is {line.text('ArrayTaskId')!r}, numbers such as 0-9:2 are expected", "value")
            return []
        numbers += range(low, last + 1, step or 1)
    return [f"{line.text('ArrayJobId')}_{number}" for number in numbers]


def _record(line: Line, noted: Counter[str], zone: tzinfo) -> Record:
    def when(key: str) -> float | None:
        found: float | None = line.ask(key, lambda text: date(text, zone), None)
        return found

    state = job_state(line.text("JobState"))
    submit, start, eligible = when("SubmitTime"), when("StartTime"), when("EligibleTime")
    if submit is None and not line.text("SubmitTime"):
        line.note("SubmitTime of the job is missing: is this a line of some text, such as a Comment?", "value")
    limit = line.ask("TimeLimit", duration, None)
    run = line.ask("RunTime", duration, None)
    if state in _OPEN:
        noted[_OPEN[state]] += 1
        run = None if limit == inf else limit
    pending = state == "PENDING"
    later = eligible is not None and submit is not None and eligible > submit
    user = line.text("UserId").partition("(")[0]
    begin = int(eligible) if later and eligible is not None else None
    cpus = _count(line, "NumCPUs")
    return Record(
        id="",
        line=line.number,
        submit=submit,
        run=run,
        processors=cpus,
        walltime=limit,
        user=user,
        group=line.text("Account"),
        queue=line.text("Partition"),
        status=state.lower(),
        cancelled=state == "CANCELLED",
        waited=-1.0 if pending or start is None or submit is None else start - submit,
        nodes="" if pending else line.text("NodeList"),
        ask=_ask(line, user, cpus, limit, begin, when("Deadline")),
    )


def _ask(
    line: Line, user: str, cpus: int | None, limit: float | None, begin: int | None, deadline: float | None
) -> JobAsk:
    per_cpu = line.ask("MinMemoryCPU", megabytes, None) if line.text("MinMemoryCPU") else None
    per_node = line.ask("MinMemoryNode", megabytes, None) if line.text("MinMemoryNode") else None
    asked = Asked(
        name=line.text("JobName"),
        user=user,
        account=line.text("Account"),
        partition=line.text("Partition"),
        qos=line.text("QOS"),
        reservation=line.text("Reservation"),
        constraints=line.text("Features"),
        tres=line.ask("ReqTRES" if line.has("ReqTRES") else "TRES", tres_counts, {}),
        cpus=cpus or 0,
        nodes=_count(line, "NumNodes") or 0,
        memory=f"{per_cpu}Mc" if per_cpu is not None else f"{per_node}Mn" if per_node is not None else "",
        limit=minutes_of(limit),
        begin=begin,
        array_limit=_count(line, "ArrayTaskThrottle"),
    )
    each = _count(line, "CPUs/Task") or 1
    least = line.ask("TimeMin", duration, None)
    sharing = line.text("OverSubscribe")
    if sharing not in _SHARING:
        line.note(f"OverSubscribe {sharing!r} of a job is not simulated", "value", Severity.WARNING)
    per_node = _EACH.fullmatch(line.text(_LAYOUT))
    alone = line.text("Exclusive").upper()
    if alone not in _EXCLUSIVE:
        line.note(f"Exclusive {alone!r} of a job is not simulated", "value", Severity.WARNING)
    ask = ask_of(asked)
    return replace(
        ask,
        tasks=_count(line, "NumTasks") or cpus,
        cpus_per_task=each if each > 1 else None,
        tasks_per_node=int(per_node[1]) if per_node is not None else None,
        nice=line.ask("Nice", _nice, 0),
        nodes=tuple(hosts_in(line, "ReqNodeList")) if line.text("ReqNodeList") else (),
        exclude=tuple(hosts_in(line, "ExcNodeList")) if line.text("ExcNodeList") else (),
        exclusive=sharing == "NO" or alone == "NODE",
        exclusive_user=sharing == "USER" or alone == "USER",
        over_subscribe=sharing == "YES",
        dependencies=dependencies_in(re.sub(r"\([^)]*\)|_\*", "", line.text("Dependency"))),
        any_dependency="?" in line.text("Dependency"),
        time_min=int(least // 60) if least and least < inf else None,
        deadline=None if deadline is None else int(deadline),
        contiguous=line.text("Contiguous") == "1",
        spread=line.text("SpreadJob") == "Yes",
        prefer=line.text("Prefer"),
        **devices_shown(line, ask),
    )


def _count(line: Line, key: str) -> int | None:
    """The (least) number of ``4`` or ``4-8``; None where there is none, or something else, which is noted."""
    text = line.text(key)
    found = _COUNT.fullmatch(text)
    if found is not None:
        return int(found[1])
    if text:
        written = line.written.get(key.lower(), key)
        line.note(f"{written} is {text!r}, a whole number, or a range such as 4-8, is expected", "value")
    return None


def _nice(text: str) -> int:
    if not _NICE.fullmatch(text):
        raise ValueError("a whole number is expected")
    return int(text)
