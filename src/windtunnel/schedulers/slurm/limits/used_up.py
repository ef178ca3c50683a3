"""Running jobs that are ended since the limits of what may be used over time are used up (§6.1).

Where ``safe`` is enforced no job starts that could come to that, and none is ended.
"""

from collections.abc import Iterable

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.jobs.running import RunningJob
from windtunnel.schedulers.slurm.limits.tallies import Tallies, fresh, in_order
from windtunnel.schedulers.slurm.shares.tree import Member

__all__ = ["Budgets"]


@mypyc_attr(allow_interpreted_subclasses=True)
class Budgets:
    """What may be used over time: GrpTRESMins, GrpWall, and MaxTRESMins of a job."""

    def __init__(self, book: Tallies) -> None:
        self.book = book
        groups = [*(one.limits for one in book.qos.values()), *(one.limits for one in book.ledger.tree)]
        acts = book.active and not book.safe
        self.acts = acts and any(one.grp_tres_mins or one.grp_wall is not None for one in groups)
        """Whether jobs may have to end since others used what they would need."""
        self._of_jobs = acts and any(one.max_tres_mins_per_job for one in groups)

    def exceeded(self, running: Iterable[RunningJob]) -> list[RunningJob]:
        """The jobs that have to end now: a limit is used up of TRES that they hold, or of time."""
        return [job for job in running if self._used_up(job)] if self.acts else []

    def longest(self, job: RunningJob) -> int | None:
        """The minutes after which MaxTRESMins ends a job, whatever its time limit; None: never."""
        if not self._of_jobs:
            return None
        held = job.spending.tres
        hidden: set[tuple[str, str]] = set()
        found: list[int] = []
        for qos in self.book.qos_of(job.record):
            for name, most in fresh(qos.limits.max_tres_mins_per_job, "mins_job", hidden):
                found += _minutes(most, held.get(name, 0))
        for member in _below_root(job):
            for name, most in in_order(member.limits.max_tres_mins_per_job):
                if name != "node" and ("mins_job", name) not in hidden:
                    found += _minutes(most, held.get(name, 0))
        return min(found, default=None)

    def _used_up(self, job: RunningJob) -> bool:
        """Each kind of limit counts once: of the first QOS that sets it, or else of every association."""
        held, ledger = job.spending.tres, self.book.ledger
        hidden: set[tuple[str, str]] = set()
        walls_count = True
        for qos in self.book.qos_of(job.record):
            used = ledger.qos_tres.get(qos.name, {})
            for name, most in fresh(qos.limits.grp_tres_mins, "grp_mins", hidden):
                if held.get(name) and used.get(name, 0.0) // 60 >= most:
                    return True
            wall = qos.limits.grp_wall
            if wall is not None and walls_count:
                walls_count = False
                if ledger.qos_wall.get(qos.name, 0.0) // 60 >= wall:
                    return True
        for member in _below_root(job):
            for name, most in in_order(member.limits.grp_tres_mins):
                spent = member.tres_usage.get(name, 0.0) // 60
                if ("grp_mins", name) not in hidden and held.get(name) and spent >= most:
                    return True
            wall = member.limits.grp_wall if walls_count else None
            if wall is not None and member.wall_usage // 60 >= wall:
                return True
        return False


def _below_root(job: RunningJob) -> list[Member]:
    """The associations that a job's own time counts for: those of the root account end no job."""
    own = job.spending.member
    return [one for one in own.path() if one is own or one.parent is not None] if own is not None else []


def _minutes(most: int, count: float) -> list[int]:
    """After how many whole minutes so many TRES come to so many TRES-minutes; none where nothing is held."""
    return [-(-most // max(1, int(count)))] if count else []
