"""Application models of ElastiSim, written: the JSON object of an application."""

from typing import Any

from windtunnel.model.application import (
    Amount,
    Application,
    ComputeTask,
    DelayTask,
    ElasticTask,
    Load,
    Pattern,
    Phase,
    SequenceTask,
    StorageTask,
)

__all__ = ["application_object"]


def application_object(application: Application, *, rigid: bool) -> dict[str, Any]:
    """The object of an application model, as it is read for rigid jobs or for others."""
    made: dict[str, Any] = {}
    for name in ("on_init", "on_reconfiguration", "on_expansion"):
        phase = getattr(application, name)
        if phase is not None:
            made[name] = _once(phase, rigid)
    made["phases"] = [_phase(phase, rigid) for phase in application.phases]
    return made


def _once(phase: Phase, rigid: bool) -> dict[str, Any]:
    made: dict[str, Any] = {"tasks": [_task(task, rigid) for task in phase.tasks]}
    return made if phase.iterations == 1 else made | {"iterations": phase.iterations}


def _phase(phase: Phase, rigid: bool) -> dict[str, Any]:
    made = _once(phase, rigid)
    if not phase.scheduling_point:
        made["scheduling_point"] = False
    if phase.evolving_request is not None:
        made["evolving_request"] = phase.evolving_request
    if not phase.barrier:
        made["barrier"] = False
    return made


def _task(task: ElasticTask, rigid: bool) -> dict[str, Any]:
    made: dict[str, Any]
    if isinstance(task, SequenceTask):
        made = {"type": "sequence", "tasks": [_task(one, rigid) for one in task.tasks]}
    elif isinstance(task, DelayTask):
        made = {"type": "busy_wait" if task.busy else "idle", **_load(task.load, "delay", "pattern", rigid)}
    elif isinstance(task, StorageTask):
        kind = f"{'bb' if task.buffer else 'pfs'}_{'write' if task.write else 'read'}"
        made = {"type": kind, **_load(task.load, "bytes", "pattern", rigid)}
        if task.detached:
            made["async"] = True
    else:
        assert isinstance(task, ComputeTask)
        made = {"type": "gpu" if task.gpu else "cpu"}
        if task.flops is not None:
            made |= _load(task.flops, "flops", "computation_pattern", rigid)
        if task.bytes is not None:
            made |= _load(task.bytes, "bytes", "communication_pattern", rigid)
        if task.coupled:
            made["coupled"] = True
    if task.name:
        made["name"] = task.name
    if task.iterations != 1:
        made["iterations"] = task.iterations
    if task.synchronized:
        made["synchronized"] = True
    return made


def _load(load: Load, key: str, pattern: str, rigid: bool) -> dict[str, Any]:
    return {key: _amount(load.amount, rigid), pattern: str(Pattern(load.pattern))}


def _amount(amount: Amount, rigid: bool) -> Any:
    """A number is written as one where it is read as it is: of jobs that are not rigid, with six decimals."""
    if isinstance(amount, tuple):
        return list(amount)
    if isinstance(amount, str) or rigid or float(f"{amount:f}") == amount:
        return amount
    return repr(float(amount))
