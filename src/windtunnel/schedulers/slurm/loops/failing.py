"""What fails with jobs that the main loop does not start, and the nodes that are left to those behind them (§3.2)."""

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.loops.cancelling import cut
from windtunnel.schedulers.slurm.loops.not_placed import (
    BUSY,
    NEVER,
    kept_by_others,
    left_by_reservations,
    no_such_nodes,
    nodes_busy,
    not_available,
    what_lacks,
)
from windtunnel.schedulers.slurm.loops.passes import Pass
from windtunnel.schedulers.slurm.nodes.nodesets import without
from windtunnel.schedulers.slurm.state import State

__all__ = ["Failing"]


@mypyc_attr(allow_interpreted_subclasses=True)
class Failing:
    """What one run has decided, with the partitions that have failed in it."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.done = Pass()
        self.available = state.up
        """Nodes that are up and in no failed partition."""
        self.failed: set[str] = set()
        self.failed_reservations: set[str] = set()

    def _nodes_for(self, record: Record) -> int | None:
        """The nodes a job may use now: none that others reserved for any part of its time (§8)."""
        state, job = self.state, record.job
        among = without(record.mask & self.available, state.of_others(record))
        if not state.bookings:
            return among
        end = state.now + cut(record, record.limit, state.now) * 60
        kept = state.bookings.kept_from(job, state.now, end)
        if job.reservation and (record.listed or not state.bookings.flexible(job.reservation)):
            own = state.bookings.own(job, state.now)
            if own is None or own.start > state.now:
                job.reason = "Reservation"
                self.available &= ~state.bookings.nodes_of(job.reservation)
                return None
            if state.bookings.flexible(job.reservation):
                return without(among, kept)
            if not without(own.mask, kept):  # others have all of it: nobody asks limits
                job.reason = kept_by_others(0)
                self.available &= ~own.mask
                return None
            among &= own.mask
        return without(among, kept)

    def _cannot_start(self, record: Record, among: int) -> None:
        """Nobody makes room: the Reason, and whether the partition fails with the job."""
        state, job = self.state, record.job
        usable, kept = left_by_reservations(state, record)
        seen = among
        if state.site.preempt.type:
            seen |= state.of_others(record) & record.mask & self.available  # whoever has them might go
        lack = what_lacks(state, record, seen, usable, self.available)
        if lack == BUSY:
            job.reason = "Resources"
            self._fail(record)
        elif lack == NEVER:
            if kept:
                job.reason = kept_by_others(usable)
                self.available &= ~state.bookings.nodes_of(job.reservation)
            elif self._reserved(record) and not no_such_nodes(state, record):
                job.reason = "Reservation"
                self._withheld(record)
            elif len(job.records) == 1 and not self._tried_elsewhere(record):
                job.reason = "BadConstraints"
                state.pending.pop(job.id, None)
                self.done.failed.append(job)
            else:  # it is tried elsewhere
                out = bool(record.magnetic) and (bool(job.named & ~usable) or not record.mask & usable)
                if out or not job.named & ~record.mask:  # else nothing is said of it
                    job.reason = "BadConstraints" if out or no_such_nodes(state, record) else "Resources"
                self._withheld(record)
        elif nodes_busy(state, record, among, self.available):
            job.reason = "Resources"
            self._fail(record)
        else:
            job.reason = not_available(state, record, self.available)
            self._withheld(record)

    @staticmethod
    def _tried_elsewhere(record: Record) -> bool:
        """Whether that is only what a job prefers, or one of the reservations that may take it."""
        return bool(record.magnetic or record.listed) or record is record.job.records[0].liking

    def _reserved(self, record: Record) -> bool:
        """Whether reservations take nodes that a job might have: then nobody says that it can never run (§8)."""
        state, job = self.state, record.job
        end = state.now + cut(record, record.limit, state.now) * 60
        return bool(state.bookings) and state.bookings.takes_any(job, state.now, end, record.table)

    def _fail(self, record: Record) -> None:
        """The partition fails: nothing behind it in it or on its nodes is tried in this run (§3.2, 7)."""
        state, job = self.state, record.job
        backfill = state.site.backfill
        if self._withheld(record):
            return
        if job.reservation:
            self.failed_reservations.add(job.reservation)
            return
        least_age = backfill.bf_min_age_reserve
        if least_age and (job.eligible is None or state.now - job.eligible < least_age):
            return
        if record.priority < state.limits.least_priority(record, backfill.bf_min_prio_reserve):
            return
        self._close(record)

    def _refused(self, record: Record) -> None:
        """Limits keep a job back; what it names is kept for it all the same."""
        if self.state.site.main.assoc_limit_stop:
            self._fail(record)
        else:
            self._withheld(record)

    def _withheld(self, record: Record) -> bool:
        """Nodes that a job names, as many as it needs at least, are kept for it; nothing else fails with it."""
        named = record.job.named
        if not named or named.bit_count() < record.demand.least_asked:
            return False
        self.available &= ~named
        return True

    def _close(self, record: Record) -> None:
        self.failed.add(record.table.name)
        self.available &= ~record.table.mask
