"""Pricing: what a lease costs. A simulated user may refuse (extra ``simul_userrate``: the most per node and hour)."""

import random
from collections.abc import Sequence
from statistics import median

from windtunnel.diagnostics import UsageError
from windtunnel.leases.planner.plan import Plan
from windtunnel.leases.planner.record import LeaseRecord
from windtunnel.leases.planner.ticks import TICKS
from windtunnel.model.lease import LeaseState

__all__ = [
    "AdaptivePrice",
    "ConstantPrice",
    "FreePrice",
    "MaximumPrice",
    "PricingPolicy",
    "RandomPrice",
    "user_rate",
]

HOUR = 3600 * TICKS


def user_rate(lease: LeaseRecord) -> float | None:
    """The most a simulated user pays per node and hour; ``None`` if the lease does not say."""
    value = lease.extras.get("simul_userrate")
    return None if value is None else float(str(value))


class PricingPolicy:
    """Base: rate per node and hour of the requested duration, and a surcharge for what other leases lose by it."""

    free = False

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.rate = 0.0 if self.free else self._option("pricing_rate")

    def _option(self, name: str) -> float:
        value = getattr(self.plan.options, name)
        if value is None:
            raise UsageError(f"policy-pricing {self.plan.options.policy_pricing} needs {name.replace('_', '-')}")
        return float(value)

    def base_price(self, lease: LeaseRecord, rate: float | None = None) -> float:
        """Hours requested × nodes × rate."""
        return (lease.requested / HOUR) * lease.numnodes * (self.rate if rate is None else rate)

    def surcharge(self, preempted: Sequence[LeaseRecord]) -> float:
        """For the time the preempted leases spend suspending and resuming."""
        times = self.plan.times
        if not times.suspends:
            return 0
        return sum(
            ((times.suspend_estimate(other) + times.resume_estimate(other)) / HOUR) * other.numnodes * self.rate
            for other in preempted
        )

    def price(self, lease: LeaseRecord, preempted: Sequence[LeaseRecord]) -> float:
        """What the lease costs if it is scheduled now, preempting those."""
        return self.base_price(lease) + self.surcharge(preempted)

    def feedback(self, lease: LeaseRecord) -> None:
        """Called when a lease that is not best-effort was scheduled, rejected, or refused by its user."""


class FreePrice(PricingPolicy):
    """``free``."""

    free = True

    def base_price(self, lease: LeaseRecord, rate: float | None = None) -> float:  # noqa: ARG002
        return 0.0

    def price(self, lease: LeaseRecord, preempted: Sequence[LeaseRecord]) -> float:  # noqa: ARG002
        return 0.0


class ConstantPrice(PricingPolicy):
    """``constant``: always ``pricing.rate``."""


class RandomPrice(PricingPolicy):
    """``random``: a rate per lease, uniform from ``pricing.min-rate`` to ``max-rate``, seeded by ``pricing.seed``."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self._low, self._high = self._option("pricing_min_rate"), self._option("pricing_max_rate")
        self._random = random.Random(int(self._option("pricing_seed")))

    def price(self, lease: LeaseRecord, preempted: Sequence[LeaseRecord]) -> float:
        self.rate = self._random.uniform(self._low, self._high)
        return super().price(lease, preempted)


class MaximumPrice(PricingPolicy):
    """``maximum``: just what the user is willing to pay."""

    def price(self, lease: LeaseRecord, preempted: Sequence[LeaseRecord]) -> float:  # noqa: ARG002
        rate = user_rate(lease)
        if rate is None:
            raise UsageError(f"policy-pricing maximum: lease {lease.id} has no extra simul_userrate")
        self.rate = rate
        return self.base_price(lease)


class _Answers:
    """What one user accepted and refused so far."""

    def __init__(self) -> None:
        self.accepted: list[float] = []
        self.refused: list[float] = []
        self.estimate = 0.0
        self.found = False


class AdaptivePrice(PricingPolicy):
    """``adaptive``: the median of what each user seems to accept, learned from their answers."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self._users: dict[int | None, _Answers] = {}

    def feedback(self, lease: LeaseRecord) -> None:
        rate = lease.extras.get("rate")
        if lease.price is None or rate is None:
            return
        rate = float(str(rate))
        user = self._users.setdefault(lease.lease.user, _Answers())
        if lease.state is LeaseState.REJECTED_BY_USER:
            user.refused = _range([*user.refused, rate])
        elif user.accepted and user.refused:
            user.found = True
        else:
            user.accepted = _range([*user.accepted, rate])
        for known in self._users.values():
            if not known.found:
                known.estimate = _estimate(known)
        self.rate = median(known.estimate for known in self._users.values())


def _range(rates: list[float]) -> list[float]:
    return [min(rates), max(rates)]


def _estimate(user: _Answers) -> float:
    if not user.refused:
        return user.accepted[1] * 1.5
    if not user.accepted:
        return user.refused[0] * 0.5
    return (user.accepted[1] + user.refused[0]) / 2
