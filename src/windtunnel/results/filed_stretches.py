"""Which job ran on which hosts and when, as the files of a run say it."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from windtunnel.model import HostSet
from windtunnel.results.damaged_files import read_from
from windtunnel.results.resizes_csv import sized
from windtunnel.results.shares_csv import amounts_of
from windtunnel.results.stretch import Stretch, end_of

if TYPE_CHECKING:
    import polars as pl

__all__ = ["stretches_of"]

_HostsIn = Callable[[str | None], HostSet]


def stretches_of(
    jobs: "pl.DataFrame",
    frame: "Callable[[str], pl.DataFrame | None]",
    file: Callable[[str], bytes | None],
    hosts_in: _HostsIn,
    name: str,
) -> Iterator[Stretch]:
    """In the order in which jobs ended.

    Args:
        jobs: the table of jobs.
        frame: reads a table of the run; None where there is none.
        file: reads a file of the run.
        hosts_in: the hosts that a text names; ValueError where the site has no such hosts.
        name: of the run, for messages.
    """
    parts = _suspended(frame, hosts_in, name)
    _add_sizes(parts, file, hosts_in, name)
    sets: dict[str, HostSet] = {}
    columns = ("id", "starting_time", "finish_time", "allocated_resources")
    for job, start, finish, text in jobs.select(columns).iter_rows():
        if job in parts:
            yield from parts[job]
        elif start is not None:
            with read_from(name, "jobs.csv"):
                hosts = sets.get(text or "") or sets.setdefault(text or "", hosts_in(text))
            yield Stretch(job, start, end_of(start, finish), hosts)


def _suspended(
    frame: "Callable[[str], pl.DataFrame | None]", hosts_in: _HostsIn, name: str
) -> dict[str, list[Stretch]]:
    """Those of jobs that were suspended."""
    found: dict[str, list[Stretch]] = {}
    suspensions = frame("suspensions.csv")
    if suspensions is None:
        return found
    with read_from(name, "suspensions.csv"):
        for row in suspensions.iter_rows(named=True):
            job = f"{row['workload_name']}!{row['job_id']}"
            hosts = hosts_in(row["allocated_resources"])
            share = None if row.get("host_share") is None else float(row["host_share"])
            amounts = amounts_of(row["shares"]) if row.get("shares") else None
            stretch = Stretch(job, float(row["from"]), float(row["until"]), hosts, share, amounts)
            found.setdefault(job, []).append(stretch)
    return found


def _add_sizes(
    parts: dict[str, list[Stretch]], file: Callable[[str], bytes | None], hosts_in: _HostsIn, name: str
) -> None:
    """Add those of jobs that changed their hosts, which are told whole from the first change on."""
    changed: dict[str, list[Stretch]] = {}
    with read_from(name, "resizes.csv"):
        for one in sized(file("resizes.csv")):
            stretch = Stretch(one.job, one.start, one.finish, hosts_in(one.hosts))
            changed.setdefault(one.job, []).append(stretch)
    for job, told in changed.items():
        before = [stretch for stretch in parts.get(job, ()) if stretch.finish <= told[0].start]
        parts[job] = before + told
