"""``resizes.csv``: where jobs that changed their hosts ran, one row per stretch of time on the same hosts."""

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from windtunnel.model import HostSet, JobRecord
from windtunnel.results.batch import Batch
from windtunnel.results.fields import plain, table_rows
from windtunnel.results.layout import Layout
from windtunnel.results.rows import Recorder

__all__ = ["ResizesCsv", "Sized", "sized"]

_HEADER: Final = "job_id,workload_name,from,until,size,change,allocated_resources\n"


class Sized(msgspec.Struct, frozen=True):
    """A stretch of time of a job that changed its hosts at least once. Dates in s."""

    job: str
    start: float
    finish: float
    size: int
    """Hosts."""
    change: int | None
    """So many hosts more (or fewer) than just before; None: it did not begin with a change of hosts."""
    hosts: str


class ResizesCsv(Recorder):
    """Writes the rows of a job when it is over: what is told of jobs stands in the order of their ends."""

    def __init__(self, layout: Layout) -> None:
        self.rows = layout.open("resizes.csv", _HEADER, lazy=True)
        self._since: dict[str, tuple[float, str]] = {}
        """Of running jobs that were suspended or changed: since when they are where they are, and the change."""
        self._rows: dict[str, list[str]] = {}
        """What is known already of jobs that changed."""

    def on_job_resized(self, now: float, record: JobRecord, before: Sequence[int], after: Sequence[int]) -> None:
        """A stretch ends, another begins."""
        job_id = record.job.id
        left, come = HostSet(before), HostSet(after)
        self._rows.setdefault(job_id, [])
        self._stretch(job_id, self._since.get(job_id, (record.starting_time, "")), now, left)
        self._since[job_id] = now, f"{len(come) - len(left)}"

    def on_job_suspended(self, now: float, record: JobRecord) -> None:
        """A stretch ends."""
        since = self._since.pop(record.job.id, (record.starting_time, ""))
        if record.job.id in self._rows:
            self._stretch(record.job.id, since, now, record.hosts)

    def on_job_resumed(self, now: float, record: JobRecord) -> None:
        """A stretch begins."""
        self._since[record.job.id] = now, ""

    def take(self, batch: Batch) -> None:
        """Write the rows of those that are over."""
        if not self._since and not self._rows:
            return
        for job_id, finish, hosts in zip(batch.ids, batch.finish, batch.hosts, strict=True):
            since = self._since.pop(job_id, None)
            if job_id in self._rows:
                if since is not None:  # it did not end while it was suspended
                    self._stretch(job_id, since, finish, hosts)
                self.rows.add("".join(self._rows.pop(job_id)))

    def _stretch(self, job_id: str, since: tuple[float, str], until: float, hosts: HostSet) -> None:
        workload, _, name = job_id.partition("!")
        start, change = since
        row = f"{plain(name)},{plain(workload)},{start:f},{until:f},{len(hosts)},{change},{hosts}\n"
        self._rows[job_id].append(row)


def sized(data: bytes | None) -> Iterator[Sized]:
    """The rows of a ``resizes.csv`` (None: there is none), up to one that a kill left half-written.

    Raises:
        ValueError: it is damaged.
    """
    for row in table_rows(data):
        if None in row or None in row.values() or len(row) != _HEADER.count(",") + 1:
            raise ValueError(f"a row has other columns than the first line: {next(iter(row.values()))!r:.50}...")
        start, finish, size = float(row["from"]), float(row["until"]), int(row["size"])
        if not (0.0 <= start <= finish < float("inf") and 0 <= size < 1 << 30):
            raise ValueError(f"{size} hosts from {start} to {finish} s are not a valid stretch")
        change = int(row["change"]) if row["change"] else None
        job = f"{row['workload_name']}!{row['job_id']}"
        yield Sized(job, start, finish, size, change, row["allocated_resources"])
