"""When the loops run: after changes, and by their intervals (§3.1, §4.1)."""

from math import ceil, inf

from mypy_extensions import mypyc_attr

from windtunnel.model.slurm import SlurmSite

__all__ = ["Clocks"]


@mypyc_attr(allow_interpreted_subclasses=True)
class Clocks:
    """The dates of the next runs (whole seconds); what cannot differ from the run before is not run."""

    def __init__(self, site: SlurmSite, now: float) -> None:
        self.main = site.main
        self.backfill = site.backfill
        self.calc_period = max(1, site.priority.calc_period)
        self.last_main = -(10**9)
        self.last_full = ceil(now)
        self.last_backfill = -(10**9)
        self.next_tick = ceil(now) + self.calc_period
        self.main_due: float = inf
        self.full_due: float = inf
        self.backfill_due: float = inf
        self.steady = False
        """Whether cycles of backfill follow each other by the interval: jobs have been waiting since the last one."""

    def changed(self, now: float) -> None:
        """Something has happened that may let jobs start: both loops are asked to run."""
        second = ceil(now)
        if self.main.sched_interval >= 0:
            self.main_due = min(self.main_due, max(second, self.last_main + self.main.batch_sched_delay))
        self.expect_cycle(second)

    def again(self) -> None:
        """One more cycle of the backfill loop may come to something else though nothing happens before it."""
        if not self.main.builtin and self.backfill.bf_interval >= 0:
            due = self.last_backfill + max(1, self.backfill.bf_interval)
            self.backfill_due = min(self.backfill_due, due)

    def expect(self, when: float) -> None:
        """At a date something will be otherwise though nothing happens: the full run after it sees to that."""
        if self.main.sched_interval < 0 or when == inf:
            return
        interval = max(1, self.main.sched_interval)
        runs = max(1, ceil((when - self.last_full) / interval))
        self.full_due = min(self.full_due, self.last_full + runs * interval)

    def expect_cycle(self, when: float) -> None:
        """Something changes at a date: the backfill loop looks into it in its next cycle.

        While jobs wait each cycle changes their records, so that the next one follows after the interval.
        """
        if self.main.builtin or self.backfill.bf_interval < 0:
            return
        interval = max(1, self.backfill.bf_interval)
        due = max(ceil(when), self.last_backfill + interval)
        if self.steady:
            due = self.last_backfill - (self.last_backfill - due) // interval * interval
        self.backfill_due = min(self.backfill_due, due)

    def ran_main(self, now: int, full: bool) -> None:
        """The main loop has run."""
        self.last_main = now
        self.main_due = inf
        if full:
            interval = max(1, self.main.sched_interval)
            self.last_full += (now - self.last_full) // interval * interval
            self.full_due = inf

    def ran_backfill(self, now: int) -> None:
        """The backfill loop has run."""
        self.last_backfill = now
        self.backfill_due = inf
        self.steady = True

    def rest(self) -> None:
        """Nothing waits: no loop has anything to do."""
        self.main_due = self.full_due = self.backfill_due = inf
        self.steady = False

    @property
    def due(self) -> float:
        """The date of the next run of either loop."""
        return min(self.main_due, self.full_due, self.backfill_due)
