"""What a Slurm site is, and what its jobs ask for, as plain data: filled by readers, decided on by schedulers.

Times of day are whole seconds since 1970, lengths of time seconds, time limits whole minutes (None: unlimited) and
memory MB of 2^20 bytes. Names of trackable resources (TRES) are Slurm's in small letters: ``cpu``, ``mem``, ``node``,
``billing``, ``gres/gpu``, ``gres/gpu:a100``, ``license/matlab``.

Names are loaded when they are first used: most runs have nothing to do with Slurm.
"""

from typing import TYPE_CHECKING, Final

from windtunnel.on_use import loads_on_use

if TYPE_CHECKING:
    from windtunnel.model.slurm.accounts import PARENT as PARENT
    from windtunnel.model.slurm.accounts import Association as Association
    from windtunnel.model.slurm.accounts import Limits as Limits
    from windtunnel.model.slurm.accounts import Qos as Qos
    from windtunnel.model.slurm.cluster import SlurmSite as SlurmSite
    from windtunnel.model.slurm.nodes import GresItem as GresItem
    from windtunnel.model.slurm.nodes import SlurmNode as SlurmNode
    from windtunnel.model.slurm.nodes import Switch as Switch
    from windtunnel.model.slurm.partitions import OverSubscribe as OverSubscribe
    from windtunnel.model.slurm.partitions import Partition as Partition
    from windtunnel.model.slurm.requests import Dependency as Dependency
    from windtunnel.model.slurm.requests import GresAsk as GresAsk
    from windtunnel.model.slurm.requests import JobAsk as JobAsk
    from windtunnel.model.slurm.reservations import Reservation as Reservation
    from windtunnel.model.slurm.settings import BackfillSettings as BackfillSettings
    from windtunnel.model.slurm.settings import MainLoopSettings as MainLoopSettings
    from windtunnel.model.slurm.settings import PreemptSettings as PreemptSettings
    from windtunnel.model.slurm.settings import PrioritySettings as PrioritySettings
    from windtunnel.model.slurm.settings import SelectSettings as SelectSettings

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

_MODULE: Final = {
    "Association": "accounts",
    "BackfillSettings": "settings",
    "Dependency": "requests",
    "GresAsk": "requests",
    "GresItem": "nodes",
    "JobAsk": "requests",
    "Limits": "accounts",
    "MainLoopSettings": "settings",
    "OverSubscribe": "partitions",
    "PARENT": "accounts",
    "Partition": "partitions",
    "PreemptSettings": "settings",
    "PrioritySettings": "settings",
    "Qos": "accounts",
    "Reservation": "reservations",
    "SelectSettings": "settings",
    "SlurmNode": "nodes",
    "SlurmSite": "cluster",
    "Switch": "nodes",
}

__getattr__ = loads_on_use(__name__, _MODULE)
