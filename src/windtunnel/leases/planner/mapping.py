"""What a mapper is, and what it finds: which virtual node goes to which host."""

from typing import ClassVar, NamedTuple

from mypy_extensions import mypyc_attr

from windtunnel.leases.planner.plan import Plan
from windtunnel.leases.planner.policies.host_selection import HostSelectionPolicy
from windtunnel.leases.planner.policies.preemption import PreemptionPolicy
from windtunnel.leases.planner.record import LeaseRecord

__all__ = ["Mapper", "Mapping"]


class Mapping(NamedTuple):
    """The node (bit) of each virtual node in order, until when, and which leases must be preempted."""

    hosts: tuple[int, ...]
    end: int
    preempted: tuple[LeaseRecord, ...] = ()


@mypyc_attr(allow_interpreted_subclasses=True)
class Mapper:
    """Base: finds hosts for a lease over an interval (ticks)."""

    reschedules: ClassVar[bool] = False
    """Whether leases that must be preempted were given new times already."""

    def __init__(self, plan: Plan, host_selection: HostSelectionPolicy, preemption: PreemptionPolicy) -> None:
        self.plan = plan
        self.host_selection = host_selection
        self.preemption = preemption

    def map(
        self,
        lease: LeaseRecord,
        start: int,
        end: int,
        *,
        strict: bool,
        preempt: bool = False,
        nodes: int | None = None,
    ) -> Mapping | None:
        """Hosts for all virtual nodes, or ``None``.

        Args:
            lease: whose virtual nodes.
            start: from when (ticks).
            end: until when; unless ``strict``, the end found may be earlier.
            strict: all of the interval, or nothing.
            preempt: leases that the preemption policy allows may be preempted (strict only).
            nodes: only these hosts.
        """
        raise NotImplementedError
