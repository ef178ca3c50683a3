"""What accounts and QOS have used over time, where that is limited (``GrpTRESMins``, ``GrpWall``)."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from windtunnel.model.slurm import Limits
from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.shares.usage import Spending
from windtunnel.schedulers.slurm.state import State

__all__ = ["Budgets"]


class Budgets:
    """Keeps count of usage: at the ticks of Slurm's decay thread, and at the end of each job."""

    def __init__(self, state: State, now: int) -> None:
        self.ledger = state.ledger
        self.kept = state.limits.active and state.ledger.detailed
        """Whether anything limits what is used over time."""
        self.period = max(1, state.site.priority.calc_period)
        self.next_tick = now + self.period
        self.forgiving = self.kept and state.ledger.decay < 1.0
        """Whether usage decays: a budget that is used up has room again some time."""
        self._spending: dict[str, Spending] = {}

    def advance(self, now: int) -> None:
        """All ticks up to an instant."""
        while self.kept and self.next_tick <= now:
            self.ledger.tick(self.next_tick, self._spending.values())
            self.next_tick += self.period

    def started(self, job_id: str, spending: Spending) -> None:
        """A job runs, and uses what it holds."""
        if self.kept:
            self._spending[job_id] = spending

    def undone(self, job_id: str) -> None:
        """A job did not start after all."""
        self._spending.pop(job_id, None)

    def ended(self, job_id: str, now: int) -> None:
        """A job has ended, if it ran."""
        spending = self._spending.pop(job_id, None)
        if spending is not None:
            self.ledger.end(spending, now)

    @contextmanager
    def unused(self, record: Record) -> Iterator[None]:
        """As if nobody had used anything yet: what is refused even then can never run."""
        members = list(record.job.member.path()) if self.kept and record.job.member is not None else []
        known = [(member.tres_usage, member.wall_usage) for member in members]
        ledger = self.ledger
        of_qos = ledger.qos_tres, ledger.qos_wall
        for member in members:
            member.tres_usage, member.wall_usage = {}, 0.0
        ledger.qos_tres, ledger.qos_wall = {}, {}
        try:
            yield
        finally:
            for member, (tres, wall) in zip(members, known, strict=True):
                member.tres_usage, member.wall_usage = tres, wall
            ledger.qos_tres, ledger.qos_wall = of_qos

    def without_any(self, limits: Iterable[Limits]) -> bool:
        """Whether a job of these limits has a budget of nothing at all: it never runs."""
        return self.kept and any(one.grp_wall == 0 or 0 in one.grp_tres_mins.values() for one in limits)
