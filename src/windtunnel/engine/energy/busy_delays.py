"""Energy where jobs with a fixed run time keep busy what they hold: logs and leases say how long, not how many flops.

In Batsim a delay is a sleep and draws idle watts; under ``Options(delays_compute=True)`` it draws what its cores draw
when they compute.
"""

from collections.abc import Mapping, Sequence

from mypy_extensions import mypyc_attr

from windtunnel.engine.energy.accounting import SiteEnergy
from windtunnel.engine.energy.together import Span
from windtunnel.engine.state.world import World
from windtunnel.model import DelayProfile, HostSet, JobRecord
from windtunnel.model.application import ElasticProfile

__all__ = ["BusyDelaysEnergy"]


@mypyc_attr(allow_interpreted_subclasses=True)
class BusyDelaysEnergy(SiteEnergy):
    """Adds the cores that delays hold to the loads of the tasks under way."""

    def __init__(self, world: World, rule: str) -> None:
        super().__init__(world, rule)
        self.busy = True
        """Whether delays keep busy what they hold."""
        self.held: dict[int, float] = {}
        """Cores held by delays, by host."""
        self.computing: dict[int, float] = {}
        """flop/s in use by tasks, by host."""

    def set_loads(self, loads: Mapping[int, float]) -> None:
        """Tasks use more or less; what delays hold comes on top."""
        self.computing.update(loads)
        self._load(loads)

    def set_pstate(self, hosts: HostSet | Sequence[int], pstate: int) -> None:
        """The same cores have another speed."""
        super().set_pstate(hosts, pstate)
        self._load([host for host in hosts if self.held.get(host)])

    def _begin_together(self, record: JobRecord, *, busy: bool) -> None:
        """A delay keeps its hosts busy."""
        super()._begin_together(record, busy=busy or self.busy)

    def _parted(self, span: Span) -> None:
        """It held all cores of each, and does so still."""
        for host in span.hosts if self.busy else ():
            self.held[host] = self._world.platform.hosts[host].cores

    def job_resumed(self, record: JobRecord) -> None:
        """From now on its cores are busy."""
        super().job_resumed(record)
        if self.together is None or record.job.id not in self.together.spans:
            self._hold(record, 1)

    def job_suspended(self, record: JobRecord) -> None:
        """They were busy until now."""
        counted = record.job.id in self.jobs
        counted &= self.together is None or record.job.id not in self.together.spans
        super().job_suspended(record)
        if counted:
            self._hold(record, -1)

    def _hold(self, record: JobRecord, sign: int) -> None:
        profile = record.job.profile
        if not self.busy:
            return
        if not (isinstance(profile, DelayProfile) or (isinstance(profile, ElasticProfile) and profile.merely_lasts)):
            return
        hosts, amounts = self._world.platform.hosts, record.amounts
        for host in record.hosts:
            cores = hosts[host].cores if amounts is None else amounts.get(host, {}).get("cores", 0.0)
            left = self.held.pop(host, 0.0) + sign * cores
            if left > 1e-9:
                self.held[host] = left
        self._load(record.hosts)

    def _load(self, hosts: "Mapping[int, float] | HostSet | Sequence[int]") -> None:
        self._part(hosts)
        loads = {}
        for host in hosts:
            speed = self.meters.states[host][self.meters.pstates[host]].speed
            loads[host] = self.computing.get(host, 0.0) + self.held.get(host, 0.0) * speed
        super().set_loads(loads)
