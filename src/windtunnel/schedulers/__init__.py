"""Decision components included in the project, and the base class and registry for user-written ones."""

from windtunnel.schedulers.base import FunctionScheduler, Scheduler
from windtunnel.schedulers.registry import (
    SchedulerInfo,
    list_schedulers,
    make_batsched,
    make_scheduler,
    scheduler_names,
    scheduler_options,
)

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
