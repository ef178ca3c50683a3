"""In which order the queue is tried (§2.2)."""

from collections.abc import Callable
from functools import cmp_to_key
from typing import Any

from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.preemption.victims import may_preempt
from windtunnel.schedulers.slurm.state import State

__all__ = ["in_order_of_preemption", "put_in_order", "put_whole_jobs_in_order"]


def put_in_order(found: list[Record], plain: bool) -> None:
    """By reservation, tier, priority and submission; ``plain``: all of one tier, as they were submitted."""
    if plain:  # sorting is stable
        found.sort(key=_priority, reverse=True)
    else:
        found.sort(key=_key)


def put_whole_jobs_in_order(found: list[Record], way: str) -> None:
    """Heterogeneous jobs by what all of their components come to (``bf_hetjob_prio``)."""
    ranks = _ranks(found, way)
    found.sort(key=cmp_to_key(lambda one, other: _by_components(ranks, one, other)))


def in_order_of_preemption(state: State, found: list[Record]) -> list[Record]:
    """Whoever may preempt another comes before it, else by the usual order (§2.2, 1).

    That is no order in which everything has one place: what comes of it depends on how it is sorted.
    """
    found.sort(key=lambda record: record.job.order)
    ranks = _ranks(found, state.site.backfill.bf_hetjob_prio) if state.site.backfill.bf_hetjob_prio else None
    return _merged(found, lambda one, other: _by_preemption(state, one, other, ranks))


def _merged(records: list[Record], compare: Callable[[Record, Record], int]) -> list[Record]:
    """Sorted by halves, which are merged: as the C library does."""
    if len(records) < 2:
        return records
    middle = len(records) // 2
    left, right = _merged(records[:middle], compare), _merged(records[middle:], compare)
    found: list[Record] = []
    i = k = 0
    while i < len(left) and k < len(right):
        if compare(left[i], right[k]) <= 0:
            found.append(left[i])
            i += 1
        else:
            found.append(right[k])
            k += 1
    return found + left[i:] + right[k:]


def _priority(record: Record) -> int:
    return record.priority


def _key(record: Record) -> tuple[Any, ...]:
    job = record.job
    return (
        not (job.reservation or record.magnetic),
        -record.table.tier,
        -record.priority,
        job.submitted,
        job.number,
    )


def _ranks(found: list[Record], way: str) -> dict[str, tuple[bool, int, int]]:
    """Of each heterogeneous job how all of it is ranked: reservation, tier, priority (``bf_hetjob_prio``)."""
    jobs = {record.job.het.leader: record.job.het for record in found if record.job.het is not None}
    ranks = {}
    for leader, het in jobs.items():
        parts = [record for one in het.components for record in one.records]
        tier = _of_all([record.table.tier for record in parts], way)
        ranks[leader] = (
            not any(one.reservation for one in het.components),
            -tier,
            -_of_all([record.priority for record in parts], way),
        )
    return ranks


def _of_all(values: list[int], way: str) -> int:
    if way.startswith("min"):
        return min(values)
    return max(values) if way.startswith("max") else sum(values) // len(values)


def _by_components(ranks: dict[str, tuple[bool, int, int]], one: Record, other: Record) -> int:
    """Components of different jobs by the ranks of these, those of one job by their own."""
    mine, its = one.job.het, other.job.het
    apart = mine is None or its is None or mine.leader != its.leader
    keys = [
        (*(ranks[het.leader] if het is not None and apart else _key(record)[:3]), *_key(record)[3:])
        for record, het in ((one, mine), (other, its))
    ]
    return -1 if keys[0] < keys[1] else 1 if keys[0] > keys[1] else 0


def _by_preemption(
    state: State, one: Record, other: Record, ranks: dict[str, tuple[bool, int, int]] | None
) -> int:
    if may_preempt(state, one, other.job, other):
        return -1
    if may_preempt(state, other, one.job, one):
        return 1
    if ranks is not None:
        return _by_components(ranks, one, other)
    mine, its = _key(one), _key(other)
    return -1 if mine < its else 1 if mine > its else 0
