"""The sharing system in the calendar: one entry, at the date of its next event.

Compute hosts are numbered as in the platform, storages follow. The system is made when the first task needs it.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import inf, nan
from typing import TYPE_CHECKING, Any

from mypy_extensions import mypyc_attr

from windtunnel.diagnostics import UsageError
from windtunnel.engine.sharing.owner import Owner
from windtunnel.engine.state.calendar import SHARING, Priority
from windtunnel.engine.state.subsystems import Sharing
from windtunnel.engine.state.world import World

if TYPE_CHECKING:  # the system is loaded when a task needs it: runs of delays start faster without
    from windtunnel.engine.sharing import Action, Task

__all__ = ["TaskSharing", "sharing_due", "sharing_of"]


@mypyc_attr(allow_interpreted_subclasses=True)
class TaskSharing(Sharing):
    """The sharing system in use."""

    def __init__(self, world: World) -> None:
        from windtunnel.engine.sharing import Builder, System, fair_bottleneck, max_min
        from windtunnel.engine.sharing.disks import disk_links

        super().__init__()
        self._world = world
        platform, options = world.platform, world.options
        rules = {"simgrid": fair_bottleneck, "maxmin": max_min}
        if options.sharing not in rules:
            raise UsageError(f"there is no sharing rule {options.sharing!r}", f"choose {' or '.join(rules)}")
        hosts = (*platform.hosts, *platform.storages)
        now_at = (*world.hosts.pstate, *(h.pstate for h in platform.storages))
        network = platform.network
        self.builder = Builder([h.endpoint for h in hosts], network, gamma=_gamma(platform.config))
        links = network.links if network is not None else ()
        ranks, disks = disk_links(hosts)
        self.disks = {host: len(hosts) + len(links) + rank for host, rank in ranks.items()}
        """By host with a disk of its own: its first constraint in the system."""
        self.standing: list[Any] = []
        """Who stands still until what it has told is answered: asked each time whether it can go on (``go_on``)."""
        self.system = System(
            [h.pstates[p].speed for h, p in zip(hosts, now_at, strict=True)],
            [h.cores for h in hosts],
            (*links, *disks) if disks else links,
            rule=rules[options.sharing],
            watch_loads=options.energy,
        )
        self.speeds = list(self.system.speeds)
        """As the power states say, without the factors of profiles."""
        self.factors: dict[int, float] = {}
        """By host: what a profile of the platform makes of its speed."""
        self.version = 0
        """Voids the entry in the calendar when the next event has moved."""
        self.planned = inf

    def date(self) -> float:
        """The present (s). The calendar may be a little early (its own tolerance); the system is then ahead."""
        return max(self._world.now, self.system.now)

    # -- tasks --------------------------------------------------------------------------------------------------

    def start(self, task: "Task", owner: Owner) -> "Action":
        """Start a task."""
        self.changed = True
        return self.system.start(self.date(), task, owner)

    def cancel(self, action: "Action") -> None:
        """Stop a task."""
        self.changed = True
        self.system.cancel(self.date(), action)

    def suspend(self, action: "Action") -> None:
        """Let a task stand still."""
        self.changed = True
        self.system.suspend(self.date(), action)

    def resume(self, action: "Action") -> None:
        """Let a suspended task go on."""
        self.changed = True
        self.system.resume(self.date(), action)

    def done(self, action: "Action") -> float:
        """The fraction of a task that is done."""
        return 0.0 if action.latent else 1.0 - self.system.remaining(self.date(), action)

    # -- what happens to hosts and links ------------------------------------------------------------------------

    def set_speed(self, hosts: Sequence[int], speed: float) -> None:
        """Hosts go over to power states of another speed."""
        self.changed = True
        alike: dict[float, list[int]] = {}
        for host in hosts:
            self.speeds[host] = speed
            alike.setdefault(self.factors.get(host, 1.0), []).append(host)
        for factor, numbers in alike.items():
            self.system.set_speed(self.date(), numbers, speed * factor)

    def scale_speed(self, host: int, factor: float) -> None:
        """A profile of the platform scales the speed of a host, whatever its power state."""
        self.changed = True
        self.factors[host] = factor
        self.system.set_speed(self.date(), (host,), self.speeds[host] * factor)

    def set_bandwidth(self, link: int, bandwidth: float) -> None:
        """A link has another bandwidth (B/s) from now on."""
        self.changed = True
        self.system.set_bandwidth(self.date(), link, bandwidth)

    def set_network_bound(self, action: "Action", bound: float) -> None:
        """The TCP window allows a task another rate (1/s) from now on."""
        self.changed = True
        self.system.set_network_bound(self.date(), action, bound)

    # -- the calendar -------------------------------------------------------------------------------------------

    def settle(self) -> None:
        """After what happened at this instant: let rates and loads follow, and plan the next event of the system."""
        world, system = self._world, self.system
        world.conditions.fail_tasks()
        self.changed = False
        if self.standing:
            self._go_on()
        if system.watch_loads:
            loads = system.changed_loads()
            world.energy.set_loads(loads)
            world.gauges.follow(loads)
        date = system.next_event()
        if date != self.planned:
            self.planned = date
            self.version += 1
            if date < inf:
                world.push(max(date, world.now), Priority.END, SHARING, self, self.version)

    def _go_on(self) -> None:
        """Those that stood still go on, as soon as what they told was answered."""
        standing, self.standing = self.standing, []
        self.standing = [one for one in standing if not one.go_on(self._world)] + self.standing
        if self.standing:
            self.changed = True

    def next_event(self) -> float:
        """The date (s) of the next end of a task or of a latency; infinite when nothing moves."""
        return self.system.next_event()

    # -- loads --------------------------------------------------------------------------------------------------

    def watch_loads(self) -> None:
        """Take note of the loads that change, from now on."""
        self.system.watch_loads = True

    def watch_traffic(self) -> None:
        """Take note of what hosts and links carry, from now on."""
        self.system.watch_traffic()

    def changed_traffic(self) -> tuple[Iterable[int], Iterable[int]]:
        """The hosts and links whose traffic may have changed since this was last asked."""
        if self.system.traffic is None:
            return (), ()
        hosts, constraints = self.system.traffic.changed()
        first = len(self.builder.endpoints)
        return hosts, [constraint - first for constraint in constraints]

    def constraint(self, link: int) -> int:
        """The number of a link among the constraints of the system: links follow the hosts."""
        return len(self.builder.endpoints) + link

    def host_load(self, host: int) -> float:
        """flop/s in use on a host."""
        return self.system.load(host)

    def host_loads(self, count: int) -> list[float]:
        """flop/s in use on each of the first hosts."""
        return self.system.loads(0, count)

    def host_capacity(self, host: int) -> float:
        """flop/s of all cores of a host."""
        return self.system.capacity(host)

    def link_load(self, link: int) -> float:
        """B/s on a link."""
        return self.system.load(self.constraint(link))

    def link_loads(self, count: int) -> list[float]:
        """B/s on each of the first links."""
        return self.system.loads(self.constraint(0), count)

    def link_capacity(self, link: int) -> float:
        """B/s that a link can carry."""
        return self.system.capacity(self.constraint(link))

    def host_traffic(self, host: int) -> float:
        """B/s that a host sends and receives."""
        self.system.settle()
        return self.system.watch_traffic().of(host)

    def host_bandwidth(self, host: int) -> float:
        """B/s of a host's own two links: the first on its way out and the last on the way in."""
        network = self.builder.network
        if network is None:
            return 0.0
        ends = self.builder.endpoints
        other = ends[1 if host == 0 else 0]
        out, _ = network.route(ends[host], other)
        back, _ = network.route(other, ends[host])
        return sum([self.link_capacity(link) for link in {*out[:1], *back[-1:]}], 0.0)


def _gamma(config: Mapping[str, str]) -> float:
    """The TCP window, which a platform file may set."""
    from windtunnel.engine.sharing import TCP_GAMMA

    text = config.get("network/TCP-gamma") or config.get("network/TCP_gamma")
    try:
        gamma = TCP_GAMMA if text is None else float(text)
    except ValueError:
        gamma = nan
    if not gamma >= 0.0:
        raise UsageError(f"network/TCP-gamma is {text!r}, a number of bytes is expected")
    return gamma


def sharing_of(world: World) -> TaskSharing:
    """The sharing system, made on first use."""
    sharing = world.sharing
    if not isinstance(sharing, TaskSharing):
        world.sharing = sharing = TaskSharing(world)
        if world.now > 0:
            sharing.system.advance(world.now)
        world.gauges.watch()
    return sharing


def sharing_due(world: World, sharing: TaskSharing) -> None:
    """Some tasks are complete (or have paid their latency)."""
    date = sharing.planned
    sharing.planned = inf
    sharing.changed = True
    # The calendar may be a little early (its own tolerance); the system is then a little ahead of it.
    for action in sharing.system.advance(max(date, sharing.system.now)):
        action.tag.complete(world, action)
