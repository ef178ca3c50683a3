"""Racks that draw more than they are supplied with (the ``power-capacity`` of an environment), while a run goes on.

What a rack draws is kept up to date by the hosts whose power changes. Only levels that last count: what passes within
one instant, as when one job makes room for the next, exceeds nothing. So the end of an excess is known, and reported,
when the power of its rack changes once more, or when the run ends.
"""

from collections.abc import Iterable
from math import inf
from typing import Any, Final

from mypy_extensions import mypyc_attr

from windtunnel.engine.energy.meters import Meters
from windtunnel.engine.state.world import World
from windtunnel.model.site import Site

__all__ = ["Racks", "racks_of"]

_SLACK: Final = 1 + 1e-9
"""Sums of changes may exceed the exact sum by a rounding error."""


@mypyc_attr(allow_interpreted_subclasses=True)
class _Rack:
    """One rack with a capacity (W)."""

    def __init__(self, name: str, capacity: float) -> None:
        self.name = name
        self.capacity = capacity
        self.watts = 0.0
        self.since = 0.0
        """When it began to draw this."""
        self.over = inf
        """When the present excess began."""
        self.peak = 0.0


@mypyc_attr(allow_interpreted_subclasses=True)
class Racks:
    """What each rack with a capacity draws. Made before the first event, with the powers of that moment."""

    def __init__(self, world: World, meters: Meters) -> None:
        self._world = world
        self._meters = meters
        self._rack: dict[int, _Rack] = {}
        """By host."""
        self._watts: dict[int, float] = {}
        self._racks: list[_Rack] = []
        self.count = 0
        """Excesses so far that are over."""
        self.worst = 0.0
        """Watts above a capacity, at most."""

    def add(self, name: str, capacity: float, hosts: Iterable[int]) -> None:
        """A rack to watch."""
        rack = _Rack(name, max(capacity, 0.0))
        self._racks.append(rack)
        self._rack |= dict.fromkeys(hosts, rack)

    @property
    def watched(self) -> bool:
        """Whether any rack has a capacity."""
        return bool(self._racks)

    def follow(self, hosts: Iterable[int]) -> None:
        """The power of hosts may have changed."""
        if not self._racks:
            return
        now, power = self._world.now, self._meters.power
        for host in hosts:
            rack = self._rack.get(host)
            if rack is None:
                continue
            watts = power(host)
            before = self._watts.get(host, 0.0)
            if watts != before:
                self._lasted(rack, now)
                rack.watts += watts - before
                self._watts[host] = watts

    def close(self) -> None:
        """The run is over: so is every excess."""
        now = self._world.now
        for rack in self._racks:
            self._lasted(rack, now)
            self._report(rack, now)

    def _lasted(self, rack: _Rack, now: float) -> None:
        """What a rack drew until now, it drew for a while."""
        if now <= rack.since:
            return
        if rack.watts > rack.capacity * _SLACK:
            rack.over = min(rack.over, rack.since)
            rack.peak = max(rack.peak, rack.watts)
        else:
            self._report(rack, rack.since)
        rack.since = now

    def _report(self, rack: _Rack, until: float) -> None:
        if rack.over == inf:
            return
        self.count += 1
        self.worst = max(self.worst, rack.peak - rack.capacity)
        for hook in self._world.hooks.rack:
            hook(rack.name, rack.over, until, rack.peak, rack.capacity)
        rack.over, rack.peak = inf, 0.0


def racks_of(world: World, meters: Meters) -> Racks:
    """The racks of an environment that state a capacity."""
    racks = Racks(world, meters)
    site: Any = world.platform.site
    if not isinstance(site, Site):
        return racks
    members: dict[int, list[int]] = {}
    found = {}
    for number, (*_, rack, _) in enumerate(site.machines()):
        if rack.power_capacity is not None:
            members.setdefault(id(rack), []).append(number)
            found[id(rack)] = rack.power_capacity
    for key, capacity in found.items():
        place = world.platform.hosts[members[key][0]].place
        racks.add("/".join(place), float(capacity), members[key])
        racks.follow(members[key])
    return racks
