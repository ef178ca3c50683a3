"""Haizea's accounting probes: what is counted for which kind of lease. Durations in statistics are seconds."""

from collections.abc import Callable
from typing import ClassVar, Final, Protocol

from mypy_extensions import mypyc_attr

from windtunnel.model.lease import Lease, LeaseKind, LeaseState, When
from windtunnel.vocabulary.lease_facts import LeaseOver, LeaseRequested, LeasesNow

__all__ = ["PROBES", "Accounts", "Probe"]

_S = LeaseState
_DONE: Final = _S.DONE
_REJECTED: Final = _S.REJECTED
_REJECTED_BY_USER: Final = _S.REJECTED_BY_USER
_BEST_EFFORT: Final = LeaseKind.BEST_EFFORT
_DEADLINE: Final = LeaseKind.DEADLINE
_FINISHED: Final = {
    _DONE: "Completed leases",
    _REJECTED: "Rejected leases",
    _REJECTED_BY_USER: "Rejected leases (by user)",
}
BOUND = 1000
"""Shorter leases count as this long (in hundredths of a second) in slowdowns."""
HOUR = 360_000


class Accounts(Protocol):
    """Where probes keep counters and statistics."""

    stats: dict[str, float]

    def counter(self, name: str, average: str = "none") -> None:
        """Start a counter at zero; ``average`` is ``none``, ``mean`` or ``time-weighted``."""

    def count(self, name: str, lease: int | None, amount: float = 1) -> None:
        """Increase a counter."""

    def set(self, name: str, value: float, lease: int | None = None) -> None:
        """Set a counter."""

    def lease_stat(self, lease: int | None, name: str, value: object) -> None:
        """Set a statistic of one lease."""

    def last(self, name: str) -> tuple[float, float]:
        """When (s) a counter got its last value, and that value."""


def hundredths(seconds: float) -> int:
    """Leases are planned in these: sums of them are exact."""
    return round(seconds * 100)


def user_rate(lease: Lease) -> float | None:
    """The most a simulated user pays per node and hour; ``None`` if the lease does not say."""
    value = lease.extras.get("simul_userrate")
    return None if value is None else float(value)


@mypyc_attr(allow_interpreted_subclasses=True)
class Probe:
    """Base: is told of leases and instants, and keeps counters and statistics in the accounting."""

    def __init__(self, accounts: Accounts) -> None:
        self.accounts = accounts
        self.setup()

    def setup(self) -> None:
        """Start counters."""

    def requested(self, fact: LeaseRequested) -> None:
        """A lease was submitted, and is pending or rejected."""

    def finished(self, fact: LeaseOver) -> None:
        """A lease is done or was rejected by the scheduler (or its user)."""

    def stands(self, fact: LeasesNow) -> None:
        """An instant is over."""

    def close(self) -> None:
        """The run is over: set totals."""

    def _total(self, stat: str, counter: str) -> None:
        self.accounts.stats[stat] = self.accounts.last(counter)[1]


@mypyc_attr(allow_interpreted_subclasses=True)
class _AcceptedProbe(Probe):
    """Accepted (admitted) and rejected leases of a kind; one admitted and then not placed is in both."""

    kind: ClassVar[LeaseKind]

    def setup(self) -> None:
        self.accounts.counter(f"Accepted {self.kind}")
        self.accounts.counter(f"Rejected {self.kind}")

    def requested(self, fact: LeaseRequested) -> None:
        if fact.lease.kind is self.kind:
            self.accounts.count(f"{'Rejected' if fact.rejected else 'Accepted'} {self.kind}", fact.lease.id)

    def finished(self, fact: LeaseOver) -> None:
        if fact.lease.kind is self.kind and fact.state is _REJECTED:
            self.accounts.count(f"Rejected {self.kind}", fact.lease.id)

    def close(self) -> None:
        self._total(f"Total accepted {self.kind}", f"Accepted {self.kind}")
        self._total(f"Total rejected {self.kind}", f"Rejected {self.kind}")


@mypyc_attr(allow_interpreted_subclasses=True)
class ReservationProbe(_AcceptedProbe):
    """``ar``."""

    kind: ClassVar[LeaseKind] = LeaseKind.RESERVATION


@mypyc_attr(allow_interpreted_subclasses=True)
class ImmediateProbe(_AcceptedProbe):
    """``immediate``."""

    kind: ClassVar[LeaseKind] = LeaseKind.IMMEDIATE


@mypyc_attr(allow_interpreted_subclasses=True)
class BestEffortProbe(Probe):
    """``best-effort``: completions, the queue, waiting times and slowdowns."""

    def setup(self) -> None:
        self.accounts.counter("Best-effort completed")
        self.accounts.counter("Queue size", "time-weighted")

    def stands(self, fact: LeasesNow) -> None:
        self.accounts.set("Queue size", fact.queued)

    def finished(self, fact: LeaseOver) -> None:
        lease = fact.lease
        if lease.kind is _BEST_EFFORT and fact.started is not None and fact.state is _DONE:
            submitted = hundredths(lease.submit)
            self.accounts.lease_stat(lease.id, "Waiting time", (hundredths(fact.started) - submitted) / 100)
            slowdown = (hundredths(fact.ended) - submitted) / max(hundredths(fact.actual), BOUND)
            self.accounts.lease_stat(lease.id, "Slowdown", slowdown)
            self.accounts.count("Best-effort completed", lease.id)

    def close(self) -> None:
        self._total("Total best-effort completed", "Best-effort completed")
        self.accounts.stats["all-best-effort"] = self.accounts.last("Best-effort completed")[0]


@mypyc_attr(allow_interpreted_subclasses=True)
class CpuProbe(Probe):
    """``cpu-utilization``: the CPU of running machines, of all CPU."""

    def setup(self) -> None:
        self.accounts.counter("CPU utilization", "time-weighted")

    def stands(self, fact: LeasesNow) -> None:
        self.accounts.set("CPU utilization", fact.cpu)


@mypyc_attr(allow_interpreted_subclasses=True)
class DiskProbe(Probe):
    """``disk-usage``: the most MB of lease images and saved memory on any node (cached images not counted)."""

    def setup(self) -> None:
        self.accounts.counter("Disk usage")

    def stands(self, fact: LeasesNow) -> None:
        self.accounts.set("Disk usage", fact.disk)


@mypyc_attr(allow_interpreted_subclasses=True)
class LeaseProbe(Probe):
    """``lease``: leases requested, completed, rejected."""

    names: ClassVar[tuple[str, ...]] = (
        "Requested leases",
        "Completed leases",
        "Rejected leases",
        "Rejected leases (by user)",
    )

    def setup(self) -> None:
        for name in self.names:
            self.accounts.counter(name)

    def requested(self, fact: LeaseRequested) -> None:
        self.accounts.count("Requested leases", fact.lease.id)

    def finished(self, fact: LeaseOver) -> None:
        self.accounts.count(_FINISHED[fact.state], fact.lease.id)

    def close(self) -> None:
        for name in self.names:
            self._total(f"Total {name[0].lower()}{name[1:]}", name)


@mypyc_attr(allow_interpreted_subclasses=True)
class ExtrasProbe(Probe):
    """``lease-extras``: what was asked, what became of it, and every extra of each lease."""

    def finished(self, fact: LeaseOver) -> None:
        lease = fact.lease

        def stat(name: str, value: object) -> None:
            self.accounts.lease_stat(lease.id, name, value)

        stat("State", fact.state.label)
        stat("Number of nodes", lease.numnodes)
        stat("Requested duration", fact.requested)
        if fact.state is _DONE:
            stat("Actual duration", fact.actual)
        if not isinstance(lease.start, When):
            start = hundredths(lease.start)
            stat("Start", (start - hundredths(lease.submit)) / 100)
            if lease.deadline is not None:
                stat("Deadline", (hundredths(lease.deadline) - start) / 100)
        for name, value in fact.extras.items():
            stat(name, value)


@mypyc_attr(allow_interpreted_subclasses=True)
class DeadlineProbe(Probe):
    """``deadline``: the slowdown of deadline leases, counted from their requested start."""

    def finished(self, fact: LeaseOver) -> None:
        lease = fact.lease
        if lease.kind is _DEADLINE and fact.state is _DONE:
            assert not isinstance(lease.start, When)
            slowdown = (hundredths(fact.ended) - hundredths(lease.start)) / max(hundredths(lease.duration), BOUND)
            self.accounts.lease_stat(lease.id, "Slowdown", slowdown)


@mypyc_attr(allow_interpreted_subclasses=True)
class PriceProbe(Probe):
    """``price``: revenue, surcharges, and what was missed."""

    names: ClassVar[tuple[str, ...]] = (
        "Revenue",
        "Surcharge",
        "Missed revenue (undercharging)",
        "Missed revenue (reject)",
        "Missed revenue (reject by user)",
    )

    def setup(self) -> None:
        for name in self.names:
            self.accounts.counter(name)

    def finished(self, fact: LeaseOver) -> None:
        lease = fact.lease
        count: Callable[..., None] = self.accounts.count
        done = fact.state is _DONE
        if done:
            count("Revenue", lease.id, fact.price or 0)
            self.accounts.lease_stat(lease.id, "Price", fact.price)
        rate = user_rate(lease)
        if rate is None:
            return
        hours = hundredths(fact.requested) / HOUR * lease.numnodes
        charged = fact.extras.get("rate")
        if done and charged is not None and fact.price is not None:
            count("Missed revenue (undercharging)", lease.id, hours * rate - fact.price)
            count("Surcharge", lease.id, fact.price - hours * float(str(charged)))
        elif fact.state is _REJECTED:
            count("Missed revenue (reject)", lease.id, hours * rate)
        elif fact.state is _REJECTED_BY_USER:
            count("Missed revenue (reject by user)", lease.id, hours * rate)

    def close(self) -> None:
        for name in self.names:
            self._total(name, name)
        missed = [self.accounts.stats[name] for name in self.names[2:]]
        self.accounts.stats["Missed revenue (total)"] = sum(missed)


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
