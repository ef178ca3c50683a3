"""One job of a trace, whatever its format, and the rules that make a workload of many (the same as for SWF)."""

from collections import Counter
from collections.abc import Iterable
from math import inf, nextafter
from typing import Final, Literal

import msgspec

from windtunnel.diagnostics import Findings, UsageError
from windtunnel.formats.traces.ingestion import IngestionReport
from windtunnel.formats.traces.workload import TraceWorkload
from windtunnel.formats.workflows.tasks import WorkflowTask, check_tasks
from windtunnel.model import DelayProfile, Job, Request

__all__ = ["Record", "ReplayOptions", "WalltimePolicy", "replay"]

WalltimePolicy = Literal["extend", "kill"]
"""What a run time beyond the requested time means: the limit is extended, or the job is killed at it."""

EPOCH_LIKE: Final = 1e8
"""Dates from here on (1973) are calendar dates."""


class Record(msgspec.Struct, kw_only=True):
    """What a trace says of one job; None is unknown. Times in seconds, ``submit`` from any origin."""

    id: str
    line: int = 0
    submit: float | None = None
    run: float | None = None
    processors: int | None = None
    walltime: float | None = None
    """inf: the trace says that there is no limit."""
    user: str = ""
    group: str = ""
    queue: str = ""
    status: str = ""
    cancelled: bool = False
    parents: tuple[str, ...] = ()
    """Ids of jobs to wait for."""


class ReplayOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How records become jobs."""

    walltime: WalltimePolicy = "extend"
    keep_epoch: bool = False
    max_processors: int | None = None
    strict: bool = False
    """Records dropped or repaired are errors."""


def replay(
    records: Iterable[Record],
    *,
    name: str,
    path: str,
    options: ReplayOptions,
    findings: Findings,
    noted: Counter[str] | None = None,
) -> TraceWorkload:
    """The workload that records make, with its account. ``noted`` are facts that the reader counted.

    Raises:
        InputError: ``findings`` holds errors, or there is no record.
        UsageError: an option has no such value.
    """
    if options.walltime not in {"extend", "kill"}:
        raise UsageError(f"no walltime policy {options.walltime!r}", "choose extend or kill")
    rules = _Rules(name, options, findings)
    kept = [record for record in records if rules.keep(record)]
    if not rules.rows and not findings.has_errors:
        findings.add("no job in this file", code="empty")
    absent = _check_parents(kept, findings)
    kept.sort(key=lambda record: record.submit or 0.0)
    start = kept[0].submit or 0.0 if kept else 0.0
    base = 0.0 if options.keep_epoch else start
    jobs = [rules.job(record, base) for record in kept]
    findings.raise_if_errors()
    return TraceWorkload(
        name,
        jobs,
        path=path,
        start_date=base if start >= EPOCH_LIKE else None,
        report=IngestionReport(
            file=path,
            rows=rules.rows,
            kept=len(jobs),
            dropped=dict(rules.dropped),
            repaired=dict(rules.repaired),
            noted={**(noted or {}), **({"parent that is no job here: not waited for": absent} if absent else {})},
            statuses=dict(sorted(rules.statuses.items())),
        ),
    )


def _check_parents(kept: list[Record], findings: Findings) -> int:
    """Note records that wait for each other; how many parents are not kept (they are not waited for)."""
    named = sum(len(record.parents) for record in kept)
    if named:
        known = {record.id for record in kept}
        tasks = {
            record.id: WorkflowTask(
                record.id, 0.0, 1, [parent for parent in record.parents if parent in known], record.line
            )
            for record in kept
        }
        check_tasks(tasks, findings)
        named -= sum(len(task.parents) for task in tasks.values())
    return named


class _Rules:
    def __init__(self, name: str, options: ReplayOptions, findings: Findings) -> None:
        self._name = name
        self._options = options
        self._findings = findings
        self._seen: set[str] = set()
        self._profiles: dict[float, DelayProfile] = {}
        self._requests: dict[int, Request] = {}
        self.rows = 0
        self.dropped: Counter[str] = Counter()
        self.repaired: Counter[str] = Counter()
        self.statuses: Counter[str] = Counter()

    def keep(self, record: Record) -> bool:
        """Whether the record is simulated; its open values are repaired."""
        self.rows += 1
        self.statuses[record.status or "unknown"] += 1
        reason = self._reason(record)
        if reason:
            self.dropped[reason] += 1
            if self._options.strict:
                self._findings.add(f"the row cannot be replayed: {reason}", code="dropped", line=record.line)
            return False
        run = record.run or 0.0
        if record.walltime is None or record.walltime <= 0:
            record.walltime = nextafter(run, inf)  # nobody asked for a limit, so none is reached
            self._mended("requested time unknown: run time taken", record)
        elif run > record.walltime and self._options.walltime == "extend":
            record.walltime = run
            self._mended("run time beyond requested time: walltime extended", record)
        if record.id in self._seen:
            record.id = self._fresh(record.id)
            self._mended("job id met before: a fresh one given", record)
        self._seen.add(record.id)
        return True

    def _reason(self, record: Record) -> str:
        limit = self._options.max_processors
        if record.submit is None:
            return "no submit time"
        if record.cancelled and not record.run:
            return "cancelled before it ran"
        if record.run is None or record.run < 0:
            return "no run time"
        if not record.processors or record.processors < 0:
            return "no processors"
        return "more processors than there are" if limit is not None and record.processors > limit else ""

    def _fresh(self, known: str) -> str:
        count = 2
        while f"{known}.{count}" in self._seen:
            count += 1
        return f"{known}.{count}"

    def _mended(self, rule: str, record: Record) -> None:
        self.repaired[rule] += 1
        if self._options.strict:
            self._findings.add(rule, code="repaired", line=record.line)

    def job(self, record: Record, base: float) -> Job:
        """The job of a record that is kept."""
        run, processors, walltime = record.run or 0.0, record.processors or 0, record.walltime
        assert walltime is not None
        if walltime <= run and self._options.walltime == "extend":
            # A job that lasts exactly as long as its walltime counts as killed: put the limit just behind its end.
            walltime = nextafter(run, inf)
        profile = self._profiles.get(run)
        if profile is None:
            text = str(int(run)) if run.is_integer() else repr(run)
            profile = self._profiles[run] = DelayProfile(id=f"{self._name}!{text}", delay=run)
        request = self._requests.setdefault(processors, Request(hosts=processors, processors=processors))
        return Job(
            id=f"{self._name}!{record.id}",
            request=request,
            profile=profile,
            submission_time=(record.submit or 0.0) - base,
            walltime=walltime,
            user=record.user,
            group=record.group,
            queue=record.queue,
            dependencies=tuple(f"{self._name}!{parent}" for parent in record.parents if parent in self._seen),
        )
