"""Energy of hosts and of jobs (batsim-outputs.md 1, 2, 5; execution-model.md 3).

The exact meters keep the power and energy of the whole site up to date by what changes, so that a reading costs
nothing. SimGrid's rule reads every meter, as Batsim does, because there a reading changes what is measured.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.diagnostics import UsageError
from windtunnel.engine.energy.meters import Meters, SimgridMeters
from windtunnel.engine.energy.racks import racks_of
from windtunnel.engine.energy.together import Span, Together
from windtunnel.engine.state.subsystems import Energy
from windtunnel.engine.state.world import World
from windtunnel.model import DelayProfile, Host, HostSet, JobRecord

__all__ = ["SiteEnergy", "check_watts"]

_RULES: Final = {"exact": Meters, "simgrid": SimgridMeters}


@mypyc_attr(allow_interpreted_subclasses=True)
class SiteEnergy(Energy):
    """All meters, and the sums over them. Hosts are numbered as in the sharing system (storages follow)."""

    def __init__(self, world: World, rule: str) -> None:
        if rule not in _RULES:
            raise UsageError(f"there is no energy rule {rule!r}", f"choose {' or '.join(_RULES)}")
        self._world = world
        hosts = (*world.platform.hosts, *world.platform.storages)
        self.meters = self._make_meters(hosts, rule)
        _check_metered(hosts, self.meters)
        self.hosts = range(len(hosts))
        self.exact = rule == "exact"
        self.watts = sum([self.meters.power(host) for host in self.hosts], 0.0)
        self.joules = 0.0
        self.since = 0.0
        self.epsilon = sum([self._epsilon(host) for host in self.hosts], 0.0)
        """Sum of the watts under the lightest load, in the present power states."""
        self.first = 0.0
        """Joules at the first static submission."""
        self.last = 0.0
        """Joules at the last end of a job, or where the run was stopped."""
        self.shares: dict[int, tuple[float, set[str]]] = {}
        """On shared hosts: joules when last divided, and the jobs among which they are divided."""
        self.jobs: set[str] = set()
        """The jobs whose energy is counted (not those that a component simulates itself)."""
        self.racks = racks_of(world, self.meters)
        """The racks whose power is watched."""
        together = self.exact and not self.racks.watched and not world.hosts.sharing
        self.together = Together(self.meters, len(world.platform.hosts)) if together else None
        """The jobs whose hosts are metered together, as long as nobody looks at single hosts."""
        self._unmetered: list[float] = []
        """By host: joules of such jobs before somebody did, which no meter knows."""

    def _make_meters(self, hosts: Sequence[Host], rule: str) -> Meters:
        return _RULES[rule](hosts)

    def _epsilon(self, host: int) -> float:
        state = self.meters.states[host][self.meters.pstates[host]]
        return (state.idle if state.epsilon is None else state.epsilon) or 0.0

    # -- what happens to hosts ----------------------------------------------------------------------------------

    def set_loads(self, loads: Mapping[int, float]) -> None:
        """The flop/s in use have changed on some hosts."""
        now = self._world.now
        if self.exact and loads:
            self._part(loads)
            self._move(now)
            power = self.meters.power
            before = sum(map(power, loads), 0.0)
            self.meters.set_loads(now, loads)
            self.watts += sum(map(power, loads), 0.0) - before
            self._looked(loads)
        else:
            self.meters.set_loads(now, loads)
        self.racks.follow(loads)

    def set_pstate(self, hosts: HostSet | Sequence[int], pstate: int) -> None:
        """Hosts go over to another power state."""
        now = self._world.now
        self._part(hosts)
        self._move(now)
        for host in hosts:
            self.watts -= self.meters.power(host)
            self.epsilon -= self._epsilon(host)
            self.meters.set_pstate(now, host, pstate)
            self.watts += self.meters.power(host)
            self.epsilon += self._epsilon(host)
        self._looked(hosts)
        self.racks.follow(hosts)

    def set_off(self, hosts: HostSet | Sequence[int], *, off: bool) -> None:
        """Hosts lose their power, or have it again (machines that halt, fail and come back)."""
        now = self._world.now
        self._part(hosts)
        self._move(now)
        for host in hosts:
            self.watts -= self.meters.power(host)
            self.meters.set_off(now, host, off)
            self.watts += self.meters.power(host)
        self._looked(hosts)
        self.racks.follow(hosts)

    def _part(self, hosts: Iterable[int]) -> None:
        """Something is about to happen on hosts: each needs a meter of its own."""
        if self.together is not None and self.together.spans:
            for span in self.together.met(hosts):
                self._parted(span)

    def _parted(self, span: Span) -> None:
        """The hosts of a job are metered one by one."""

    def _looked(self, hosts: Iterable[int]) -> None:
        if self.together is not None:
            self.together.looked(hosts)

    def _one_by_one(self) -> None:
        """Somebody looks at the meter of a single host."""
        if self.together is not None:
            for span in self.together.give_up():
                self._parted(span)
            self._unmetered = self.together.unmetered()
            self.together = None

    def touch(self, hosts: Iterable[int]) -> None:
        """Something SimGrid notices happened on hosts."""
        self.meters.touch(self._world.now, hosts)

    def _move(self, now: float) -> None:
        self.joules += self.watts * (now - self.since)
        self.since = now

    # -- what happens to jobs -----------------------------------------------------------------------------------

    def submission(self) -> None:
        """The first static job is submitted."""
        self.first = self.last = self.total(self._world.now)  # nothing is counted where no job ends after it

    def job_started(self, record: JobRecord) -> None:
        """Before a job starts: read the meters of its hosts."""
        record.consumed_energy = 0.0
        self.jobs.add(record.job.id)
        self.job_resumed(record)
        self._record("s")

    def job_resumed(self, record: JobRecord) -> None:
        """A job gets its hosts: what they consume from now on is its energy (its fair part, on shared hosts)."""
        if self._is_shared(record):
            self._divide(record.hosts, record.job.id, joins=True)
        elif self._goes_together(record):
            self._begin_together(record, busy=False)
        else:
            record.consumed_energy -= self.meters.total(self._world.now, record.hosts)

    def job_suspended(self, record: JobRecord) -> None:
        """A job leaves its hosts."""
        if record.job.id not in self.jobs:
            return
        if self._is_shared(record):
            self._divide(record.hosts, record.job.id, joins=False)
        elif not self._end_together(record.job.id):
            record.consumed_energy += self.meters.total(self._world.now, record.hosts)

    def _goes_together(self, record: JobRecord) -> bool:
        """Whether the hosts of a job draw the same from now until it leaves them, as far as one can know."""
        together = self.together
        if together is None or record.amounts is not None or type(record.job.profile) is not DelayProfile:
            return False
        return together.takes(record.hosts)

    def _begin_together(self, record: JobRecord, *, busy: bool) -> None:
        if self.together is not None:
            now = self._world.now
            self._move(now)
            self.watts += self.together.begin(record, now, busy=busy)

    def _end_together(self, job_id: str) -> bool:
        """The job leaves its hosts; whether they were metered together."""
        if self.together is None:
            return False
        now = self._world.now
        span = self.together.end(job_id, now)
        if span is None:
            return False
        self._move(now)
        self.watts -= span.extra
        return True

    def job_ended(self, record: JobRecord, left: bool) -> None:
        """A job has ended; ``left``: only now it leaves its hosts (a suspended one had left them before)."""
        if left:
            self.job_suspended(record)
        if record.job.id in self.jobs:
            self.jobs.remove(record.job.id)
            self.last = self._record("e")

    def sleep_ended(self, record: JobRecord) -> None:
        """A delay is a sleep on the lowest host of its job: SimGrid looks at that host's meter when it ends."""
        if record.hosts:
            self.touch((record.hosts.first,))

    def _is_shared(self, record: JobRecord) -> bool:
        """Whether the energy of the job's hosts is divided among those that are on them."""
        world = self._world
        shared = world.hosts.sharing or record.amounts is not None
        return shared and world.options.job_energy == "fair"

    def _divide(self, hosts: HostSet, job_id: str, *, joins: bool) -> None:
        """Divide what each host consumed since the last change among the jobs that were on it, equally."""
        jobs = self._world.jobs
        for host in hosts:
            before, present = self.shares.get(host, (0.0, set()))
            joules = self.meters.read(self._world.now, host)  # differences alone count
            for name in present:
                jobs[name].consumed_energy += (joules - before) / len(present)
            if joins:
                present.add(job_id)
            else:
                present.discard(job_id)
            self.shares[host] = (joules, present)

    # -- readings -----------------------------------------------------------------------------------------------

    def pstates_changed(self) -> None:
        """Power states were changed: a row of the energy of the whole site."""
        self._record("p")

    def _record(self, kind: str) -> float:
        """A row of the energy of the whole site (J): a job's start (s) or end (e), a power event (p), a stop (t)."""
        now = self._world.now
        joules = self.total(now)
        for hook in self._world.hooks.energy:
            hook(now, joules, kind, self.epsilon)
        return joules

    def host_power(self, host: int) -> float:
        """Watts that a host draws now."""
        self._one_by_one()
        return self.meters.power(host)

    def host_joules(self, host: int) -> float:
        """Joules of a host since the start."""
        self._one_by_one()
        earlier = self._unmetered[host] if host < len(self._unmetered) else 0.0
        return self.meters.read(self._world.now, host) + earlier

    def total(self, now: float) -> float:
        """Joules of all hosts since the start."""
        if self.exact:
            self._move(now)
            return self.joules
        return self.meters.total(now, self.hosts)

    def of(self, hosts: Iterable[int]) -> float:
        """Joules of some hosts since the start."""
        return fsum([self.host_joules(host) for host in hosts])

    def cut_short(self) -> None:
        """The run is stopped: what was consumed until here counts, although no job ends."""
        joules = self._record("t")
        if self._world.nb_submitted:  # before the first submission nothing counts
            self.last = joules

    def close(self) -> None:
        """The run is over, and so is what racks draw too much."""
        self.racks.close()

    def totals(self) -> dict[str, object]:
        """The sums of the run."""
        return {
            "consumed_joules": self.last - self.first,
            "rack_excesses": self.racks.count,
            "worst_rack_excess": self.racks.worst,
        }


def check_watts(hosts: Sequence[Host]) -> None:
    """What a run with energy refuses when it begins, before that.

    Raises:
        UsageError: there are hosts without watts.
    """
    _check_metered(hosts, Meters(hosts))


def _check_metered(hosts: Sequence[Host], meters: Meters) -> None:
    """Energy needs the watts of every host."""
    dark = [host.name for host, known in zip(hosts, meters.metered, strict=True) if not known]
    if dark:
        shown = ", ".join(dark[:5]) + (f" and {len(dark) - 5} more" if len(dark) > 5 else "")
        raise UsageError(
            f"energy was requested, but the platform gives no watts for {shown}",
            "give the machines' parts an energy-consumption (environments, JSON), or each host a property such as "
            '<prop id="wattage_per_state" value="95:190"/> (SimGrid, XML)',
        )
