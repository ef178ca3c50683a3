"""Energy with an account of the site's electricity: overhead, carbon and cost, of the site and of each job.

A job's grams and cost are those of what its hosts draw while it has them, at the meters of the hosts, divided among
jobs as its joules are. Nothing here changes the joules of a run.
"""

from collections.abc import Sequence
from contextlib import suppress

from mypy_extensions import mypyc_attr

from windtunnel.diagnostics import SimulationError, UsageError
from windtunnel.engine.energy.billed_meters import BilledMeters
from windtunnel.engine.energy.busy_delays import BusyDelaysEnergy
from windtunnel.engine.energy.meters import Meters
from windtunnel.engine.energy.site_meter import SiteMeter
from windtunnel.engine.energy.together import Span
from windtunnel.engine.state.world import World
from windtunnel.model import Host, HostSet, JobRecord
from windtunnel.model.billing import JOULES_PER_KWH, JOULES_PER_MWH, Billing

__all__ = ["BilledEnergy"]


def _meter(billing: Billing, hosts: int) -> SiteMeter:
    """The meter of a site of so many machines; a run without battery and generation loads nothing of them."""
    if billing.battery is None and billing.generation is None:
        return SiteMeter(billing, hosts)
    from windtunnel.engine.energy.local_meter import LocalMeter

    return LocalMeter(billing, hosts)


@mypyc_attr(allow_interpreted_subclasses=True)
class _JobBill:
    """What the hosts of a job emitted (g) and cost while it had them."""

    def __init__(self) -> None:
        self.grams = 0.0
        self.cost = 0.0


@mypyc_attr(allow_interpreted_subclasses=True)
class BilledEnergy(BusyDelaysEnergy):
    """Reads the site's meter whenever time has passed, and those of hosts when their joules are read."""

    def __init__(self, world: World, rule: str, billing: Billing) -> None:
        if rule != "exact":
            raise UsageError(
                f"carbon, price and PUE need the exact energy rule, not {rule!r}",
                "leave out the energy rule (--energy-rule)",
            )
        self.site = _meter(billing, len(world.platform.hosts) + len(world.platform.storages))
        self.by_job = billing.carbon is not None or billing.price is not None
        self.bills: dict[str, _JobBill] = {}
        self.divided: dict[int, tuple[float, float]] = {}
        """Of shared hosts: grams and cost when last divided."""
        super().__init__(world, rule)
        self.busy = world.options.delays_compute

    def _make_meters(self, hosts: Sequence[Host], rule: str) -> Meters:
        return BilledMeters(hosts, self.site) if self.by_job else super()._make_meters(hosts, rule)

    # -- the site -----------------------------------------------------------------------------------------------

    def _move(self, now: float) -> None:
        if now > self.since:
            self.site.pass_time(self.watts, self.since, now, self._world.hooks.power)
        super()._move(now)

    def set_off(self, hosts: HostSet | Sequence[int], *, off: bool) -> None:
        """Machines that are off and draw nothing need no converters."""
        before = self._dark(hosts)
        super().set_off(hosts, off=off)
        self.site.dark += self._dark(hosts) - before

    def _dark(self, hosts: HostSet | Sequence[int]) -> int:
        meters = self.meters
        return sum([meters.off[host] and meters.watts_off[host] == 0.0 for host in hosts])

    def submission(self) -> None:
        """The account begins with the first static submission."""
        super().submission()
        self.site.begin(self._world.now)

    def cut_short(self) -> None:
        """What was drawn until here counts."""
        super().cut_short()
        if self._world.nb_submitted:
            self.site.end(self._world.now)

    def close(self) -> None:
        """The last quarter of an hour is told as far as it came."""
        super().close()
        if self.site.failed:
            return
        with suppress(SimulationError):  # a signal may end between the last thing that was metered and the run
            self._move(self._world.now)
        self.site.tell(self.since, self._world.hooks.power)

    def totals(self) -> dict[str, object]:
        """The sums of the run, with the bill of the site."""
        return {**super().totals(), "bill": self.site.bill()}

    # -- jobs ---------------------------------------------------------------------------------------------------

    def job_started(self, record: JobRecord) -> None:
        """A job gets a bill of its own."""
        if self.by_job:
            self.bills[record.job.id] = _JobBill()
        super().job_started(record)

    def job_resumed(self, record: JobRecord) -> None:
        """What its hosts draw from now on is on its bill."""
        super().job_resumed(record)
        if self.by_job and not self._is_shared(record) and not self._is_together(record.job.id):
            self._count(record.job.id, record.hosts, -1.0)

    def job_suspended(self, record: JobRecord) -> None:
        """What its hosts drew until now is."""
        job = record.job.id
        if not self.by_job or job not in self.jobs or self._is_shared(record):
            super().job_suspended(record)
        elif self.together is not None and job in self.together.spans:
            span = self.together.spans[job]
            carbon, price = self.site.integrals(span.since, self._world.now)
            bill = self.bills[job]
            bill.grams += span.watts * carbon / JOULES_PER_KWH
            bill.cost += span.watts * price / JOULES_PER_MWH
            super().job_suspended(record)
        else:
            super().job_suspended(record)
            self._count(job, record.hosts, 1.0)

    def job_ended(self, record: JobRecord, left: bool) -> None:
        """Its bill is known."""
        counted = record.job.id in self.jobs
        super().job_ended(record, left)
        if not counted:
            return
        self.site.end(self._world.now)
        bill = self.bills.pop(record.job.id, None)
        if bill is not None:
            for hook in self._world.hooks.bill:
                hook(
                    self._world.now,
                    record,
                    None if self.site.billing.carbon is None else bill.grams,
                    None if self.site.billing.price is None else bill.cost,
                )

    def _is_together(self, job: str) -> bool:
        return self.together is not None and job in self.together.spans

    def _parted(self, span: Span) -> None:
        """Its hosts have meters of their own, charged up to when the job came to them."""
        super()._parted(span)
        if self.by_job:
            self._count(span.record.job.id, span.hosts, -1.0)

    def _count(self, job: str, hosts: HostSet, sign: float) -> None:
        """Add (or take away, before the job has drawn anything) what the meters of its hosts show."""
        meters = self.meters
        assert isinstance(meters, BilledMeters)
        grams, cost = meters.billed(hosts)
        bill = self.bills[job]
        bill.grams += sign * grams
        bill.cost += sign * cost

    def _divide(self, hosts: HostSet, job_id: str, *, joins: bool) -> None:
        """Grams and cost of shared hosts are divided as their joules are."""
        meters = self.meters
        if isinstance(meters, BilledMeters):
            for host in hosts:
                meters.read(self._world.now, host)
                grams, cost = meters.grams[host], meters.costs[host]
                before = self.divided.get(host, (0.0, 0.0))
                _, present = self.shares.get(host, (0.0, set()))
                for name in present:
                    bill = self.bills[name]
                    bill.grams += (grams - before[0]) / len(present)
                    bill.cost += (cost - before[1]) / len(present)
                self.divided[host] = (grams, cost)
        super()._divide(hosts, job_id, joins=joins)
