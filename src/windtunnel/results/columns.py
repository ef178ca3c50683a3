"""What metrics are computed from: a few numbers per job, kept compactly (30 to 36 bytes a job)."""

from array import array
from collections.abc import Callable, Mapping, Sequence
from operator import add
from sys import byteorder
from typing import Any, Final, Self, cast

from windtunnel.model import HostSet, JobRecord, JobState, Platform, Workload
from windtunnel.model.alike_amounts import AlikeAmounts
from windtunnel.model.arrays import extend, extended
from windtunnel.model.platform import column_of
from windtunnel.results.batch import Batch
from windtunnel.results.job_rows import COMPILED, SHORTEST
from windtunnel.results.kept import Keeping, Kept
from windtunnel.results.rows import alike
from windtunnel.vocabulary.component import Observer
from windtunnel.vocabulary.notices import Notice
from windtunnel.vocabulary.site_notices import HostsBecameAvailable, HostsBecameUnavailable

__all__ = ["DIGITS", "STATES", "Collector", "Columns"]

DIGITS: Final = 6
"""Decimals of times and shares in files."""

_MANY: Final = 1 << 16
_MISSED: Final = array("d", [-1.0]).tobytes()
_COMPILED: Final = COMPILED and byteorder == "little"
"""Whether the bytes of columns come from compiled code."""
_EXACT: Final = 1 << 20
"""Sums of multiples of one part in so many are exact, in whatever order."""

STATES = 16
"""Ending and owner share a column: ``owner * 16 + state``."""
_STATE_OF: Final = bytes(byte % STATES for byte in range(256))
"""The state in the lowest byte of a code."""


class Columns:
    """Per job: submission, start, finish (s; -1 when it never ran), hosts used, how it ended, whose it was.

    ``owners`` lists the (user, queue) pairs met, in order; ``unavailable`` the steps (date, hosts not available);
    ``pauses`` the intervals (from, to, hosts) in which a started job held no hosts because it was suspended, and
    corrections of its share and size; ``kept`` those in which jobs had hosts that were not available.
    """

    def __init__(self, hosts: int = 0, column: "Callable[[str], array[Any]]" = array) -> None:
        self.hosts = hosts
        self.column = column
        """Makes a column of a type, in memory or on disk."""
        self.owners: list[tuple[str, str]] = [("", "")]
        self.unavailable: list[tuple[float, int]] = []
        self.pauses: list[tuple[float, float, float]] = []
        self.kept: list[Kept] = []
        self.submitted = column("d")
        """Dates of submission (s)."""
        self.start = column("d")
        """Dates of start (s), -1 for jobs that never ran."""
        self.finish = column("d")
        """Dates of the end (s), -1 for jobs that never ran."""
        self.used = column("d")
        """Hosts used, in whole-host equivalents."""
        self.codes = column("I")
        """``owner * 16 + state``."""

    def __len__(self) -> int:
        return len(self.codes)

    def only(self, chosen: Sequence[int]) -> Self:
        """The jobs for which ``chosen`` is true."""
        from itertools import compress

        few = type(self)(self.hosts, self.column)
        few.owners = self.owners
        for name in ("submitted", "start", "finish", "used", "codes"):
            extend(getattr(few, name), compress(getattr(self, name), chosen))
        return few

    def within(self, first: float, last: float) -> Self:
        """The jobs submitted in [first, last] (s)."""
        return self.only(bytes(first <= date <= last for date in self.submitted))

    def as_filed(self) -> Self:
        """The same with the digits that the files have (a millionth of a second), as they are read again."""
        filed = type(self)(self.hosts, self.column)
        filed.owners, filed.codes = self.owners, self.codes
        ends = zip(self.start, self.finish, strict=True)
        finish = (start + SHORTEST if start == end >= 0.0 else end for start, end in ends)
        columns = {"submitted": self.submitted, "start": self.start, "finish": finish, "used": self.used}
        for name, values in columns.items():
            extend(getattr(filed, name), (round(value, DIGITS) for value in values))
        filed.unavailable = [(round(date, DIGITS), count) for date, count in self.unavailable]
        filed.pauses = [
            (round(since, DIGITS), round(until, DIGITS), round(held, DIGITS)) for since, until, held in self.pauses
        ]
        filed.kept = [(round(since, DIGITS), round(until, DIGITS), held) for since, until, held in self.kept]
        return filed

    def ran(self) -> Self:
        """The jobs that started."""
        if not self._any_missed():
            return self
        return self.only(bytes(date >= 0.0 for date in self.start))

    def _any_missed(self) -> bool:
        """Whether a job never started. Its date is looked for among bytes first: numbers take many times longer."""
        parts = (self.start[at : at + _MANY] for at in range(0, len(self.start), _MANY))
        return any(_MISSED in part.tobytes() and -1.0 in part for part in parts)

    def states(self) -> dict[str, int]:
        """How many jobs ended how, by name, in the order of :class:`~windtunnel.model.JobState`."""
        lowest = 0 if byteorder == "little" else self.codes.itemsize - 1
        counts = dict.fromkeys(JobState, 0)
        for at in range(0, len(self.codes), _MANY):
            part = self.codes[at : at + _MANY]
            states = part.tobytes()[lowest :: part.itemsize].translate(_STATE_OF)
            for state in JobState:
                counts[state] += states.count(state)
        return {state.name: count for state, count in counts.items() if count}


class _Owners(dict[tuple[str, str], int]):
    """(User, queue) -> their part of a code; new ones join the columns."""

    def __init__(self, columns: Columns) -> None:
        super().__init__({("", ""): 0})
        self._columns = columns

    def __missing__(self, key: tuple[str, str]) -> int:
        code = self[key] = len(self) * STATES
        self._columns.owners.append(key)
        return code

    def __reduce__(self) -> tuple[Any, ...]:
        return _Owners._revived, (self._columns, dict(self))

    @classmethod
    def _revived(cls, columns: Columns, known: dict[tuple[str, str], int]) -> "_Owners":
        new = cls(columns)
        new.update(known)
        return new


class Collector(Observer):
    """Fills :class:`Columns` while a run goes on: a sink of the batches, and an observer of what else it needs."""

    def __init__(self, *, on_disk: bool = False) -> None:
        if on_disk:
            from windtunnel.model.disk_columns import DiskColumn

            self.columns = Columns(column=cast("Callable[[str], array[Any]]", DiskColumn))
        else:
            self.columns = Columns()
            self.columns.used = array("b")  # wider as far as needed: most are small integers
        self.machines = 0
        """Compute and storage hosts."""
        self._owners = _Owners(self.columns)
        self._unavailable = HostSet()
        self._cores: list[int] = []
        self._most_cores = self._least_cores = 1
        """Of any host."""
        self._suspended: dict[str, tuple[float, float]] = {}
        self.unended: dict[str, list[tuple[float, float, float]]] = {}
        """As :attr:`Columns.pauses`, of jobs that have not ended, by id."""
        self.keeping = Keeping()

    def on_begin(self, now: float, platform: Platform, workloads: Sequence[Workload]) -> None:  # noqa: ARG002 -- hook
        """Note how large the site is."""
        self.columns.hosts = len(platform.hosts)
        self.machines = len(platform.hosts) + len(platform.storages)
        self._cores = self.keeping.cores = column_of(platform.hosts, "cores")
        self._most_cores = max(self._cores, default=1)
        self._least_cores = min(self._cores, default=1)

    def take(self, batch: Batch) -> None:
        """More jobs."""
        columns = self.columns
        if _COMPILED:
            from windtunnel.results.written_jobs import codes_of, dates_of

            dates = dates_of(batch.records)
            for column, data in zip((columns.submitted, columns.start, columns.finish), dates, strict=True):
                column.frombytes(data)
            columns.codes.frombytes(codes_of(batch.records, batch.owners, self._owners))
        else:
            extend(columns.submitted, batch.submitted)
            extend(columns.start, batch.start)
            extend(columns.finish, batch.finish)
            codes: Sequence[int] = batch.states
            if any(batch.users) or any(batch.queues):
                codes = self._codes(batch)
            extend(columns.codes, codes)
        shares = self.shares(batch)
        columns.used = extended(columns.used, shares)
        columns.kept += self.keeping.over(batch.records)
        if self._suspended or self.unended:
            for job_id, finish in zip(batch.ids, batch.finish, strict=True):
                columns.pauses += self.unended.pop(job_id, ())
                if job_id in self._suspended:
                    since, held = self._suspended.pop(job_id)
                    columns.pauses.append((since, finish, held))

    def _codes(self, batch: Batch) -> list[int]:
        """How they ended, and whose they were."""
        users, queues, states = batch.users, batch.queues, batch.states
        if alike(queues) and alike(states):  # each user's is looked up once
            known = {user: self._owners[user, queues[0]] + states[0] for user in dict.fromkeys(users)}
            return list(map(known.__getitem__, users))
        return list(map(add, map(self._owners.__getitem__, zip(users, queues, strict=True)), states))

    def shares(self, batch: Batch) -> Sequence[float]:
        """Whole-host equivalents; of a job that shares its hosts, the share of each host's cores that it takes."""
        if not batch.shared:
            if _COMPILED:
                from windtunnel.results.written_jobs import sizes_of

                return sizes_of(batch.records)
            return [hosts.size for hosts in batch.hosts]
        return [self.share(*pair) for pair in zip(batch.hosts, batch.amounts, strict=True)]

    def share(self, hosts: HostSet, amounts: Mapping[int, Mapping[str, float]] | None) -> float:
        """The same of one job."""
        if amounts is None:
            return float(len(hosts))
        if isinstance(amounts, AlikeAmounts) and self._wholly(amounts):
            return float(len(hosts))
        if isinstance(amounts, AlikeAmounts):
            exact = self._of_groups(amounts)
            if exact is not None:
                return exact
        used = 0.0
        for host, taken in amounts.items():
            cores = self._cores[host] if host < len(self._cores) else 1
            used += min(1.0, taken["cores"] / cores) if "cores" in taken else 1.0
        return used

    def _of_groups(self, amounts: AlikeAmounts) -> float | None:
        """The same by groups of hosts that are alike; None where adding host by host could round otherwise."""
        if self._least_cores != self._most_cores:
            return None
        used = 0.0
        for hosts, taken in amounts.groups:
            each = min(1.0, taken["cores"] / self._most_cores) if "cores" in taken else 1.0
            if not (each * _EXACT).is_integer():
                return None
            used += each * hosts.size
        return used

    def _wholly(self, amounts: AlikeAmounts) -> bool:
        """Whether all cores of all hosts are taken."""
        most = self._most_cores
        return all(taken.get("cores", most) >= most for _, taken in amounts.groups)

    def on_job_suspended(self, now: float, record: JobRecord) -> None:
        """The job holds nothing from now on."""
        held = self.share(record.hosts, record.amounts)
        self.keeping.leave(now, record, record.hosts, record.amounts)
        self._suspended[record.job.id] = (now, held)

    def on_job_resumed(self, now: float, record: JobRecord) -> None:
        """It holds hosts again; if it is another share of them, that is not what it held until now."""
        since, held = self._suspended.pop(record.job.id, (now, 0.0))
        self.keeping.have(now, record)
        paused = self.unended.setdefault(record.job.id, [])
        paused.append((since, now, held))
        holds = self.share(record.hosts, record.amounts)
        if holds != held:
            paused.append((record.starting_time, now, holds - held))

    def on_job_resized(self, now: float, record: JobRecord, before: Sequence[int], after: Sequence[int]) -> None:
        """What it holds from now on is not what it held until now."""
        had = HostSet(before)
        self.keeping.leave(now, record, had, None)
        self.keeping.have(now, record)
        more = len(HostSet(after)) - len(had)
        if more:
            self.unended.setdefault(record.job.id, []).append((record.starting_time, now, float(more)))

    def on_external(self, now: float, notice: Notice) -> None:
        """Follow which hosts are available."""
        self.keeping.hear(now, notice)
        before = len(self._unavailable)
        if isinstance(notice, HostsBecameUnavailable):
            self._unavailable |= notice.hosts
        elif isinstance(notice, HostsBecameAvailable):
            self._unavailable -= notice.hosts
        if len(self._unavailable) != before:
            self.columns.unavailable.append((now, len(self._unavailable)))
