"""What a Slurm site is, and what its jobs ask for, as plain data: filled by readers, decided on by schedulers.

Times of day are whole seconds since 1970, lengths of time seconds, time limits whole minutes (None: unlimited) and
memory MB of 2^20 bytes. Names of trackable resources (TRES) are Slurm's in small letters: ``cpu``, ``mem``, ``node``,
``billing``, ``gres/gpu``, ``gres/gpu:a100``, ``license/matlab``.
"""

from windtunnel.model.slurm.accounts import PARENT, Association, Limits, Qos
from windtunnel.model.slurm.cluster import SlurmSite
from windtunnel.model.slurm.nodes import GresItem, SlurmNode, Switch
from windtunnel.model.slurm.partitions import OverSubscribe, Partition
from windtunnel.model.slurm.requests import Dependency, GresAsk, JobAsk
from windtunnel.model.slurm.reservations import Reservation
from windtunnel.model.slurm.settings import (
    BackfillSettings,
    MainLoopSettings,
    PreemptSettings,
    PrioritySettings,
    SelectSettings,
)

__all__ = [
    "PARENT",
    "Association",
    "BackfillSettings",
    "Dependency",
    "GresAsk",
    "GresItem",
    "JobAsk",
    "Limits",
    "MainLoopSettings",
    "OverSubscribe",
    "Partition",
    "PreemptSettings",
    "PrioritySettings",
    "Qos",
    "Reservation",
    "SelectSettings",
    "SlurmNode",
    "SlurmSite",
    "Switch",
]
