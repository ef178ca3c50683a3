"""What a schema cannot see in the topology: ids, capacities, rooms, odd units (ENV030, ENV040...049).

All functions take the resolved tree as it is, whatever its faults: what has the wrong type is passed over here,
the schema has complained about it.
"""

import json
from collections.abc import Collection, Iterator
from functools import cache
from heapq import heappop, heappush
from typing import Any, TypeGuard

from windtunnel.diagnostics import Severity, UsageError, did_you_mean
from windtunnel.formats.sites.environment.problems import Path, Problem
from windtunnel.formats.sites.environment.schema import schema_text
from windtunnel.model.stage import stage_options

__all__ = ["Topology", "check_scheduler", "children", "id_key", "unknown_properties"]

_LOW_CLOCK = 1e8
_HIGH_CLOCK = 1e11
_HIGH_CAPACITY = 1e9
_BEYOND = 1e100
"""Products and sums of numbers up to here can be computed."""
_WARNING = Severity.WARNING


def children(holder: dict[str, Any], key: str, path: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """The objects in the array ``holder[key]``, with their paths."""
    value = holder.get(key)
    if isinstance(value, list):
        for index, item in enumerate(value):
            if isinstance(item, dict):
                yield (*path, key, index), item


def id_key(value: object) -> tuple[bool, object] | None:
    """What makes an id unique: 1 and "1" differ, 1 and 1.0 do not. None if it is not an id at all."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    return isinstance(value, str), value


@cache
def _known(kind: str) -> frozenset[str]:
    schema = json.loads(schema_text())
    part = schema["$defs"][kind] if kind else schema
    known = {*part["properties"], *(name for extra in part.get("allOf", ()) for name in _conditional(extra))}
    return frozenset(known)


def _conditional(part: dict[str, Any]) -> Collection[str]:
    names: dict[str, Any] = part["then"].get("properties", {})
    return names


def unknown_properties(item: dict[str, Any], kind: str, path: Path, problems: list[Problem]) -> None:
    """ENV040: names that the schema's definition ``kind`` does not know."""
    known = _known(kind)
    if item.keys() <= known:
        return
    for name in item.keys() - known:
        if name.startswith("$"):
            continue
        hint = _speed_hint(name, kind) or did_you_mean(name, (k for k in known if k[0] != "$"))
        message = f"unknown property {name!r} has no effect"
        problems.append(Problem("ENV040", message, (*path, name), hint, _WARNING, key=True))


def _speed_hint(name: str, kind: str) -> str:
    return "write 'read-speed' and 'write-speed'" if kind == "store" and name == "speed" else ""


def check_scheduler(value: object, path: Path, known: Collection[str], problems: list[Problem]) -> None:
    """ENV040, ENV048, ENV049 on a scheduler object."""
    if not isinstance(value, dict):
        return
    unknown_properties(value, "scheduler", path, problems)
    name, options, url = value.get("name"), value.get("options", {}), value.get("url")
    if isinstance(name, str) and name.lower() not in known:
        hint = did_you_mean(name, known)
        problems.append(Problem("ENV048", f"unknown scheduler {name!r}", (*path, "name"), hint, _WARNING))
    elif name == "stage-scheduler" and isinstance(options, dict):
        for option, setting in options.items():
            try:
                stage_options({option: setting})
            except UsageError as error:
                message = str(error).partition("\n")[0]
                problem = Problem("ENV048", message, (*path, "options", option), error.hint, _WARNING)
                problems.append(problem)
    if isinstance(url, str) and not _is_uri(url):
        problems.append(Problem("ENV049", f"{url!r} is not a URI", (*path, "url"), severity=_WARNING))


def _is_uri(text: str) -> bool:
    scheme, colon, rest = text.partition(":")
    plain = scheme.replace("+", "").replace("-", "").replace(".", "")
    return bool(colon and rest and plain.isascii() and plain.isalnum() and scheme[0].isalpha()) and not any(
        c.isspace() or ord(c) < 32 or c in '<>"{}|\\^`' for c in text
    )


class Topology:
    """One walk over the datacenters; afterwards it knows all machines and datacenters, for the events."""

    def __init__(self, tree: dict[str, Any], problems: list[Problem], schedulers: Collection[str]) -> None:
        self.machines: dict[tuple[bool, object], tuple[Path, dict[str, Any]]] = {}
        self.datacenters: dict[tuple[bool, object], Path] = {}
        self.names: dict[str, dict[str, Any]] = {}
        """Machines by name."""
        self._problems = problems
        self._ids: dict[str, dict[tuple[bool, object], Path]] = {"room": {}, "rack": {}, "machine": {}}
        self._ids |= {"processor": {}, "store": {}, "datacenter": {}}
        self._seen: set[int] = set()
        self._schedulers = schedulers
        environment = tree.get("environment")
        if isinstance(environment, dict):
            for path, datacenter in children(environment, "datacenters", ("environment",)):
                self._datacenter(datacenter, path)

    def _datacenter(self, datacenter: dict[str, Any], path: Path) -> None:
        unknown_properties(datacenter, "datacenter", path, self._problems)
        self._id(datacenter, "datacenter", path)
        operational = datacenter.get("operational")
        if isinstance(operational, dict):
            place = (*path, "operational", "scheduler")
            check_scheduler(operational.get("scheduler"), place, self._schedulers, self._problems)
        plans = []
        for place, room in children(datacenter, "rooms", path):
            unknown_properties(room, "room", place, self._problems)
            self._id(room, "room", place)
            if plan := _rectangle(room):
                plans.append((*plan, place))
            for rack_place, rack in children(room, "objects", place):
                self._rack(rack, rack_place, room)
        self._overlaps(plans)

    def _rack(self, rack: dict[str, Any], path: Path, room: dict[str, Any]) -> None:
        unknown_properties(rack, "rack", path, self._problems)
        self._id(rack, "rack", path)
        kind, units = room.get("type"), rack.get("units")
        if isinstance(kind, str) and kind != "SERVER":
            self._warn("ENV043", f"a rack in a room of type {kind}", path)
        capacity, power = rack.get("capacity"), rack.get("power-capacity")
        if isinstance(units, list) and _number(capacity) and len(units) > capacity >= 0:
            message = f"{len(units)} units in a rack for {capacity}"
            self._problems.append(Problem("ENV041", message, (*path, "units")))
        total = 0.0
        for place, unit in children(rack, "units", path):
            if unit.get("type") != "EMPTY":
                total += self._machine(unit, place)
        if _number(power):
            if power < 0:
                self._warn("ENV023", f"a power capacity below zero ({power} W)", (*path, "power-capacity"))
            elif total > power:
                self._warn("ENV042", f"the machines draw {total:g} W, the rack supplies {power:g} W", path)

    def _machine(self, machine: dict[str, Any], path: Path) -> float:
        """Check a machine; the watts it draws on average."""
        unknown_properties(machine, "machine", path, self._problems)
        if (key := self._id(machine, "machine", path)) and key not in self.machines:
            self.machines[key] = path, machine
        if isinstance(name := machine.get("name"), str):
            self.names.setdefault(name, machine)
        watts = 0.0
        for group, kind in (("cpus", "processor"), ("gpus", "processor"), ("memory", "store"), ("storage", "store")):
            for place, part in children(machine, group, path):
                power = part.get("energy-consumption")
                watts += power if _number(power) else 0
                if "id" in part:
                    self._id(part, kind, place)
                if id(part) not in self._seen:  # What is inherited is one object in memory: once is enough.
                    self._seen.add(id(part))
                    unknown_properties(part, kind, place, self._problems)
                    self._units(part, place)
        return watts

    def _units(self, part: dict[str, Any], path: Path) -> None:
        for name, value in part.items():
            if _number(value) and value > _BEYOND and name != "id":
                message = "numbers above 1e100 are not supported here"
                self._problems.append(Problem("ENV037", message, (*path, name)))
                return
        clock, capacity = part.get("clock-rate"), part.get("capacity")
        if _number(clock) and 0 < clock < _LOW_CLOCK:
            message = f"a clock rate of {clock:g} Hz is low for a processor"
            self._warn("ENV047", message, (*path, "clock-rate"), "the unit is Hz: 2.4 GHz is 2400000000")
        elif _number(clock) and clock > _HIGH_CLOCK:
            self._warn("ENV047", f"no processor runs at {clock:g} Hz", (*path, "clock-rate"), "the unit is Hz")
        if _number(capacity) and capacity > _HIGH_CAPACITY:
            self._warn("ENV047", f"{capacity} MB is a petabyte or more", (*path, "capacity"), "the unit is MB")

    def _id(self, item: dict[str, Any], kind: str, path: Path) -> tuple[bool, object] | None:
        key = id_key(item.get("id"))
        if key is None:
            return None
        known = self._ids[kind]
        if key in known:
            names = {"processor": "processing unit", "store": "memory or storage unit"}
            message = f"the id {item['id']!r} belongs to another {names.get(kind, kind)} already"
            self._problems.append(Problem("ENV030", message, (*path, "id"), also=((*known[key], "id"),)))
        else:
            known[key] = path
            if kind == "datacenter":
                self.datacenters[key] = path
        return key

    def _overlaps(self, plans: list[tuple[float, float, float, float, Path]]) -> None:
        """Warn of each room that overlaps with one that begins no farther right; of how many does not matter."""
        plans.sort()
        beside: list[tuple[float, float, float, Path]] = []
        for left, top, right, bottom, path in plans:
            while beside and beside[0][0] <= left:
                heappop(beside)
            for _, other_top, other_bottom, other in beside:
                if other_top < bottom and top < other_bottom:
                    self._warn("ENV044", "this room overlaps with another", path, also=(other,))
                    break
            heappush(beside, (right, top, bottom, path))

    def _warn(self, code: str, message: str, path: Path, hint: str = "", also: tuple[Path, ...] = ()) -> None:
        self._problems.append(Problem(code, message, path, hint, _WARNING, also=also))


def _number(value: Any) -> TypeGuard[int | float]:
    return type(value) is int or type(value) is float


def _rectangle(room: dict[str, Any]) -> tuple[float, float, float, float] | None:
    """Left, top, right, bottom, if the room says so and has an area."""
    size, corner = room.get("size"), room.get("location")
    if not isinstance(size, dict) or not isinstance(corner, dict):
        return None
    figures = [corner.get("x"), corner.get("y"), size.get("width"), size.get("height")]
    if not all(_number(figure) for figure in figures):
        return None
    x, y, width, height = (float(figure) for figure in figures if figure is not None)
    return (x, y, x + width, y + height) if width > 0 and height > 0 else None
