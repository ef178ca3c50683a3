"""How profiles run: a tree of nodes per job, one module per kind of profile.

A job whose only profile is a delay has no node at all: it is one event in the calendar (see ``starting``).
"""

from windtunnel.engine.jobs.execution import kinds
from windtunnel.engine.jobs.execution.jobs import (
    begin_job,
    cancel_job,
    check_job,
    freeze_job,
    progress_of_job,
    thaw_job,
)
from windtunnel.engine.jobs.execution.nodes import Node, begin, finish
from windtunnel.engine.jobs.execution.unused import tell_unused

__all__ = [
    "Node",
    "begin",
    "begin_job",
    "cancel_job",
    "check_job",
    "finish",
    "freeze_job",
    "kinds",
    "progress_of_job",
    "tell_unused",
    "thaw_job",
]
