"""The rows of partitions whose cores several jobs may have: jobs of one row have cores of their own (§5.2).

As slurmctld keeps them: the fullest row comes first when a job looks for a place, a job that starts joins the first
row with room for it, and when one ends all others are dealt out anew, by the first core that each has, and its CPUs.
"""

from collections.abc import Mapping

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.nodes.holdings import Holding

__all__ = ["Rows"]


@mypyc_attr(allow_interpreted_subclasses=True)
class _Row:
    """Jobs that have no core in common."""

    __slots__ = ("jobs", "size")

    def __init__(self) -> None:
        self.jobs: list[Holding] = []
        self.size = 0
        """Cores."""

    def fits(self, held: Holding) -> bool:
        """Whether a job has no core in common with those that are here."""
        cores = held.cores
        for other in self.jobs:
            if other.nodes & held.nodes and any(cores.get(node, 0) & own for node, own in other.cores.items()):
                return False
        return True

    def add(self, held: Holding) -> None:
        self.jobs.append(held)
        self.size += _count(held)

    def copy(self) -> "_Row":
        new = _Row()
        new.jobs, new.size = self.jobs[:], self.size
        return new


def _count(held: Holding) -> int:
    return sum([cores.bit_count() for cores in held.cores.values()])


def _first_core(held: Holding) -> tuple[int, int, int]:
    """By node, and on it; of jobs that begin at the same core the one with fewer CPUs comes first."""
    node = min(held.cores)
    cores = held.cores[node]
    return node, cores & -cores, sum(held.cpus.values())


@mypyc_attr(allow_interpreted_subclasses=True)
class Rows:
    """The rows of all partitions that have several."""

    __slots__ = ("_counts", "_rows")

    def __init__(self, counts: Mapping[str, int]) -> None:
        self._counts = counts
        """How many rows a partition has, where there are several."""
        self._rows: dict[str, list[_Row]] = {}

    def copy(self) -> "Rows":
        """The same, to be changed apart."""
        new = Rows(self._counts)
        new._rows = {name: [row.copy() for row in rows] for name, rows in self._rows.items()}
        return new

    def add(self, held: Holding) -> None:
        """A job joins the first row with room for it; where there is none it has no row."""
        count = self._counts.get(held.partition, 0)
        if not count:
            return
        rows = self._rows.get(held.partition)
        if rows is None:
            rows = self._rows[held.partition] = [_Row() for _ in range(count)]
        for row in rows:
            if row.fits(held):
                row.add(held)
                return

    def remove(self, held: Holding) -> None:
        """A job leaves: all others are dealt out anew, but as they were if some would find no row."""
        rows = self._rows.get(held.partition, [])
        if not any(held in row.jobs for row in rows):
            return
        for row in rows:
            if held in row.jobs:
                row.jobs.remove(held)
                row.size -= _count(held)
        others = sorted([one for row in rows for one in row.jobs], key=_first_core)
        dealt = [_Row() for _ in rows]
        for one in others:
            for row in dealt:
                if row.fits(one):
                    row.add(one)
                    break
            else:
                return
            _fullest_first(dealt)
        self._rows[held.partition] = dealt

    def sort(self, partition: str) -> None:
        """The fullest row of a partition comes first from now on."""
        _fullest_first(self._rows.get(partition, []))

    def has(self, partition: str, row: int, held: Holding) -> bool:
        """Whether a job is in a row of its partition, counted from the first as they are sorted.

        Where jobs share no cores all are in one row.
        """
        rows = self._rows.get(partition)
        return rows is None or held in rows[row].jobs


def _fullest_first(rows: list[_Row]) -> None:
    """In the order in which slurmctld's exchanges leave them: of rows of one size the later may come first."""
    for here in range(len(rows)):
        for other in range(here + 1, len(rows)):
            if rows[other].size > rows[here].size:
                rows[here], rows[other] = rows[other], rows[here]
