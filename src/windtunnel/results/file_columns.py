"""What metrics are computed from, read back from a run's files."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from windtunnel.model import HostSet, JobState
from windtunnel.results.columns import STATES, Columns
from windtunnel.results.filed_shares import FiledShares
from windtunnel.results.kept import Kept, Unavailable
from windtunnel.results.stretch import Stretch, end_of

if TYPE_CHECKING:
    import polars as pl

__all__ = ["columns_of"]


def columns_of(
    jobs: "pl.DataFrame",
    hosts: int,
    unavailable: Sequence[tuple[float, HostSet]],
    stretches: Iterable[Stretch],
    shares: FiledShares | None = None,
) -> Columns:
    """What metrics are computed from, with the digits that the files have.

    Args:
        jobs: a run's jobs.
        hosts: how many hosts its site has.
        unavailable: the hosts that were not available, from each date (s) on.
        stretches: who was where and when, if jobs were suspended or changed their hosts.
        shares: what jobs that share hosts had of each.
    """
    made = Columns(hosts)
    owners: dict[tuple[str, str], int] = {("", ""): 0}
    made.submitted.extend(jobs["submission_time"].cast(float))
    made.start.extend(jobs["starting_time"].fill_null(-1.0))
    made.finish.extend(jobs["finish_time"].fill_null(-1.0))
    sizes: dict[str | None, int] = {None: 0}
    for text in jobs["allocated_resources"]:
        if text not in sizes:
            sizes[text] = len(HostSet.parse(text))
        made.used.append(sizes[text])
    if "host_share" in jobs.columns:
        for rank, share in enumerate(jobs["host_share"]):
            if share is not None:
                made.used[rank] = share
    states = {state.name: int(state) for state in JobState}
    made.codes.extend(states[name] for name in jobs["final_state"])
    if {"user", "queue"} & set(jobs.columns):
        users, queues = (
            jobs[name].fill_null("") if name in jobs.columns else [""] * jobs.height for name in ("user", "queue")
        )
        for rank, pair in enumerate(zip(users, queues, strict=True)):
            made.codes[rank] += STATES * owners.setdefault(pair, len(owners))
        made.owners = list(owners)
    made.unavailable = _changes((date, len(away)) for date, away in unavailable)
    parts: dict[str, list[Stretch]] = {}
    for stretch in stretches:
        parts.setdefault(stretch.job, []).append(stretch)
    made.pauses = list(_pauses(jobs, parts))
    if unavailable:
        made.kept = list(_kept(jobs, made.used, Unavailable(unavailable), parts, shares or FiledShares()))
    return made


def _changes(steps: Iterable[tuple[float, int]]) -> list[tuple[float, int]]:
    """Those at which a number changes that is 0 at first."""
    found = [(0.0, 0)]
    for date, count in steps:
        if count != found[-1][1]:
            found.append((date, count))
    return found[1:]


def _pauses(jobs: "pl.DataFrame", parts: Mapping[str, Sequence[Stretch]]) -> Iterator[Kept]:
    """Gaps between the stretches of jobs, changes of what they held, and up to the end if they ended suspended."""
    ends = dict(jobs.select("id", "finish_time").iter_rows())
    starts = dict(jobs.select("id", "starting_time").iter_rows())
    for job, stretches in parts.items():
        for before, after in pairwise(stretches):
            yield (before.finish, after.start, before.held)
            if after.held != before.held:
                yield (starts[job], after.start, after.held - before.held)
        last = stretches[-1]
        if ends[job] is not None and end_of(starts[job], ends[job]) > last.finish:
            yield (last.finish, ends[job], last.held)


def _kept(
    jobs: "pl.DataFrame",
    used: Sequence[float],
    away: Unavailable,
    parts: Mapping[str, Sequence[Stretch]],
    shares: FiledShares,
) -> Iterator[Kept]:
    """What jobs had of hosts that were not available."""
    names = ("id", "starting_time", "finish_time", "allocated_resources")
    for (job, start, finish, text), held in zip(jobs.select(names).iter_rows(), used, strict=True):
        stretches = parts.get(job, ())
        if len(stretches) > 1 or (stretches and stretches[0].finish < finish):
            for one in stretches:
                had = shares.had("", one.hosts, one.held, one.amounts)
                yield from away.kept(one.start, one.finish, one.hosts, had)
        elif start is not None:
            hosts = HostSet.parse(text)
            yield from away.kept(start, end_of(start, finish), hosts, shares.had(job, hosts, held))
