"""An environment as the engine sees it: hosts, a network if asked for, and external events (decisions.md 19).

Rules: a machine is a host, numbered in the order of the document. A core computes clock rate times
``flops_per_cycle`` flop/s (the mean over the CPUs, weighted by cores). Cores, memory (bytes), GPUs and disk (bytes)
are resources. The format states average watts: those of CPUs and GPUs are taken as their power under load, of which
they draw ``idle_share`` when idle; memory and storage draw theirs always.
"""

import re
from collections import Counter
from collections.abc import Iterable
from math import inf
from typing import Final

import msgspec

from windtunnel.diagnostics import Finding, Severity, UsageError
from windtunnel.model import EventList, ExternalEvent, Host, HostSet, Platform, PowerState
from windtunnel.model.site import Datacenter, Id, Machine, MachineState, MachineStateChange, Rack, Room, Site
from windtunnel.model.tree_network import TreeNetwork

__all__ = ["Mapped", "Mapping", "datacenter_hosts", "site_platform"]

MB: Final = 1_000_000
_NETWORK = re.compile(r"(star|rack):(.+)")


class Mapping(msgspec.Struct, frozen=True, kw_only=True):
    """How a description becomes numbers."""

    flops_per_cycle: float = 1.0
    idle_share: float = 0.5
    """The share of its average watts that an idle CPU or GPU draws."""
    network: str = ""
    """Empty: communication is free; ``star:BANDWIDTH,LATENCY`` or ``rack:BANDWIDTH,LATENCY,UPLINK`` (bytes/s, s)."""


class Mapped(msgspec.Struct, frozen=True):
    """A platform, what happens to it, and what was decided on the way."""

    platform: Platform
    events: EventList
    notes: tuple[Finding, ...]


DEFAULT: Final = Mapping()


def site_platform(site: Site, mapping: Mapping = DEFAULT, path: str = "") -> Mapped:
    """The platform and the external events of a site.

    Raises:
        UsageError: the network cannot be understood, or flops per cycle overflowed.
    """
    notes: list[str] = []
    hosts: list[Host] = []
    numbers: dict[Id, int] = {}
    names: Counter[str] = Counter()
    starts: list[ExternalEvent] = []
    unusable: set[int] = set()  # machines without processors: no event makes them usable
    switches: list[int] = []
    racks: dict[int, int] = {}
    labels = _Labels()
    for datacenter in site.datacenters:
        labels.of("datacenter", datacenter)
    for datacenter, room, rack, machine in site.machines():
        number = len(hosts)
        name = machine.name or (f"machine-{machine.id}" if machine.id is not None else f"host{number}")
        names[name] += 1
        if names[name] > 1:
            notes.append(f"several machines are called {name!r}; the later ones get a number")
            name = f"{name}#{names[name]}"
        place = (labels.of("datacenter", datacenter), labels.of("room", room), labels.of("rack", rack))
        hosts.append(_host(number, name, machine, place, mapping, notes))
        if machine.id is not None:
            numbers[machine.id] = number
        if not machine.cores:
            starts.append(_state_event(0.0, number, MachineState.HALT, "no processors", machine.id))
            unusable.add(number)
        elif machine.state is not MachineState.ACTIVE:
            starts.append(_state_event(0.0, number, machine.state, "state at the start", machine.id))
        switches.append(racks.setdefault(id(rack), len(racks)))
    storages, speeds = _storages(site, len(hosts))
    network = _network(mapping.network, switches, speeds)
    if network is not None:
        hosts = [msgspec.structs.replace(host, endpoint=host.id) for host in hosts]
    platform = Platform(
        name=site.name or "environment",
        hosts=tuple(hosts),
        storages=storages,
        network=network,
        site=site,
        path=path,
    )
    happenings = [
        event
        for event in _events(site, numbers)
        if event.kind != "machine_state" or event.hosts.first not in unusable
    ]
    events = EventList(name="environment", events=(*starts, *happenings), path=path)
    return Mapped(platform, events, _findings(notes, path))


def datacenter_hosts(site: Site) -> tuple[HostSet, ...]:
    """The hosts of each datacenter, which follow each other."""
    counts = Counter(id(datacenter) for datacenter, *_ in site.machines())
    first = 0
    sets = []
    for datacenter in site.datacenters:
        count = counts[id(datacenter)]
        sets.append(HostSet.span(count, first))
        first += count
    return tuple(sets)


def _findings(notes: list[str], path: str) -> tuple[Finding, ...]:
    file = path or "environment"
    return tuple(
        Finding(file, message=text + (f" ({count} times)" if count > 1 else ""), severity=Severity.NOTE)
        for text, count in Counter(notes).items()
    )


def _host(
    number: int,
    name: str,
    machine: Machine,
    place: tuple[str, ...],
    mapping: Mapping,
    notes: list[str],
) -> Host:
    cores = machine.cores
    rates = {cpu.clock_rate for cpu in machine.cpus}
    if len(rates) > 1:
        notes.append("a machine has CPUs of different clock rates: their mean, weighted by cores, counts")
    if not cores:
        notes.append("a machine without CPUs is off: it can run no jobs")
    if machine.gpus:
        notes.append("jobs ask for numbers of GPUs: their clock rates and cores are not simulated")
    if any(part.read_speed is not None or part.write_speed is not None for part in machine.memory):
        notes.append("the read and write speeds of memory are not simulated")
    mean = sum(cpu.clock_rate * cpu.cores for cpu in machine.cpus) / cores if cores else 0.0
    speed = mean * mapping.flops_per_cycle
    if speed == inf:
        raise UsageError(f"flops_per_cycle={mapping.flops_per_cycle:g} makes the machine {name!r} infinitely fast")
    idle, full = _watts(machine, mapping.idle_share)
    return Host(
        id=number,
        name=name,
        cores=max(cores, 1),
        pstates=(PowerState(speed, idle, idle, full),),
        resources=_resources(machine),
        properties=_properties(machine),
        place=place,
    )


def _watts(machine: Machine, idle_share: float) -> tuple[float | None, float | None]:
    if machine.watts is None:
        return None, None
    changing = sum(part.energy_consumption or 0.0 for part in (*machine.cpus, *machine.gpus))
    steady = sum(part.energy_consumption or 0.0 for part in (*machine.memory, *machine.storage))
    return steady + idle_share * changing, steady + changing


def _resources(machine: Machine) -> dict[str, float]:
    amounts: dict[str, float] = {}
    if machine.memory:
        amounts["memory"] = float(sum(part.capacity for part in machine.memory) * MB)
    if machine.gpus:
        amounts["gpus"] = float(len(machine.gpus))
    if machine.storage:
        amounts["disk"] = float(sum(part.capacity for part in machine.storage) * MB)
    return amounts


def _properties(machine: Machine) -> dict[str, str]:
    found = {} if machine.id is None else {"machine_id": str(machine.id)}
    for name, labels in (
        ("cpu_model", [cpu.label for cpu in machine.cpus]),
        ("gpu_model", [gpu.label for gpu in machine.gpus]),
    ):
        counted = Counter(label for label in labels if label)
        if counted:
            found[name] = ", ".join(
                f"{count} x {label}" if len(counted) > 1 else label for label, count in counted.items()
            )
    for way in ("read", "write"):
        speeds = [speed for part in machine.storage if (speed := getattr(part, f"{way}_speed")) is not None]
        if speeds:
            found[f"disk_{way}_speed"] = f"{sum(speeds) * MB:.15g}"
    return found


class _Labels:
    """What places are called: by name, by id, or by their number in the document."""

    def __init__(self) -> None:
        self._numbers: dict[str, dict[int, int]] = {"datacenter": {}, "room": {}, "rack": {}}

    def of(self, kind: str, item: Datacenter | Room | Rack) -> str:
        """The label of a place; asked in the order of the document."""
        numbers = self._numbers[kind]
        number = numbers.setdefault(id(item), len(numbers) + 1)
        return item.name or (f"{kind} {item.id}" if item.id is not None else f"{kind} #{number}")


def _events(site: Site, numbers: dict[Id, int]) -> Iterable[ExternalEvent]:
    """Events in order of time; at one time, in the order of the document."""
    datacenters = {datacenter.id: rank for rank, datacenter in enumerate(site.datacenters)}
    timed = [(event.time, event) for event in site.events if event.time is not None]
    for time, event in sorted(timed, key=lambda pair: pair[0]):
        if isinstance(event, MachineStateChange):
            yield _state_event(time, numbers[event.machine], event.state, event.cause, event.machine)
        else:
            scheduler = event.scheduler
            rank = datacenters[event.datacenter]
            label = site.datacenters[rank].name or f"datacenter {event.datacenter}"
            facts = {"datacenter": rank, "name": label, "scheduler": scheduler.name}
            options = dict(scheduler.options)
            yield ExternalEvent(timestamp=time, kind="scheduler_change", attributes={**facts, "options": options})


def _state_event(time: float, host: int, state: MachineState, cause: str, machine: Id | None) -> ExternalEvent:
    facts = {"state": state.value, "cause": cause, "machine": machine}
    return ExternalEvent(timestamp=time, kind="machine_state", hosts=HostSet.span(1, host), attributes=facts)


def _storages(site: Site, first: int) -> tuple[tuple[Host, ...], list[tuple[float, float]]]:
    """One storage for each datacenter whose storage units state speeds: as fast as all of them together.

    It draws no power of its own: that of its parts counts with their machines.
    """
    speeds: dict[int, tuple[float, float]] = {}
    for datacenter, _, _, machine in site.machines():
        read, write = speeds.get(id(datacenter), (0.0, 0.0))
        for part in machine.storage:
            read += (part.read_speed or 0.0) * MB
            write += (part.write_speed or 0.0) * MB
        speeds[id(datacenter)] = read, write
    fast = [datacenter for datacenter in site.datacenters if all(speeds.get(id(datacenter), (0.0,)))]
    labels = _Labels()
    called = {id(datacenter): labels.of("datacenter", datacenter) for datacenter in site.datacenters}
    names = Counter(called[id(datacenter)] for datacenter in fast)
    hosts = []
    for number, datacenter in enumerate(fast, first):
        label = called[id(datacenter)]
        name = f"{label}-storage" if names[label] == 1 else f"{label}-storage#{number - first + 1}"
        state = (PowerState(1.0, 0.0, 0.0, 0.0),)
        hosts.append(Host(id=number, name=name, storage=True, endpoint=number, pstates=state, place=(label,)))
    return tuple(hosts), [speeds[id(datacenter)] for datacenter in fast]


def _network(text: str, switches: list[int], storages: list[tuple[float, float]]) -> TreeNetwork | None:
    if not text:
        return TreeNetwork(switches, None, storages=storages) if storages else None
    match = _NETWORK.fullmatch(text)
    try:
        figures = [float(part) for part in match[2].split(",")] if match else []
    except ValueError:
        figures = []
    if match and len(figures) == {"star": 2, "rack": 3}[match[1]] and all(0 <= figure < inf for figure in figures):
        bandwidth, latency, *uplink = figures
        if min([bandwidth, *uplink]) > 0:
            return TreeNetwork(switches, bandwidth, latency, *uplink, storages=storages)
    hint = "star:BANDWIDTH,LATENCY or rack:BANDWIDTH,LATENCY,UPLINK, in bytes/s and s, such as star:125e6,50e-6"
    raise UsageError(f"{text!r} is not a network", hint)
