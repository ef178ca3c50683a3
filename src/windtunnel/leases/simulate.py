"""Simulating leases alone: the shortest loop around the lease scheduler, its clock jumping from event to event."""

from collections.abc import Callable, Iterable, Sequence

from windtunnel.diagnostics import DeadlockError
from windtunnel.leases.core import Observer
from windtunnel.leases.record import ticks
from windtunnel.leases.reservations import TICKS
from windtunnel.leases.scheduler import LeaseScheduler
from windtunnel.model.lease import Lease, LeaseKind, LeaseSite
from windtunnel.model.lease_options import LeaseOptions, Stop, StopWhen

__all__ = ["run_leases"]


def run_leases(
    site: LeaseSite,
    leases: Iterable[Lease],
    options: LeaseOptions,
    observers: Sequence[Observer] = (),
    *,
    stop: Stop | None = None,
    progress: Callable[[float], None] | None = None,
) -> LeaseScheduler:
    """Simulate until all is over; returns the scheduler as it was left. ``leases`` may be in any order.

    Raises:
        DeadlockError: leases wait that can never be placed.
        SimulationError: see :meth:`LeaseScheduler.advance`.
        UsageError: an option, a policy or the site makes no sense.
    """
    scheduler = LeaseScheduler(site, options, observers)
    waiting = sorted(leases, key=lambda lease: ticks(lease.submit))
    best_effort = sum(lease.kind is LeaseKind.BEST_EFFORT for lease in waiting)
    stop = stop or Stop()
    position, now = 0, 0
    while True:
        first = position
        while position < len(waiting) and ticks(waiting[position].submit) <= now:
            best_effort -= waiting[position].kind is LeaseKind.BEST_EFFORT
            position += 1
        scheduler.advance(now, waiting[first:position])
        if progress is not None:
            progress(now / TICKS)
        times = [scheduler.next_event()]
        if position < len(waiting):
            times.append(ticks(waiting[position].submit))
        following = min((time for time in times if time is not None), default=None)
        if not scheduler.busy and position == len(waiting):
            return scheduler
        if _is_enough(stop, scheduler, best_effort, now):
            return scheduler
        if following is None:
            raise _deadlock(scheduler)
        now = following


def _is_enough(stop: Stop, scheduler: LeaseScheduler, best_effort_to_come: int, now: int) -> bool:
    if stop.when is StopWhen.EXACT:
        return now >= ticks(stop.time)
    if stop.when is StopWhen.BESTEFFORT_SUBMITTED:
        return best_effort_to_come == 0
    if stop.when is StopWhen.BESTEFFORT_DONE:
        core = scheduler.core
        return best_effort_to_come == 0 and not any(
            lease.kind is LeaseKind.BEST_EFFORT for lease in core.leases.values()
        )
    return False


def _deadlock(scheduler: LeaseScheduler) -> DeadlockError:
    waiting = [f"{lease.id} ({lease.reason or lease.state.label})" for lease in scheduler.core.leases.values()]
    shown = ", ".join(waiting[:10]) + (f" and {len(waiting) - 10} more" if len(waiting) > 10 else "")
    return DeadlockError(f"nothing will happen any more, but leases are not over: {shown}", now=scheduler.now / TICKS)
