"""A computing environment as people describe it: datacenters, rooms, racks, machines and their parts.

The fields are those of the JSSPP-OSP environment format (seed document 000), inheritance resolved. Speeds are Hz and
MB/s, capacities MB (10^6 bytes), energy consumption watts, times seconds from the start.
"""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any

import msgspec

__all__ = [
    "Datacenter",
    "EmptySlot",
    "Id",
    "Machine",
    "MachineState",
    "MachineStateChange",
    "ProcessingUnit",
    "Rack",
    "Room",
    "SchedulerChange",
    "SchedulerDescription",
    "Site",
    "SiteEvent",
    "StorageUnit",
    "describes_schedulers",
]

Id = str | int
"""Texts and numbers are different: 1 is not "1"."""


class MachineState(StrEnum):
    """What a machine does."""

    ACTIVE = "ACTIVE"
    """Usable."""
    HALT = "HALT"
    """Switched off."""
    MAINTENANCE = "MAINTENANCE"
    """Takes no new work."""
    FAILURE = "FAILURE"
    """Broken: what ran on it is lost."""


class ProcessingUnit(msgspec.Struct, frozen=True, kw_only=True, rename="kebab"):
    """A CPU or GPU."""

    clock_rate: float
    cores: int
    id: Id | None = None
    manufacturer: str = ""
    family: str = ""
    generation: str = ""
    model: str = ""
    energy_consumption: float | None = None

    @property
    def label(self) -> str:
        """Its names, as much as is known: ``Intel Xeon v3 E5-2630``."""
        return " ".join(name for name in (self.manufacturer, self.family, self.generation, self.model) if name)


class StorageUnit(msgspec.Struct, frozen=True, kw_only=True, rename="kebab"):
    """A memory module or a storage device."""

    capacity: int
    id: Id | None = None
    manufacturer: str = ""
    family: str = ""
    generation: str = ""
    model: str = ""
    read_speed: float | None = None
    write_speed: float | None = None
    energy_consumption: float | None = None


class Machine(msgspec.Struct, frozen=True, kw_only=True, rename="kebab", tag_field="type", tag="MACHINE"):
    """A physical machine."""

    cpus: tuple[ProcessingUnit, ...]
    id: Id | None = None
    name: str = ""
    state: MachineState = MachineState.ACTIVE
    gpus: tuple[ProcessingUnit, ...] = ()
    memory: tuple[StorageUnit, ...] = ()
    storage: tuple[StorageUnit, ...] = ()

    @property
    def cores(self) -> int:
        """The cores of all CPUs."""
        return sum(cpu.cores for cpu in self.cpus)

    @property
    def watts(self) -> float | None:
        """The average power of all parts that state one; None if none does."""
        parts: tuple[ProcessingUnit | StorageUnit, ...] = (*self.cpus, *self.gpus, *self.memory, *self.storage)
        stated = [part.energy_consumption for part in parts if part.energy_consumption is not None]
        return sum(stated) if stated else None


class EmptySlot(msgspec.Struct, frozen=True, tag_field="type", tag="EMPTY"):
    """An empty slot of a rack."""


class Rack(msgspec.Struct, frozen=True, kw_only=True, rename="kebab"):
    """A rack; ``power_capacity`` in watts, ``capacity`` in slots."""

    id: Id | None = None
    name: str = ""
    capacity: int | None = None
    power_capacity: float | None = None
    units: tuple[Machine | EmptySlot, ...] = ()


class Room(msgspec.Struct, frozen=True, kw_only=True):
    """A room. ``size`` holds width and height, ``location`` x and y of the upper left corner, in metres."""

    type: str
    id: Id | None = None
    name: str = ""
    size: Mapping[str, Any] | None = None
    location: Mapping[str, Any] | None = None
    objects: tuple[Rack, ...] = ()


class SchedulerDescription(msgspec.Struct, frozen=True, kw_only=True):
    """The scheduler of a datacenter, by name."""

    name: str
    url: str = ""
    options: Mapping[str, Any] = {}


class Operational(msgspec.Struct, frozen=True, kw_only=True):
    """How a datacenter is run."""

    scheduler: SchedulerDescription | None = None


class Datacenter(msgspec.Struct, frozen=True, kw_only=True):
    """A datacenter."""

    rooms: tuple[Room, ...]
    id: Id | None = None
    name: str = ""
    location: str = ""
    operator: str = ""
    operational: Operational = Operational()

    @property
    def scheduler(self) -> SchedulerDescription | None:
        """The scheduler it starts with."""
        return self.operational.scheduler


class MachineStateChange(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="MACHINE_STATE_CHANGE"):
    """A machine gets another state. ``time`` is None where the description gives none."""

    machine: Id
    state: MachineState
    time: float | None = None
    cause: str = ""
    attributes: Mapping[str, Any] = {}


class SchedulerChange(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="DATACENTER_SCHEDULER_CHANGE"):
    """A datacenter gets another scheduler."""

    datacenter: Id
    scheduler: SchedulerDescription
    time: float | None = None
    attributes: Mapping[str, Any] = {}


SiteEvent = MachineStateChange | SchedulerChange


class Topology(msgspec.Struct, frozen=True):
    """What a site consists of."""

    datacenters: tuple[Datacenter, ...]


class Site(msgspec.Struct, frozen=True, kw_only=True):
    """A whole environment: what there is, and what happens to it."""

    environment: Topology
    name: str = ""
    description: str = ""
    events: tuple[SiteEvent, ...] = ()

    @property
    def datacenters(self) -> tuple[Datacenter, ...]:
        """All datacenters."""
        return self.environment.datacenters

    def machines(self) -> "Iterator[tuple[Datacenter, Room, Rack, Machine]]":
        """All machines with what they are in, in the order of the description: it numbers the hosts."""
        for datacenter in self.datacenters:
            for room in datacenter.rooms:
                for rack in room.objects:
                    for unit in rack.units:
                        if isinstance(unit, Machine):
                            yield datacenter, room, rack, unit


def describes_schedulers(site: Site) -> bool:
    """Whether a datacenter names its scheduler, or an event gives it one."""
    return any(one.scheduler is not None for one in site.datacenters) or any(
        isinstance(event, SchedulerChange) for event in site.events
    )
