"""What the profiles of a platform do while a run goes on (execution-model.md 1.5 and 2.7).

Speeds, bandwidths and latencies change at the dates of their profiles. A host that is switched off takes no work, and
what runs on it fails, as on a machine that fails (see ``machines``); a task that uses a link or storage that is off
fails, too. Whatever ends at the date of a change has ended before it.
"""

from collections.abc import Callable, Sequence
from math import inf
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from mypy_extensions import mypyc_attr

from windtunnel.diagnostics import DeadlockError
from windtunnel.engine.jobs.deadlock import diagnose
from windtunnel.engine.jobs.requeueing import lose_job
from windtunnel.engine.sharing.model import sharing_of
from windtunnel.engine.site.machines import change_state
from windtunnel.engine.state.calendar import CONDITION, JOB_LOST, Priority
from windtunnel.engine.state.subsystems import Conditions
from windtunnel.engine.state.world import World
from windtunnel.model import ExternalEvent, HostSet, JobRecord
from windtunnel.model.platform import kinds_of

if TYPE_CHECKING:
    from windtunnel.engine.sharing import Task

__all__ = ["ChangeProfile", "PlatformConditions", "change_due", "plan_conditions"]

CAUSE: Final = "profile of the platform"


@mypyc_attr(allow_interpreted_subclasses=True)
class ChangeProfile:
    """One profile under way: ``pairs`` are (date, value); with a period the dates come again."""

    def __init__(self, kind: str, target: int, pairs: tuple[tuple[float, float], ...], period: float) -> None:
        self.kind = kind
        """speed, host, bandwidth, latency or link."""
        self.target = target
        """The number of the host (storages follow the compute hosts) or of the link."""
        self.pairs = pairs
        self.period = period
        self.index = 0
        self.base = 0.0
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


@mypyc_attr(allow_interpreted_subclasses=True)
class PlatformConditions(Conditions):
    """What is off now, and what is needed to see that nothing else will ever happen."""

    def __init__(self, world: World, profiles: Sequence[ChangeProfile]) -> None:
        self._world = world
        self.storages: set[int] = set()
        """Storages that are off."""
        self.links: set[int] = set()
        """Links that are off, as constraints of the sharing system."""
        self.planned = 0
        """Changes in the calendar."""
        self.longest = max(profile.period for profile in profiles)
        """The longest period of a profile that repeats."""
        self.idle_since = inf

    def fail_tasks(self) -> None:
        """Tasks that have begun on a link or storage that is off fail at once."""
        world = self._world
        if self.storages or self.links:
            for record in users_of(world, self.breaks):
                world.push(world.now, Priority.END, JOB_LOST, record, record.version)

    def breaks(self, task: "Task") -> bool:
        """Whether a task uses something that is off."""
        return not self.storages.isdisjoint(task.hosts) or (
            bool(self.links) and any(not self.links.isdisjoint(links) for links, _ in task.links)
        )

    def switch(self, gone: set[int], number: int, *, off: bool) -> None:
        """A link or a storage is off from now on, or on again."""
        if not off:
            gone.discard(number)
            return
        gone.add(number)
        for record in users_of(self._world, self.breaks):
            lose_job(self._world, record, failed=True)

    def plan(self, profile: ChangeProfile) -> None:
        """Put the next change of a profile into the calendar."""
        if profile.due < inf:
            self.planned += 1
            self._world.push(profile.due, Priority.SWITCHED, CONDITION, (self, profile))

    def check_alive(self) -> None:
        """Profiles that repeat keep the calendar from being empty: a run that only they keep going is stuck."""
        world = self._world
        if len(world.heap) > self.planned or world.sharing.next_event() < inf:
            self.idle_since = inf
        elif self.idle_since == inf:
            self.idle_since = world.now
        elif self.longest > 0 and world.now - self.idle_since > 3 * self.longest:
            raise DeadlockError(diagnose(world), now=world.now)


def users_of(world: World, breaks: "Callable[[Task], bool]") -> Sequence[JobRecord]:
    """The jobs with a task under way (not suspended) that is hit."""
    records: dict[str, JobRecord] = {}
    for action in sharing_of(world).system.actions.values():
        record = action.tag.job
        if record is not None and action.task is not None and action.held < 0 and breaks(action.task):
            records[record.job.id] = record
    return list(records.values())


def plan_conditions(world: World) -> None:
    """Put the first change of every profile into the calendar."""
    platform = world.platform
    links = platform.network.links if platform.network is not None else ()
    kinds = (*kinds_of(platform.hosts), *platform.storages)
    change = any(any(map(attrgetter(profile), kinds)) for profile in ("speed_profile", "state_profile"))
    machines = (*platform.hosts, *platform.storages) if change else ()
    found = [
        ChangeProfile(kind, number, pairs, period)
        for number, host in enumerate(machines)
        for kind, pairs, period in (
            ("speed", host.speed_profile, host.speed_period),
            ("host", host.state_profile, host.state_period),
        )
        if pairs
    ]
    found += [
        ChangeProfile(kind, number, pairs, period)
        for number, link in enumerate(links)
        for kind, pairs, period in (
            ("bandwidth", link.bandwidth_profile, link.bandwidth_period),
            ("latency", link.latency_profile, link.latency_period),
            ("link", link.state_profile, link.state_period),
        )
        if pairs
    ]
    if found:
        world.conditions = conditions = PlatformConditions(world, found)
        for profile in found:
            conditions.plan(profile)


def change_due(world: World, payload: tuple[PlatformConditions, ChangeProfile]) -> None:
    """One change of a profile."""
    conditions, profile = payload
    conditions.planned -= 1
    value = profile.step()
    _APPLY[profile.kind](world, conditions, profile.target, value)
    conditions.plan(profile)
    conditions.check_alive()


def _speed(world: World, conditions: PlatformConditions, host: int, factor: float) -> None:
    del conditions
    world.energy.touch((host,))
    sharing_of(world).scale_speed(host, factor)


def _host(world: World, conditions: PlatformConditions, host: int, value: float) -> None:
    off = value == 0
    if host >= world.hosts.size:
        world.energy.set_off((host,), off=off)
        conditions.switch(conditions.storages, host, off=off)
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


def _bandwidth(world: World, conditions: PlatformConditions, link: int, value: float) -> None:
    del conditions
    sharing_of(world).set_bandwidth(link, value)


def _latency(world: World, conditions: PlatformConditions, link: int, value: float) -> None:
    """Tasks that begin from now on have it; of those under way only the bound by the TCP window changes."""
    del conditions
    sharing = sharing_of(world)
    sharing.builder.set_latency(link, value)
    constraint = sharing.constraint(link)
    for action in [*sharing.system.actions.values()]:
        task = action.task
        if task is not None and any(constraint in links for links, _ in task.links):
            sharing.set_network_bound(action, action.tag.again(world, action).network_bound)


def _link(world: World, conditions: PlatformConditions, link: int, value: float) -> None:
    conditions.switch(conditions.links, sharing_of(world).constraint(link), off=value == 0)


_APPLY: Final = {"speed": _speed, "host": _host, "bandwidth": _bandwidth, "latency": _latency, "link": _link}
