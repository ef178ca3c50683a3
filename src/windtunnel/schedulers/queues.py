"""Queues of waiting jobs: in the order of arrival, or in another one, which are sorted and walked over."""

from bisect import bisect_left, insort
from collections.abc import Callable, Iterator

from mypy_extensions import mypyc_attr

from windtunnel.model import Job
from windtunnel.schedulers.orders import ORDERS
from windtunnel.schedulers.queue_by_arrival import QueueByArrival
from windtunnel.schedulers.waiting import NO_SIZE, WaitingQueue, first_lasting

__all__ = ["SortedQueue", "waiting_queue"]


@mypyc_attr(allow_interpreted_subclasses=True)
class SortedQueue(WaitingQueue):
    """In one of batsched's orders, ties by arrival; walked over."""

    def __init__(self, order: str) -> None:
        super().__init__()
        self.order = order
        self._items: list[tuple[float, int, Job]] = []
        self._keys: dict[str, tuple[float, int]] = {}
        self._arrivals = 0

    def first(self) -> Job:
        """The job at the front."""
        return self._items[0][2]

    def add(self, job: Job, now: float) -> None:
        """Put a job where its key says."""
        self._arrivals += 1
        key = (ORDERS[self.order](job, now, job.walltime), self._arrivals)
        self._keys[job.id] = key
        insort(self._items, (*key, job))
        self.count += 1
        self.smallest = min(self.smallest, job.request.hosts)
        self.foremost = self.first().request.hosts

    def pop(self) -> Job:
        """Take the job at the front."""
        job = self.first()
        self.remove(job)
        return job

    def discard(self, job: Job) -> bool:
        """Take a job out; whether it was there."""
        found = job.id in self._keys
        if found:
            self.remove(job)
        return found

    def find(self, free: int, extra: int, longest: float) -> Job | None:
        """The first job of at most ``free`` hosts that also has at most ``extra`` hosts or ``longest`` seconds."""
        for _, _, job in self._items:
            size = job.request.hosts
            if size <= free and (size <= extra or job.walltime <= longest):
                return job
        return None

    def find_lasting(self, free: int, lasting: Callable[[int], float]) -> Job | None:
        """The first job of at most ``free`` hosts whose walltime is at most ``lasting(hosts)`` seconds."""
        return first_lasting(self, free, lasting)

    def place(self, job: Job) -> tuple[float, int]:
        """Sorts jobs by their place in the queue."""
        return self._keys[job.id]

    def __iter__(self) -> Iterator[Job]:
        for _, _, job in self._items:
            yield job

    def remove(self, job: Job) -> None:
        """Take a job out of the queue."""
        del self._items[bisect_left(self._items, self._keys.pop(job.id))]
        self.count -= 1
        if job.request.hosts == self.smallest:
            self.smallest = min([item[2].request.hosts for item in self._items], default=NO_SIZE)
        self.foremost = self.first().request.hosts if self._items else NO_SIZE


def waiting_queue(order: str) -> WaitingQueue:
    """An empty queue in this order."""
    return QueueByArrival() if order == "fcfs" else SortedQueue(order)
