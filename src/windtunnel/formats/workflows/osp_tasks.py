"""Tasks of a JSSPP-OSP workload as they were read, and what follows from their dependencies."""

from collections import Counter
from collections.abc import Sequence

import msgspec

from windtunnel.diagnostics import Findings

__all__ = ["OspTask", "check_dependencies", "critical_path", "edges"]


class OspTask(msgspec.Struct):
    """A task with its place in the document, as far as it could be read."""

    id: str
    pointer: str
    workflow: int
    depends: tuple[str, ...] = ()
    enables: tuple[str, ...] = ()
    submit: float | None = None
    runtime: float | None = None
    cores: int | None = None
    memory: float | None = None
    user: str = ""
    group: str = ""


def edges(tasks: Sequence[OspTask]) -> dict[str, set[str]]:
    """For each task what must come before it, by both directions in which that can be written."""
    before: dict[str, set[str]] = {task.id: set(task.depends) for task in tasks}
    for task in tasks:
        for name in task.enables:
            before.setdefault(name, set()).add(task.id)
    return before


def _order(tasks: Sequence[OspTask]) -> tuple[list[str], set[str]]:
    """The ids in an order that keeps all dependencies, and those left over because they go round in a circle."""
    known = {task.id for task in tasks}
    before = {name: needs & known for name, needs in edges(tasks).items() if name in known}
    after: dict[str, list[str]] = {name: [] for name in before}
    for name, needs in before.items():
        for need in needs:
            after[need].append(name)
    missing = {name: len(needs) for name, needs in before.items()}
    ready = [name for name, count in missing.items() if not count]
    for name in ready:
        for follower in after[name]:
            missing[follower] -= 1
            if not missing[follower]:
                ready.append(follower)
    return ready, set(before) - set(ready)


def critical_path(tasks: Sequence[OspTask]) -> tuple[float | None, int | None]:
    """The longest chain: its seconds, and the tasks of the chain with the most of them."""
    order, circle = _order(tasks)
    if circle or any(task.runtime is None for task in tasks):
        return None, None
    times = {task.id: task.runtime or 0.0 for task in tasks}
    before = edges(tasks)
    length: dict[str, float] = {}
    count: dict[str, int] = {}
    for name in order:
        needs = [need for need in before[name] if need in length]
        length[name] = times[name] + max((length[need] for need in needs), default=0.0)
        count[name] = 1 + max((count[need] for need in needs), default=0)
    return max(length.values(), default=0.0), max(count.values(), default=0)


def check_dependencies(tasks: Sequence[OspTask], findings: Findings) -> None:
    """Unique ids, no circles, nothing unknown, and agreement of both directions; each within a workflow."""
    for number in sorted({task.workflow for task in tasks}):
        mine = [task for task in tasks if task.workflow == number]
        ids = Counter(task.id for task in mine if task.id)
        by_id = {task.id: task for task in mine}
        for task in mine:
            if ids[task.id] > 1 and by_id[task.id] is task:
                findings.add(f"the id {task.id!r} appears {ids[task.id]} times", code="OSP014", pointer=task.pointer)
            for key, names in (("depends_on", task.depends), ("enables", task.enables)):
                for name in names:
                    if name not in ids:
                        pointer = f"{task.pointer}/{key}"
                        findings.add(f"there is no task {name!r} in this workflow", code="OSP015", pointer=pointer)
            for name in task.enables:
                other = by_id.get(name)
                if other is not None and other.depends and task.id not in other.depends:
                    message = f"it enables {name!r}, which does not depend on it"
                    findings.warn(message, code="OSP016", pointer=f"{task.pointer}/enables")
        for name in sorted(_order(mine)[1]):
            findings.add(f"{name!r} depends on itself indirectly", code="OSP014", pointer=by_id[name].pointer)
