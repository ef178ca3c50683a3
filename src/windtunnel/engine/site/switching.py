"""Power states of hosts: changing them, switching hosts off and on (batsim-protocol.md 11, batsim-inputs.md 7.3).

A switch puts the host into a virtual power state, in which it executes one flop, and then into the state asked for.
"""

from collections.abc import Sequence

import msgspec

from windtunnel.engine.state.calendar import SWITCHED
from windtunnel.engine.sharing.model import fluid_of
from windtunnel.engine.state.hosts import HostState
from windtunnel.engine.energy.accounting import record_energy
from windtunnel.engine.state.refusal import refuse
from windtunnel.engine.state.world import Priority, World
from windtunnel.model import Host, HostSet
from windtunnel.vocabulary import (
    ChangeHostsPState,
    Decision,
    EnergyAnswered,
    HostsPStateChanged,
    HostsTurnedOnOff,
    Notice,
    QueryEnergy,
    ResourceStateChanged,
    SetResourceState,
    TurnOnOffHosts,
)

__all__ = [
    "Group",
    "change_hosts_pstate",
    "group_switched",
    "query_energy",
    "set_resource_state",
    "turn_on_off_hosts",
]


class Group(msgspec.Struct, eq=False):
    """Hosts that were asked to switch together; acknowledged when all have arrived."""

    hosts: HostSet
    target: int
    acknowledgement: Notice
    pending: int = 0


class Switch(msgspec.Struct, eq=False):
    """Hosts of a group that arrive together."""

    group: Group
    hosts: HostSet

    def complete(self, world: World) -> None:
        """The one flop is done: these hosts have arrived."""
        _arrived(world, self)


def query_energy(world: World, rank: int, decision: QueryEnergy) -> None:
    """Tell the energy of all hosts so far, in the next round."""
    if world.energy is None:
        refuse(world, decision, "energy", "the consumed energy was asked for, but energy is not simulated")
    world.seats[rank].outbox.append(EnergyAnswered(world.now, world.energy.total(world.now)))


def _check(world: World, decision: Decision, hosts: HostSet, pstate: int) -> list[Host]:
    beyond = hosts - HostSet.span(world.hosts.size)
    if beyond or not hosts:
        refuse(
            world, decision, "unknown-host", f"there are no compute hosts {beyond}" if beyond else "it names no host"
        )
    made = [world.platform.hosts[number] for number in hosts]
    for host in made:
        if not 0 <= pstate < len(host.pstates):
            refuse(
                world,
                decision,
                "pstate",
                f"host {host.id} ({host.name}) has power states 0 to {len(host.pstates) - 1}, not {pstate}",
            )
    return made


def _set(world: World, hosts: HostSet, pstate: int) -> None:
    """Hosts of one kind go over to a power state."""
    for host in hosts:
        world.hosts.pstate[host] = pstate
    by_speed: dict[float, list[int]] = {}
    for host in hosts:
        by_speed.setdefault(world.platform.hosts[host].pstates[pstate].speed, []).append(host)
    if world.fluid is not None:
        for speed, alike in by_speed.items():
            world.fluid.set_speed(world.now, alike, speed)
    if world.energy is not None:
        world.energy.set_pstate(world.now, hosts, pstate)
    if world.gauges is not None:
        world.gauges.follow(world, hosts)


def _tell(world: World, hosts: HostSet, pstate: int) -> None:
    for hook in world.hooks.pstate:
        hook(world.now, hosts, pstate)
    if world.energy is not None:
        record_energy(world, "p")


def change_hosts_pstate(world: World, rank: int, decision: ChangeHostsPState) -> None:
    """Change power states at once, without checks of their kind (Batsim 5).

    Where hosts are shared, as in Batsim 5, one that is left in a state that is not for computing takes no new job.
    """
    del rank
    hosts = _check(world, decision, decision.hosts, decision.pstate)
    _set(world, decision.hosts, decision.pstate)
    table = world.hosts
    if table.jobs_on is not None:
        dark = HostSet(host.id for host in hosts if not _computes(host, decision.pstate))
        table.free -= dark
        table.free |= HostSet(number for number in decision.hosts - dark if number not in table.special)
    _tell(world, decision.hosts, decision.pstate)
    world.tell(HostsPStateChanged(world.now, decision.hosts, decision.pstate))


def turn_on_off_hosts(world: World, rank: int, decision: TurnOnOffHosts) -> None:
    """Switch a group of hosts on or off (Batsim 5)."""
    del rank
    hosts = _check(world, decision, decision.hosts, decision.state)
    target = decision.state
    virtual: list[int] = []
    for host in hosts:
        now_in = world.hosts.pstate[host.id]
        where = f"Invalid turning ON/OFF of host {host.id} ('{host.name}')"
        _must_rest(world, decision, host)
        if target in host.sleep_pstates:
            if now_in in host.sleep_pstates:
                refuse(
                    world,
                    decision,
                    "already-off",
                    f"{where}: Asked to turn OFF a host already in a sleep pstate "
                    f"(current: {now_in} target: {target})",
                )
            virtual.append(host.sleep_pstates[target][0])
        else:
            if target in _virtual(host):
                refuse(
                    world,
                    decision,
                    "virtual-pstate",
                    f"{where}: Switching from a computation pstate to an invalid pstate: {now_in} -> {target}",
                )
            if now_in not in host.sleep_pstates:
                refuse(
                    world,
                    decision,
                    "already-on",
                    f"{where}: Asked to turn ON a host already in a computing pstate "
                    f"(current: {now_in} target: {target})",
                )
            virtual.append(host.sleep_pstates[now_in][1])
    group = Group(decision.hosts, target, HostsTurnedOnOff(0.0, decision.hosts, target))
    _switch(world, group, hosts, virtual)


def _computes(host: Host, pstate: int) -> bool:
    """Whether a power state is one for computing: neither asleep nor on the way."""
    return pstate not in host.sleep_pstates and pstate not in _virtual(host)


def _virtual(host: Host) -> set[int]:
    return {p for pair in host.sleep_pstates.values() for p in pair}


def _must_rest(world: World, decision: Decision, host: Host) -> None:
    state = world.hosts.state(host.id)
    if state is HostState.UNAVAILABLE:  # it may be busy, or on its way, all the same
        state = world.hosts.behind(host.id)
    if state is HostState.COMPUTING:
        refuse(world, decision, "host-busy", f"jobs are running on machine {host.id} ('{host.name}')")
    if state in (HostState.SWITCHING_OFF, HostState.SWITCHING_ON):
        refuse(world, decision, "switching", f"machine {host.id} ('{host.name}') is {state.name.lower()} already")


def set_resource_state(world: World, rank: int, decision: SetResourceState) -> None:
    """Batsim 4's request: what it does depends on the present power state of each host."""
    if world.energy is None:
        refuse(world, decision, "energy", "power states can be changed only when energy is simulated (--energy)")
    hosts = _check(world, decision, decision.hosts, decision.state)
    target = decision.state
    at_once: list[int] = []
    moving: list[Host] = []
    virtual: list[int] = []
    for host in hosts:
        now_in = world.hosts.pstate[host.id]
        if target in _virtual(host):
            refuse(world, decision, "virtual-pstate", f"{target} is a virtual power state of machine {host.id}")
        if target in host.sleep_pstates:
            _must_rest(world, decision, host)
            if now_in in host.sleep_pstates:
                refuse(world, decision, "already-off", f"machine {host.id} sleeps already (power state {now_in})")
            moving.append(host)
            virtual.append(host.sleep_pstates[target][0])
        elif now_in in host.sleep_pstates:
            moving.append(host)
            virtual.append(host.sleep_pstates[now_in][1])
        else:
            if world.hosts.state(host.id) is HostState.SWITCHING_OFF:
                refuse(world, decision, "switching", f"machine {host.id} is being switched off")
            at_once.append(host.id)
    acknowledgement = ResourceStateChanged(0.0, decision.hosts, target)
    world.nb_switch_groups += 1
    world.nb_switches += len(decision.hosts)
    if at_once:
        changed = HostSet(at_once)
        _set(world, changed, target)
        _tell(world, changed, target)
    if moving:
        group = Group(HostSet(h.id for h in moving), target, acknowledgement)
        _switch(world, group, moving, virtual, counted=True)
    else:
        acknowledgement.timestamp = world.now
        world.seats[rank].outbox.append(acknowledgement)


def _switch(
    world: World, group: Group, hosts: Sequence[Host], virtual: Sequence[int], *, counted: bool = False
) -> None:
    """Put hosts into their virtual power states, and let each execute its flop."""
    table = world.hosts
    off = group.target in hosts[0].sleep_pstates
    state = HostState.SWITCHING_OFF if off else HostState.SWITCHING_ON
    world.open += 1
    if not counted:
        world.nb_switch_groups += 1
        world.nb_switches += len(group.hosts)
    table.set_special(group.hosts, state, world.now)
    for hook in world.hooks.states:
        hook(world.now, table.counts)
    _tell(world, group.hosts, -2 if off else -1)  # with the power states from before, as upstream records it
    fluid = fluid_of(world)
    alike: dict[tuple[int, float], list[int]] = {}
    for host, pstate in zip(hosts, virtual, strict=True):
        alike.setdefault((pstate, host.pstates[pstate].speed), []).append(host.id)
    for (pstate, _), numbers in alike.items():
        _set(world, HostSet(numbers), pstate)
    for numbers in alike.values():
        group.pending += 1
        if world.energy is not None and len(numbers) == 1:
            world.energy.touch(world.now, numbers)
        fluid.start(world.now, fluid.builder.homogeneous(numbers, 1.0, 0.0), Switch(group, HostSet(numbers)))


def _arrived(world: World, switch: Switch) -> None:
    """Some hosts are done; the group is when all are."""
    group = switch.group
    if world.energy is not None:
        world.energy.touch(world.now, switch.hosts)
    _set(world, switch.hosts, group.target)
    off = group.target in world.platform.hosts[switch.hosts.first].sleep_pstates
    if off:
        world.hosts.set_special(switch.hosts, HostState.SLEEPING, world.now)
    else:
        world.hosts.clear_special(switch.hosts, world.now)
    group.pending -= 1
    if not group.pending:  # told after all that arrives at this instant
        world.push(world.now, Priority.SWITCHED, SWITCHED, group)


def group_switched(world: World, group: Group) -> None:
    """All hosts of a group have arrived."""
    world.open -= 1
    for hook in world.hooks.states:
        hook(world.now, world.hosts.counts)
    _tell(world, group.hosts, group.target)
    group.acknowledgement.timestamp = world.now
    world.tell(group.acknowledgement)
