"""Decision components included in the project, and the base class and registry for user-written ones.

Each name is loaded when it is first used.
"""

from typing import TYPE_CHECKING, Final

from windtunnel.on_use import loads_on_use

if TYPE_CHECKING:
    from windtunnel.schedulers.base import FunctionScheduler as FunctionScheduler
    from windtunnel.schedulers.base import Scheduler as Scheduler
    from windtunnel.schedulers.registry import SchedulerInfo as SchedulerInfo
    from windtunnel.schedulers.registry import list_schedulers as list_schedulers
    from windtunnel.schedulers.registry import make_batsched as make_batsched
    from windtunnel.schedulers.registry import make_scheduler as make_scheduler
    from windtunnel.schedulers.registry import scheduler_names as scheduler_names
    from windtunnel.schedulers.registry import scheduler_options as scheduler_options

__all__ = [
    "FunctionScheduler",
    "Scheduler",
    "SchedulerInfo",
    "list_schedulers",
    "make_batsched",
    "make_scheduler",
    "scheduler_names",
    "scheduler_options",
]

_MODULE: Final = {
    "FunctionScheduler": "base",
    "Scheduler": "base",
    "SchedulerInfo": "registry",
    "list_schedulers": "registry",
    "make_batsched": "registry",
    "make_scheduler": "registry",
    "scheduler_names": "registry",
    "scheduler_options": "registry",
}

__getattr__ = loads_on_use(__name__, _MODULE)
