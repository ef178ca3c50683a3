"""A run of leases as recorders of jobs see it, so that reports, plots and metrics of jobs work for leases too."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from windtunnel.leases.jobs import allocation, capacities_of, job_of, platform_of, workload_of
from windtunnel.leases.record import LeaseRecord
from windtunnel.leases.reservations import TICKS, Reservation, Shutdown, VirtualMachines
from windtunnel.leases.space import ResourceSpace
from windtunnel.model import JobRecord, JobState, Platform
from windtunnel.model.lease import LeaseSite, LeaseState, LeaseWorkload
from windtunnel.vocabulary import Observer as RunObserver

if TYPE_CHECKING:
    from windtunnel.leases.core import Core

__all__ = ["JobBridge"]

_S = LeaseState
STATES = {
    _S.DONE: JobState.COMPLETED_SUCCESSFULLY,
    _S.CANCELLED: JobState.COMPLETED_KILLED,
    _S.FAIL: JobState.COMPLETED_FAILED,
}


class JobBridge:
    """Observes a lease scheduler and tells observers of jobs. A job holds its hosts while its machines run."""

    def __init__(
        self, site: LeaseSite, work: LeaseWorkload, observers: Sequence[RunObserver], path: str = ""
    ) -> None:
        self.observers = tuple(observers)
        self.platform: Platform = platform_of(site, name=path or "leases")
        space = ResourceSpace(site)
        self._space, self._capacities = space, capacities_of(site, space)
        self._records: dict[int, JobRecord] = {}
        self._busy: dict[int, int] = {}
        """How many leases run on each host."""
        self._changed: dict[int, float] = {}
        """When each host last began or ceased to be busy."""
        self._computing = 0.0
        jobs = workload_of(work, path)
        for observer in self.observers:
            observer.on_begin(0.0, self.platform, [jobs])

    def changed(self, now: int, lease: LeaseRecord, old: LeaseState, new: LeaseState) -> None:
        """Jobs know other states."""

    def began(self, now: int, reservation: Reservation) -> None:
        """Machines start."""
        if not isinstance(reservation, VirtualMachines):
            return
        record = self._records[reservation.lease.id]
        record.hosts, record.amounts = allocation(reservation, self._space, self._capacities)
        first = record.starting_time < 0
        record.since = now / TICKS
        record.starting_time = record.since if first else record.starting_time
        record.state = JobState.RUNNING
        self._occupy(now, record, 1)
        for observer in self.observers:
            if first:
                observer.on_job_started(record.since, record)
            else:
                observer.on_job_resumed(record.since, record)

    def ended(self, now: int, reservation: Reservation) -> None:
        """Machines stop, for good or to be saved."""
        if isinstance(reservation, VirtualMachines):
            record = self._records[reservation.lease.id]
            if reservation.post and not isinstance(reservation.post[0], Shutdown):
                self._suspend(now, record)

    def ended_early(self, now: int, vm: VirtualMachines) -> None:
        """Its end follows."""

    def lost(self, now: int, vm: VirtualMachines) -> None:
        """Machines that were cancelled to start again later have left their hosts."""
        self._suspend(now, self._records[vm.lease.id])

    def requested(self, now: int, lease: LeaseRecord) -> None:
        """A lease was submitted."""
        record = self._records[lease.id] = JobRecord(job=job_of(lease.lease))
        for observer in self.observers:
            observer.on_job_submitted(now / TICKS, record)
        if lease.state is _S.REJECTED:
            self.finished(now, lease)

    def finished(self, now: int, lease: LeaseRecord) -> None:
        """A lease is over."""
        record = self._records.pop(lease.id)
        time = now / TICKS
        if record.starting_time < 0:
            record.state = JobState.REJECTED
            for observer in self.observers:
                observer.on_job_rejected(time, record)
            return
        if record.state is JobState.RUNNING:
            self._occupy(now, record, -1)
        record.state = STATES[lease.state]
        record.finish_time = time
        record.metadata = lease.reason
        for observer in self.observers:
            observer.on_job_ended(time, record)

    def step(self, now: int, core: "Core") -> None:
        """Nothing to tell."""

    def close(self, now: int, outcome: str = "complete") -> None:
        """The run is over."""
        idle = sum(self._changed.values()) - self._computing
        totals = {"time_computing": self._computing, "time_idle": idle}  # up to each host's last change
        for observer in self.observers:
            observer.on_end(now / TICKS, outcome, totals)

    def _suspend(self, now: int, record: JobRecord) -> None:
        record.done += now / TICKS - record.since
        record.state = JobState.SUSPENDED
        self._occupy(now, record, -1)
        for observer in self.observers:
            observer.on_job_suspended(now / TICKS, record)

    def _occupy(self, now: int, record: JobRecord, change: int) -> None:
        time = now / TICKS
        for host in record.hosts:
            before = self._busy.get(host, 0)
            if before + change:
                self._busy[host] = before + change
            else:
                del self._busy[host]
                self._computing += time - self._changed[host]
            if not before or not before + change:
                self._changed[host] = time
        counts = (0, 0, 0, len(self.platform.hosts) - len(self._busy), len(self._busy))
        for observer in self.observers:
            observer.on_machine_states(now / TICKS, counts)
