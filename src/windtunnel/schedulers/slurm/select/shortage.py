"""By which dates too few nodes come free for a job: most dates that backfill tries are no use for that (§4.3)."""

from bisect import bisect_right

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.select.answers import Answer
from windtunnel.schedulers.slurm.select.futures import Futures
from windtunnel.schedulers.slurm.select.plain_earliest import PlainSelector

__all__ = ["Shortage"]


@mypyc_attr(allow_interpreted_subclasses=True)
class Shortage:
    """Tells of one job whether too few CPUs or nodes have come free by a date for certain, and keeps what it told."""

    __slots__ = ("_cpus", "_dates", "_futures", "_gone", "_told", "_version", "_wanted")

    def __init__(self, selector: PlainSelector, futures: Futures, record: Record, told: list[Answer]) -> None:
        cpus = record.demand.cpus
        self._cpus = cpus
        self._wanted = selector.least_nodes(record)
        self._futures = futures
        self._dates = selector.dates
        self._gone = futures.gone_for(cpus - futures.now.free)
        """So many running jobs have to be gone for the CPUs to be there at all."""
        self._version = selector.answers.version
        self._told = told

    def until(self, date: int, nodes: int) -> bool:
        """Whether a job that goes to some nodes starts later than at a date, whatever else there is."""
        gone = bisect_right(self._dates, date)
        if self._gone <= gone and not self._futures.short(gone, nodes, self._wanted):
            return False
        answer = Answer(nodes, self._cpus, self._wanted, date, None, [])
        answer.version = self._version
        self._told.append(answer)
        return True
