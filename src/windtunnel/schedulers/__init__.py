"""Decision components shipped with the project, and the base and registry for those of users."""

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
