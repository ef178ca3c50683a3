"""Workflows: tasks that wait for others, as jobs (Pegasus DAX, WfCommons)."""

from collections.abc import Mapping, Sequence

import msgspec

from windtunnel.diagnostics import Findings
from windtunnel.model import DelayProfile, Job, Request

__all__ = ["WorkflowTask", "check_tasks", "task_jobs"]


class WorkflowTask(msgspec.Struct):
    """One task. ``parents`` are ids; ``pointer`` and ``line`` tell where it stands, for findings."""

    id: str
    run: float
    """s"""
    processors: int = 1
    parents: list[str] = []
    line: int = 0
    pointer: str = ""


def check_tasks(tasks: Mapping[str, WorkflowTask], findings: Findings) -> None:
    """Note parents that do not exist, and circles."""
    for task in tasks.values():
        for parent in task.parents:
            if parent not in tasks:
                findings.add(
                    f"task {task.id!r}: its parent {parent!r} does not exist",
                    code="reference",
                    line=task.line,
                    pointer=task.pointer,
                )
    # Tasks are taken away once all their parents are; what is left waits for itself.
    waiting = {task.id: {parent for parent in task.parents if parent in tasks} for task in tasks.values()}
    children: dict[str, list[str]] = {}
    for task_id, parents in waiting.items():
        for parent in parents:
            children.setdefault(parent, []).append(task_id)
    ready = [task_id for task_id, parents in waiting.items() if not parents]
    while ready:
        done = ready.pop()
        del waiting[done]
        for child in children.get(done, ()):
            waiting[child].discard(done)
            if not waiting[child]:
                ready.append(child)
    if waiting:
        circle = _circle(waiting)
        first = tasks[circle[0]]
        names = " -> ".join(repr(name) for name in [*circle, circle[0]])
        findings.add(f"tasks wait for each other: {names}", code="cycle", line=first.line, pointer=first.pointer)


def _circle(waiting: Mapping[str, set[str]]) -> list[str]:
    """A circle among tasks that all wait for one of them."""
    path: list[str] = [min(waiting)]
    while True:
        following = min(parent for parent in waiting[path[-1]] if parent in waiting)
        if following in path:
            return path[path.index(following) :]
        path.append(following)


def task_jobs(tasks: Sequence[WorkflowTask], name: str, *, start: float, margin: float, cores: bool) -> list[Job]:
    """The jobs of checked tasks, submitted at ``start``, or when their last parent has ended.

    Their walltime is the run time plus ``margin`` seconds (Batsim: 10). ``cores`` tells whether tasks count cores
    rather than hosts.
    """
    return [
        Job(
            id=f"{name}!{task.id}",
            request=Request(hosts=task.processors, processors=task.processors if cores else 0),
            profile=DelayProfile(id=f"{name}!{name}_{task.id}", delay=task.run),
            submission_time=start,
            walltime=task.run + margin,
            dependencies=tuple(f"{name}!{parent}" for parent in dict.fromkeys(task.parents)),
        )
        for task in tasks
    ]
