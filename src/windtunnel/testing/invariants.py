"""An observer that checks what must hold in every run, with any scheduler."""

from collections.abc import Mapping, Sequence
from typing import Any

from windtunnel.model import HostSet, JobRecord, JobState, Platform, Workload
from windtunnel.vocabulary import Observer

__all__ = ["InvariantChecker"]


class InvariantChecker(Observer):
    """Raises AssertionError when a host is given to two jobs, a job starts before its submission or ends
    twice, energy decreases, or time goes backwards.

    ``rows`` holds (id, state, start, finish, hosts) of all jobs that ended, in order.
    """

    def __init__(self, *, sharing: bool = False) -> None:
        self.sharing = sharing
        self.busy = HostSet()
        self.size = 0
        self.last = 0.0
        self.asleep: set[str] = set()
        """Jobs that are suspended, and hold no hosts."""
        self.submitted: set[str] = set()
        self.rows: list[tuple[str, JobState, float, float, str]] = []
        self.ended: set[str] = set()
        self.joules = 0.0
        self.outcome = ""

    def _date(self, now: float) -> None:
        assert now >= self.last, f"time goes backwards from {self.last} to {now}"
        self.last = now

    def on_begin(self, now: float, platform: Platform, workloads: Sequence[Workload]) -> None:
        """Record the size of the site."""
        del workloads
        self._date(now)
        self.size = len(platform.hosts)

    def on_job_submitted(self, now: float, record: JobRecord) -> None:
        """Ids are unique."""
        self._date(now)
        assert record.job.id not in self.submitted, f"{record.job.id} is submitted twice"
        self.submitted.add(record.job.id)

    def on_job_started(self, now: float, record: JobRecord) -> None:
        """Hosts exist and are free."""
        self._date(now)
        assert record.job.id in self.submitted
        assert now >= record.job.submission_time or record.dynamic
        assert record.hosts <= HostSet.span(self.size)
        if not self.sharing:
            assert record.hosts.isdisjoint(self.busy), f"{record.job.id} is given busy hosts"
            self.busy |= record.hosts

    def on_job_ended(self, now: float, record: JobRecord) -> None:
        """Ends come after starts and within the walltime."""
        self._date(now)
        assert record.finish_time == now >= record.starting_time
        self._over(record)
        if record.job.id not in self.asleep:
            self.busy -= record.hosts
        self.asleep.discard(record.job.id)
        self.rows.append((record.job.id, record.state, record.starting_time, record.finish_time, str(record.hosts)))

    def on_job_suspended(self, now: float, record: JobRecord) -> None:
        """The hosts are free again."""
        self._date(now)
        self.busy -= record.hosts
        self.asleep.add(record.job.id)

    def on_job_resumed(self, now: float, record: JobRecord) -> None:
        """The hosts are free."""
        self._date(now)
        self.asleep.discard(record.job.id)
        assert self.sharing or record.hosts.isdisjoint(self.busy)
        self.busy |= record.hosts

    def on_job_resized(self, now: float, record: JobRecord, before: Sequence[int], after: Sequence[int]) -> None:
        """The hosts that the job gains are free."""
        self._date(now)
        left, come = HostSet(before), HostSet(after)
        assert record.hosts == come <= HostSet.span(self.size)
        assert self.sharing or left <= self.busy
        self.busy -= left
        assert self.sharing or come.isdisjoint(self.busy), f"{record.job.id} grows into busy hosts"
        self.busy |= come

    def on_job_rejected(self, now: float, record: JobRecord) -> None:
        """A row without times."""
        self._date(now)
        self._over(record)
        self.rows.append((record.job.id, record.state, -1.0, -1.0, ""))

    def _over(self, record: JobRecord) -> None:
        assert record.job.id in self.submitted
        assert record.job.id not in self.ended, f"{record.job.id} ends twice"
        self.ended.add(record.job.id)

    def on_energy(self, now: float, joules: float, kind: str, epsilon_watts: float) -> None:
        """Consumed energy never decreases."""
        del kind, epsilon_watts
        self._date(now)
        assert joules >= self.joules - 1e-9 * abs(self.joules), f"energy falls from {self.joules} to {joules} J"
        self.joules = joules

    def on_machine_states(self, now: float, counts: Sequence[int]) -> None:
        """No count is negative or exceeds the number of hosts."""
        self._date(now)
        assert all(0 <= count <= self.size for count in counts), counts

    def on_end(self, now: float, outcome: str, totals: Mapping[str, Any]) -> None:
        """Called exactly once."""
        del totals
        self._date(now)
        assert not self.outcome, "the end is announced twice"
        self.outcome = outcome
