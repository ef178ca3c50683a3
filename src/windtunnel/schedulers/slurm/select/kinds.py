"""Kinds of jobs: those are of one kind that are placed alike, whatever they ask for in words."""

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.nodes.occupancy import Occupancy
from windtunnel.schedulers.slurm.select.fit import Fit

__all__ = ["Kinds"]


@mypyc_attr(allow_interpreted_subclasses=True)
class Kinds:
    """Numbers of the kinds of jobs that have been seen on one cluster."""

    def __init__(self, fit: Fit, empty: Occupancy, linear: bool) -> None:
        """``empty``: the cluster with nobody on it; ``linear``: with select/linear."""
        self.fit = fit
        self.empty = empty
        self.linear = linear
        self._kinds: dict[tuple[object, ...], int] = {}
        self._asked: dict[tuple[object, ...], int] = {}
        """The same by what jobs ask for, which may come to the same on the nodes there are."""

    def of(self, record: Record) -> int:
        """The number of a job's kind."""
        ask, demand = record.job.ask, record.demand
        own = record.mask if record.narrow else 0  # not all nodes of the partition
        asked = (record.table.name, own, record.job.named, record.constraint.text, ask.prefer)
        ways = (ask.contiguous, ask.spread, ask.switches is not None)
        memory = (demand.memory_per_node, demand.memory_per_cpu, demand.memory_per_gpu)
        said = (*asked, *ways, *memory, *demand.signature())
        number = self._asked.get(said, -1)
        if number < 0:
            key = (*asked, *ways, *demand.signature(), *self._of_each_sort(record))
            number = self._asked[said] = self._kinds.setdefault(key, len(self._kinds))
        return number

    def _of_each_sort(self, record: Record) -> tuple[object, ...]:
        """What a job could use of an empty node of each sort, or the memory it asks for where that says more."""
        demand = record.demand
        if not demand.plain_shape or demand.memory_per_gpu is not None or self.linear:
            return (demand.memory_per_node, demand.memory_per_cpu, demand.memory_per_gpu)
        usable = self.fit.usable(record, self.fit.cluster.sorts, self.empty)
        return tuple(usable.items())
