"""Windtunnel: a wind tunnel for schedulers.

    import windtunnel as wt

    run = wt.simulate("hosts:128", "trace.swf", "easy")
    print(run.metrics)

Names are loaded when they are first used, so that ``import windtunnel`` costs next to nothing.
"""

from importlib import import_module

from windtunnel.listings import LISTED
from windtunnel.shipped import SCHEDULERS
from windtunnel.version import __version__

TYPE_CHECKING = False  # typing is slow to load, and this is loaded before Ctrl-C is a message
if TYPE_CHECKING:
    from typing import Any, Final

    from windtunnel.api import Run as Run
    from windtunnel.api import Simulation as Simulation
    from windtunnel.api import arrange as arrange
    from windtunnel.api import load_run as load_run
    from windtunnel.api import simulate as simulate
    from windtunnel.diagnostics import InputError as InputError
    from windtunnel.diagnostics import SimulationError as SimulationError
    from windtunnel.diagnostics import UsageError as UsageError
    from windtunnel.diagnostics import WindtunnelError as WindtunnelError
    from windtunnel.engine import Options as Options
    from windtunnel.engine import Pacer as Pacer
    from windtunnel.formats.convert import write_workload as write_workload
    from windtunnel.formats.registry import read_platform as read_platform
    from windtunnel.formats.registry import read_workload as read_workload
    from windtunnel.formats.traces.frames import read_frame as read_frame
    from windtunnel.model import DelayProfile as DelayProfile
    from windtunnel.model import ExternalEvent as ExternalEvent
    from windtunnel.model import HostPool as HostPool
    from windtunnel.model import HostSet as HostSet
    from windtunnel.model import Job as Job
    from windtunnel.model import JobState as JobState
    from windtunnel.model import Platform as Platform
    from windtunnel.model import Request as Request
    from windtunnel.model.event_kinds import external_event as external_event
    from windtunnel.results.compare_many import compare_runs as compare_runs
    from windtunnel.results.own_metrics import metric as metric
    from windtunnel.schedulers.base import Scheduler as Scheduler
    from windtunnel.studies.results import StudyResults as StudyResults
    from windtunnel.studies.study import Study as Study
    from windtunnel.studies.study import load_study as load_study
    from windtunnel.studies.study import read_study as read_study
    from windtunnel.studies.study import study as study
    from windtunnel.version import build as build
    from windtunnel.vocabulary import CallMeLater as CallMeLater
    from windtunnel.vocabulary import Decision as Decision
    from windtunnel.vocabulary import Execute as Execute
    from windtunnel.vocabulary import ExternalEventOccurred as ExternalEventOccurred
    from windtunnel.vocabulary import Kill as Kill
    from windtunnel.vocabulary import Observer as Observer
    from windtunnel.vocabulary import OneShot as OneShot
    from windtunnel.vocabulary import Periodic as Periodic
    from windtunnel.vocabulary import Reject as Reject
    from windtunnel.vocabulary import View as View

_WHERE: "Final" = {
    "windtunnel.api": ("Run", "Simulation", "arrange", "load_run", "simulate"),
    "windtunnel.diagnostics": ("InputError", "SimulationError", "UsageError", "WindtunnelError"),
    "windtunnel.engine": ("Options", "Pacer"),
    "windtunnel.formats.convert": ("write_workload",),
    "windtunnel.formats.registry": ("read_platform", "read_workload"),
    "windtunnel.formats.traces.frames": ("read_frame",),
    "windtunnel.model": (
        "DelayProfile",
        "ExternalEvent",
        "HostPool",
        "HostSet",
        "Job",
        "JobState",
        "Platform",
        "Request",
    ),
    "windtunnel.model.event_kinds": ("external_event",),
    "windtunnel.results.compare_many": ("compare_runs",),
    "windtunnel.results.own_metrics": ("metric",),
    "windtunnel.schedulers.base": ("Scheduler",),
    "windtunnel.studies.results": ("StudyResults",),
    "windtunnel.studies.study": ("Study", "load_study", "read_study", "study"),
    "windtunnel.vocabulary": (
        "CallMeLater",
        "Decision",
        "Execute",
        "ExternalEventOccurred",
        "Kill",
        "Observer",
        "OneShot",
        "Periodic",
        "Reject",
        "View",
    ),
    "windtunnel.version": ("build",),
}
LISTED["windtunnel.schedulers"] = SCHEDULERS

_BELOW: "Final" = ("windtunnel.diagnostics", "windtunnel.model", "windtunnel.vocabulary")
"""Packages that load their own modules: loaded before all else, so that no thread comes to one of these first."""

_MODULE: "Final" = {name: module for module, names in _WHERE.items() for name in names}

__all__ = [  # noqa: PLE0604 -- kept beside where each name lives
    "__version__",
    *sorted(_MODULE),
]


def __getattr__(name: str) -> "Any":
    module = _MODULE.get(name)
    if module is None:
        raise AttributeError(f"module 'windtunnel' has no attribute {name!r}")
    for below in _BELOW:
        if module in ("windtunnel.version", below):
            break
        import_module(below)
    return getattr(import_module(module), name)


def __dir__() -> list[str]:
    return __all__
