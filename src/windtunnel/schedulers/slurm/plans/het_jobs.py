"""What is known of the starts of a heterogeneous job's components from one cycle to the next (§9)."""

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.jobs.together import HetJob

__all__ = ["HetPlan"]


@mypyc_attr(allow_interpreted_subclasses=True)
class _Start:
    """When a component can start, in which of its partitions, and on how many nodes."""

    __slots__ = ("nodes", "record", "when")

    def __init__(self, record: Record, when: int, nodes: int) -> None:
        self.record = record
        self.when = when
        self.nodes = nodes


@mypyc_attr(allow_interpreted_subclasses=True)
class HetPlan:
    """What is known of the starts of one job's components, over two cycles."""

    __slots__ = ("before", "job", "starts")

    def __init__(self, job: HetJob) -> None:
        self.job = job
        self.before = 0
        """No component starts before: the last cycle found that."""
        self.starts: dict[str, _Start] = {}
        """The earliest of each component."""

    def note(self, record: Record, when: int, nodes: int = 0) -> None:
        """A component could start then; later dates than one that is known are not kept."""
        known = self.starts.get(record.job.id)
        if known is None:
            self.starts[record.job.id] = _Start(record, when, nodes)
        elif when < known.when:
            known.record, known.when, known.nodes = record, when, nodes

    def start(self, but: str = "") -> int:
        """When all components, or all but one, can start; 0: nothing is known."""
        return max([self.before, *(one.when for key, one in self.starts.items() if key != but)])

    def forget(self) -> None:
        """Nothing is known any more."""
        self.before = 0
        self.starts.clear()
