"""What some nodes could give a job at the most: it tells when no selection among them can succeed (§4.4).

A selection looks at all nodes and tries one way after another. Between two batches of running jobs that are taken
away few nodes change, and only these are counted again.
"""

from collections.abc import Iterable

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.nodes.holdings import Holding
from windtunnel.schedulers.slurm.nodes.nodesets import bits
from windtunnel.schedulers.slurm.nodes.occupancy import Occupancy
from windtunnel.schedulers.slurm.select.alike import at_most, most_nodes
from windtunnel.schedulers.slurm.select.fit import Fit
from windtunnel.schedulers.slurm.select.vacated import most_freed

__all__ = ["Room"]


@mypyc_attr(allow_interpreted_subclasses=True)
class Room:
    """The CPUs that some nodes have for one job without generic resources, as running jobs are taken away.

    Free CPUs are summed up. Where a selection takes long, or once one has failed though they are enough, those that
    the job could use are counted node by node: others lack memory, or are too few on each node.

    Args:
        record: the job.
        among: the nodes.
        held: what is held of them.
        fit: says what the job could use of a node.
        bounded: whether no selection gives it more nodes than it allows (§5.6).
        each: whether nodes are counted one by one from the start on.
    """

    __slots__ = ("_among", "_changed", "_counts", "_cpus", "_each", "_fit", "_known", "_most", "_open", "_record")

    def __init__(
        self, record: Record, among: int, held: Occupancy, fit: Fit, *, bounded: bool, each: bool
    ) -> None:
        self._record = record
        self._among = among
        self._fit = fit
        self._most = most_nodes(record.demand) if bounded else fit.cluster.size
        self._each = each
        self._open = self._changed = self._cpus = 0
        """Nodes with free CPUs, those of them that have to be counted again, and all these CPUs."""
        self._known: dict[int, int] = {}
        """The CPUs of each node that the job could use, where there were any."""
        self._counts = [0] * (max(fit.cluster.cpus, default=0) + 1)
        """How many nodes there are with so many of them."""
        self._sum_up(held)

    def _sum_up(self, held: Occupancy) -> None:
        self._open = self._among & ~(held.full | held.exclusive)
        self._cpus = sum([held.idle[node] for node in bits(self._open)])
        self._changed |= self._open

    def without(self, one: Holding, future: Occupancy) -> None:
        """A running job is taken away from what is held."""
        freed = one.nodes & self._among
        for node in bits(freed):
            self._cpus -= future.idle[node]
        future.remove(one)
        for node in bits(freed):
            self._cpus += future.idle[node]
        self._open |= freed
        self._changed |= freed

    def leave(self, jobs: Iterable[Holding]) -> None:
        """Running jobs will be gone: so much may be free at the most, until it is counted again."""
        threads, among = self._fit.cluster.threads, self._among
        for one in jobs:
            self._cpus += most_freed(one, among, threads)
            self._open |= one.nodes & among

    @property
    def may_suffice(self) -> bool:
        """Whether there may be as many nodes and CPUs as the job needs, as far as sums tell."""
        demand = self._record.demand
        return self._cpus >= demand.cpus and self._open.bit_count() >= demand.min_nodes

    def recount(self, held: Occupancy) -> bool:
        """Sum up what is free beside what is held now; whether it may suffice."""
        self._sum_up(held)
        return self.suffices(held)

    def failed(self) -> None:
        """A selection has failed though there seemed to be room."""
        self._each = True

    def suffices(self, held: Occupancy) -> bool:
        """Whether there may be as many nodes and CPUs as the job needs."""
        if not self.may_suffice:
            return False
        if not self._each:
            return True
        demand = self._record.demand
        self._count(held)
        return sum(self._counts[1:]) >= demand.min_nodes and at_most(self._counts, self._most) >= demand.cpus

    def _count(self, held: Occupancy) -> None:
        known, counts = self._known, self._counts
        usable = self._fit.usable(self._record, self._changed, held)
        for node in bits(self._changed):
            before = known.get(node, 0)
            cpus = usable.get(node, 0)
            if cpus != before:
                known[node] = cpus
                counts[cpus] += 1
                counts[before] -= 1
        self._changed = 0
