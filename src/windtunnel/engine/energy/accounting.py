"""Energy of hosts and of jobs (batsim-outputs.md 1, 2, 5; execution-model.md 3).

The exact meters keep the power and energy of the whole site up to date by what changes, so that a reading costs
nothing. SimGrid's rule reads every meter, as Batsim does, because there a reading changes what is measured.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from windtunnel.diagnostics import UsageError
from windtunnel.engine.energy.meters import Meters, SimgridMeters
from windtunnel.engine.energy.racks import Racks, make_racks
from windtunnel.engine.state.world import World
from windtunnel.model import Host, HostSet, JobRecord, Platform

__all__ = [
    "Power",
    "job_ended",
    "job_paused",
    "job_resumed",
    "job_started",
    "make_power",
    "record_energy",
    "sleep_ended",
]

_RULES: Final = {"exact": Meters, "simgrid": SimgridMeters}


class Power:
    """All meters, and the sums over them. Hosts are numbered as in the sharing system (storages follow)."""

    def __init__(self, platform: Platform, rule: str) -> None:
        if rule not in _RULES:
            raise UsageError(f"there is no energy rule {rule!r}", f"choose {' or '.join(_RULES)}")
        hosts = (*platform.hosts, *platform.storages)
        self.meters = _RULES[rule](hosts)
        _check_metered(hosts, self.meters)
        self.hosts = range(len(hosts))
        self.exact = rule == "exact"
        self.watts = sum(self.meters.power(host) for host in self.hosts)
        self.joules = 0.0
        self.since = 0.0
        self.epsilon = sum(self._epsilon(host) for host in self.hosts)
        """Sum of the watts under the lightest load, in the present power states."""
        self.first = -1.0
        """Joules at the first static submission; -1 before it, as upstream's default."""
        self.last = 0.0
        """Joules at the last end of a job."""
        self.shares: dict[int, tuple[float, set[str]]] = {}
        """On shared hosts: joules when last divided, and the jobs among which they are divided."""
        self.jobs: set[str] = set()
        """The jobs whose energy is counted (not those that a component simulates itself)."""
        self.racks: Racks | None = None
        """The racks whose power is watched."""

    def _epsilon(self, host: int) -> float:
        state = self.meters.states[host][self.meters.pstates[host]]
        return (state.idle if state.epsilon is None else state.epsilon) or 0.0

    def _move(self, now: float) -> None:
        self.joules += self.watts * (now - self.since)
        self.since = now

    def set_loads(self, now: float, loads: Mapping[int, float]) -> None:
        """The flop/s in use have changed."""
        if self.exact and loads:
            self._move(now)
            power = self.meters.power
            before = sum(map(power, loads))
            self.meters.set_loads(now, loads)
            self.watts += sum(map(power, loads)) - before
        else:
            self.meters.set_loads(now, loads)
        if self.racks is not None:
            self.racks.follow(now, loads, self.meters)

    def set_pstate(self, now: float, hosts: HostSet | Sequence[int], pstate: int) -> None:
        """Hosts go over to another power state."""
        self._move(now)
        for host in hosts:
            self.watts -= self.meters.power(host)
            self.epsilon -= self._epsilon(host)
            self.meters.set_pstate(now, host, pstate)
            self.watts += self.meters.power(host)
            self.epsilon += self._epsilon(host)
        if self.racks is not None:
            self.racks.follow(now, hosts, self.meters)

    def set_off(self, now: float, hosts: HostSet | Sequence[int], *, off: bool) -> None:
        """Hosts lose their power, or have it again (machines that halt, fail and come back)."""
        self._move(now)
        for host in hosts:
            self.watts -= self.meters.power(host)
            self.meters.set_off(now, host, off)
            self.watts += self.meters.power(host)
        if self.racks is not None:
            self.racks.follow(now, hosts, self.meters)

    def touch(self, now: float, hosts: Iterable[int]) -> None:
        """Something SimGrid notices happened on hosts."""
        self.meters.touch(now, hosts)

    def total(self, now: float) -> float:
        """Joules of all hosts since the start."""
        if self.exact:
            self._move(now)
            return self.joules
        return self.meters.total(now, self.hosts)

    def of(self, now: float, hosts: Iterable[int]) -> float:
        """Joules of some hosts since the start."""
        return self.meters.total(now, hosts)


def _check_metered(hosts: Sequence[Host], meters: Meters) -> None:
    """Energy needs the watts of every host."""
    dark = [host.name for host, known in zip(hosts, meters.metered, strict=True) if not known]
    if dark:
        shown = ", ".join(dark[:5]) + (f" and {len(dark) - 5} more" if len(dark) > 5 else "")
        raise UsageError(
            f"energy was asked for, but the platform does not tell the watts of {shown}",
            'give each host a property such as <prop id="wattage_per_state" value="95:190"/>',
        )


def make_power(world: World) -> None:
    """Meters, when the options ask for energy."""
    if world.options.energy:
        world.energy = meters = Power(world.platform, world.options.energy_rule)
        meters.racks = make_racks(world, meters.meters)


def record_energy(world: World, kind: str) -> None:
    """A row of the energy of the whole site: at a job's start (s), its end (e), or a power event (p)."""
    power: Power = world.energy
    joules = power.total(world.now)
    if kind == "e":
        power.last = joules
    for hook in world.hooks.energy:
        hook(world.now, joules, kind, power.epsilon)


def job_started(world: World, record: JobRecord) -> None:
    """Before a job starts: read the meters of its hosts."""
    record.consumed_energy = 0.0
    world.energy.jobs.add(record.job.id)
    job_resumed(world, record)
    record_energy(world, "s")


def _is_shared(world: World, record: JobRecord) -> bool:
    """Whether the energy of the job's hosts is divided among those that are on them."""
    shared = world.hosts.jobs_on is not None or record.amounts is not None
    return shared and world.options.job_energy == "fair"


def sleep_ended(world: World, record: JobRecord) -> None:
    """A delay is a sleep on the lowest host of its job: SimGrid looks at that host's meter when it ends."""
    if world.energy is not None and record.hosts:
        world.energy.touch(world.now, (record.hosts.first,))


def job_ended(world: World, record: JobRecord) -> None:
    """After a job's end, when it has left its hosts (a suspended one had left them before)."""
    if record.job.id in world.energy.jobs:
        world.energy.jobs.remove(record.job.id)
        record_energy(world, "e")


def job_resumed(world: World, record: JobRecord) -> None:
    """A job gets its hosts: what they consume from now on is its energy (its fair part, on shared hosts)."""
    if _is_shared(world, record):
        _divide(world, record.hosts, record.job.id, joins=True)
    else:
        record.consumed_energy -= world.energy.of(world.now, record.hosts)


def job_paused(world: World, record: JobRecord) -> None:
    """A job leaves its hosts."""
    if record.job.id not in world.energy.jobs:
        return
    if _is_shared(world, record):
        _divide(world, record.hosts, record.job.id, joins=False)
    else:
        record.consumed_energy += world.energy.of(world.now, record.hosts)


def _divide(world: World, hosts: HostSet, job_id: str, *, joins: bool) -> None:
    """Divide what each host consumed since the last change among the jobs that were on it, equally."""
    power: Power = world.energy
    for host in hosts:
        before, present = power.shares.get(host, (0.0, set()))
        joules = power.meters.read(world.now, host)
        for name in present:
            world.jobs[name].consumed_energy += (joules - before) / len(present)
        if joins:
            present.add(job_id)
        else:
            present.discard(job_id)
        power.shares[host] = (joules, present)
