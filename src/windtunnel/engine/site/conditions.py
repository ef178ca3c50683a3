"""What the profiles of a platform do while a run goes on (execution-model.md 1.5 and 2.7).

Speeds, bandwidths and latencies change at the dates of their profiles. A host that is switched off takes no work, and
what runs on it fails, as on a machine that fails (see ``machines``); a task that uses a link or storage that is off
fails, too. Whatever ends at the date of a change has ended before it.
"""

from collections.abc import Callable, Sequence
from math import inf
from typing import TYPE_CHECKING, Final

import msgspec

from windtunnel.diagnostics import DeadlockError
from windtunnel.engine.jobs.deadlock import diagnose
from windtunnel.engine.state.calendar import CONDITION, LOST
from windtunnel.engine.jobs.execution import Node
from windtunnel.engine.jobs.execution.tasks import task_of
from windtunnel.engine.sharing.model import fluid_of
from windtunnel.engine.site.machines import change_state, lose_job
from windtunnel.engine.state.world import Priority, World
from windtunnel.model import ExternalEvent, HostSet, JobRecord

if TYPE_CHECKING:
    from windtunnel.engine.sharing import Action, Task

__all__ = ["Condition", "Conditions", "change_due", "job_lost", "plan_conditions"]

CAUSE: Final = "profile of the platform"


class Condition(msgspec.Struct, eq=False):
    """One profile under way: ``pairs`` are (date, value); with a period the dates come again."""

    kind: str
    """speed, host, bandwidth, latency or link."""
    target: int
    """The number of the host (storages follow the compute hosts) or of the link."""
    pairs: tuple[tuple[float, float], ...]
    period: float
    index: int = 0
    base: float = 0.0
    """When the present repetition began."""

    @property
    def due(self) -> float:
        """The date of the next change (infinite: there is none)."""
        return self.base + self.pairs[self.index][0] if self.index < len(self.pairs) else inf

    def step(self) -> float:
        """The value of the change that is due; go on to the next one."""
        value = self.pairs[self.index][1]
        self.index += 1
        if self.index == len(self.pairs) and self.period > 0:
            self.index = 0
            self.base += self.period
        return value


class Conditions:
    """What is off now, and what is needed to see that nothing else will ever happen."""

    def __init__(self) -> None:
        self.storages: set[int] = set()
        """Storages that are off."""
        self.links: set[int] = set()
        """Links that are off, as constraints of the sharing system."""
        self.planned = 0
        self.longest = 0.0
        """The longest period of a profile that repeats."""
        self.idle_since = inf

    def look(self, world: World) -> None:
        """Tasks that have begun on a link or storage that is off fail at once."""
        if self.storages or self.links:
            for record in _users(world, self.breaks):
                world.push(world.now, Priority.END, LOST, record, record.version)

    def breaks(self, task: "Task") -> bool:
        """Whether a task uses something that is off."""
        return not self.storages.isdisjoint(task.hosts) or (
            bool(self.links) and any(not self.links.isdisjoint(links) for links, _ in task.links)
        )


def plan_conditions(world: World) -> None:
    """Put the first change of every profile into the calendar."""
    platform = world.platform
    links = platform.network.links if platform.network is not None else ()
    found = [
        Condition(kind, number, pairs, period)
        for number, host in enumerate((*platform.hosts, *platform.storages))
        for kind, pairs, period in (
            ("speed", host.speed_profile, host.speed_period),
            ("host", host.state_profile, host.state_period),
        )
        if pairs
    ]
    found += [
        Condition(kind, number, pairs, period)
        for number, link in enumerate(links)
        for kind, pairs, period in (
            ("bandwidth", link.bandwidth_profile, link.bandwidth_period),
            ("latency", link.latency_profile, link.latency_period),
            ("link", link.state_profile, link.state_period),
        )
        if pairs
    ]
    if not found:
        return
    world.conditions = conditions = Conditions()
    conditions.longest = max(condition.period for condition in found)
    for condition in found:
        _plan(world, condition)


def _plan(world: World, condition: Condition) -> None:
    if condition.due < inf:
        world.conditions.planned += 1
        world.push(condition.due, Priority.SWITCHED, CONDITION, condition)


def change_due(world: World, condition: Condition) -> None:
    """One change of a profile."""
    world.conditions.planned -= 1
    value = condition.step()
    _APPLY[condition.kind](world, condition.target, value)
    _plan(world, condition)
    _check_alive(world)


def _check_alive(world: World) -> None:
    """Profiles that repeat keep the calendar from being empty: a run that only they keep going is stuck."""
    conditions: Conditions = world.conditions
    if len(world.heap) > conditions.planned or (world.fluid is not None and world.fluid.system.next_event() < inf):
        conditions.idle_since = inf
    elif conditions.idle_since == inf:
        conditions.idle_since = world.now
    elif conditions.longest > 0 and world.now - conditions.idle_since > 3 * conditions.longest:
        raise DeadlockError(diagnose(world), now=world.now)


def _speed(world: World, host: int, factor: float) -> None:
    if world.energy is not None:
        world.energy.touch(world.now, (host,))
    fluid_of(world).scale_speed(world.now, host, factor)


def _host(world: World, host: int, value: float) -> None:
    off = value == 0
    if host >= world.hosts.size:
        if world.energy is not None:
            world.energy.set_off(world.now, (host,), off=off)
        _switch(world, world.conditions.storages, host, off=off)
        return
    change_state(
        world,
        ExternalEvent(
            timestamp=world.now,
            kind="machine_state",
            hosts=HostSet((host,)),
            attributes={"state": "FAILURE" if off else "ACTIVE", "cause": CAUSE},
        ),
        CAUSE,
    )


def _bandwidth(world: World, link: int, value: float) -> None:
    fluid_of(world).set_bandwidth(world.now, link, value)


def _latency(world: World, link: int, value: float) -> None:
    """Tasks that begin from now on have it; of those under way only the bound by the TCP window changes."""
    fluid = fluid_of(world)
    build = fluid.builder
    build.set_latency(link, value)
    constraint = len(build.endpoints) + link
    for action in [*fluid.system.actions.values()]:
        task = action.task
        if task is not None and any(constraint in links for links, _ in task.links):
            fluid.set_network_bound(world.now, action, _again(world, action, task).network_bound)


def _again(world: World, action: "Action", task: "Task") -> "Task":
    """The same task under the present latencies."""
    if isinstance(action.tag, Node):
        return task_of(world, action.tag)
    weight = task.links[0][1]  # a message of a replay: one flow
    assert isinstance(weight, float)
    return fluid_of(world).builder.flows(task.hosts, ((task.hosts[0], task.hosts[-1], weight),))


def _link(world: World, link: int, value: float) -> None:
    constraint = len(fluid_of(world).builder.endpoints) + link
    _switch(world, world.conditions.links, constraint, off=value == 0)


def _switch(world: World, gone: set[int], number: int, *, off: bool) -> None:
    if not off:
        gone.discard(number)
        return
    gone.add(number)
    for record in _users(world, world.conditions.breaks):
        lose_job(world, record, failed=True)


_APPLY: Final = {"speed": _speed, "host": _host, "bandwidth": _bandwidth, "latency": _latency, "link": _link}


def _users(world: World, breaks: "Callable[[Task], bool]") -> Sequence[JobRecord]:
    """The jobs with a task under way (not suspended) that is hit."""
    from windtunnel.engine.replay import ReplayTag

    records: dict[str, JobRecord] = {}
    for action in fluid_of(world).system.actions.values():
        tag = action.tag.owner if isinstance(action.tag, ReplayTag) else action.tag
        if isinstance(tag, Node) and action.task is not None and action.held < 0 and breaks(action.task):
            records[tag.record.job.id] = tag.record
    return list(records.values())


def job_lost(world: World, record: JobRecord) -> None:
    """A job has lost a link or a storage that it uses."""
    lose_job(world, record, failed=True)
