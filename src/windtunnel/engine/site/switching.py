"""Power states of hosts: changing them, switching hosts off and on (batsim-protocol.md 11, batsim-inputs.md 7.3).

A switch puts the host into a virtual power state, in which it executes one flop, and then into the state asked for.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mypy_extensions import mypyc_attr

from windtunnel.engine.sharing.model import sharing_of
from windtunnel.engine.sharing.owner import Owner
from windtunnel.engine.state.calendar import SWITCHED, Priority
from windtunnel.engine.state.host_states import HostState
from windtunnel.engine.state.refusal import refuse
from windtunnel.engine.state.world import World
from windtunnel.model import Host, HostSet
from windtunnel.vocabulary import (
    ChangeHostsPState,
    Decision,
    EnergyAnswered,
    HostsPStateChanged,
    HostsSwitching,
    HostsTurnedOnOff,
    Notice,
    QueryEnergy,
    ResourceStateChanged,
    SetResourceState,
    TurnOnOffHosts,
)

if TYPE_CHECKING:
    from windtunnel.engine.sharing import Action

__all__ = [
    "SwitchRequest",
    "change_hosts_pstate",
    "query_energy",
    "request_done",
    "set_resource_state",
    "turn_on_off_hosts",
]


@mypyc_attr(allow_interpreted_subclasses=True)
class SwitchRequest:
    """Hosts that were asked to switch together; acknowledged when all have arrived."""

    def __init__(self, hosts: HostSet, target: int, acknowledgement: Notice) -> None:
        self.hosts = hosts
        self.target = target
        self.acknowledgement = acknowledgement
        self.pending = 0
        """How many switches are under way."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Switch(Owner):
    """Hosts of a request that arrive together."""

    def __init__(self, request: SwitchRequest, hosts: HostSet) -> None:
        self.request = request
        self.hosts = hosts

    def complete(self, world: World, action: "Action") -> None:
        """The one flop is done: these hosts have arrived."""
        del action
        _arrived(world, self)


def query_energy(world: World, rank: int, decision: QueryEnergy) -> None:
    """Tell the energy of all hosts so far, in the next round."""
    if not world.metered:
        refuse(world, decision, "energy", "the consumed energy was asked for, but energy is not simulated")
    world.sessions[rank].outbox.append(EnergyAnswered(world.now, world.energy.total(world.now)))


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
    for speed, alike in by_speed.items():
        world.sharing.set_speed(alike, speed)
    world.energy.set_pstate(hosts, pstate)
    world.gauges.follow(hosts)


def _tell(world: World, hosts: HostSet, pstate: int) -> None:
    for hook in world.hooks.pstate:
        hook(world.now, hosts, pstate)
    world.energy.pstates_changed()


def change_hosts_pstate(world: World, rank: int, decision: ChangeHostsPState) -> None:
    """Change power states at once, without checks of their kind (Batsim 5).

    Where hosts are shared, as in Batsim 5, one that is left in a state that is not for computing takes no new job.
    """
    del rank
    hosts = _check(world, decision, decision.hosts, decision.pstate)
    _must_be_awake(world, decision, hosts)
    _set(world, decision.hosts, decision.pstate)
    table = world.hosts
    if table.sharing:
        dark = HostSet(host.id for host in hosts if not host.computes_in(decision.pstate))
        table.free -= dark
        table.free |= HostSet(number for number in decision.hosts - dark if number not in table.special)
    _tell(world, decision.hosts, decision.pstate)
    world.tell(HostsPStateChanged(world.now, decision.hosts, decision.pstate))


def turn_on_off_hosts(world: World, rank: int, decision: TurnOnOffHosts) -> None:
    """Switch hosts on or off together (Batsim 5)."""
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
    request = SwitchRequest(decision.hosts, target, HostsTurnedOnOff(0.0, decision.hosts, target))
    _switch(world, rank, request, hosts, virtual)


def _must_be_awake(world: World, decision: Decision, hosts: Sequence[Host]) -> None:
    """A host that was switched off is switched on again, which takes its time; meanwhile it has no other state."""
    for host in hosts:
        state = world.hosts.state(host.id)
        if state is HostState.UNAVAILABLE:
            state = world.hosts.behind(host.id)
        if state in (HostState.SLEEPING, HostState.SWITCHING_OFF, HostState.SWITCHING_ON):
            doing = "asleep: switch it on" if state is HostState.SLEEPING else state.name.lower().replace("_", " ")
            refuse(world, decision, "switching", f"machine {host.id} ('{host.name}') is {doing}")


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
    if not world.metered:
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
        request = SwitchRequest(HostSet(h.id for h in moving), target, acknowledgement)
        _switch(world, rank, request, moving, virtual, counted=True)
    else:
        acknowledgement.timestamp = world.now
        world.sessions[rank].outbox.append(acknowledgement)


def _switch(
    world: World,
    rank: int,
    request: SwitchRequest,
    hosts: Sequence[Host],
    virtual: Sequence[int],
    *,
    counted: bool = False,
) -> None:
    """Put hosts into their virtual power states, and let each execute its flop."""
    world.tell_others(rank, HostsSwitching(world.now, request.hosts, request.target))
    table = world.hosts
    off = request.target in hosts[0].sleep_pstates
    state = HostState.SWITCHING_OFF if off else HostState.SWITCHING_ON
    world.unfinished += 1
    if not counted:
        world.nb_switch_groups += 1
        world.nb_switches += len(request.hosts)
    table.set_special(request.hosts, state, world.now)
    for hook in world.hooks.states:
        hook(world.now, table.counts)
    _tell(world, request.hosts, -2 if off else -1)  # with the power states from before, as upstream records it
    sharing = sharing_of(world)
    alike: dict[tuple[int, float], list[int]] = {}
    for host, pstate in zip(hosts, virtual, strict=True):
        alike.setdefault((pstate, host.pstates[pstate].speed), []).append(host.id)
    for (pstate, _), numbers in alike.items():
        _set(world, HostSet(numbers), pstate)
    for numbers in alike.values():
        request.pending += 1
        if len(numbers) == 1:
            world.energy.touch(numbers)
        sharing.start(sharing.builder.homogeneous(numbers, 1.0, 0.0), Switch(request, HostSet(numbers)))


def _arrived(world: World, switch: Switch) -> None:
    """Some hosts are done; the request is when all are."""
    request = switch.request
    world.energy.touch(switch.hosts)
    _set(world, switch.hosts, request.target)
    off = request.target in world.platform.hosts[switch.hosts.first].sleep_pstates
    if off:
        world.hosts.set_special(switch.hosts, HostState.SLEEPING, world.now)
    else:
        world.hosts.clear_special(switch.hosts, world.now)
    request.pending -= 1
    if not request.pending:  # told after all that arrives at this instant
        world.push(world.now, Priority.SWITCHED, SWITCHED, request)


def request_done(world: World, request: SwitchRequest) -> None:
    """All hosts of a request have arrived."""
    world.unfinished -= 1
    for hook in world.hooks.states:
        hook(world.now, world.hosts.counts)
    _tell(world, request.hosts, request.target)
    request.acknowledgement.timestamp = world.now
    world.tell(request.acknowledgement)
