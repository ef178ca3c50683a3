"""The simplest workload of queueing theory: arrivals of a Poisson process, exponential run times, even sizes."""

from collections.abc import Iterator
from math import log

from windtunnel.workloads.lublin import GeneratedJob
from windtunnel.workloads.random_sources import RandomSource

__all__ = ["jobs_of"]


def jobs_of(source: RandomSource, *, largest: int, mean_gap: float, mean_run: float) -> Iterator[GeneratedJob]:
    """Jobs without end: sizes from 1 to ``largest`` alike, gaps and run times exponential with these means (s).

    Times are whole seconds, as in logs; a run time is at least 1 s.
    """
    clock = 0.0
    while True:
        clock -= mean_gap * log(1 - source.random())
        size = 1 + int(largest * source.random())
        run = max(1, round(-mean_run * log(1 - source.random())))
        yield GeneratedJob(round(clock), size, run, 0)
