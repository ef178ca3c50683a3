"""What metrics are computed from: a few numbers per job, kept compactly (40 bytes a job)."""

from array import array
from collections.abc import Iterator, Sequence
from typing import Final

from windtunnel.model import HostSet, JobRecord, JobState, Platform, Workload
from windtunnel.vocabulary.component import Observer
from windtunnel.vocabulary.notices import HostsBecameAvailable, HostsBecameUnavailable, Notice

__all__ = ["Collector", "Columns"]

_WIDTH: Final = 5
_STATES: Final = 16
"""Ending and owner share a column: ``owner * 16 + state``."""


class Columns:
    """Per job: submission, start, finish (s; -1 when it never ran), hosts used, how it ended, whose it was.

    ``owners`` lists the (user, queue) pairs met, in order; ``unavailable`` the steps (date, hosts not available);
    ``pauses`` the intervals (from, to, hosts) in which a started job held no hosts because it was suspended.
    """

    def __init__(self, hosts: int = 0) -> None:
        self.hosts = hosts
        self.owners: list[tuple[str, str]] = [("", "")]
        self.unavailable: list[tuple[float, int]] = []
        self.pauses: list[tuple[float, float, float]] = []
        self._data = array("d")

    def __len__(self) -> int:
        return len(self._data) // _WIDTH

    def add(self, submitted: float, start: float, finish: float, hosts: float, state: int, owner: int = 0) -> None:
        """One more job; ``owner`` is an index of ``owners``."""
        self._data.extend((submitted, start, finish, hosts, owner * _STATES + state))

    @property
    def submitted(self) -> "array[float]":
        """Dates of submission (s)."""
        return self._data[0::_WIDTH]

    @property
    def start(self) -> "array[float]":
        """Dates of start (s), -1 for jobs that never ran."""
        return self._data[1::_WIDTH]

    @property
    def finish(self) -> "array[float]":
        """Dates of the end (s), -1 for jobs that never ran."""
        return self._data[2::_WIDTH]

    @property
    def used(self) -> "array[float]":
        """Hosts used, in whole-host equivalents."""
        return self._data[3::_WIDTH]

    @property
    def codes(self) -> "array[float]":
        """``owner * 16 + state``; see :meth:`state_of` and :meth:`owner_of`."""
        return self._data[4::_WIDTH]

    @staticmethod
    def state_of(code: float) -> JobState:
        """How the job ended."""
        return JobState(int(code) % _STATES)

    @staticmethod
    def owner_of(code: float) -> int:
        """Whose it was: an index of ``owners``."""
        return int(code) // _STATES

    def within(self, first: float, last: float) -> "Columns":
        """The jobs submitted in [first, last] (s)."""
        few = Columns(self.hosts)
        few.owners = self.owners
        few.unavailable = self.unavailable
        few.pauses = self.pauses
        data = self._data
        for i in range(0, len(data), _WIDTH):
            if first <= data[i] <= last:
                few._data += data[i : i + _WIDTH]
        return few

    def ran(self) -> "Columns":
        """The jobs that started."""
        if -1.0 not in self.start:
            return self
        few = Columns(self.hosts)
        few.owners = self.owners
        for row in self.rows():
            if row[1] >= 0.0:
                few._data.extend(row)
        return few

    def rows(self) -> Iterator[Sequence[float]]:
        """Job by job: submitted, start, finish, used, code."""
        data = self._data
        return zip(*(iter(data),) * _WIDTH, strict=True)


class Collector(Observer):
    """Fills :class:`Columns` while a run goes on."""

    def __init__(self) -> None:
        self.columns = Columns()
        self.machines = 0
        """Compute and storage hosts."""
        self._owners: dict[tuple[str, str], int] = {("", ""): 0}
        self._unavailable = HostSet()
        self._cores: tuple[int, ...] = ()
        self._suspended: dict[str, tuple[float, float]] = {}

    def on_begin(self, now: float, platform: Platform, workloads: Sequence[Workload]) -> None:  # noqa: ARG002 -- hook
        """Note how large the site is."""
        self.columns.hosts = len(platform.hosts)
        self.machines = len(platform.hosts) + len(platform.storages)
        self._cores = tuple(host.cores for host in platform.hosts)

    def on_job_ended(self, now: float, record: JobRecord) -> None:  # noqa: ARG002 -- the record has the dates
        """One more job."""
        job = record.job
        owner = 0
        if job.user or job.queue:
            key = (job.user, job.queue)
            owner = self._owners.get(key, -1)
            if owner < 0:
                owner = self._owners[key] = len(self._owners)
                self.columns.owners.append(key)
        used = len(record.hosts) if record.amounts is None else self.share(record)
        if self._suspended and job.id in self._suspended:
            since, held = self._suspended.pop(job.id)
            self.columns.pauses.append((since, record.finish_time, held))
        self.columns._data.extend(
            (job.submission_time, record.starting_time, record.finish_time, used, owner * _STATES + record.state)
        )

    def on_job_rejected(self, now: float, record: JobRecord) -> None:
        """One more job, which never ran."""
        self.on_job_ended(now, record)

    def on_job_suspended(self, now: float, record: JobRecord) -> None:
        """The job holds nothing from now on."""
        self._suspended[record.job.id] = (now, float(len(record.hosts)))

    def on_job_resumed(self, now: float, record: JobRecord) -> None:
        """It holds hosts again."""
        since, held = self._suspended.pop(record.job.id, (now, 0.0))
        self.columns.pauses.append((since, now, held))

    def on_external(self, now: float, notice: Notice) -> None:
        """Follow which hosts are available."""
        before = len(self._unavailable)
        if isinstance(notice, HostsBecameUnavailable):
            self._unavailable |= notice.hosts
        elif isinstance(notice, HostsBecameAvailable):
            self._unavailable -= notice.hosts
        if len(self._unavailable) != before:
            self.columns.unavailable.append((now, len(self._unavailable)))

    def share(self, record: JobRecord) -> float:
        """Whole-host equivalents of a job that shares its hosts: of each, the greatest share of its cores."""
        used = 0.0
        for host, amounts in (record.amounts or {}).items():
            cores = self._cores[host] if host < len(self._cores) else 1
            used += min(1.0, amounts["cores"] / cores) if "cores" in amounts else 1.0
        return used
