"""When running jobs are expected to end, and so how many hosts will be free when."""

from bisect import bisect_left, insort
from collections.abc import Iterator

__all__ = ["ExpectedEnds"]


class ExpectedEnds:
    """Who holds how many hosts until when; the first to end first."""

    def __init__(self) -> None:
        self._ends: list[tuple[float, int, int, str]] = []  # end, rank of the start, hosts, id
        self._entries: dict[str, tuple[float, int, int, str]] = {}
        self._rank = 0

    def add(self, job_id: str, end: float, hosts: int) -> None:
        """A job holds hosts until ``end`` (s)."""
        self._rank += 1
        entry = self._entries[job_id] = (end, self._rank, hosts, job_id)
        insort(self._ends, entry)

    def remove(self, job_id: str) -> None:
        """It has given them back."""
        del self._ends[bisect_left(self._ends, self._entries.pop(job_id))]

    def move(self, job_id: str, end: float) -> None:
        """It is expected to end then instead."""
        _, rank, hosts, _ = old = self._entries[job_id]
        del self._ends[bisect_left(self._ends, old)]
        entry = self._entries[job_id] = (end, rank, hosts, job_id)
        insort(self._ends, entry)

    def end(self, job_id: str) -> float:
        """When it is expected to end (s)."""
        return self._entries[job_id][0]

    def until(self, date: float) -> Iterator[str]:
        """The jobs expected to have ended by then."""
        for end, _, _, job_id in self._ends:
            if end > date:
                return
            yield job_id

    def __iter__(self) -> Iterator[tuple[float, int]]:
        """Ends (s) and hosts, the first to end first."""
        return ((end, hosts) for end, _, hosts, _ in self._ends)
