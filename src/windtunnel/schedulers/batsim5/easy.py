"""Batsim 5's easy, with its comparisons in 32-bit floats (spec: schedulers.md section 7)."""

from collections import deque
from math import inf
from struct import Struct

from windtunnel.model import Job
from windtunnel.schedulers.batsim5.fcfs import FcfsBatsim5
from windtunnel.vocabulary import Decision

__all__ = ["EasyBatsim5"]

_FLOAT = Struct("f")


def float32(value: float) -> float:
    """A double rounded to 32 bits."""
    return float(_FLOAT.unpack(_FLOAT.pack(value))[0])


class EasyBatsim5(FcfsBatsim5):
    """EASY by counts, everything recomputed at each call. The shadow time and the ends of jobs that overtake are
    32-bit floats; of several running jobs that end at the shadow time only as many count as are needed (in the order
    they started; upstream leaves that order to a hash table). Jobs without a positive walltime are rejected.
    """

    name = "batsim5/easy"

    def _refuses(self, job: Job) -> bool:
        return super()._refuses(job) or job.walltime <= 0 or job.walltime == inf

    def _schedule(self, now: float, decisions: list[Decision]) -> None:
        super()._schedule(now, decisions)
        waiting = self._waiting
        if not waiting:
            return
        shadow, extra = self._reserve(waiting[0].request.hosts)
        kept = deque([waiting.popleft()])
        free = self.site.free
        while waiting and free:
            job = waiting.popleft()
            size = job.request.hosts
            end = float32(now + job.walltime)
            if size <= len(free) and (size <= extra or end <= shadow):
                self._start(job, end, decisions)
                if end > shadow:
                    extra -= size
            else:
                kept.append(job)
        kept.extend(waiting)
        self._waiting = kept

    def _reserve(self, need: int) -> tuple[float, int]:
        free = len(self.site.free)
        for end, _, size, _ in self.site.ends:
            free += size
            if free >= need:
                return float32(end), free - need
        raise AssertionError("all hosts together are enough for every accepted job")
