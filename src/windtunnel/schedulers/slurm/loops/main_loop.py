"""The main scheduling loop: jobs strictly in order until the first of a partition that does not fit (§3)."""

from collections.abc import Iterable
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.jobs.pending import PendingJob
from windtunnel.schedulers.slurm.jobs.picked import Picked
from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.limits.words import OF_LIMITS
from windtunnel.schedulers.slurm.loops.cancelling import cut, drop_hopeless, drop_if_late
from windtunnel.schedulers.slurm.loops.failing import Failing
from windtunnel.schedulers.slurm.loops.list_order import in_list_order, leave_alone
from windtunnel.schedulers.slurm.loops.not_placed import (
    NOT_AVAILABLE,
    liked,
    no_such_nodes,
    only_as_liked,
    would_take,
)
from windtunnel.schedulers.slurm.loops.passes import Pass
from windtunnel.schedulers.slurm.loops.queue import job_queue, too_few_tasks
from windtunnel.schedulers.slurm.loops.sharing import settle_sharing
from windtunnel.schedulers.slurm.loops.switch_wait import heed_switches, waits_for_switches
from windtunnel.schedulers.slurm.nodes.nodesets import union, without
from windtunnel.schedulers.slurm.preemption.beneath import end_beneath
from windtunnel.schedulers.slurm.preemption.victims import candidates, make_room, over_others, passed_over
from windtunnel.schedulers.slurm.state import State

__all__ = ["forget_limits", "main_pass"]

_TOO_FEW: Final = "Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority partitions"


@mypyc_attr(allow_interpreted_subclasses=True)
class _Run(Failing):
    """One run."""

    def __init__(self, state: State, full: bool) -> None:
        super().__init__(state)
        main = state.site.main
        self.depth: int = 0 if full else main.default_queue_depth
        self.most_starts: int = main.sched_max_job_start
        self.most_of_partition: int = main.partition_job_depth
        self.per_partition: dict[str, int] = {}
        self.stopped = False

    def go(self) -> Pass:
        """Over the queue in order."""
        self.done.failed += drop_hopeless(self.state)
        pending, most = self.state.pending, self.most_starts
        fifo = self.state.site.fifo
        before = {job.id: job.reason for job in pending.values()} if fifo else {}
        waiting = job_queue(self.state)
        queue: Iterable[Record] = in_list_order(self.state, waiting, self.done, self.failed) if fifo else waiting
        farthest, reached = -1, False
        looked_at: set[str] = set()
        for record in queue:
            if self.stopped or (most and len(self.done.started) >= most):
                break
            job = record.job
            reached = job.order < farthest  # of arrays that are listed anew
            farthest = max(farthest, job.order)
            looked_at.add(job.id)
            if job.id not in pending:
                continue  # in another partition it has started
            if record.magnetic or record.listed:
                job.reservation = record.magnetic or record.listed
            if record.liking is not None and not record.liking_apart:
                self._look_at(liked(record))
            if not self.stopped and job.id in pending and not only_as_liked(record):
                self._look_at(record)
            if record.magnetic and job.id in pending:
                job.reservation = ""
        if fifo and not reached and (self.stopped or (most and len(self.done.started) >= most)):
            leave_alone(self.state, before, farthest, looked_at)
        return self.done

    def _look_at(self, record: Record) -> None:
        """A job that still waits; backfill starts heterogeneous ones, and each component fails its partition (§9)."""
        job = record.job
        if self.done.made_room_for(job) or self._too_large_here(record):
            return  # others have had to go for it
        if job.alone and self._passed_over(record):
            return
        if not job.startable_tasks:
            job.reason = "JobArrayTaskLimit"  # other tasks of its array have started in this run
        elif job.het is None:
            self._try(record)
        else:
            self._close(record)

    def _too_large_here(self, record: Record) -> bool:
        """Whether a job had more nodes when it was last placed than its reservation has in a partition (§8).

        Such jobs are left to backfill, in reservations with FLEX, too.
        """
        job = record.job
        if not job.reservation:
            return False
        own = self.state.bookings.nodes_of(job.reservation)
        return bool(own) and (own & record.table.mask).bit_count() < job.last_nodes

    def _passed_over(self, record: Record) -> bool:
        """Whether a job only gets its Reason, as most do: its partition has failed, and the run goes on behind it."""
        if self.most_of_partition or not self._behind_failed(record):
            return False
        if self.depth and self.done.tested > self.depth:
            return False
        self.done.tested += 1
        _behind(record.job)
        return True

    def _behind_failed(self, record: Record) -> bool:
        """Whether a job's partition has failed; those in reservations are tried as long as nodes are left."""
        return record.table.name in self.failed and not record.job.reservation

    def _try(self, record: Record) -> None:
        """A job, and the further tasks of an array as long as they start: each counts for the depth."""
        job = record.job
        most = self.most_starts
        while self._within_depth(record):
            if self._behind_failed(record):
                _behind(job)
                return
            if not self._one(record) or job.tasks is None or job.id not in self.state.pending:
                return
            if not job.startable_tasks:
                job.reason = "JobArrayTaskLimit"
                return
            if most and len(self.done.started) >= most:
                self.stopped = True
                return

    def _within_depth(self, record: Record) -> bool:
        """Whether one more job of the partition, and of all, may be looked at (§3.1, §3.2)."""
        most = self.most_of_partition
        if most:
            name = record.table.name
            looked_at = self.per_partition[name] = self.per_partition.get(name, 0) + 1
            if looked_at > most:
                if record.job.reason == "None":
                    record.job.reason = "Priority"
                return False
        self.done.tested += 1
        if self.depth and self.done.tested > self.depth + 1:
            self.stopped = True
            return False
        return True

    def _one(self, record: Record) -> bool:
        """Whether a job started; if not, its Reason and what fails with it are set (§3.2)."""
        state, job = self.state, record.job
        if job.reservation and job.reservation in self.failed_reservations:
            job.reason = "Priority"
            return False
        if job.deadline is not None and drop_if_late(state, job):
            self.done.failed.append(job)
            return False
        refused = state.limits.before(record)
        if refused and job.reason in OF_LIMITS:
            job.reason = refused  # passed over: only when limits first keep it back anything fails with it
            return False
        if job.named & ~self.available and job.reason.startswith(NOT_AVAILABLE):
            return False  # nothing has changed: what else it names is not kept for it
        if (self.available & record.table.mask).bit_count() < record.demand.least_asked:
            job.reason = _TOO_FEW
            self._close(record)
            return False
        if record.refusal:  # for its account
            job.reason = record.refusal
            return False
        if job.ask.licences and not state.has_licences(job.ask.licences):
            job.reason = "Licenses"
            self.stopped = self.stopped or state.site.backfill.bf_licenses
            return False
        elsewhere = bool(job.named & ~record.mask)  # limits are asked no further: it names nodes of other partitions
        refusal = refused or (None if elsewhere else state.limits.bound(record))
        if refusal and (refused or not no_such_nodes(state, record)):
            job.reason = refusal
            self._refused(record)
            return False
        if too_few_tasks(record):
            job.reason = "PartitionNodeLimit"
            self._withheld(record)
            return False
        among = self._nodes_for(record)
        if among is None:
            return False
        settle_sharing(state, record)
        among &= record.mask
        preferred, free = state.preferred(record), without(among, state.completing | passed_over(state, record))
        heed_switches(state, record)
        own = state.flexible_nodes(record)
        placed = state.selector.start(record, free, state.occupancy, preferred, record.mask, own)
        if placed is None:
            placed = over_others(state, record, free)
        if placed is None:
            if elsewhere and len(job.records) > 1:
                self._withheld(record)
                if no_such_nodes(state, record):
                    job.reason = "BadConstraints"  # found out before what it names: else nothing is said of it
                return False
            if (record.magnetic and not among) or no_such_nodes(state, record):  # found out before limits are asked
                return self._blocked(record, among)
            refusal = state.limits.after(record, Picked(job.named, {}), would_take(state, record, among))
            if not refusal:
                return self._blocked(record, among)
        elif waits_for_switches(state, record, placed):
            job.reason = "Resources"
            self._fail(record)
            return False
        else:
            refusal = state.limits.after(record, placed, state.counted(record, placed))
        if refusal or placed is None:
            job.reason = refusal or job.reason
            self._refused(record)
            return False
        self._begin(record, placed)
        return True

    def _begin(self, record: Record, placed: Picked) -> None:
        """A job starts, with the time limit that it has from then on."""
        state = self.state
        limit = cut(record, record.limit, state.now)
        running = state.begin(record, placed, state.now, limit)
        self.done.started.append(running)
        self.done.victims += [(victim, record.job) for victim in end_beneath(state, running)]

    def _blocked(self, record: Record, among: int) -> bool:
        """No placement: busy, not available, or impossible indefinitely; unless others are suspended for it."""
        state, job = self.state, record.job
        room = make_room(state, record, without(among, state.completing) | self._of_other_users(record))
        if room.refusal:
            job.reason = room.refusal
            self._refused(record)
            return False
        if room.placed is not None:
            self._begin(record, room.placed)
            return True
        if room.victims is not None:
            self.done.victims += [(victim, job) for victim in room.victims]
            job.reason = "Resources"
            self._fail(record)
            return False
        self._cannot_start(record, among)
        return False

    def _of_other_users(self, record: Record) -> int:
        """Nodes that jobs of other users have to themselves, who would have to go for this one.

        Only those whose jobs have them whole are looked at for all that (_bit_or_cond).
        """
        state = self.state
        if not ((state.users_alone or record.demand.exclusive_user) and state.site.preempt.type):
            return 0
        held = union(one.holding.nodes for one in candidates(state, record) if one.holding.exclusive)
        return held & record.mask & self.available


def main_pass(state: State, full: bool = False) -> Pass:
    """One run of the main loop at ``state.now``; ``full``: without limit of depth."""
    return _Run(state, full).go()


def forget_limits(job: PendingJob) -> None:
    """Before backfill tests a job limits are asked anew, and their Reason goes."""
    if job.reason in OF_LIMITS:
        job.reason = "None"


def _behind(job: PendingJob) -> None:
    if job.reason in ("None", "Resources") or job.reason == _TOO_FEW:
        job.reason = "Priority"
