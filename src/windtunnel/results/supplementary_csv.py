"""What Batsim's files have no room for: ``jobs_extra.csv``, ``suspensions.csv``, ``events.csv``, ``estimates.csv``.

Each appears with its first row only.
"""

from collections.abc import Mapping
from itertools import compress
from typing import Any, Final

import msgspec

from windtunnel.model import HostSet, JobRecord
from windtunnel.model.event_kinds import event_kind
from windtunnel.results.batch import Batch
from windtunnel.results.columns import Collector
from windtunnel.results.fields import plain
from windtunnel.results.job_rows import COMPILED
from windtunnel.results.layout import Layout
from windtunnel.results.rows import Recorder, alike, integers, joined
from windtunnel.results.shares_csv import amounts_text
from windtunnel.vocabulary.notices import Notice
from windtunnel.vocabulary.site_notices import ExternalEventOccurred, HostsBecameAvailable, HostsBecameUnavailable

__all__ = ["EstimatesCsv", "EventsCsv", "JobsExtraCsv", "SuspensionsCsv"]

Amounts = Mapping[int, Mapping[str, float]] | None

_EXTRA: Final = "job_id,workload_name,user,group,queue,return_code,host_share\n"
_PAUSES: Final = "job_id,workload_name,from,until,allocated_resources,host_share,shares\n"
_EVENTS: Final = "time,event,hosts,id,data\n"
_ESTIMATES: Final = "time,job_id,workload_name,estimated_waiting_time\n"


class _Owners(dict[tuple[str, str, str], str]):
    """User, group and queue as three fields, remembered."""

    def __missing__(self, owner: tuple[str, str, str]) -> str:
        if len(self) >= 10_000:
            self.clear()
        text = self[owner] = ",".join(map(plain, owner))
        return text


class JobsExtraCsv(Recorder):
    """Writes ``jobs_extra.csv``: a row for each job that has a user, group, queue, return code or shared hosts."""

    def __init__(self, layout: Layout, collector: Collector) -> None:
        self.rows = layout.open("jobs_extra.csv", _EXTRA, lazy=True)
        self._collector = collector
        self._owners = _Owners()

    def take(self, batch: Batch) -> None:
        """Write a row for each job of which there is something to say."""
        rows = self._rows(batch)
        if rows:
            self.rows.pending.append(rows)
            self.rows.flush()

    def _rows(self, batch: Batch) -> str | bytes:
        if COMPILED:
            from windtunnel.results.written_jobs import extra_rows

            return extra_rows(batch.records, batch.owners, self._shares(batch) if batch.shared else [])
        owned = any(batch.users) or any(batch.groups) or any(batch.queues)
        return self.by_column(batch) if owned or batch.shared or any(batch.return_codes) else ""

    def _shares(self, batch: Batch) -> list[str]:
        known = zip(self._collector.shares(batch), batch.amounts, strict=True)
        return [f"{share:f}" if amounts is not None else "" for share, amounts in known]

    def by_column(self, batch: Batch) -> str:
        """The rows of a batch, made in pure Python."""
        names, workloads = batch.names
        owners = self._owned(batch)
        shares = self._shares(batch) if batch.shared else [""] * len(names)
        columns = [names, workloads, owners, integers(batch.return_codes), shares]
        if ",," in owners:  # jobs of which nothing is known but perhaps how they returned
            chosen = [
                owner != ",," or code != "0" or share for _, _, owner, code, share in zip(*columns, strict=True)
            ]
            columns = [list(compress(column, chosen)) for column in columns]
        return joined(columns) if columns[0] else ""


    def _owned(self, batch: Batch) -> list[str]:
        """Users, groups and queues as fields."""
        users, groups, queues = batch.owners
        if alike(groups) and alike(queues):  # each user's are looked up once
            known = {user: self._owners[user, groups[0], queues[0]] for user in set(users)}
            return list(map(known.__getitem__, users))
        return list(map(self._owners.__getitem__, zip(users, groups, queues, strict=True)))


class SuspensionsCsv(Recorder):
    """Writes ``suspensions.csv``: where a job ran before it was suspended or moved, one row per stretch of time."""

    def __init__(self, layout: Layout, collector: Collector) -> None:
        self.rows = layout.open("suspensions.csv", _PAUSES, lazy=True)
        self._collector = collector
        self._since: dict[str, float] = {}
        """When running jobs that were suspended once went on last."""
        self._asleep: set[str] = set()

    def on_job_suspended(self, now: float, record: JobRecord) -> None:
        """Write the stretch that ends here."""
        job_id = record.job.id
        self._stretch(job_id, self._since.pop(job_id, record.starting_time), now, record.hosts, record.amounts)
        self._asleep.add(job_id)

    def on_job_resumed(self, now: float, record: JobRecord) -> None:
        """A new stretch begins."""
        self._since[record.job.id] = now
        self._asleep.discard(record.job.id)

    def take(self, batch: Batch) -> None:
        """Write the last stretch of jobs that were suspended once."""
        if not self._since and not self._asleep:
            return
        columns = (batch.ids, batch.finish, batch.hosts, batch.amounts)
        for job_id, finish, hosts, amounts in zip(*columns, strict=True):
            self._asleep.discard(job_id)
            since = self._since.pop(job_id, None)
            if since is not None:
                self._stretch(job_id, since, finish, hosts, amounts)

    def _stretch(self, job_id: str, since: float, until: float, hosts: HostSet, amounts: Amounts) -> None:
        workload, _, name = job_id.partition("!")
        share = ","
        if amounts is not None:
            share = f"{self._collector.share(hosts, amounts):f},{plain(amounts_text(amounts))}"
        self.rows.add(f"{plain(name)},{plain(workload)},{since:f},{until:f},{hosts},{share}\n")


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
            data = notice.data or _members(notice.attributes)
            hosts = _hosts(notice)
            self.rows.add(f"{now:f},{plain(notice.kind)},{hosts},{plain(notice.id)},{plain(data)}\n")


def _members(attributes: Mapping[str, Any]) -> str:
    """What an event says, as JSON; empty when it says nothing."""
    told = {name: value for name, value in attributes.items() if name not in ("type", "timestamp")}
    return msgspec.json.encode(told).decode() if told else ""


def _hosts(notice: ExternalEventOccurred) -> HostSet:
    """The hosts that an event of a registered kind names; none if it is not as its kind should be (injected so)."""
    kind = event_kind(notice.kind) if notice.attributes else None
    try:
        return HostSet() if kind is None else kind.hosts(kind.read(notice.attributes))
    except ValueError:
        return HostSet()


class EstimatesCsv(Recorder):
    """Writes ``estimates.csv``: how long components said that jobs would wait (s)."""

    def __init__(self, layout: Layout) -> None:
        self.rows = layout.open("estimates.csv", _ESTIMATES, lazy=True)

    def on_waiting_time_estimate(self, now: float, job_id: str, estimate: float) -> None:
        """Write a row."""
        workload, _, name = job_id.partition("!")
        self.rows.add(f"{now:f},{plain(name)},{plain(workload)},{estimate:f}\n")
