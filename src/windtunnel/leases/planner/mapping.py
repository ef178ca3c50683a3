"""What a mapper is, and what it finds: which virtual node goes to which host."""

from typing import NamedTuple, Protocol

from windtunnel.leases.planner.record import LeaseRecord

__all__ = ["Mapper", "Mapping"]


class Mapping(NamedTuple):
    """The node (bit) of each virtual node in order, until when, and which leases must give way."""

    hosts: tuple[int, ...]
    end: int
    preempted: tuple[LeaseRecord, ...] = ()


class Mapper(Protocol):
    """Finds hosts for a lease over an interval (ticks)."""

    reschedules: bool
    """Whether leases that must give way were given new times already."""

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
            preempt: leases that the preemption policy allows may be made to give way (strict only).
            nodes: only these hosts.
        """
