"""The operation that makes walltimes anew, by models of how users estimate."""

from array import array
from collections.abc import Sequence
from math import inf, nextafter
from random import Random
from typing import Annotated, Final, Literal

from msgspec import Meta

from windtunnel.workloads.columns import Columns
from windtunnel.workloads.estimates import assign_estimates, estimate_distribution
from windtunnel.workloads.random_sources import Seed

__all__ = ["with_estimates"]

_HOUR: Final = 3600


def with_estimates(
    columns: Columns,
    model: Literal["exact", "f-model", "tsafrir"],
    seed: Seed = 1,
    factor: Annotated[float, Meta(ge=0)] = 2.0,
    longest: Annotated[float, Meta(ge=0)] = 0.0,
) -> str:
    """Walltimes made anew.

    ``exact``: the run time. ``f-model``: drawn evenly from the run time r to (factor + 1) r, as D. Tsafrir and
    D. G. Feitelson describe it (The dynamics of backfilling: solving the mystery of why increased inaccuracy may
    help. IISWC 2006), who show that real estimates are otherwise. ``tsafrir``: their model of real ones (JSSPP 2005);
    ``longest`` is the longest estimate allowed (s; 0: the longest walltime there is, or the longest run time in whole
    hours).
    """
    runs = columns.runs("with_estimates")
    source = Random(seed)
    if model == "exact":
        columns.walltimes = _at_least(runs, runs)
        return f"{len(runs):,} walltimes are the run times"
    if model == "f-model":
        columns.walltimes = _at_least(runs, [run * source.uniform(1, factor + 1) for run in runs])
        return f"{len(runs):,} walltimes of up to {factor + 1:g} times the run time"
    most = int(longest) or _longest(columns, runs)
    distribution = estimate_distribution(len(runs), most, source)
    columns.walltimes = _at_least(runs, assign_estimates(runs, distribution, source))
    return f"{len(runs):,} walltimes of {len(distribution)} different lengths up to {most:,} s"


def _at_least(runs: Sequence[float], walltimes: Sequence[float]) -> "array[float]":
    """Walltimes behind the ends, so that a job that uses its whole estimate still ends by itself."""
    return array("d", (max(time, nextafter(run, inf)) for run, time in zip(runs, walltimes, strict=True)))


def _longest(columns: Columns, runs: Sequence[float]) -> int:
    walltimes = [job.walltime for job in columns.sources() if job.walltime < inf]
    most = max((*walltimes, *runs), default=0.0)
    return max(_HOUR, -int(-most // _HOUR) * _HOUR)
