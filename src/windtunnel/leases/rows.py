"""What a run of leases leaves, as rows: one per lease, one per reservation that was carried out."""

from typing import TYPE_CHECKING, NamedTuple, Protocol

from windtunnel.leases.jobs import hosts_text
from windtunnel.leases.record import LeaseRecord
from windtunnel.leases.reservations import (
    TICKS,
    Migration,
    Reservation,
    Suspension,
    Transfer,
    VirtualMachines,
    bits,
)
from windtunnel.model.lease import LeaseState, When

if TYPE_CHECKING:
    from windtunnel.leases.core import Core

__all__ = ["LeaseRow", "ReservationRow", "RowObserver", "RowSink"]


class LeaseRow(NamedTuple):
    """A lease that is over. Dates and durations in seconds; empty (``None``) where there is none."""

    lease_id: int
    type: str
    state: str
    submitted: float
    requested_start: str
    deadline: float | None
    started: float | None
    ended: float | None
    requested_duration: float
    ran: float
    waiting: float | None
    slowdown: float | None
    nodes: int
    hosts: str
    suspensions: int
    migrations: int
    transfers: int
    preemptible: bool
    user: int | None
    price: float | None
    reason: str


class ReservationRow(NamedTuple):
    """Something that was carried out: ``kind`` is VM, Suspension, Resumption, Shutdown, a migration or a transfer."""

    lease_id: int
    kind: str
    start: float
    end: float
    hosts: str


class RowSink(Protocol):
    """Takes rows as they come."""

    def lease(self, row: LeaseRow) -> None:
        """A lease is over."""

    def reservation(self, row: ReservationRow) -> None:
        """A reservation is over."""


class RowObserver:
    """Turns what the scheduler tells into rows."""

    def __init__(self, sink: RowSink, nodes: int) -> None:
        """``nodes``: how many nodes the site has; the image repository is not among them."""
        self.sink = sink
        self._nodes = nodes
        self._moves: dict[int, list[int]] = {}
        """Suspensions, migrations and transfers by lease."""

    def changed(self, now: int, lease: LeaseRecord, old: LeaseState, new: LeaseState) -> None:
        """States are not in the rows."""

    def began(self, now: int, reservation: Reservation) -> None:
        """Rows are made at the end."""

    def ended(self, now: int, reservation: Reservation) -> None:
        """Make a row of it."""
        counts = self._moves.setdefault(reservation.lease.id, [0, 0, 0])
        if isinstance(reservation, Suspension):
            counts[0] += reservation.is_last
        elif isinstance(reservation, Migration):
            counts[1] += 1
        elif isinstance(reservation, Transfer):
            counts[2] += 1
        self._row(reservation, min(reservation.end, now))

    def ended_early(self, now: int, vm: VirtualMachines) -> None:
        """Its end follows."""

    def lost(self, now: int, vm: VirtualMachines) -> None:
        """They ran in vain up to here."""
        self._row(vm, now)

    def requested(self, now: int, lease: LeaseRecord) -> None:
        """Leases that are rejected at once are over."""
        if lease.state is LeaseState.REJECTED:
            self.finished(now, lease)

    def finished(self, now: int, lease: LeaseRecord) -> None:
        """Make a row of it."""
        self.sink.lease(lease_row(lease, self._moves.pop(lease.id, [0, 0, 0]), now))

    def step(self, now: int, core: "Core") -> None:
        """Nothing to write."""

    def _row(self, reservation: Reservation, end: int) -> None:
        hosts = hosts_text(bit for bit in bits(reservation.mask) if bit < self._nodes)
        self.sink.reservation(
            ReservationRow(reservation.lease.id, reservation.name, reservation.start / TICKS, end / TICKS, hosts)
        )


def lease_row(lease: LeaseRecord, counts: list[int], now: int) -> LeaseRow:
    """The row of a lease that is over."""
    asked = lease.lease
    started, ended = _s(lease.started), _s(now if lease.end is None else lease.end)
    ran = sum(end - start for start, end in lease.ran) / TICKS
    done = lease.state is LeaseState.DONE
    vm = lease.last_vm
    start = asked.start
    return LeaseRow(
        lease.id,
        str(lease.kind),
        lease.state.label,
        lease.submit / TICKS,
        start.value if isinstance(start, When) else f"{start:g}",
        _s(lease.deadline),
        started,
        ended,
        lease.requested / TICKS,
        ran,
        None if lease.started is None else (lease.started - lease.submit) / TICKS,
        (lease.end - lease.submit) / max(lease.actual or 0, 10 * TICKS) if done and lease.end is not None else None,
        lease.numnodes,
        "" if vm is None else hosts_text(vm.hosts),
        counts[0],
        counts[1],
        counts[2],
        asked.preemptible,
        asked.user,
        lease.price,
        lease.reason,
    )


def _s(ticks: int | None) -> float | None:
    return None if ticks is None else ticks / TICKS
