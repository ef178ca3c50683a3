"""When a simulation of leases is to stop before its end (Haizea's ``stop-when``)."""

from collections.abc import Sequence

from windtunnel.leases.planner.plan import Plan
from windtunnel.leases.planner.ticks import ticks
from windtunnel.model import Workload
from windtunnel.model.lease import LeaseKind
from windtunnel.model.lease_jobs import LeaseJobs
from windtunnel.model.lease_options import Stop, StopWhen

__all__ = ["StopCondition"]


class StopCondition:
    """Says after each instant whether it is enough."""

    def __init__(self, stop: Stop) -> None:
        self.stop = stop
        self.is_set = stop.when is not StopWhen.ALL_LEASES_DONE
        self._to_come = 0
        """Best-effort leases of the workloads that were not submitted yet."""

    def begin(self, workloads: Sequence[Workload]) -> None:
        """The work is known now."""
        leases = [lease for work in workloads if isinstance(work, LeaseJobs) for lease in work.leases.values()]
        self._to_come = sum(lease.kind is LeaseKind.BEST_EFFORT for lease in leases)

    def submitted(self, kind: LeaseKind) -> None:
        """A lease has come."""
        self._to_come -= kind is LeaseKind.BEST_EFFORT

    def enough(self, plan: Plan) -> bool:
        """Whether the run stops here."""
        when = self.stop.when
        if when is StopWhen.EXACT:
            return plan.now >= ticks(self.stop.time)
        if self._to_come > 0:
            return False
        return when is StopWhen.BESTEFFORT_SUBMITTED or not any(
            lease.kind is LeaseKind.BEST_EFFORT for lease in plan.leases.values()
        )
