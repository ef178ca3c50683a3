"""What hands over static work and external events to the calendar, one date at a time."""

from mypy_extensions import mypyc_attr

from windtunnel.model import EventList, JobRecord, Workload

__all__ = ["EventFeed", "Submitter"]


@mypyc_attr(allow_interpreted_subclasses=True)
class Submitter:
    """Hands over the jobs of one workload, one date at a time."""

    def __init__(self, source: Workload) -> None:
        self.source = source
        self.size = len(source)
        """Jobs of the workload that will be submitted."""
        self.made = 0
        """How many of them were made (workloads make them on demand)."""
        self.ahead: list[JobRecord] = []
        """The records of those of them that were not submitted yet, the next one last."""
        self.version = 0

    @property
    def left(self) -> int:
        """Jobs that were not submitted yet."""
        return self.size - self.made + len(self.ahead)

    def stop(self) -> None:
        """Submit no more."""
        self.size = self.made
        self.ahead.clear()


@mypyc_attr(allow_interpreted_subclasses=True)
class EventFeed:
    """Hands over the events of one list, one date at a time."""

    def __init__(self, source: EventList) -> None:
        self.source = source
        self.next = 0
