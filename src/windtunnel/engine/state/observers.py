"""Observers are called method by method: only those that want to know are."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from mypy_extensions import mypyc_attr

from windtunnel.vocabulary import Observer

__all__ = ["Hooks"]

_HOOKS: Final = {
    "begin": "on_begin",
    "hello": "on_hello",
    "ignored": "on_ignored",
    "submitted": "on_job_submitted",
    "started": "on_job_started",
    "ended": "on_job_ended",
    "rejected": "on_job_rejected",
    "suspended": "on_job_suspended",
    "resumed": "on_job_resumed",
    "resized": "on_job_resized",
    "task": "on_task_ended",
    "states": "on_machine_states",
    "pstate": "on_pstate",
    "energy": "on_energy",
    "power": "on_power",
    "bill": "on_bill",
    "call": "on_call",
    "external": "on_external",
    "estimate": "on_waiting_time_estimate",
    "probe": "on_probe",
    "leases": "on_leases",
    "kill": "on_kill",
    "rack": "on_rack_excess",
    "end": "on_end",
}


@mypyc_attr(allow_interpreted_subclasses=True)
class Hooks:
    """For each thing that happens, the methods of the observers that want to know (those that override it)."""

    def __init__(self, observers: Sequence[Observer] = ()) -> None:
        self.observers = tuple(observers)
        for name, method in _HOOKS.items():
            base = getattr(Observer, method)
            wanted = tuple(getattr(o, method) for o in observers if getattr(type(o), method) is not base)
            setattr(self, name, wanted)
        self.only_ended = self.ended[0] if len(self.ended) == 1 else None
        self.only_states = self.states[0] if len(self.states) == 1 else None
        self.gathered_states = _gathered(observers, self.states, "gathered_states")
        self.gathered_jobs = _gathered(observers, self.ended, "gathered_jobs")
        self.no_news = False

    begin: tuple[Callable[..., None], ...]
    hello: tuple[Callable[..., None], ...]
    ignored: tuple[Callable[..., None], ...]
    submitted: tuple[Callable[..., None], ...]
    started: tuple[Callable[..., None], ...]
    ended: tuple[Callable[..., None], ...]
    rejected: tuple[Callable[..., None], ...]
    suspended: tuple[Callable[..., None], ...]
    resumed: tuple[Callable[..., None], ...]
    resized: tuple[Callable[..., None], ...]
    task: tuple[Callable[..., None], ...]
    states: tuple[Callable[..., None], ...]
    pstate: tuple[Callable[..., None], ...]
    energy: tuple[Callable[..., None], ...]
    power: tuple[Callable[..., None], ...]
    bill: tuple[Callable[..., None], ...]
    call: tuple[Callable[..., None], ...]
    external: tuple[Callable[..., None], ...]
    estimate: tuple[Callable[..., None], ...]
    probe: tuple[Callable[..., None], ...]
    leases: tuple[Callable[..., None], ...]
    kill: tuple[Callable[..., None], ...]
    rack: tuple[Callable[..., None], ...]
    end: tuple[Callable[..., None], ...]
    only_ended: Callable[..., None] | None
    """The one that wants to know of ends, if it is alone: in pure Python a loop over it costs more than the call."""
    only_states: Callable[..., None] | None
    """The same for machine states."""
    gathered_states: list[Any] | None
    """Where machine states go, if nobody wants more (:attr:`Observer.gathered_states`)."""
    gathered_jobs: list[Any] | None
    """The same for records of jobs that have ended."""
    no_news: bool
    """Whether nothing but one notice tells of a further static job: found out at the first."""


def _gathered(observers: Sequence[Observer], told: Sequence[object], name: str) -> list[Any] | None:
    """The list in which the only one that is told would put it."""
    lists = [known for one in observers if (known := getattr(one, name)) is not None]
    return lists[0] if len(told) == len(lists) == 1 else None
