"""Operations on when jobs are submitted: the offered load, and small random shifts."""

from math import isfinite
from random import Random
from typing import Annotated

from msgspec import Meta

from windtunnel.diagnostics import UsageError
from windtunnel.workloads.columns import Columns
from windtunnel.workloads.random_sources import Seed

__all__ = ["offered_load", "scale_load", "shake"]


def offered_load(columns: Columns, hosts: int) -> float:
    """The work of all jobs (processor-seconds) over what the hosts could do from the first to the last arrival."""
    runs = columns.runs("the offered load")
    span = columns.submits[-1] - columns.submits[0] if len(columns) else 0.0
    if span <= 0:
        raise UsageError("scale_load: all jobs arrive at one time", "a load is offered over some time")
    work = sum(run * size for run, size in zip(runs, columns.sizes(), strict=True))
    return work / (hosts * span)


def scale_load(columns: Columns, load: Annotated[float, Meta(gt=0)], hosts: Annotated[int, Meta(ge=0)] = 0) -> str:
    """All gaps between arrivals changed by one factor, so that the offered load is ``load``."""
    machine = hosts or columns.hosts
    if not machine:
        raise UsageError("scale_load: the workload does not say for how many hosts it is", "give hosts=NUMBER")
    before = offered_load(columns, machine)
    if before == 0:
        raise UsageError("scale_load: no job runs for any time, so that no load can be offered")
    factor = before / load
    start = columns.submits[0]
    if not isfinite(start + (columns.submits[-1] - start) * factor):
        raise UsageError(f"scale_load: a load of {load:g} puts arrivals later than can be counted")
    for index, submit in enumerate(columns.submits):
        columns.submits[index] = start + (submit - start) * factor
    return f"the offered load on {machine:,} hosts was {before:.4g}; gaps between arrivals times {factor:.4g}"


def shake(columns: Columns, seed: Seed, seconds: Annotated[float, Meta(gt=0)]) -> str:
    """Each arrival moved by up to so many seconds, earlier or later, drawn evenly; none before time 0.

    The mean over several seeds tells an effect from an accident of one workload: D. Tsafrir, K. Ouaknine,
    D. G. Feitelson: Reducing performance evaluation sensitivity and variability by input shaking. MASCOTS 2007.
    """
    source = Random(seed)
    for index, submit in enumerate(columns.submits):
        columns.submits[index] = max(0.0, submit + source.uniform(-seconds, seconds))
    columns.sort()
    return f"{len(columns):,} arrivals moved"
