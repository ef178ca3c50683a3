"""Trying out changes of a plan that may be taken back."""

from mypy_extensions import mypyc_attr

from windtunnel.leases.planner.plan import Plan
from windtunnel.leases.planner.record import LeaseRecord

__all__ = ["Transaction"]


@mypyc_attr(allow_interpreted_subclasses=True)
class Transaction:
    """The slot table and the schedules of some leases as they are now, to go back to."""

    def __init__(self, plan: Plan, leases: list[LeaseRecord]) -> None:
        self._plan = plan
        self._table = plan.table.save()
        self._leases = [(lease, lease.state, lease.vms[:]) for lease in leases]
        self._machines = [(vm, vm.start, vm.end, vm.pre[:], vm.post[:]) for lease in leases for vm in lease.vms]

    def rollback(self) -> None:
        """Go back."""
        for lease, state, vms in self._leases:
            lease.state, lease.vms = state, vms
        for vm, start, end, pre, post in self._machines:
            vm.start, vm.end, vm.pre, vm.post = start, end, pre, post
        self._plan.table.restore(self._table)
