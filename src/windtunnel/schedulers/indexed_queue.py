"""The queue in order of arrival, with an index: tens of thousands of jobs may wait, asked about at every event."""

from bisect import bisect_left
from collections.abc import Callable, Iterator
from itertools import islice
from math import inf

from mypy_extensions import mypyc_attr

from windtunnel.model import Job
from windtunnel.schedulers.waiting import ANY, NO_SIZE, WaitingQueue

__all__ = ["IndexedQueue"]


@mypyc_attr(allow_interpreted_subclasses=True)
class _Bucket:
    """Jobs of one size by arrival, under a tournament tree of their walltimes (``inf``: the place is empty)."""

    __slots__ = ("alive", "capacity", "front", "ranks", "size", "tree")

    def __init__(self, size: int) -> None:
        self.size = size
        self.capacity = 1
        self.tree: list[float] = [-inf, inf]  # the first ends every climb
        self.ranks: list[int] = []
        self.front = 0
        """No job is there before this place."""
        self.alive = 0

    def append(self, rank: int, walltime: float) -> None:
        ranks = self.ranks
        if not self.alive:
            ranks.clear()
            self.front = 0
        elif len(ranks) == self.capacity:
            self._rebuild()
            ranks = self.ranks
        place = len(ranks)
        ranks.append(rank)
        self.alive += 1
        tree = self.tree
        # An endless job is longer than every other one, and still there.
        value = walltime if walltime < ANY else ANY  # noqa: FURB136 -- a call costs more
        node = place + self.capacity
        tree[node] = value
        node >>= 1
        while tree[node] > value:
            tree[node] = value
            node >>= 1

    def _rebuild(self) -> None:
        """Close the gaps, and make room for as many again."""
        old = self.tree[self.capacity : self.capacity + len(self.ranks)]
        kept = [k for k, value in enumerate(old) if value != inf]
        self.ranks = [self.ranks[k] for k in kept]
        capacity = 2
        while capacity < 2 * len(kept):
            capacity *= 2
        tree = [inf] * (2 * capacity)
        tree[0] = -inf
        tree[capacity : capacity + len(kept)] = [old[k] for k in kept]
        for node in range(capacity - 1, 0, -1):
            left, right = tree[2 * node], tree[2 * node + 1]
            tree[node] = min(left, right)
        self.tree = tree
        self.capacity = capacity
        self.front = 0

    def find(self, longest: float) -> int:
        """The rank of the first job of at most this walltime; there must be one."""
        tree = self.tree
        capacity = self.capacity
        node = 1
        while node < capacity:
            node += node
            if tree[node] > longest:
                node += 1
        return self.ranks[node - capacity]

    def remove(self, rank: int) -> None:
        tree = self.tree
        node = bisect_left(self.ranks, rank) + self.capacity
        self.alive -= 1
        value = inf
        tree[node] = value
        while node > 1:
            other = tree[node ^ 1]
            if other < value:  # noqa: PLR1730 -- a call costs more
                value = other
            node >>= 1
            if tree[node] == value:
                return
            tree[node] = value


@mypyc_attr(allow_interpreted_subclasses=True)
class IndexedQueue(WaitingQueue):
    """In order of arrival, with one tree of walltimes for each size."""

    def __init__(self) -> None:
        super().__init__()
        self._jobs: list[Job | None] = []
        self._base = 0  # the rank of the first item of _jobs
        self._front = 0  # the index in _jobs of the first job
        self._buckets: dict[int, _Bucket] = {}
        self._sizes: list[int] = []  # those of which there are jobs, ascending
        self._filled: list[_Bucket] = []  # the buckets of these
        self._ranks: dict[str, int] = {}

    def first(self) -> Job:
        """The job at the front."""
        job = self._jobs[self._front]
        assert job is not None
        return job

    def add(self, job: Job, now: float) -> None:
        """Put a job at the end."""
        del now  # arrival is all that counts
        rank = self._base + len(self._jobs)
        self._jobs.append(job)
        self._ranks[job.id] = rank
        size = job.request.hosts
        if not self.count:
            self.foremost = size
        self.count += 1
        bucket = self._buckets.get(size)
        if bucket is None:
            bucket = self._buckets[size] = _Bucket(size)
        if not bucket.alive:
            place = bisect_left(self._sizes, size)
            self._sizes.insert(place, size)
            self._filled.insert(place, bucket)
            self.smallest = self._sizes[0]
        bucket.append(rank, job.walltime)

    def pop(self) -> Job:
        """Take the job at the front."""
        job = self._jobs[self._front]
        assert job is not None
        self.remove(job)
        return job

    def discard(self, job: Job) -> bool:
        """Take a job out; whether it was there."""
        found = self.holds(job)
        if found:
            self.remove(job)
        return found

    def holds(self, job: Job) -> bool:
        """Whether a job waits here."""
        return job.id in self._ranks

    def find(self, free: int, extra: int, longest: float) -> Job | None:
        """The first job of at most ``free`` hosts that also has at most ``extra`` hosts or ``longest`` seconds."""
        best = -1
        for bucket in self._filled:
            size = bucket.size
            if size > free:
                break
            if size <= extra:
                tree = bucket.tree
                capacity = bucket.capacity
                node = capacity + bucket.front
                if tree[node] == inf:
                    while tree[node] == inf:
                        node += 1
                    bucket.front = node - capacity
            else:
                tree = bucket.tree
                if tree[1] > longest:
                    continue
                node = 1  # what bucket.find does, without a call
                capacity = bucket.capacity
                while node < capacity:
                    node += node
                    if tree[node] > longest:
                        node += 1
            rank = bucket.ranks[node - capacity]
            if best < 0 or rank < best:
                best = rank
        return None if best < 0 else self._jobs[best - self._base]

    def find_lasting(self, free: int, lasting: Callable[[int], float]) -> Job | None:
        """The first job of at most ``free`` hosts whose walltime is at most ``lasting(hosts)`` seconds."""
        best = -1
        for bucket in self._filled:
            size = bucket.size
            if size > free:
                break
            limit = lasting(size)
            if bucket.tree[1] <= limit:
                rank = bucket.find(limit)
                if best < 0 or rank < best:
                    best = rank
        return None if best < 0 else self._jobs[best - self._base]

    def place(self, job: Job) -> int:
        """Sorts jobs by their place in the queue."""
        return self._ranks[job.id]

    def __iter__(self) -> Iterator[Job]:
        for job in islice(self._jobs, self._front, None):
            if job is not None:
                yield job

    def remove(self, job: Job) -> None:
        """Take a job out of the queue."""
        job_id = job.id
        rank = self._ranks[job_id]
        del self._ranks[job_id]  # costs compiled code less than ``pop``
        size = job.request.hosts
        bucket = self._buckets[size]
        bucket.remove(rank)
        if not bucket.alive:
            sizes = self._sizes
            place = bisect_left(sizes, size)
            del sizes[place], self._filled[place]
            self.smallest = sizes[0] if sizes else NO_SIZE
        self.count -= 1
        place = rank - self._base
        self._jobs[place] = None
        if place == self._front:
            self._find_front()

    def _find_front(self) -> None:
        """The first job has gone: which is the first now."""
        jobs = self._jobs
        front = self._front
        self.foremost = NO_SIZE
        while front < len(jobs):
            job = jobs[front]
            if job is not None:
                self.foremost = job.request.hosts
                break
            front += 1
        if front > 64 and front * 2 > len(jobs):
            del jobs[:front]
            self._base += front
            front = 0
        self._front = front
