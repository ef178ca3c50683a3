"""What Batsim's files have no room for: ``jobs_extra.csv``, ``suspensions.csv``, ``events.csv``, ``estimates.csv``.

Each appears with its first row only.
"""

from typing import Final

from windtunnel.model import JobRecord
from windtunnel.results.columns import Collector
from windtunnel.results.jobs_csv import plain
from windtunnel.results.layout import Layout
from windtunnel.results.rows import Recorder
from windtunnel.vocabulary.notices import (
    ExternalEventOccurred,
    HostsBecameAvailable,
    HostsBecameUnavailable,
    Notice,
)

__all__ = ["EstimatesCsv", "EventsCsv", "JobsExtraCsv", "SuspensionsCsv"]

_EXTRA: Final = "job_id,workload_name,user,group,queue,return_code,host_share\n"
_PAUSES: Final = "job_id,workload_name,from,until,allocated_resources\n"
_EVENTS: Final = "time,event,hosts,id,data\n"
_ESTIMATES: Final = "time,job_id,workload_name,estimated_waiting_time\n"


class JobsExtraCsv(Recorder):
    """Writes ``jobs_extra.csv``: a row for each job that has a user, group, queue, return code or shared hosts."""

    def __init__(self, layout: Layout, collector: Collector) -> None:
        self.rows = layout.open("jobs_extra.csv", _EXTRA, lazy=True)
        self._collector = collector
        self._owners: dict[tuple[str, str, str], str] = {}

    def on_job_ended(self, now: float, record: JobRecord) -> None:  # noqa: ARG002 -- there is no column for it
        """Write a row if there is something to say."""
        job = record.job
        owner = (job.user, job.group, job.queue)
        shared = record.amounts is not None
        if any(owner) or record.return_code or shared:
            text = self._owners.get(owner)
            if text is None:
                text = self._owners[owner] = ",".join(plain(part) for part in owner)
            workload, _, name = job.id.partition("!")
            if not name.isalnum():
                workload, name = plain(workload), plain(name)
            share = f"{self._collector.share(record):f}" if shared else ""
            self.rows.add(f"{name},{workload},{text},{record.return_code},{share}\n")

    def on_job_rejected(self, now: float, record: JobRecord) -> None:
        """Write a row if there is something to say."""
        self.on_job_ended(now, record)


class SuspensionsCsv(Recorder):
    """Writes ``suspensions.csv``: where a job ran before it was suspended or moved, one row per stretch of time."""

    def __init__(self, layout: Layout) -> None:
        self.rows = layout.open("suspensions.csv", _PAUSES, lazy=True)
        self._since: dict[str, float] = {}
        self._asleep: set[str] = set()

    def on_job_suspended(self, now: float, record: JobRecord) -> None:
        """Write the stretch that ends here."""
        self._stretch(record, now)
        self._asleep.add(record.job.id)

    def on_job_resumed(self, now: float, record: JobRecord) -> None:
        """A new stretch begins."""
        self._since[record.job.id] = now
        self._asleep.discard(record.job.id)

    def on_job_ended(self, now: float, record: JobRecord) -> None:  # noqa: ARG002 -- the record has the dates
        """Write the last stretch of a job that was suspended once."""
        if not self._since and not self._asleep:
            return
        if record.job.id in self._asleep:
            self._asleep.discard(record.job.id)
        elif record.job.id in self._since:
            self._stretch(record, record.finish_time)
        self._since.pop(record.job.id, None)

    def _stretch(self, record: JobRecord, until: float) -> None:
        since = self._since.get(record.job.id, record.starting_time)
        workload, _, name = record.job.id.partition("!")
        self.rows.add(f"{plain(name)},{plain(workload)},{since:f},{until:f},{record.hosts}\n")


class EventsCsv(Recorder):
    """Writes ``events.csv``: hosts that became available or not, and events that were only forwarded."""

    def __init__(self, layout: Layout) -> None:
        self.rows = layout.open("events.csv", _EVENTS, lazy=True)

    def on_external(self, now: float, notice: Notice) -> None:
        """Write a row."""
        if isinstance(notice, HostsBecameAvailable | HostsBecameUnavailable):
            kind = "available" if isinstance(notice, HostsBecameAvailable) else "unavailable"
            self.rows.add(f"{now:f},{kind},{notice.hosts},,{plain(notice.cause)}\n")
        elif isinstance(notice, ExternalEventOccurred):
            self.rows.add(f"{now:f},{plain(notice.kind)},,{plain(notice.id)},{plain(notice.data)}\n")


class EstimatesCsv(Recorder):
    """Writes ``estimates.csv``: how long components said that jobs would wait (s)."""

    def __init__(self, layout: Layout) -> None:
        self.rows = layout.open("estimates.csv", _ESTIMATES, lazy=True)

    def on_waiting_time_estimate(self, now: float, job_id: str, estimate: float) -> None:
        """Write a row."""
        workload, _, name = job_id.partition("!")
        self.rows.add(f"{now:f},{plain(name)},{plain(workload)},{estimate:f}\n")
