"""What the jobs of a run that ended early had of its hosts up to then: also those that ran on."""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from math import fsum
from typing import Any

import msgspec

from windtunnel.model import JobRecord
from windtunnel.results.columns import Collector
from windtunnel.results.computing import available_in
from windtunnel.results.metrics import UpToStop

__all__ = ["up_to_stop", "up_to_stop_as_written"]


def up_to_stop(
    collector: Collector, totals: Mapping[str, Any], away: Mapping[str, tuple[float, float]], now: float
) -> UpToStop:
    """The same of a run that ends now.

    Args:
        collector: what was collected of jobs that have ended.
        totals: those of the engine.
        away: jobs that were suspended last, not resumed: since when, and how many hosts they had.
        now: the present (s).
    """
    columns, keeping = collector.columns, collector.keeping
    unfinished: Sequence[JobRecord] = totals["unfinished"]
    running = [one for one in unfinished if one.starting_time >= 0.0]
    ended = zip(columns.start, columns.finish, columns.used, strict=True)
    held = fsum([used * (finish - start) for start, finish, used in ended if start >= 0.0])
    shares = [collector.share(one.hosts, one.amounts) for one in running]
    held += fsum(share * (now - one.starting_time) for one, share in zip(running, shares, strict=True))
    kept = [part for one in running for part in keeping.kept(one, now)]
    pauses = chain(columns.pauses, *collector.unended.values())
    held -= fsum(hosts * (until - since) for since, until, hosts in pauses)
    suspended = [away[one.job_id] for one in running if one.job_id in away]
    held -= fsum(hosts * (now - since) for since, hosts in suspended)
    first = float(totals.get("first_submission", -1.0))
    if first < 0.0:  # of jobs that schedulers register, if any
        first = min((*columns.submitted, *(one.submission for one in unfinished)), default=now)
    available = available_in(columns, first, max(now, first), kept)
    return UpToStop(
        running=len(running),
        waiting=len(unfinished) - len(running),
        allocated_host_seconds=held,
        available_host_seconds=available,
        utilisation=held / available if available > 0.0 else 0.0,
    )


class _WithStop(msgspec.Struct, frozen=True):
    up_to_stop: UpToStop | None = None


def up_to_stop_as_written(read: Callable[[str], bytes | None]) -> UpToStop | None:
    """What ``metrics.json`` says of it, which no trim changes; None of a run that came to its end."""
    try:
        return msgspec.json.decode(read("metrics.json") or b"{}", type=_WithStop).up_to_stop
    except msgspec.DecodeError:
        return None
