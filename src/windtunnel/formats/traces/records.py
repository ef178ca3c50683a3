"""One job of a trace, whatever its format, and the workload that many make."""

from collections import Counter
from collections.abc import Iterable

import msgspec

from windtunnel.diagnostics import Findings
from windtunnel.formats.traces.ingestion import IngestionReport
from windtunnel.formats.traces.rules import ReplayOptions, Rule, behind_end, length_name, start_date
from windtunnel.formats.traces.workload import TraceWorkload
from windtunnel.formats.workflows.tasks import WorkflowTask, check_tasks
from windtunnel.model import DelayProfile, Job, Request
from windtunnel.model.slurm.requests import JobAsk

__all__ = ["Record", "replay"]


class Record(msgspec.Struct, kw_only=True):
    """What a trace says of one job; None is unknown. Times in seconds, ``submit`` from any origin."""

    id: str
    line: int = 0
    submit: float | None = None
    run: float | None = None
    processors: int | None = None
    """Those requested."""
    allocated: int | None = None
    walltime: float | None = None
    """inf: the trace says that there is no limit."""
    user: str = ""
    group: str = ""
    queue: str = ""
    status: str = ""
    cancelled: bool = False
    burst: bool = False
    """A part of a checkpointed job, whose summary is a record too."""
    parents: tuple[str, ...] = ()
    """Ids of jobs to wait for."""
    waited: float = -1.0
    """Seconds from submission to start; -1: the trace does not tell."""
    nodes: str = ""
    """The hosts it ran on, as the trace lists them."""
    ask: JobAsk | None = None
    """What it asked a Slurm for."""
    ignored: tuple[str, ...] = ()
    """What it asked for that nothing comes of."""
    history: tuple[str, ...] = ()
    """What it tells of how it was, which is not simulated."""


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
    """
    rules = _Records(name, options, findings)
    kept = [record for record in records if rules.keep(record)]
    if not rules.rows and not findings.has_errors:
        findings.add("no job in this file", code="empty")
    rule = rules.rule
    absent = _check_parents(kept, findings)
    dates = [record.submit or 0.0 for record in kept]
    kept.sort(key=lambda record: record.submit or 0.0)
    start = kept[0].submit or 0.0 if kept else 0.0
    base = 0.0 if options.keep_epoch else start
    jobs = [rules.job(record, base) for record in kept]
    findings.raise_if_errors()
    return TraceWorkload(
        name,
        jobs,
        path=path,
        start_date=start_date(base, start),
        in_order=True,
        outcomes=[record.status or "unknown" for record in kept],
        findings=tuple(findings),
        report=IngestionReport(
            file=path,
            rows=rules.rows,
            kept=len(jobs),
            dropped=dict(rule.dropped),
            repaired=dict(rule.repaired),
            noted={**(noted or {}), **rule.noted},
            ignored=dict(absent + Counter(what for record in kept for what in record.ignored)),
            history=dict(Counter(what for record in kept for what in record.history)),
            first=rule.first,
            warnings=() if dates == sorted(dates) else ("rows are not in order of submit time: sorted",),
            statuses=dict(sorted(rules.statuses.items())),
            shifted=base,
        ),
    )


def _check_parents(kept: list[Record], findings: Findings) -> Counter[str]:
    """Note records that wait for each other; what is not waited for, since it is not kept, and how often."""
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
    return Counter({"waiting for parents that are no jobs here": named} if named else {})


class _Records:
    """The rule, applied to records one by one."""

    def __init__(self, name: str, options: ReplayOptions, findings: Findings) -> None:
        self.rule = Rule(options, findings)
        self._name = name
        self._seen: set[str] = set()
        self._profiles: dict[float, DelayProfile] = {}
        self._requests: dict[int, Request] = {}
        self.rows = 0
        self.statuses: Counter[str] = Counter()

    def keep(self, record: Record) -> bool:
        """Whether the record is simulated; its open values are repaired."""
        self.rows += 1
        self.statuses[record.status or "unknown"] += 1
        rule, line = self.rule, record.line
        requested, allocated = record.processors or 0, record.allocated or 0
        wanted = requested if requested > 0 else allocated
        run = record.run
        if rule.drops(record.submit, run, wanted, line, cancelled=record.cancelled, burst=record.burst):
            return False
        assert run is not None
        record.processors = rule.processors(requested, allocated, line)
        record.walltime = rule.walltime(run, record.walltime, line)
        if record.id in self._seen:
            record.id = self._fresh(record.id)
            rule.mended("job id used before: a new one assigned", line)
        self._seen.add(record.id)
        return True

    def _fresh(self, known: str) -> str:
        count = 2
        while f"{known}.{count}" in self._seen:
            count += 1
        return f"{known}.{count}"

    def job(self, record: Record, base: float) -> Job:
        """The job of a record that is kept."""
        run, processors, walltime = record.run or 0.0, record.processors or 0, record.walltime
        assert walltime is not None
        profile = self._profiles.get(run)
        if profile is None:
            profile = self._profiles[run] = DelayProfile(id=f"{self._name}!{length_name(run)}", delay=run)
        request = self._requests.setdefault(processors, Request(hosts=processors, processors=processors))
        return Job(
            id=f"{self._name}!{record.id}",
            request=request,
            profile=profile,
            submission_time=(record.submit or 0.0) - base,
            walltime=behind_end(run, walltime, extend=self.rule.options.walltime == "extend"),
            user=record.user,
            group=record.group,
            queue=record.queue,
            dependencies=tuple(f"{self._name}!{parent}" for parent in record.parents if parent in self._seen),
            ask=record.ask,
        )
