"""Pegasus DAX (XML): workflows, as Batsim 3 and 4 read them.

``<adag>`` holds ``<job id runtime num_procs>`` and ``<child ref><parent ref/></child>``; other elements and
attributes (files, names) are not simulated. In Batsim a job's id is the rank of its submission (``read_workflow``);
``read_dax`` makes it the id of its task. A task that fails or is killed lets its children go on.
"""

from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Final

from windtunnel.diagnostics import Finding, Findings
from windtunnel.entities.unheard import Names, names
from windtunnel.entities.xml_guard import XmlFaultError, decode_xml, line_of, local_name, parse_xml, stray_text
from windtunnel.formats.files import read_bytes
from windtunnel.formats.traces.rules import MOST_PROCESSORS
from windtunnel.formats.workflows.tasks import WorkflowTask, check_tasks, task_jobs
from windtunnel.model import JobList, Workflow

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["read_dax", "read_workflow"]

LIMIT: Final = 1 << 28
"""The longest file that is read (characters)."""


def read_dax(path: str | Path, name: str = "wf0", *, start: float = 0.0, margin: float = 10.0) -> JobList:
    """Read a workflow, plain or gzipped.

    Args:
        path: the file.
        name: the part of the job ids before ``!``; profiles are called ``name_task``.
        start: when tasks without parents are submitted (s).
        margin: what a job's walltime has beyond its run time (s).

    Raises:
        InputError: the file cannot be read, or is at fault; all faults are named with their line.
    """
    path = Path(path).absolute()
    tasks, _, found = _read(path)
    jobs = task_jobs(list(tasks.values()), name, start=start, margin=margin, cores=False)
    made = JobList(name, jobs, {job.profile.id: job.profile for job in jobs}, path=str(path))
    made.warnings = found
    return made


def read_workflow(path: str | Path, name: str = "wf0", *, start: float = 0.0, limit: int = 0) -> Workflow:
    """Read a workflow that is submitted as Batsim 4 submits it: jobs are numbered as they become ready.

    Args:
        path: the file.
        name: the part of the job ids before ``!``.
        start: when tasks without parents are submitted (s).
        limit: how many tasks may be submitted and not ended; 0: any number.

    Raises:
        InputError: like :func:`read_dax`.
    """
    path = Path(path).absolute()
    tasks, pairs, found = _read(path)
    jobs = task_jobs(list(tasks.values()), name, start=start, margin=10.0, cores=False)
    children: dict[str, list[str]] = {}
    for parent, child in dict.fromkeys(pairs):
        children.setdefault(f"{name}!{parent}", []).append(f"{name}!{child}")
    made = Workflow(name, jobs, children, start=start, limit=limit, path=str(path))
    made.warnings = found
    return made


def _read(path: Path) -> tuple[dict[str, WorkflowTask], list[tuple[str, str]], tuple[Finding, ...]]:
    """The tasks, pairs of parent and child in the order of the document, and what nothing comes of."""
    findings = Findings(str(path))
    data = read_bytes(path, findings)
    try:
        root = parse_xml(decode_xml(data), limit=LIMIT)
    except XmlFaultError as error:
        findings.add(str(error), code="xml", line=error.line, column=error.column)
        findings.raise_all()
    if local_name(root.tag) != "adag":
        findings.add(f"the root is <{local_name(root.tag)}>, <adag> is expected", code="root", line=line_of(root))
        findings.raise_all()
    _unheard(root, findings)
    tasks = _tasks(root, findings)
    pairs = _parents(root, tasks, findings)
    check_tasks(tasks, findings)
    findings.raise_if_errors()
    return tasks, pairs, tuple(findings)


_ADAG: Final = names("<adag>", "", noted="name version index count jobCount fileCount childCount schemaLocation")
_IN_ADAG: Final = names("<adag>", "job child", ignored="file executable transformation dag dax", noted="metadata")
_JOB: Final = names(
    "a job", "id runtime num_procs", ignored="file executable", noted="name namespace version level dv-name"
)
_IN_JOB: Final = names("a job", "", ignored="uses argument profile stdin stdout stderr", noted="metadata invoke")
_REF: Final = names("a <child> or <parent>", "ref", noted="edge-label")
_IN_CHILD: Final = names("a <child>", "parent")


def _unheard(root: "_Element", findings: Findings) -> None:
    """Note elements and attributes that nothing comes of."""
    _tell(root, _ADAG, _IN_ADAG, findings)
    for element in root:
        if local_name(element.tag) == "job":
            _tell(element, _JOB, _IN_JOB, findings)
        elif local_name(element.tag) == "child":
            _tell(element, _REF, _IN_CHILD, findings)
            for parent in element:
                _tell(parent, _REF, _NOTHING, findings)


_NOTHING: Final = names("a <parent>", "")


def _tell(element: "_Element", attributes: Names, elements: Names, findings: Findings) -> None:
    line = line_of(element)
    attributes.tell(map(local_name, element.attrib), findings, line=line)
    elements.tell((local_name(one.tag) for one in element if isinstance(one.tag, str)), findings, line=line)
    if text := stray_text(element):
        findings.tally(f"<{local_name(element.tag)}> holds no text, this one holds {text!r}", code="text", line=line)


def _tasks(root: "_Element", findings: Findings) -> dict[str, WorkflowTask]:
    tasks: dict[str, WorkflowTask] = {}
    for element in root:
        if local_name(element.tag) != "job":
            continue
        line = line_of(element)
        task_id = element.get("id", "")
        if not task_id:
            findings.add("a job has no id", code="missing", line=line)
        elif "!" in task_id:
            findings.add(f"the id {task_id!r} has a '!'", code="id", line=line)
        if task_id in tasks:
            findings.add(f"job {task_id!r} is given more than once", code="duplicate", line=line)
        run = _number(element, "runtime", task_id, findings)
        processors = _number(element, "num_procs", task_id, findings, default=1)
        if processors >= MOST_PROCESSORS:
            message = f"job {task_id!r}: 'num_procs' is {processors:g}, less than {MOST_PROCESSORS:g} is expected"
            findings.add(message, code="value", line=line)
        elif processors != int(processors):
            message = f"job {task_id!r}: 'num_procs' is {processors:g}, an integer is expected"
            findings.add(message, code="value", line=line)
        elif processors < 1:  # so does Batsim
            findings.tally("'num_procs' of a job is less than 1: it gets one", code="repaired", line=line)
        if run < 0:
            findings.tally("'runtime' of a job is less than 0: it counts as 0", code="repaired", line=line)
        tasks[task_id] = WorkflowTask(task_id, max(run, 0.0), max(int(processors), 1), [], line)
    if not tasks:
        findings.add("there is no job", code="empty", line=line_of(root))
    return tasks


def _number(element: "_Element", key: str, task: str, findings: Findings, default: float | None = None) -> float:
    text = element.get(key)
    if text is None:
        if default is None:
            findings.add(f"job {task!r}: {key!r} is missing", code="missing", line=line_of(element))
        return default or 0.0
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not isfinite(value):
        message = f"job {task!r}: {key!r} is {text!r}, which is not a number"
        findings.add(message, code="number", line=line_of(element))
        return 0.0
    return value


def _parents(root: "_Element", tasks: dict[str, WorkflowTask], findings: Findings) -> list[tuple[str, str]]:
    pairs = []
    for element in root:
        if local_name(element.tag) != "child":
            continue
        ref = element.get("ref", "")
        task = tasks.get(ref)
        if task is None:
            findings.add(f"<child> refers to {ref!r}, which does not exist", code="reference", line=line_of(element))
        for parent in element:
            if local_name(parent.tag) == "parent":
                of = parent.get("ref", "")
                if of not in tasks:
                    message = f"<parent> refers to {of!r}, which does not exist"
                    findings.add(message, code="reference", line=line_of(parent))
                elif task is not None:
                    task.parents.append(of)
                    pairs.append((of, ref))
    return pairs
