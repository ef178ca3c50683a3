"""How running tasks share hosts and links: SimGrid's rule, event-driven (spec: execution-model.md 2).

Usage::

    build = Builder(endpoints, network)                     # endpoints: of each host, in the network
    system = System(speeds, cores, network.links)           # flop/s of a core, cores, per host
    action = system.start(now, build.homogeneous(hosts, flops, amount), tag=job)
    date = system.next_event()                              # infinite when nothing moves
    for action in system.advance(date):                     # complete, in the order of their start
        ...                                                 # action.tag

Every call that changes something takes the present date, which never goes back; what is changed at one date is
solved once, when a date or a load is asked for. Do not go beyond ``next_event``; calling ``advance`` at dates of
other events as well merges completions within SimGrid's tolerances. An ``Action`` with ``latent`` set has not begun
to progress. ``suspend`` and ``resume`` let one stand still and free what it used. Loads for meters: make the system
with ``watch_loads`` and ask ``changed_loads`` after each instant. A system is plain data: it can be
pickled and copied between calls.

Names are loaded when they are first used: a run of jobs with a fixed run time needs none of them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from windtunnel.engine.sharing.actions import Action as Action
    from windtunnel.engine.sharing.maxmin import max_min as max_min
    from windtunnel.engine.sharing.solver import Rule as Rule
    from windtunnel.engine.sharing.solver import fair_bottleneck as fair_bottleneck
    from windtunnel.engine.sharing.system import System as System
    from windtunnel.engine.sharing.tasks import TCP_GAMMA as TCP_GAMMA
    from windtunnel.engine.sharing.tasks import Builder as Builder
    from windtunnel.engine.sharing.tasks import Task as Task

__all__ = ["TCP_GAMMA", "Action", "Builder", "Rule", "System", "Task", "fair_bottleneck", "max_min"]

_MODULE: Final = {
    "TCP_GAMMA": "tasks",
    "Action": "actions",
    "Builder": "tasks",
    "Rule": "solver",
    "System": "system",
    "Task": "tasks",
    "fair_bottleneck": "solver",
    "max_min": "maxmin",
}


def __getattr__(name: str) -> Any:
    module = _MODULE.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{module}"), name)
