"""When nodes could start a lease: each by itself, depending on what must be brought to it first."""

from typing import NamedTuple

from mypy_extensions import mypyc_attr

from windtunnel.leases.planner.reservations import Transfer

__all__ = ["Earliest", "NotSchedulableError", "Readiness"]


class NotSchedulableError(Exception):
    """There is no room for a lease now; internal, never seen by users."""


class Readiness(NamedTuple):
    """Why some nodes could start a lease at a time of their own: the image lies there, or is on its way there."""

    time: int
    piggyback: Transfer | None = None


@mypyc_attr(allow_interpreted_subclasses=True)
class Earliest:
    """When each node could start a lease: ``time``, but for ``exceptions`` (by bit)."""

    def __init__(self, time: int, *, transfer_start: int = 0) -> None:
        self.time = time
        self.transfer_start = transfer_start
        self.exceptions: dict[int, Readiness] = {}

    def steps(self, nodes: int) -> list[tuple[int, int]]:
        """Times, ascending, each with the nodes that could start by then."""
        if not self.exceptions:
            return [(self.time, nodes)]
        at: dict[int, int] = {}
        rest = nodes
        for bit, readiness in self.exceptions.items():
            at[readiness.time] = at.get(readiness.time, 0) | (1 << bit)
            rest &= ~(1 << bit)
        if rest:
            at[self.time] = at.get(self.time, 0) | rest
        steps, ready = [], 0
        for time in sorted(at):
            ready |= at[time]
            steps.append((time, ready))
        return steps
