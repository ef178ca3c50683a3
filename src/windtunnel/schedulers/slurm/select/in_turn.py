"""Features with counts: so many nodes of each are looked for, one feature after another (§5.1)."""

from collections.abc import Callable

from mypy_extensions import mypyc_attr

from windtunnel.model.slurm import SlurmSite
from windtunnel.schedulers.slurm.jobs.picked import Picked
from windtunnel.schedulers.slurm.jobs.records import Record

__all__ = ["Turn", "look_in_turn"]


@mypyc_attr(allow_interpreted_subclasses=True)
class Turn:
    """What was found of a job's features, and the first for which there are too few nodes."""

    __slots__ = ("at_odds", "cpus", "found", "lacking", "nodes", "required")

    def __init__(self) -> None:
        self.cpus = 0
        """The CPUs of what was found last."""
        self.found = 0
        """The nodes of all features so far."""
        self.at_odds = False
        """Whether what was found first lacks the next feature: Slurm looks for no other nodes."""
        self.lacking: Record | None = None
        """The job as far as the feature goes for which nodes are lacking; None: for none."""
        self.nodes = 0
        """The nodes that have it,"""
        self.required = 0
        """and those that have to be among them."""


def look_in_turn(select: Callable[[Record, int, int], Picked | None], record: Record, site: SlurmSite) -> Turn:
    """So many nodes of each feature; ``select`` picks them among nodes, some of which are required.

    Outside of brackets the nodes of one feature have to have the next as well; those that brackets count differ.
    """
    turn = Turn()
    for nodes, count, again in record.counts:
        if again and turn.found & ~nodes:
            turn.at_odds = True
            break
        turn.nodes = nodes if again else nodes & ~(record.job.named | turn.found)
        turn.required = turn.found if again else 0
        part = record.part(site, count, count, record.demand.max_nodes, cpus=count)
        placed = select(part, turn.nodes, turn.required)
        if placed is None:
            turn.lacking = part
            break
        turn.found |= placed.nodes
        turn.cpus = placed.total
    return turn
