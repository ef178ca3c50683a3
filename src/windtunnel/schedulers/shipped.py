"""The schedulers shipped with the project: name, one-line description, and where they are."""

from typing import Final

import msgspec

__all__ = ["BATSCHED", "SHIPPED", "Shipped"]


class Shipped(msgspec.Struct, frozen=True):
    """One shipped scheduler; ``source`` says whose rules it follows."""

    module: str
    attribute: str
    description: str
    source: str


def _ours(module: str, attribute: str, description: str, source: str = "windtunnel") -> Shipped:
    return Shipped(f"windtunnel.schedulers.{module}", attribute, description, source)


_LITERATURE = "literature"
_BATSCHED = "batsched 1.4.0"
_BATSIM5 = "Batsim 5.0.0-rc2"
_PYBATSIM = "pybatsim 3.2.1"

SHIPPED: Final[dict[str, Shipped]] = {
    "easy": _ours("easy", "Easy", "EASY backfilling: the first waiting job is never delayed", _LITERATURE),
    "fcfs": _ours("fcfs", "Fcfs", "first come, first served; nothing overtakes", _LITERATURE),
    "filler": _ours("filler", "Filler", "first fit: whatever fits starts, in the order of the queue", _LITERATURE),
}
"""By the name given to ``--scheduler``."""

BATSCHED: Final[dict[str, str]] = {}
"""batsched's own names of variants (``-v``) -> ours."""
