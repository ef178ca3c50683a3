"""Preemption: which leases may preempt which, and in which order they are preempted."""

from math import inf

from windtunnel.leases.planner.plan import Plan
from windtunnel.leases.planner.record import LeaseRecord
from windtunnel.leases.planner.ticks import TICKS
from windtunnel.model.lease import LeaseKind, LeaseState

__all__ = ["DeadlinePreemption", "NoPreemption", "PreemptionPolicy", "ReservationsPreempt"]

DAY = 86400 * TICKS


class PreemptionPolicy:
    """Base: no lease is preempted."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    def score(self, preemptor: LeaseRecord, preemptee: LeaseRecord, time: int) -> float | None:  # noqa: ARG002
        """How readily the second lease gives way to the first, which starts at ``time`` (ticks); ``None``: never."""
        return None


class NoPreemption(PreemptionPolicy):
    """``no-preemption``."""


class ReservationsPreempt(PreemptionPolicy):
    """``ar-preempts-everything`` and ``ar-preempts-be``, which are the same: best-effort leases give way to advance
    reservations, unless they were submitted a week or more before.
    """

    def score(self, preemptor: LeaseRecord, preemptee: LeaseRecord, time: int) -> float | None:
        if preemptor.kind is not LeaseKind.RESERVATION or preemptee.kind is not LeaseKind.BEST_EFFORT:
            return None
        if self.plan.rules.respects_preemptible and not preemptee.lease.preemptible:
            return None
        if preemptee.submit <= time - 7 * DAY:
            return None
        return (31 * DAY - (time - preemptee.submit)) / (31 * DAY)


LIVE = {
    LeaseState.SCHEDULED,
    LeaseState.READY,
    LeaseState.ACTIVE,
    LeaseState.SUSPENDING,
    LeaseState.SUSPENDED_PENDING,
    LeaseState.SUSPENDED_SCHEDULED,
}


class DeadlinePreemption(PreemptionPolicy):
    """``deadline``: a deadline lease gives way if it can still meet its deadline afterwards.

    The more slack it would have left, the later it is asked.
    """

    def score(self, preemptor: LeaseRecord, preemptee: LeaseRecord, time: int) -> float | None:
        if preemptee.kind is not LeaseKind.DEADLINE or preemptee.deadline is None:
            return -inf if self.plan.rules.others_give_way_to_deadlines else None
        if preemptee.state not in LIVE:
            return None
        times, rules = self.plan.times, self.plan.rules
        if rules.respects_preemptible and not preemptee.lease.preemptible:
            return None
        if times.may_suspend(preemptee) if rules.holds_serial_only else times.suspends:
            remaining = preemptee.remaining_at(time)
            delay = times.suspend_estimate(preemptee) + preemptor.requested + times.resume_estimate(preemptee)
        else:
            remaining, delay = preemptee.requested, preemptor.requested
        if remaining <= 0 or time + delay + remaining >= preemptee.deadline:
            return None
        return (preemptee.deadline - (time + delay)) / remaining
