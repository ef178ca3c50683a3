"""The least that simulating EASY backfilling can cost in plain Python: processors are counted, nothing is written.

Machines differ and are shared, so speeds are told as multiples of this loop's CPU seconds, measured in the same
minute on the same log. As a program: ``python -m benchmarks.yardstick LOG PROCESSORS`` prints those seconds.
"""

import gzip
import sys
import time
from bisect import bisect_left, insort
from heapq import heappop, heappush
from math import inf

__all__ = ["load", "simulate"]


class Job:
    """One row of the log, and when it started and ended (-1 until then)."""

    __slots__ = ("end", "number", "run", "size", "start", "submit", "walltime")

    def __init__(self, number, submit, run, size, walltime):
        self.number = number
        self.submit = submit
        self.run = run
        self.size = size
        self.walltime = walltime
        self.start = -1
        self.end = -1


def load(path, processors):
    """The jobs that can run, in the order of the log."""
    jobs = []
    with gzip.open(path, "rt") if path.endswith(".gz") else open(path) as file:  # noqa: PTH123 -- as bare as can be
        for line in file:
            if line[0] == ";":
                continue
            field = line.split()
            run = int(field[3])
            size = int(field[7]) if int(field[7]) > 0 else int(field[4])
            if run > 0 and 0 < size <= processors:
                jobs.append(Job(int(field[0]), int(field[1]), run, size, max(int(field[8]), run)))
    return jobs


def simulate(jobs, processors):
    """EASY: the front of the queue starts while it fits; later jobs may overtake what they do not delay.

    Returns the longest queue there was, and the mean waiting time (s).
    """
    free = processors
    ends, predicted, queue = [], [], []
    place, count, longest = 0, len(jobs), 0

    def start(job):
        nonlocal free
        free -= job.size
        job.start = now
        heappush(ends, (now + job.run, job.number, job))
        insort(predicted, (now + job.walltime, job.number, job.size))

    while place < count or ends:
        now = ends[0][0] if ends else inf
        if place < count and jobs[place].submit < now:
            now = jobs[place].submit
        while ends and ends[0][0] == now:
            job = heappop(ends)[2]
            job.end = now
            free += job.size
            del predicted[bisect_left(predicted, (job.start + job.walltime, job.number, job.size))]
        while place < count and jobs[place].submit == now:
            queue.append(jobs[place])
            place += 1
        longest = max(longest, len(queue))
        started = 0
        while started < len(queue) and queue[started].size <= free:
            start(queue[started])
            started += 1
        del queue[:started]
        if free and len(queue) > 1:
            backfilled = False
            will_be = free
            for shadow, _, size in predicted:  # noqa: B007 -- the date at which it stops is what is wanted
                will_be += size
                if will_be >= queue[0].size:
                    break
            extra = will_be - queue[0].size
            for rank in range(1, len(queue)):
                job = queue[rank]
                if job.size > free:
                    continue
                if now + job.walltime > shadow:
                    if job.size > extra:
                        continue
                    extra -= job.size
                start(job)
                queue[rank] = None
                backfilled = True
                if not free:
                    break
            if backfilled:
                queue = [job for job in queue if job is not None]
    return longest, sum(job.start - job.submit for job in jobs) / count


def main():
    """Load and simulate one log, and say what that took."""
    began = time.process_time()
    simulate(load(sys.argv[1], int(sys.argv[2])), int(sys.argv[2]))
    print(time.process_time() - began)


if __name__ == "__main__":
    main()
