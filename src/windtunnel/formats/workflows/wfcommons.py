"""WfCommons WfFormat (JSON): workflows of versions 1.0 to 1.6.

Since 1.5, ``workflow.specification.tasks`` has the structure and ``workflow.execution.tasks`` the run times; before,
``workflow.tasks`` (or ``jobs``) has both. Files, machines and power are not simulated.
"""

import re
from math import ceil
from pathlib import Path
from typing import Any, Final

import msgspec

from windtunnel.diagnostics import Findings
from windtunnel.diagnostics.json_positions import locate
from windtunnel.entities.json_members import Members, kind_of
from windtunnel.entities.unheard import names
from windtunnel.formats.files import json_fault, read_bytes
from windtunnel.formats.repeated_members import tell_repeated
from windtunnel.formats.traces.rules import MOST_PROCESSORS
from windtunnel.formats.traces.workload import TraceWorkload
from windtunnel.formats.workflows.tasks import WorkflowTask, check_tasks, task_jobs

__all__ = ["read_wfcommons"]


def read_wfcommons(path: str | Path, name: str = "wf0", *, start: float = 0.0, margin: float = 10.0) -> TraceWorkload:
    """Read a workflow, plain or gzipped; its tasks count cores.

    Args:
        path: the file.
        name: the part of the job ids before ``!``; profiles are called ``name_task``.
        start: when tasks without parents are submitted (s).
        margin: what a job's walltime has beyond its run time (s).

    Raises:
        InputError: the file cannot be read, or is at fault; all faults are named, with line and column.
    """
    path = Path(path).absolute()
    findings = Findings(str(path))
    data = read_bytes(path, findings)
    try:
        document = msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        message, line, column = json_fault(error, data)
        findings.add(message, code="json", line=line, column=column)
        findings.raise_all()
    tell_repeated(data, document, findings)
    tasks = _Reader(findings).tasks(document)
    if not findings.has_errors:
        check_tasks(tasks, findings)
    located = Findings(str(path))
    if len(findings):
        located.extend(locate(data.decode("utf-8", "replace"), document, findings))
        located.raise_if_errors()
    jobs = task_jobs(list(tasks.values()), name, start=start, margin=margin, cores=True)
    return TraceWorkload(name, jobs, path=str(path), findings=located.sorted())


_VERSION: Final = re.compile(r"1\.(\d{1,3})(\.\d{1,3})?")
_LATEST: Final = 6
_DESCRIBING: Final = "name description createdAt author runtimeSystem wms provenance"
_DOCUMENT: Final = names("the document", "workflow schemaVersion", noted=_DESCRIBING)
_WORKFLOW: Final = names("the workflow", "specification execution", noted=_DESCRIBING)
_OLD_WORKFLOW: Final = names(
    "the workflow",
    "tasks jobs",
    ignored="machines files",
    noted=f"{_DESCRIBING} makespan makespanInSeconds executedAt",
)
_SPECIFICATION: Final = names("the specification", "tasks", ignored="files")
_EXECUTION: Final = names("the execution", "tasks", ignored="machines", noted="makespanInSeconds executedAt")
_STRUCTURE: Final = "name id parents children"
_ASKED: Final = "files inputFiles outputFiles machine machines memory memoryInBytes priority storage"
_MEASURED: Final = (
    "type category program command avgCPU bytesRead bytesWritten readBytes writtenBytes energy energyInKWh avgPower "
    "avgPowerInW executedAt"
)
_TASK: Final = names("a task", _STRUCTURE, ignored=_ASKED, noted=_MEASURED)
_TIMES: Final = "runtime runtimeInSeconds cores coreCount"
_OLD_TASK: Final = names("a task", f"{_STRUCTURE} {_TIMES}", ignored=_ASKED, noted=_MEASURED)
_RUN: Final = names("a task that was run", f"id {_TIMES}", ignored=_ASKED, noted=_MEASURED)


class _Reader:
    def __init__(self, findings: Findings) -> None:
        self._findings = findings

    def tasks(self, document: Any) -> dict[str, WorkflowTask]:
        """The tasks by id."""
        workflow = self._object(document, "workflow", "")
        if workflow is None:
            return {}
        _DOCUMENT.tell(document, self._findings, pointer="")
        if "schemaVersion" in document:
            self._check_version(document["schemaVersion"])
        if "specification" not in workflow:
            key = "tasks" if "tasks" in workflow else "jobs"
            if "tasks" in workflow and "jobs" in workflow:
                message = "'jobs' of the workflow has no effect beside 'tasks'"
                self._findings.tally(message, code="ignored", pointer="/workflow/jobs")
            _OLD_WORKFLOW.tell(workflow, self._findings, pointer="/workflow")
            return self._structure(workflow, key, "/workflow")
        _WORKFLOW.tell(workflow, self._findings, pointer="/workflow")
        specification = self._object(workflow, "specification", "/workflow")
        execution = self._object(workflow, "execution", "/workflow")
        if specification is None or execution is None:
            return {}
        _SPECIFICATION.tell(specification, self._findings, pointer="/workflow/specification")
        _EXECUTION.tell(execution, self._findings, pointer="/workflow/execution")
        runs = self._array(execution, "tasks", "/workflow/execution")
        tasks = self._structure(specification, "tasks", "/workflow/specification", timed=False)
        self._run_times(runs, tasks)
        return tasks

    def _check_version(self, version: Any) -> None:
        """Later ones of the same kind are read, and told; what is new in them is told by its name, too."""
        found = _VERSION.fullmatch(str(version))
        at, code = "/schemaVersion", "version"
        if found is None:
            message = f"'schemaVersion' is {version!r:.60}, which is not known"
            self._findings.add(message, code=code, pointer=at, hint=f"versions 1.0 to 1.{_LATEST} are read")
        elif int(found[1]) > _LATEST:
            message = f"version {version} of WfFormat is not known: it is read as version 1.{_LATEST}"
            self._findings.tally(message, code=code, pointer=at)

    def _object(self, holder: Any, key: str, pointer: str) -> dict[str, Any] | None:
        if not isinstance(holder, dict):
            self._findings.add(f"the document is {kind_of(holder)}, an object is expected", code="type")
            return None
        value = holder.get(key)
        if isinstance(value, dict):
            return value
        what = f"{key!r} is {kind_of(value)}" if key in holder else f"{key!r} is missing"
        hint = "without it the tasks have no run times" if key == "execution" else ""
        at = f"{pointer}/{key}" if key in holder else pointer
        self._findings.add(f"{what}, an object is expected", code="type", pointer=at, hint=hint)
        return None

    def _array(self, holder: dict[str, Any], key: str, pointer: str) -> list[Any]:
        value = holder.get(key)
        if isinstance(value, list) and value:
            return value
        found = "empty" if isinstance(value, list) else kind_of(value)
        what = f"{key!r} is {found}" if key in holder else f"{key!r} is missing"
        at = f"{pointer}/{key}" if key in holder else pointer
        self._findings.add(f"{what}, an array of tasks is expected", code="type", pointer=at)
        return []

    def _structure(
        self, holder: dict[str, Any], key: str, pointer: str, *, timed: bool = True
    ) -> dict[str, WorkflowTask]:
        tasks: dict[str, WorkflowTask] = {}
        by_name: dict[str, str] = {}
        children: list[tuple[str, str, str]] = []
        for index, value in enumerate(self._array(holder, key, pointer)):
            at = f"{pointer}/{key}/{index}"
            if not isinstance(value, dict):
                self._findings.add(f"a task is {kind_of(value)}, an object is expected", code="type", pointer=at)
                continue
            task = self._task(value, at, timed=timed)
            if task.id in tasks:
                message = f"task {task.id!r} is given more than once"
                self._findings.add(message, code="duplicate", pointer=at)
            tasks[task.id] = task
            by_name.setdefault(str(value.get("name", "")), task.id)
            named = value.get("children", [])
            for rank, child in enumerate(named if isinstance(named, list) else [named]):
                children.append((task.id, str(child), f"{at}/children/{rank}"))
        for task in tasks.values():  # before 1.4, parents were named, not identified
            task.parents = [parent if parent in tasks else by_name.get(parent, parent) for parent in task.parents]
        for parent, child, at in children:
            self._child(tasks, by_name, parent, child, at)
        return tasks

    def _child(
        self, tasks: dict[str, WorkflowTask], by_name: dict[str, str], parent: str, child: str, at: str
    ) -> None:
        """A task names one that waits for it; usually that one names it too."""
        task = tasks.get(child) or tasks.get(by_name.get(child, ""))
        if task is None:
            self._findings.add(f"task {parent!r}: its child {child!r} does not exist", code="reference", pointer=at)
        elif parent not in task.parents:
            task.parents.append(parent)

    def _task(self, value: dict[str, Any], pointer: str, *, timed: bool) -> WorkflowTask:
        key = "id" if "id" in value else "name"
        members = Members(value, self._findings, pointer, f"task {value.get(key, '?')!s}")
        (_OLD_TASK if timed else _TASK).tell(value, self._findings, pointer=pointer)
        task_id = members.text(key)
        if "!" in task_id or (key in value and task_id == "" and members.faultless):
            members.fault(f"{key!r} is {task_id!r}, a string without '!' is expected", key, code="id")
        parents = members.array("parents") if "parents" in value else []
        for index, parent in enumerate(parents):
            if not isinstance(parent, str):
                members.element_fault("parents", index, f"is {kind_of(parent)}, a string is expected", "type")
        run, cores = self._measures(members, pointer) if timed else (0.0, 1)
        return WorkflowTask(task_id, run, cores, [p for p in parents if isinstance(p, str)], pointer=pointer)

    def _measures(self, members: Members, pointer: str) -> tuple[float, int]:
        """Run time and cores, under their names of all versions."""
        run = members.number(self._later_name(members, "runtime", "runtimeInSeconds", pointer), least=0)
        key = self._later_name(members, "cores", "coreCount", pointer)
        cores = members.number(key, 1.0, least=0)
        if cores >= MOST_PROCESSORS:
            members.fault(f"{key!r} is {cores:g}, less than {MOST_PROCESSORS:g} is expected", key)
            return run, 1
        whole = max(ceil(cores), 1)
        if 0 <= cores != whole:
            message = f"{key!r} of a task is no whole number of at least 1: it is rounded up"
            self._findings.tally(message, code="repaired", pointer=f"{pointer}/{key}")
        return run, whole

    def _later_name(self, members: Members, earlier: str, later: str, pointer: str) -> str:
        """Under which of two names, of earlier and of later versions, a task says something."""
        if earlier not in members.members:
            return later
        if later not in members.members:
            return earlier
        message = f"{earlier!r} of a task has no effect beside {later!r}"
        self._findings.tally(message, code="ignored", pointer=f"{pointer}/{earlier}")
        return later

    def _run_times(self, runs: list[Any], tasks: dict[str, WorkflowTask]) -> None:
        missing = dict.fromkeys(tasks)
        for index, value in enumerate(runs):
            pointer = f"/workflow/execution/tasks/{index}"
            if not isinstance(value, dict):
                self._findings.add(f"a task is {kind_of(value)}, an object is expected", code="type", pointer=pointer)
                continue
            members = Members(value, self._findings, pointer, f"task {value.get('id', '?')!s}")
            _RUN.tell(value, self._findings, pointer=pointer)
            task_id = members.text("id")
            run, cores = self._measures(members, pointer)
            if task_id in missing:
                tasks[task_id].run, tasks[task_id].processors = run, cores
                del missing[task_id]
            elif task_id in tasks:
                members.fault("its run is given more than once", "id", code="duplicate")
            elif members.faultless:
                members.fault("it is not in the specification", "id", code="reference")
        for task_id in missing:
            self._findings.add(
                f"task {task_id!r} has no run time in the execution", code="missing", pointer=tasks[task_id].pointer
            )
