"""The sharing system in the calendar: one entry, at the date of its next event.

Compute hosts are numbered as in the platform, storages follow. The system is made when the first task needs it.
"""

from collections.abc import Mapping, Sequence
from math import inf, nan
from typing import TYPE_CHECKING, Any

from windtunnel.diagnostics import UsageError
from windtunnel.engine.state.calendar import FLUID
from windtunnel.engine.state.world import Priority, World
from windtunnel.model import Platform

if TYPE_CHECKING:  # the sharing system is loaded when a task needs it: runs of delays start faster without
    from windtunnel.engine.sharing import Action, Task

__all__ = ["Fluid", "fluid_due", "fluid_of", "settle"]


class Fluid:
    """What the engine knows of the sharing system."""

    def __init__(self, platform: Platform, pstates: Sequence[int], rule: str, *, watched: bool) -> None:
        from windtunnel.engine.sharing import Builder, System, fair_bottleneck, max_min

        rules = {"simgrid": fair_bottleneck, "maxmin": max_min}
        if rule not in rules:
            raise UsageError(f"there is no sharing rule {rule!r}", f"choose {' or '.join(rules)}")
        hosts = (*platform.hosts, *platform.storages)
        now_at = (*pstates, *(h.pstate for h in platform.storages))
        network = platform.network
        self.builder = Builder([h.endpoint for h in hosts], network, gamma=_gamma(platform.config))
        self.system = System(
            [h.pstates[p].speed for h, p in zip(hosts, now_at, strict=True)],
            [h.cores for h in hosts],
            network.links if network is not None else (),
            rule=rules[rule],
            watch_loads=watched,
        )
        self.speeds = list(self.system.speeds)
        """As the power states say, without the factors of profiles."""
        self.factors: dict[int, float] = {}
        """By host: what a profile of the platform makes of its speed."""
        self.version = 0
        """Voids the entry in the calendar when the next event has moved."""
        self.planned = inf
        self.changed = False

    def start(self, now: float, task: "Task", tag: Any) -> "Action":
        """Start a task."""
        self.changed = True
        return self.system.start(max(now, self.system.now), task, tag)

    def cancel(self, now: float, action: "Action") -> None:
        """Stop a task."""
        self.changed = True
        self.system.cancel(max(now, self.system.now), action)

    def suspend(self, now: float, action: "Action") -> None:
        """Let a task stand still."""
        self.changed = True
        self.system.suspend(max(now, self.system.now), action)

    def resume(self, now: float, action: "Action") -> None:
        """Let a suspended task go on."""
        self.changed = True
        self.system.resume(max(now, self.system.now), action)

    def set_speed(self, now: float, hosts: Sequence[int], speed: float) -> None:
        """Hosts go over to power states of another speed."""
        self.changed = True
        alike: dict[float, list[int]] = {}
        for host in hosts:
            self.speeds[host] = speed
            alike.setdefault(self.factors.get(host, 1.0), []).append(host)
        for factor, numbers in alike.items():
            self.system.set_speed(max(now, self.system.now), numbers, speed * factor)

    def scale_speed(self, now: float, host: int, factor: float) -> None:
        """A profile of the platform scales the speed of a host, whatever its power state."""
        self.changed = True
        self.factors[host] = factor
        self.system.set_speed(max(now, self.system.now), (host,), self.speeds[host] * factor)

    def set_bandwidth(self, now: float, link: int, bandwidth: float) -> None:
        """A link has another bandwidth (B/s) from now on."""
        self.changed = True
        self.system.set_bandwidth(max(now, self.system.now), link, bandwidth)

    def set_network_bound(self, now: float, action: "Action", bound: float) -> None:
        """The TCP window allows a task another rate (1/s) from now on."""
        self.changed = True
        self.system.set_network_bound(max(now, self.system.now), action, bound)

    def done(self, now: float, action: "Action") -> float:
        """The fraction of a task that is done."""
        return 0.0 if action.latent else 1.0 - self.system.remaining(max(now, self.system.now), action)


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


def fluid_of(world: World) -> Fluid:
    """The sharing system, made on first use."""
    if world.fluid is None:
        options = world.options
        world.fluid = Fluid(world.platform, world.hosts.pstate, options.sharing, watched=options.energy)
        if world.now > 0:
            world.fluid.system.advance(world.now)
        if world.gauges is not None:
            world.gauges.watch(world)
    fluid: Fluid = world.fluid
    return fluid


def settle(world: World) -> None:
    """After what happened at this instant: let rates and loads follow, and plan the next event of the system."""
    fluid: Fluid = world.fluid
    if world.conditions is not None:
        world.conditions.look(world)
    fluid.changed = False
    if world.energy is not None or world.gauges is not None:
        loads = fluid.system.changed_loads()
        if world.energy is not None:
            world.energy.set_loads(world.now, loads)
        if world.gauges is not None:
            world.gauges.follow(world, loads)
    date = fluid.system.next_event()
    if date != fluid.planned:
        fluid.planned = date
        fluid.version += 1
        if date < inf:
            world.push(max(date, world.now), Priority.END, FLUID, fluid, fluid.version)


def fluid_due(world: World, fluid: Fluid) -> None:
    """Some tasks are complete (or have paid their latency)."""
    from windtunnel.engine.replay import ReplayTag

    date = fluid.planned
    fluid.planned = inf
    fluid.changed = True
    # The calendar may be a little early (its own tolerance); the system is then a little ahead of it.
    for action in fluid.system.advance(max(date, fluid.system.now)):
        tag = action.tag
        if type(tag) is ReplayTag:
            tag.owner.replayed(world, action)
        else:
            tag.complete(world)
