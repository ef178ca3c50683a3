"""Running a study: points go to slots, outcomes into the journal, until all are done."""

from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from queue import Empty, SimpleQueue
from time import monotonic
from typing import TYPE_CHECKING, Final

import msgspec

from windtunnel.studies.directory import (
    JOURNAL,
    claimed,
    drop_job_tables,
    job_table,
    write_job_table,
    write_points,
)
from windtunnel.studies.executors.executor import Executor, WorkerLostError
from windtunnel.studies.journal import Journal, read_journal
from windtunnel.studies.plan import Plan
from windtunnel.studies.trials import Outcome, Trial
from windtunnel.studies.waiting import WaitingTrials

if TYPE_CHECKING:
    from concurrent.futures import Future

    from windtunnel.studies.executors.executor import Given

__all__ = ["ATTEMPTS", "Progress", "drive"]

ATTEMPTS: Final = 3
"""A point whose worker dies so often has failed."""
_EVERY: Final = 60.0
"""Seconds after which the table of results is written again while a study runs."""


_PATIENCE: Final = 30.0
"""Seconds without an outcome after which it is told what the study waits for."""


class Progress(msgspec.Struct, frozen=True):
    """How far a study is: trials that are over, failed ones among them, those known from before, and all.

    ``lacking`` says what it waits for when nothing goes on, such as workers that have not come yet.
    """

    done: int
    failed: int
    known: int
    total: int
    lacking: str = ""


def drive(
    plan: Plan,
    folder: Path,
    executor: Callable[[], Executor],
    *,
    again: bool = False,
    progress: Callable[[Progress], None] = lambda _: None,
) -> None:
    """Simulate what has no outcome yet; whatever ends this, all outcomes until then are kept.

    Args:
        plan: the study.
        folder: its directory.
        executor: makes an executor, when there is something to do.
        again: do failed points once more.
        progress: told after each point, and every half minute without one.

    Raises:
        UsageError: the directory cannot be used.
        SimulationError: the disk is full.
    """
    with claimed(folder, plan):
        known = read_journal(folder / JOURNAL)
        outcomes = {key: one for key, one in known.items() if key in plan.trials and not (again and one.error)}
        _settle_tables(plan, folder, outcomes)
        todo = [trial for key, trial in plan.trials.items() if key not in outcomes]
        try:
            if todo:
                _Drive(plan, folder, outcomes, progress).run(todo, executor)
            else:
                progress(_progress(plan, outcomes, len(outcomes)))
        finally:
            write_points(folder, plan.points, outcomes)


def _settle_tables(plan: Plan, folder: Path, outcomes: dict[str, Outcome]) -> None:
    """Tables of jobs stand by the numbers of points, which an earlier study there may have given to others."""
    if plan.job_tables:
        for number, point in enumerate(plan.points):
            outcome = outcomes.get(point.key)
            if outcome is not None and not outcome.error and not job_table(folder, number, point.key).is_file():
                outcomes.pop(point.key)
    kept = [(number, point.key) for number, point in enumerate(plan.points) if point.key in outcomes]
    drop_job_tables(folder, kept if plan.job_tables else [])


def _progress(plan: Plan, outcomes: Mapping[str, Outcome], known: int) -> Progress:
    return Progress(len(outcomes), sum(bool(one.error) for one in outcomes.values()), known, len(plan.trials))


class _Drive:
    """One run of a study that has something to do."""

    def __init__(
        self, plan: Plan, folder: Path, outcomes: dict[str, Outcome], progress: Callable[[Progress], None]
    ) -> None:
        self.plan = plan
        self.folder = folder
        self.outcomes = outcomes
        self.known = len(outcomes)
        self.failed = sum(bool(one.error) for one in outcomes.values())
        self.tell = progress
        self._numbers: dict[str, list[int]] = {}
        for number, point in enumerate(plan.points):
            self._numbers.setdefault(point.key, []).append(number)
        self._lost: Counter[str] = Counter()
        self._written = monotonic()
        self._ended: SimpleQueue[tuple[Trial, int, Future[Given]]] = SimpleQueue()

    def run(self, todo: list[Trial], make: Callable[[], Executor]) -> None:
        waiting = WaitingTrials(todo)
        self._report()
        with Journal(self.folder / JOURNAL) as journal:
            executor = make()
            try:
                free: list[int] = []
                width = running = 0
                while waiting or running:
                    if executor.width > width:
                        free += range(width, executor.width)
                        width = executor.width
                    while free and (trial := waiting.next(free[-1])) is not None:
                        running += 1
                        self._begin(executor, trial, free.pop())
                    trial, slot, future = self._next_ended(executor)
                    running -= 1
                    free.append(slot)
                    self._take(trial, future, waiting, journal)
            finally:
                executor.close()

    def _next_ended(self, executor: Executor) -> "tuple[Trial, int, Future[Given]]":
        while True:
            try:
                return self._ended.get(timeout=_PATIENCE)
            except Empty:
                self._report(executor.lacking)

    def _begin(self, executor: Executor, trial: Trial, slot: int) -> None:
        executor.submit(trial, slot, lambda future: self._ended.put((trial, slot, future)))

    def _take(self, trial: Trial, future: "Future[Given]", waiting: WaitingTrials, journal: Journal) -> None:
        """What came back of a trial."""
        fault = future.exception()
        table = None
        if isinstance(fault, WorkerLostError):
            self._lost[trial.key] += 1
            if self._lost[trial.key] < ATTEMPTS:
                waiting.give_back(trial)
                return
            outcome = Outcome(key=trial.key, error=f"given up after {ATTEMPTS} attempts: {fault}")
        elif fault is not None:
            outcome = Outcome(key=trial.key, error=f"{type(fault).__name__}: {fault}")
        else:
            outcome, table = future.result()
        if table is not None:
            for number in self._numbers[trial.key]:
                write_job_table(self.folder, number, trial.key, table)
        journal.add(outcome)
        self.outcomes[trial.key] = outcome
        self.failed += bool(outcome.error)
        if monotonic() - self._written > _EVERY:
            self._written = monotonic()
            write_points(self.folder, self.plan.points, self.outcomes)
        self._report()

    def _report(self, lacking: str = "") -> None:
        self.tell(Progress(len(self.outcomes), self.failed, self.known, len(self.plan.trials), lacking))
