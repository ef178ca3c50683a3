"""Haizea's accounting probes: what is counted for which kind of lease. Durations in statistics are seconds."""

from typing import TYPE_CHECKING

from windtunnel.leases.policies.pricing import user_rate
from windtunnel.leases.record import LeaseRecord
from windtunnel.leases.reservations import TICKS, VirtualMachines
from windtunnel.model.lease import LeaseKind, LeaseState

if TYPE_CHECKING:
    from windtunnel.leases.accounting import Accounting
    from windtunnel.leases.core import Core

__all__ = ["PROBES", "Probe"]

_S = LeaseState
BOUND = 10 * TICKS
"""Shorter leases count as this long in slowdowns."""


class Probe:
    """Base: is told of leases and instants, and keeps counters and statistics in the accounting."""

    def __init__(self, accounting: "Accounting") -> None:
        self.accounting = accounting
        self.setup()

    def setup(self) -> None:
        """Start counters."""

    def requested(self, lease: LeaseRecord) -> None:
        """A lease was submitted, and is pending or rejected."""

    def finished(self, lease: LeaseRecord) -> None:
        """A lease is done or was rejected by the scheduler (or its user)."""

    def step(self, core: "Core") -> None:
        """An instant is over."""

    def close(self) -> None:
        """The run is over: set totals."""

    def _total(self, stat: str, counter: str) -> None:
        self.accounting.stats[stat] = self.accounting.counters[counter][-1][2]


class _AcceptedProbe(Probe):
    """Accepted (admitted) and rejected leases of a kind; one admitted and then not placed is in both [Q]."""

    kind: LeaseKind

    def setup(self) -> None:
        self.accounting.counter(f"Accepted {self.kind}")
        self.accounting.counter(f"Rejected {self.kind}")

    def requested(self, lease: LeaseRecord) -> None:
        if lease.kind is self.kind:
            rejected = lease.state is _S.REJECTED
            self.accounting.count(f"{'Rejected' if rejected else 'Accepted'} {self.kind}", lease.id)

    def finished(self, lease: LeaseRecord) -> None:
        if lease.kind is self.kind and lease.state is _S.REJECTED:
            self.accounting.count(f"Rejected {self.kind}", lease.id)

    def close(self) -> None:
        self._total(f"Total accepted {self.kind}", f"Accepted {self.kind}")
        self._total(f"Total rejected {self.kind}", f"Rejected {self.kind}")


class ReservationProbe(_AcceptedProbe):
    """``ar``."""

    kind = LeaseKind.RESERVATION


class ImmediateProbe(_AcceptedProbe):
    """``immediate``."""

    kind = LeaseKind.IMMEDIATE


class BestEffortProbe(Probe):
    """``best-effort``: completions, the queue, waiting times and slowdowns."""

    def setup(self) -> None:
        self.accounting.counter("Best-effort completed")
        self.accounting.counter("Queue size", "time-weighted")

    def step(self, core: "Core") -> None:
        self.accounting.set("Queue size", len(core.queue))

    def finished(self, lease: LeaseRecord) -> None:
        if lease.kind is LeaseKind.BEST_EFFORT and lease.started is not None and lease.end is not None:
            self.accounting.lease_stat(lease, "Waiting time", (lease.started - lease.submit) / TICKS)
            slowdown = (lease.end - lease.submit) / max(lease.actual or 0, BOUND)
            self.accounting.lease_stat(lease, "Slowdown", slowdown)
            self.accounting.count("Best-effort completed", lease.id)

    def close(self) -> None:
        self._total("Total best-effort completed", "Best-effort completed")
        samples = self.accounting.counters["Best-effort completed"]
        self.accounting.stats["all-best-effort"] = samples[-1][0] / TICKS


class CpuProbe(Probe):
    """``cpu-utilization``: the CPU of running machines, of all CPU."""

    def setup(self) -> None:
        self.accounting.counter("CPU utilization", "time-weighted")

    def step(self, core: "Core") -> None:
        table, space = core.table, core.space
        used = 0
        for r in table.overlapping(core.now, core.now + 1):
            if isinstance(r, VirtualMachines):
                used += sum(space.cpu(amount) * nodes.bit_count() for amount, nodes in r.parts)
        total = table.profile.total
        self.accounting.set("CPU utilization", used / total if total else 0.0)


class DiskProbe(Probe):
    """``disk-usage``: the most MB of lease images and saved memory on any node (cached images not counted)."""

    def setup(self) -> None:
        self.accounting.counter("Disk usage")

    def step(self, core: "Core") -> None:
        used: dict[int, int] = {}
        for lease in core.leases.values():
            for vnode, node in lease.memory_at.items():
                used[node] = used.get(node, 0) + lease.memories[vnode]
            if lease.software is not None:
                for node, _ in lease.images_at:
                    used[node] = used.get(node, 0) + lease.software.size
        self.accounting.set("Disk usage", max(used.values(), default=0))


class LeaseProbe(Probe):
    """``lease``: leases requested, completed, rejected."""

    names = ("Requested leases", "Completed leases", "Rejected leases", "Rejected leases (by user)")

    def setup(self) -> None:
        for name in self.names:
            self.accounting.counter(name)

    def requested(self, lease: LeaseRecord) -> None:
        self.accounting.count("Requested leases", lease.id)

    def finished(self, lease: LeaseRecord) -> None:
        counter = {
            _S.DONE: "Completed leases",
            _S.REJECTED: "Rejected leases",
            _S.REJECTED_BY_USER: "Rejected leases (by user)",
        }
        self.accounting.count(counter[lease.state], lease.id)

    def close(self) -> None:
        for name in self.names:
            self._total(f"Total {name[0].lower()}{name[1:]}", name)


class ExtrasProbe(Probe):
    """``lease-extras``: what was asked, what became of it, and every extra of each lease."""

    def finished(self, lease: LeaseRecord) -> None:
        stat = self.accounting.lease_stat
        stat(lease, "State", lease.state.label)
        stat(lease, "Number of nodes", lease.numnodes)
        stat(lease, "Requested duration", lease.requested / TICKS)
        if lease.actual is not None:
            stat(lease, "Actual duration", lease.actual / TICKS)
        if lease.start is not None:
            stat(lease, "Start", (lease.start - lease.submit) / TICKS)
            if lease.deadline is not None:
                stat(lease, "Deadline", (lease.deadline - lease.start) / TICKS)
        for name, value in lease.extras.items():
            stat(lease, name, value)


class DeadlineProbe(Probe):
    """``deadline``: the slowdown of deadline leases, counted from their requested start."""

    def finished(self, lease: LeaseRecord) -> None:
        if lease.kind is LeaseKind.DEADLINE and lease.state is _S.DONE:
            assert lease.end is not None
            assert lease.start is not None
            slowdown = (lease.end - lease.start) / max(lease.original, BOUND)
            self.accounting.lease_stat(lease, "Slowdown", slowdown)


class PriceProbe(Probe):
    """``price``: revenue, surcharges, and what was missed."""

    names = (
        "Revenue",
        "Surcharge",
        "Missed revenue (undercharging)",
        "Missed revenue (reject)",
        "Missed revenue (reject by user)",
    )

    def setup(self) -> None:
        for name in self.names:
            self.accounting.counter(name)

    def finished(self, lease: LeaseRecord) -> None:
        count = self.accounting.count
        done = lease.state is _S.DONE
        if done:
            count("Revenue", lease.id, lease.price or 0)
            self.accounting.lease_stat(lease, "Price", lease.price)
        rate = user_rate(lease)
        if rate is None:
            return
        hours = lease.requested / (3600 * TICKS) * lease.numnodes
        charged = lease.extras.get("rate")
        if done and charged is not None and lease.price is not None:
            count("Missed revenue (undercharging)", lease.id, hours * rate - lease.price)
            count("Surcharge", lease.id, lease.price - hours * float(str(charged)))
        elif lease.state is _S.REJECTED:
            count("Missed revenue (reject)", lease.id, hours * rate)
        elif lease.state is _S.REJECTED_BY_USER:
            count("Missed revenue (reject by user)", lease.id, hours * rate)

    def close(self) -> None:
        for name in self.names:
            self._total(name, name)
        missed = [self.accounting.stats[name] for name in self.names[2:]]
        self.accounting.stats["Missed revenue (total)"] = sum(missed)


PROBES: dict[str, type[Probe]] = {
    "ar": ReservationProbe,
    "best-effort": BestEffortProbe,
    "immediate": ImmediateProbe,
    "cpu-utilization": CpuProbe,
    "disk-usage": DiskProbe,
    "lease": LeaseProbe,
    "lease-extras": ExtrasProbe,
    "deadline": DeadlineProbe,
    "price": PriceProbe,
}
"""All probes, by the names of the option ``accounting.probes``."""
