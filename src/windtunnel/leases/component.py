"""The lease manager as a decision component: any workload, on the common engine, scheduled as leases.

Jobs become leases (:func:`~windtunnel.leases.jobs.lease_of`), and what the lease manager plans becomes decisions of
the vocabulary when its time has come: machines start (execute), are saved (suspend), move (migrate), go on (resume),
images are sent (transfer). The engine holds a suspended job's hosts free while its memory is saved and restored; the
slot table does not give them away meanwhile.

A lease that is cancelled to start again from the beginning becomes a new job: ``NAME#2`` follows ``NAME``.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

import msgspec

from windtunnel.diagnostics import UsageError
from windtunnel.leases.core import Core
from windtunnel.leases.jobs import allocation, capacities_of, lease_of, site_of
from windtunnel.leases.record import LeaseRecord, ticks
from windtunnel.leases.reservations import TICKS, Migration, Reservation, Transfer, VirtualMachines, bits
from windtunnel.leases.scheduler import LeaseScheduler
from windtunnel.leases.space import Vector
from windtunnel.model import DelayProfile, HostSet, Job
from windtunnel.model.lease import LeaseSite, LeaseState
from windtunnel.model.lease_options import CODE_OPTIONS, LeaseOptions, lease_options
from windtunnel.schedulers.base import Scheduler
from windtunnel.vocabulary import (
    HONOURED_BY_ALL,
    Ability,
    AllStaticJobsHaveBeenSubmitted,
    CallMeLater,
    Decision,
    ExecuteJob,
    Features,
    FinishRegistration,
    JobCompleted,
    JobSubmitted,
    KillJobs,
    MigrateJob,
    Notice,
    OneShot,
    RegisterJob,
    RejectJob,
    Reply,
    ResumeJob,
    SimulationBegins,
    SuspendJob,
    TransferImage,
)

__all__ = ["LeaseManager"]

LATE = 0.004
"""How much later (s) than planned a job may end by the engine's clock: less than half a tick."""


class LeaseManager(Scheduler):
    """Haizea's lease scheduling. Options are those of :class:`~windtunnel.model.lease_options.LeaseOptions`."""

    name: ClassVar[str] = "leases"
    honours: ClassVar[frozenset[Ability]] = HONOURED_BY_ALL | {
        Ability.EXACT_STARTS,
        Ability.DEADLINES,
        Ability.PREEMPTABILITY,
        Ability.SHARES,
        Ability.MEMORY,
        Ability.RESOURCES,
    }
    """As leases ask for it; jobs that are no leases get whole hosts."""
    features: ClassVar[Features] = Features(dynamic_registration=True, profile_reuse=True)
    code_options: ClassVar[frozenset[str]] = frozenset({"options", *CODE_OPTIONS})

    def __init__(self, options: LeaseOptions | None = None, **settings: Any) -> None:
        """Raises: UsageError: an option does not exist or has no sensible value."""
        super().__init__()
        self.options = lease_options(settings, options)
        self.scheduler: LeaseScheduler | None = None
        self._outbox = _Outbox()
        self._jobs: dict[int, Job] = {}
        """The job each lease that is not over is at present."""
        self._numbers: dict[str, int] = {}
        """Lease by job."""
        self._called: int | None = None
        self._calls = 0
        self._all_submitted = self._finished = False

    def decide(self, now: float, notices: Sequence[Notice]) -> Reply:
        """Take in what happened, let the lease scheduler advance, and answer with what it does now."""
        requests, ended = [], []
        for notice in notices:
            if isinstance(notice, SimulationBegins):
                self._begin(site_of(notice.platform))
            elif isinstance(notice, JobSubmitted) and notice.job.id not in self._numbers:
                requests.append(self._lease(notice.job, notice.submission_time))
            elif isinstance(notice, JobCompleted):
                number = self._numbers.get(notice.job.id)
                if (
                    number is not None
                    and self._jobs.get(number) is not None
                    and self._jobs[number].id == notice.job.id
                ):
                    self._outbox.over.add(number)
                    ended.append(number)
            elif isinstance(notice, AllStaticJobsHaveBeenSubmitted):
                self._all_submitted = True
        scheduler = self.scheduler
        if scheduler is None:
            return Reply(now, [])
        instant = max(ticks(now), scheduler.now)
        late = self._still_running(instant)
        if late and now < instant / TICKS + LATE and not requests and not ended:
            return Reply(now, [self._call(now + LATE)])
        self._outbox.start(self._jobs, [KillJobs(job_ids=tuple(late))] if late else [])
        scheduler.advance(instant, requests, ended=ended)
        decisions = self._outbox.decisions
        self._forget(decisions)
        following = scheduler.next_event()
        if following is not None and following != self._called:
            self._called = following
            decisions.append(self._call(following / TICKS))
        return Reply(now, decisions)

    def _begin(self, site: LeaseSite) -> None:
        self._outbox = _Outbox()
        self.scheduler = LeaseScheduler(site, self.options, [self._outbox])
        self._outbox.prepare(site, self.scheduler.core)

    def _lease(self, job: Job, submit: float) -> Any:
        assert self.scheduler is not None, "jobs come after the beginning"
        number = len(self._numbers) + 1
        lease = lease_of(job, number, submit, self.scheduler.core.site)
        self._numbers[job.id] = number
        self._jobs[number] = job
        return lease

    def _still_running(self, instant: int) -> list[str]:
        """Jobs whose machines are to end now, which the engine has not told yet."""
        assert self.scheduler is not None
        ending = self.scheduler.core.table.ending_at(instant)
        machines = [r for r in ending if isinstance(r, VirtualMachines) and r.state and not r.is_suspending]
        return [self._jobs[vm.lease.id].id for vm in machines if vm.lease.id not in self._outbox.over]

    def _forget(self, decisions: list[Decision]) -> None:
        """Drop leases that are over; jobs that start again get their new ids."""
        assert self.scheduler is not None
        for number, job in self._outbox.reborn.items():
            self._jobs[number] = job
            self._numbers[job.id] = number
        alive = self.scheduler.core.leases
        for number in self._outbox.gone:
            self._jobs.pop(number, None)
            self._outbox.over.discard(number)
        if self._all_submitted and not alive and not self._finished:
            self._finished = True
            decisions.append(FinishRegistration())

    def _call(self, time: float) -> CallMeLater:
        self._calls += 1
        return CallMeLater(call_me_later_id=f"leases-{self._calls}", when=OneShot(time))


class _Outbox:
    """Observes the lease scheduler and puts what it does into decisions."""

    def __init__(self) -> None:
        self.decisions: list[Decision] = []
        self.over: set[int] = set()
        """Leases whose job has ended in the engine."""
        self.gone: list[int] = []
        self.reborn: dict[int, Job] = {}
        self._jobs: dict[int, Job] = {}
        self._capacities: dict[int, Vector] = {}
        self._core: Core | None = None
        self._started: set[int] = set()

    def prepare(self, site: LeaseSite, core: Core) -> None:
        """The site is known now."""
        self._core = core
        self._capacities = capacities_of(site, core.space)

    def start(self, jobs: dict[int, Job], first: Sequence[Decision]) -> None:
        """A new round."""
        self.decisions, self.gone, self.reborn = list(first), [], {}
        self._jobs = jobs

    def _job(self, lease: LeaseRecord) -> Job:
        return self.reborn.get(lease.id) or self._jobs[lease.id]

    def changed(self, now: int, lease: LeaseRecord, old: LeaseState, new: LeaseState) -> None:
        """Decisions are about reservations."""

    def lost(self, now: int, vm: VirtualMachines) -> None:
        """Running machines that are cancelled start again as a new job, less what had been saved before."""
        del now
        lease, job = vm.lease, self._job(vm.lease)
        stem, _, count = job.id.partition("#")
        profile, known = job.profile, job.profile.id
        if isinstance(profile, DelayProfile) and lease.accumulated:
            left = max(0.0, profile.delay - lease.accumulated / TICKS)
            profile, known = DelayProfile(id=f"{profile.id}#{lease.id}-{left:g}", delay=left), ""
        again = msgspec.structs.replace(job, id=f"{stem}#{int(count or 1) + 1}", profile=profile)
        self.reborn[lease.id] = again
        self._started.discard(lease.id)
        self.decisions += [KillJobs(job_ids=(job.id,)), RegisterJob(job=again, profile_id=known)]

    def began(self, now: int, reservation: Reservation) -> None:
        """Machines start or go on, images and memories begin to move."""
        if isinstance(reservation, VirtualMachines):
            self._machines(reservation)
        elif isinstance(reservation, Migration):
            hosts = HostSet(reservation.vm.hosts)
            length = (reservation.end - reservation.start) / TICKS
            self.decisions.append(MigrateJob(job_id=self._job(reservation.lease).id, hosts=hosts, duration=length))
        elif isinstance(reservation, Transfer):
            assert self._core is not None
            hosts = HostSet(bit for bit in bits(reservation.mask) if bit != self._core.table.image_bit)
            length = (reservation.end - now) / TICKS
            self.decisions.append(TransferImage(image_id=reservation.image, hosts=hosts, duration=length))

    def _machines(self, vm: VirtualMachines) -> None:
        assert self._core is not None
        job = self._job(vm.lease)
        hosts, amounts = allocation(vm, self._core.space, self._capacities)
        if len(hosts) != job.request.hosts:
            raise UsageError(
                f"lease {vm.lease.id} ({job.id}) has {job.request.hosts} virtual nodes on {len(hosts)} hosts: "
                "a job has a host for each",
                "simulate it with windtunnel lease run, or let each virtual node take a whole host",
            )
        if vm.lease.id in self._started:
            self.decisions.append(ResumeJob(job_id=job.id, hosts=hosts))
            return
        self._started.add(vm.lease.id)
        self.decisions.append(ExecuteJob(job_id=job.id, hosts=hosts, amounts=amounts))

    def ended(self, now: int, reservation: Reservation) -> None:
        """Machines stop to be saved."""
        del now
        if isinstance(reservation, VirtualMachines) and reservation.is_suspending:
            self.decisions.append(SuspendJob(job_id=self._job(reservation.lease).id))

    def ended_early(self, now: int, vm: VirtualMachines) -> None:
        """The engine told so itself."""

    def requested(self, now: int, lease: LeaseRecord) -> None:
        """Leases that are not admitted are rejected."""
        if lease.state is LeaseState.REJECTED:
            self.finished(now, lease)

    def finished(self, now: int, lease: LeaseRecord) -> None:
        """Rejected, cancelled and failed leases leave the engine too."""
        del now
        self.gone.append(lease.id)
        job = self._job(lease)
        if lease.state in {LeaseState.REJECTED, LeaseState.REJECTED_BY_USER}:
            self.decisions.append(RejectJob(job_id=job.id))
        elif lease.state is not LeaseState.DONE and lease.id not in self.over:
            running = lease.id in self._started
            self.decisions.append(KillJobs(job_ids=(job.id,)) if running else RejectJob(job_id=job.id))
        self._started.discard(lease.id)

    def step(self, now: int, core: Core) -> None:
        """Decisions go out when the round is over."""
