"""The numbers that ElastiSim's messages hold."""

from enum import IntEnum
from typing import Final

__all__ = ["FINALIZE", "INVOKE", "PERIODIC_CALL", "SCHEDULED", "Call", "NodeState", "State", "Triggers"]

import msgspec

INVOKE: Final = 0xFFEC4400
SCHEDULED: Final = 0xFFEC4401
FINALIZE: Final = 0xFFEC44FF

PERIODIC_CALL: Final = "elastisim-interval"
"""What periodic calls are known by."""


class Call(IntEnum):
    """Why the scheduler is called."""

    PERIODIC = 0
    SUBMITTED = 1
    COMPLETED = 2
    KILLED = 3
    POINT = 4
    REQUEST = 5
    RECONFIGURED = 6


class State(IntEnum):
    """States of jobs."""

    PENDING = 1
    RUNNING = 4
    CHANGE_PENDING = 5
    RECONFIGURING = 6
    COMPLETED = 7
    KILLED = 8


class NodeState(IntEnum):
    """States of nodes."""

    FREE = 0
    ALLOCATED = 1
    RESERVED = 2


class Triggers(msgspec.Struct, frozen=True, kw_only=True):
    """When an algorithm is called. Seconds are simulated."""

    submit: bool = True
    finalize: bool = True
    point: bool = True
    reconfiguration: bool = False
    interval: float = 0.0
    least_interval: float = 0.0
    grace: float = 0.0
    """That walltimes of jobs were lengthened by; the algorithm is told those without."""
