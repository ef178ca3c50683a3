"""A change of a site tried out on its log: who waits longer and who shorter, with intervals over weeks."""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from windtunnel.diagnostics import UsageError, read_text
from windtunnel.formats.slurm.conf import read_as
from windtunnel.model import Workload
from windtunnel.twin.changes import added_nodes, changed, difference
from windtunnel.twin.replay import GROUPS, Outcome, groups_of, mean_wait, outcomes

__all__ = ["Change", "Shift", "what_if"]

_WEEK = 7 * 86400


class Shift(msgspec.Struct, frozen=True):
    """How the mean wait (s) of some jobs changes; ``low`` and ``high`` hold 95 of 100 resamples of weeks."""

    by: str
    name: str
    jobs: int
    before: float
    after: float
    low: float | None = None
    """None: the log is too short for an interval (fewer than three weeks with such jobs)."""
    high: float | None = None


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """What a change of a site does."""

    shifts: tuple[Shift, ...]
    """All jobs first, then by partition, account, size, user and hour of submission."""
    never_before: int
    """Jobs that never start without the change; ``never_after``: with it."""
    never_after: int
    diff: str
    """Of slurm.conf, to copy."""


def what_if(
    conf: str | Path,
    workload: Workload,
    *,
    sets: Sequence[str] = (),
    nodes: Sequence[str] = (),
    scheduler: str = "",
    **options: Any,
) -> Change:
    """Run a log on a site before and after changes of its slurm.conf.

    Args:
        conf: the slurm.conf.
        workload: the log.
        sets: changes of keys, as ``SchedulerParameters=bf_window=2880`` or ``PartitionName=gpu MaxTime=2-0``.
        nodes: nodes to add, as ``gpu:+20``.
        scheduler: another than the site's own.
        options: of the reader of slurm.conf.

    Raises:
        InputError, UsageError: the files or changes are at fault.
        SimulationError: a run could not go on.
    """
    path = Path(conf).absolute()
    try:
        text = after = read_text(path, encoding="utf-8-sig", errors="replace", most=1 << 26)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from error
    for change in sets:
        after = changed(after, change)
    for change in nodes:
        after = added_nodes(after, change)
    if after == text:
        raise UsageError("nothing changes", "say what, as --set PriorityWeightAge=5000 or --nodes gpu:+20")
    old = {one.id: one for one in outcomes(read_as(path, text, **options), workload, scheduler)}
    new = {one.id: one for one in outcomes(read_as(path, after, **options), workload, scheduler)}
    both = [one for one in old.values() if one.id in new]
    parts = {"all": {"all jobs": both}} | {by: groups_of(both, by) for by in GROUPS}
    shifts = tuple(_shift(by, name, jobs, new) for by, groups in parts.items() for name, jobs in groups.items())
    jobs = len(workload)
    return Change(
        shifts=shifts,
        never_before=jobs - len(old),
        never_after=jobs - len(new),
        diff=difference(text, after, path.name),
    )


def _shift(by: str, name: str, jobs: Sequence[Outcome], new: dict[str, Outcome]) -> Shift:
    after = [new[one.id] for one in jobs]
    weeks: dict[int, list[float]] = {}
    for one in jobs:
        weeks.setdefault(int(one.submitted // _WEEK), []).append(new[one.id].waited - one.waited)
    low, high = _interval(list(weeks.values()), f"{by}:{name}") if len(weeks) > 2 else (None, None)
    return Shift(by, name, len(jobs), mean_wait(jobs), mean_wait(after), low, high)


def _interval(weeks: list[list[float]], seed: str) -> tuple[float, float]:
    """Of the mean difference, over weeks drawn again and again: what happens within a week hangs together."""
    draw = random.Random(seed)
    sums = [(sum(week), len(week)) for week in weeks]
    means = []
    for _ in range(400):
        chosen = draw.choices(sums, k=len(sums))
        means.append(sum(total for total, _ in chosen) / sum(count for _, count in chosen))
    means.sort()
    return means[10], means[389]
