"""What the planner has done, as decisions on jobs and as facts for the lease tables."""

from typing import Final

import msgspec
from mypy_extensions import mypyc_attr

from windtunnel.leases.planner.plan import Plan, What
from windtunnel.leases.planner.record import LeaseRecord, Reservation, VirtualMachines
from windtunnel.leases.planner.reservations import Migration, Transfer
from windtunnel.leases.planner.space import Vector
from windtunnel.leases.planner.ticks import TICKS
from windtunnel.model import DelayProfile, HostSet, Job
from windtunnel.model.hostset import BIT_LIMIT
from windtunnel.model.lease import LeaseState
from windtunnel.vocabulary import (
    Decision,
    ExecuteJob,
    KillJobs,
    LeaseFact,
    LeaseOver,
    LeaseRequested,
    LeasesNow,
    MigrateJob,
    RegisterJob,
    RejectJob,
    ReportLeases,
    ReservationOver,
    ResumeJob,
    SuspendJob,
    TransferImage,
)

__all__ = ["DecisionWriter"]

_S = LeaseState

# Bound once: an enumeration looks its members up anew each time.
_S_REJECTED: Final = _S.REJECTED
_S_REJECTED_BY_USER: Final = _S.REJECTED_BY_USER
_S_DONE: Final = _S.DONE
_REQUESTED: Final = What.REQUESTED
_CHANGED: Final = What.CHANGED
_BEGAN: Final = What.BEGAN
_ENDED: Final = What.ENDED
_OVER: Final = What.OVER
_LOST: Final = What.LOST
_CUT_SHORT: Final = What.CUT_SHORT

Amounts = dict[int, dict[str, float]]


@mypyc_attr(allow_interpreted_subclasses=True)
class DecisionWriter:
    """Reads the journal of a planner; knows which job each lease is at present."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self.decisions: list[Decision] = []
        self.facts: list[LeaseFact] = []
        self.jobs: dict[int, Job] = {}
        """The job each lease that is not over is at present."""
        self.numbers: dict[str, int] = {}
        """Lease by job."""
        self.over: set[int] = set()
        """Leases whose job has ended in the engine."""
        self._started: set[int] = set()
        self._starting: list[int] = []
        """Leases whose machines start or go on by these decisions."""
        self._first_start = 0
        """Where the first of them stands."""
        self._most = max((plan.space.cpu(capacity) for capacity, _ in plan.table.classes), default=0)
        """The CPU of the largest node."""
        self._whole: dict[Vector, bool] = {}
        """Whether such a virtual node takes all the CPU of any node."""
        self._cpu = 0
        """What running machines have."""
        self._stands = LeasesNow(0, 0.0, 0)

    def write(self) -> None:
        """Take the journal."""
        plan = self._plan
        journal, plan.journal = plan.journal, []
        for what, lease, reservation, states in journal:
            if what is _CHANGED:
                continue
            if reservation is None:
                if what is _OVER:
                    self._finished(lease)
                elif what is _REQUESTED:
                    self.facts.append(LeaseRequested(lease.lease, states is not None and states[1] is _S_REJECTED))
            elif what is _BEGAN:
                self._began(lease, reservation)
            elif what is _ENDED:
                self._ended(lease, reservation)
            elif what is _LOST:
                self._lost(lease, reservation)
            elif what is _CUT_SHORT:
                self._carried_out(lease, reservation, plan.now)
        self._note_how_things_stand()

    def take(self) -> list[Decision]:
        """The decisions made since the last time, the report of all facts at their end."""
        decisions, self.decisions = self.decisions, []
        if self._starting:
            self._starting = []
        if self.facts:
            decisions.append(ReportLeases(facts=tuple(self.facts)))
            self.facts = []
        return decisions

    def _began(self, lease: LeaseRecord, reservation: Reservation) -> None:
        """Machines start or go on, images and memories begin to move."""
        if isinstance(reservation, VirtualMachines):
            self._cpu += lease.cpu
            self._execute(lease, reservation)
        elif isinstance(reservation, Migration):
            hosts = self._hosts(reservation.vm.mask)
            length = (reservation.end - reservation.start) / TICKS
            self.decisions.append(MigrateJob(job_id=self.jobs[lease.id].id, hosts=hosts, duration=length))
        elif isinstance(reservation, Transfer):
            length = (reservation.end - self._plan.now) / TICKS
            hosts = self._hosts(reservation.mask)
            self.decisions.append(TransferImage(image_id=reservation.image, hosts=hosts, duration=length))

    def _execute(self, lease: LeaseRecord, vm: VirtualMachines) -> None:
        job = self.jobs[lease.id]
        if self._plan.overdue:
            self._plan.check_free(lease, vm.mask)
        hosts = self._hosts(vm.mask)
        amounts, placement = self._shares(lease, vm, hosts)
        if not self._starting:
            self._first_start = len(self.decisions)
        self._starting.append(lease.id)
        if lease.id in self._started:
            self.decisions.append(ResumeJob(job_id=job.id, hosts=hosts, amounts=amounts))
            return
        self._started.add(lease.id)
        self.decisions.append(ExecuteJob(job_id=job.id, hosts=hosts, amounts=amounts, placement=placement))

    def _shares(
        self, lease: LeaseRecord, vm: VirtualMachines, hosts: HostSet
    ) -> tuple[Amounts | None, tuple[int, ...] | None]:
        """What machines take of each host, and on which of the hosts each virtual node is; None: whole hosts."""
        need = lease.needs[0]
        if (whole := self._whole.get(need)) is None:
            whole = self._whole[need] = self._plan.space.cpu(need) >= self._most
        if whole and lease.uniform:
            return None, None
        space = self._plan.space
        amounts: Amounts = {}
        for amount, nodes in vm.parts:
            cores = {"cores": space.cpu(amount) / 100}
            amounts |= dict.fromkeys(self._hosts(nodes), cores)
        rank = {host: rank for rank, host in enumerate(hosts)}
        return amounts, tuple(rank[host] for host in vm.hosts)

    def _hosts(self, nodes: int) -> HostSet:
        table = self._plan.table
        nodes &= table.all_nodes
        return HostSet.of_bits(nodes) if table.image_bit < BIT_LIMIT else HostSet(table.node_ids(nodes))

    def _ended(self, lease: LeaseRecord, reservation: Reservation) -> None:
        """Machines stop to be saved; that others end the engine told itself."""
        if isinstance(reservation, VirtualMachines):
            self._cpu -= lease.cpu
            if reservation.is_suspending:
                self._suspend(lease.id)
        self._carried_out(lease, reservation, min(reservation.end, self._plan.now))

    def _suspend(self, lease: int) -> None:
        """Machines leave their hosts before others start there at the same instant."""
        decision = SuspendJob(job_id=self.jobs[lease].id)
        if self._starting and lease not in self._starting:
            self.decisions.insert(self._first_start, decision)
            self._first_start += 1
        else:
            self.decisions.append(decision)

    def _carried_out(self, lease: LeaseRecord, reservation: Reservation, end: int) -> None:
        hosts = self._hosts(reservation.mask)
        fact = ReservationOver(lease.id, reservation.name, reservation.start / TICKS, end / TICKS, hosts)
        self.facts.append(fact)

    def _lost(self, lease: LeaseRecord, vm: Reservation) -> None:
        """Running machines that are cancelled start again as a new job, less what had been saved before."""
        self._cpu -= lease.cpu
        job = self.jobs[lease.id]
        stem, _, count = job.id.partition("#")
        profile, known = job.profile, job.profile.id
        walltime = job.walltime
        if lease.accumulated:
            done = lease.accumulated / TICKS
            walltime -= done
            if isinstance(profile, DelayProfile):
                left = max(0.0, profile.delay - done)
                profile, known = DelayProfile(id=f"{profile.id}#{lease.id}-{left:g}", delay=left), ""
        again = msgspec.structs.replace(job, id=f"{stem}#{int(count or 1) + 1}", profile=profile, walltime=walltime)
        self.jobs[lease.id] = again
        self.numbers[again.id] = lease.id
        self._started.discard(lease.id)
        self.decisions += [KillJobs(job_ids=(job.id,)), RegisterJob(job=again, profile_id=known)]
        self._carried_out(lease, vm, self._plan.now)

    def _finished(self, lease: LeaseRecord) -> None:
        """Rejected, cancelled and failed leases leave the engine too."""
        number = lease.id
        job = self.jobs.pop(number)
        if lease.state is _S_REJECTED or lease.state is _S_REJECTED_BY_USER:
            self.decisions.append(RejectJob(job_id=job.id, reason=lease.reason))
        elif lease.state is not _S_DONE and number not in self.over:
            running = number in self._started
            self.decisions.append(KillJobs(job_ids=(job.id,)) if running else RejectJob(job_id=job.id))
        self._started.discard(number)
        self.over.discard(number)
        self.numbers.pop(job.id, None)
        done = lease.end is not None
        self.facts.append(
            LeaseOver(
                lease.lease,
                lease.state,
                lease.requested / TICKS,
                None if lease.started is None else lease.started / TICKS,
                (lease.end if lease.end is not None else self._plan.now) / TICKS,
                (lease.actual or 0) / TICKS if done else 0.0,
                sum([end - start for start, end in lease.ran]) / TICKS,
                lease.vms[-1].hosts if lease.vms else (),
                lease.suspensions,
                lease.migrations,
                lease.transfers,
                lease.price,
                lease.extras,
                lease.reason,
            )
        )

    def _note_how_things_stand(self) -> None:
        plan = self._plan
        stands = self._stands
        total = plan.table.profile.total
        cpu = self._cpu / total if total else 0.0
        queued = len(plan.queue)
        disk = plan.disk_usage() if plan.suspended or plan.images.holders else 0
        if queued != stands.queued or cpu != stands.cpu or disk != stands.disk:
            self._stands = LeasesNow(queued, cpu, disk)
            self.facts.append(self._stands)
