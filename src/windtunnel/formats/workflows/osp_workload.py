"""JSSPP-OSP workloads (JSON): workflows of tasks that depend on each other.

The published schema requires nothing, so what a simulation needs is checked here (OSP001...OSP016). A task runs for
its ``runtime`` (s), or from the first ``time_assigned`` to the last ``time_released`` of its resources; its cores are
``core_count`` or the sum of ``ncpu``. Time 0 is ``date_start``, or the first submission.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from math import isclose
from pathlib import Path
from typing import Any, Final

import msgspec

from windtunnel.diagnostics import Finding, Findings
from windtunnel.diagnostics.json_positions import locate
from windtunnel.entities.quantities import quantity
from windtunnel.entities.unheard import names
from windtunnel.formats.files import read_bytes
from windtunnel.formats.repeated_members import tell_repeated
from windtunnel.formats.traces.rules import MOST_PROCESSORS
from windtunnel.formats.traces.workload import TraceWorkload
from windtunnel.formats.workflows.osp_tasks import OspTask, check_dependencies, critical_path, edges
from windtunnel.model import DelayProfile, Job, Request

__all__ = ["check", "read_workload"]


def read_workload(path: str | Path, name: str = "w0") -> TraceWorkload:
    """Read a workload; warnings are in its ``warnings``.

    Raises:
        InputError: the file cannot be read, or is at fault; all faults are named.
    """
    file = Path(path)
    findings = Findings(str(file))
    data = read_bytes(file, findings)
    tasks, start, found = _examine(data, str(file))
    findings.extend(found)
    findings.raise_if_errors()
    jobs = _jobs(tasks, name, start)
    return TraceWorkload(
        name, jobs, path=str(file.absolute()), start_date=start, findings=findings.sorted(), parts=True
    )


def check(data: bytes, file: str = "workload.json") -> tuple[Finding, ...]:
    """Everything that is wrong with a workload."""
    return tuple(_examine(data, file)[2])


def _examine(data: bytes, file: str) -> tuple[list[OspTask], float, list[Finding]]:
    findings = Findings(file)
    try:
        text = data.decode("utf-8-sig")
        document = msgspec.json.decode(text)
    except (UnicodeDecodeError, msgspec.DecodeError, RecursionError) as error:
        findings.add(f"not JSON: {error}", code="OSP001")
        return [], 0.0, findings.sorted()
    tell_repeated(data.removeprefix(b"\xef\xbb\xbf"), document, findings)
    reader = _Reader(findings)
    tasks = reader.read(document)
    submits = [task.submit for task in tasks if task.submit is not None]
    start = reader.start if reader.start is not None else min(submits, default=0.0)
    for task in tasks:
        if task.submit is not None and (task.submit < start or (reader.end is not None and task.submit > reader.end)):
            findings.warn("submitted outside of date_start and date_end", code="OSP012", pointer=task.pointer)
    check_dependencies(tasks, findings)
    return tasks, min([start, *submits]), locate(text, document, findings)


_DESCRIBING: Final = "id name description version author authors license"
_DOCUMENT: Final = names(
    "the workload",
    "date_start date_end workflows",
    noted=f"{_DESCRIBING} domain users groups schema_version $schema",
)
_WORKFLOW: Final = names(
    "a workflow",
    "tasks",
    noted=f"{_DESCRIBING} task_count critical_path_task_count critical_path_length "
    "ts_submit nfrs scheduler domain application_name application_field total_resources total_memory_usage "
    "total_cpu total_network_usage total_energy_usage total_energy_consumption total_disk_space_usage "
    "approx_max_concurrent_tasks",
)
_TASK: Final = names(
    "a task",
    "id depends_on enables ts_submit runtime resources_used core_count memory_consumption memory_usage user_id "
    "group_id",
    ignored="data_transfers nfrs requirements resource_amount_requested resource_type network_io_time disk_io_time "
    "disk_space_requested",
    noted="network_usage energy_usage disk_space_usage name type description ts_start ts_end wait_time state "
    "submission_site events params energy_consumption workflow_id compute_count compute_granularity",
)
_STAY: Final = names(
    "a stay on a resource",
    "time_assigned time_released ncpu",
    noted="id resource_id resource os disk_space type proc_model memory network bandwidth details events",
)


class _Reader:
    """Walks over a document of any shape and keeps what can be used."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self.start: float | None = None
        self.end: float | None = None

    def read(self, document: object) -> list[OspTask]:
        """All tasks."""
        if not isinstance(document, dict):
            self.findings.add("a workload is a JSON object", code="OSP002")
            return []
        _DOCUMENT.tell(document, self.findings, pointer="")
        self.start = self._date(document, "date_start", "")
        self.end = self._date(document, "date_end", "")
        tasks: list[OspTask] = []
        for number, (pointer, workflow) in enumerate(self._objects(document, "workflows", "")):
            _WORKFLOW.tell(workflow, self.findings, pointer=pointer)
            mine = [self._task(task, place, number) for place, task in self._objects(workflow, "tasks", pointer)]
            self._check_figures(workflow, mine, pointer)
            tasks += mine
        if not tasks:
            self.findings.warn("there are no tasks", code="OSP003")
        return tasks

    def _objects(self, holder: dict[str, Any], key: str, pointer: str) -> Iterator[tuple[str, dict[str, Any]]]:
        value = holder.get(key, [])
        if not isinstance(value, list):
            self._add("OSP004", f"{key} must be an array", f"{pointer}/{key}")
            return
        for index, item in enumerate(value):
            if isinstance(item, dict):
                yield f"{pointer}/{key}/{index}", item
            else:
                self._add("OSP004", "must be an object", f"{pointer}/{key}/{index}")

    def _task(self, task: dict[str, Any], pointer: str, workflow: int) -> OspTask:
        _TASK.tell(task, self.findings, pointer=pointer)
        name = task.get("id")
        if not isinstance(name, str) or not name or "!" in name:
            self._add("OSP005", "a task needs an id (a string without '!')", pointer)
            name = ""
        made = OspTask(name, pointer, workflow)
        made.depends = self._names(task, "depends_on", pointer)
        made.enables = self._names(task, "enables", pointer)
        made.submit = self._date(task, "ts_submit", pointer, needed=True)
        stays = list(self._objects(task, "resources_used", pointer))
        made.runtime = self._runtime(task, stays, pointer, made.submit)
        made.cores = self._cores(task, stays, pointer)
        made.memory = self._memory(task, pointer)
        made.user, made.group = self._who(task, "user_id", pointer), self._who(task, "group_id", pointer)
        return made

    def _runtime(
        self, task: dict[str, Any], stays: Sequence[tuple[str, dict[str, Any]]], pointer: str, submit: float | None
    ) -> float | None:
        spans = []
        for place, stay in stays:
            _STAY.tell(stay, self.findings, pointer=place)
            assigned, released = self._date(stay, "time_assigned", place), self._date(stay, "time_released", place)
            if assigned is not None and released is not None:
                if released < assigned or (submit is not None and assigned < submit):
                    self._add("OSP007", "released >= assigned >= submitted does not hold", place)
                spans.append((assigned, released))
        stayed = max(end for _, end in spans) - min(start for start, _ in spans) if spans else None
        if "runtime" in task:
            length = None if stayed is None or stayed < 0 else stayed
            return self._agreed(self._number(task, "runtime", pointer), length, "runtime", pointer)
        if stayed is None:
            self._add("OSP006", "neither a runtime nor resources_used with times", pointer)
            return None
        return max(0.0, stayed)

    def _cores(self, task: dict[str, Any], stays: Sequence[tuple[str, dict[str, Any]]], pointer: str) -> int | None:
        counts = [self._number(stay, "ncpu", place) for place, stay in stays if "ncpu" in stay]
        known = [number for number in counts if number is not None]
        count = sum(known) if known else None
        if "core_count" in task:
            count = self._agreed(self._number(task, "core_count", pointer), count, "core_count", pointer)
        elif not counts:
            self._add("OSP008", "neither a core_count nor resources_used with ncpu", pointer)
        if count is not None and count >= MOST_PROCESSORS:
            self._add("OSP008", f"a task runs on fewer than {MOST_PROCESSORS:g} cores, not on {count:g}", pointer)
            return None
        if count is not None and (count < 1 or count != int(count)):
            self._add("OSP008", f"a task runs on a whole number of cores from 1, not on {count:g}", pointer)
            return None
        return None if count is None else int(count)

    def _memory(self, task: dict[str, Any], pointer: str) -> float | None:
        """Bytes: ``memory_consumption`` is a number of MB, ``memory_usage`` a text with a unit."""
        text = task.get("memory_usage")
        amount = quantity(text, "bytes") if isinstance(text, str) else None
        if text is not None and amount is None:
            self._add("OSP009", f"{text!r} is not an amount of memory", f"{pointer}/memory_usage", "such as 200MB")
        if "memory_consumption" in task:
            number = self._number(task, "memory_consumption", pointer)
            bytes_of = None if number is None else number * 1e6
            return self._agreed(bytes_of, amount, "memory_consumption", pointer, "memory_usage")
        return amount

    def _agreed(
        self, stated: float | None, other: float | None, key: str, pointer: str, source: str = "resources_used"
    ) -> float | None:
        """What a task states by itself, which counts; what it says otherwise elsewhere is told."""
        if stated is not None and other is not None and not isclose(stated, other):
            self.findings.tally(f"{source} says otherwise than {key}, which counts", code="OSP013", pointer=pointer)
        return stated

    def _who(self, task: dict[str, Any], key: str, pointer: str) -> str:
        """The text of a user or group, which may be a number."""
        value = task.get(key)
        if value is None:
            return ""
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            return str(value)
        self._add("OSP004", f"{key} must be a string or a number", f"{pointer}/{key}")
        return ""

    def _names(self, task: dict[str, Any], key: str, pointer: str) -> tuple[str, ...]:
        value = task.get(key, [])
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return tuple(value)
        self._add("OSP004", f"{key} must be an array of ids (strings)", f"{pointer}/{key}")
        return ()

    def _number(self, holder: dict[str, Any], key: str, pointer: str) -> float | None:
        value = holder.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0:
            return float(value)
        self._add("OSP010", f"{key} must be a number of at least 0, not {value!r}", f"{pointer}/{key}")
        return None

    def _date(self, holder: dict[str, Any], key: str, pointer: str, *, needed: bool = False) -> float | None:
        value = holder.get(key)
        if value is None:
            if needed:
                self._add("OSP006", f"{key} is missing", pointer)
            return None
        try:
            date = datetime.fromisoformat(value)
        except (TypeError, ValueError):
            hint = "such as 2018-12-11T01:02:03"
            self._add("OSP011", f"{key} must be a date, not {value!r}", f"{pointer}/{key}", hint)
            return None
        return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()

    def _check_figures(self, workflow: Mapping[str, Any], tasks: Sequence[OspTask], pointer: str) -> None:
        """Figures that a workflow states of itself, against its tasks."""
        length, count = critical_path(tasks)
        figures = {"task_count": len(tasks), "critical_path_task_count": count, "critical_path_length": length}
        for key, figure in figures.items():
            if key in workflow and figure is not None and not _equal(workflow[key], figure):
                message = f"{key} is {workflow[key]!r}, and the tasks make {figure:g}"
                self.findings.warn(message, code="OSP013", pointer=f"{pointer}/{key}")

    def _add(self, code: str, message: str, pointer: str, hint: str = "") -> None:
        self.findings.add(message, code=code, pointer=pointer, hint=hint)


def _equal(stated: object, figure: float) -> bool:
    return isinstance(stated, int | float) and isclose(stated, figure)


def _names(tasks: Sequence[OspTask]) -> dict[tuple[int, str], str]:
    """The names of the jobs, by workflow and task: the workflow's number is before those that several share."""
    counts = Counter(task.id for task in tasks)
    made = {
        (task.workflow, task.id): task.id if counts[task.id] == 1 else f"{task.workflow}.{task.id}" for task in tasks
    }
    if len(set(made.values())) < len(made):  # an id begins so by itself
        return {key: f"{key[0]}.{key[1]}" for key in made}
    return made


def _jobs(tasks: Sequence[OspTask], workload: str, start: float) -> list[Job]:
    """Jobs named after their tasks, and after their workflow where tasks of several share a name."""
    names_of = _names(tasks)

    def name(task_id: str, workflow: int) -> str:
        return f"{workload}!{names_of[workflow, task_id]}"

    before = {
        number: edges([task for task in tasks if task.workflow == number])
        for number in {task.workflow for task in tasks}
    }
    jobs = []
    for task in tasks:
        job_id = name(task.id, task.workflow)
        amounts = () if task.memory is None else (("memory", task.memory),)
        needs = sorted(name(need, task.workflow) for need in before[task.workflow][task.id])
        jobs.append(
            Job(
                id=job_id,
                request=Request(hosts=task.cores or 1, processors=task.cores or 1, amounts=amounts),
                profile=DelayProfile(id=job_id, delay=task.runtime or 0.0),
                submission_time=(start if task.submit is None else task.submit) - start,
                user=task.user,
                group=task.group,
                dependencies=tuple(needs),
            )
        )
    return jobs
