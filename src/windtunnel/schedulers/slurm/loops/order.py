"""In which order the queue is tried (§2.2)."""

from collections.abc import Callable
from typing import Any, Final

from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.preemption.victims import may_preempt
from windtunnel.schedulers.slurm.state import State

__all__ = ["in_order_of_preemption", "put_in_order", "put_whole_jobs_in_order", "rank_whole_jobs"]

_BITS: Final = (1 << 32) - 1


def put_in_order(found: list[Record], plain: bool) -> None:
    """By reservation, tier, priority and submission; ``plain``: all of one tier, as they were submitted."""
    if plain:  # sorting is stable
        found.sort(key=_priority, reverse=True)
    else:
        found.sort(key=_key)


def put_whole_jobs_in_order(found: list[Record]) -> list[Record]:
    """Heterogeneous jobs by what all of their components come to (``bf_hetjob_prio``).

    That is no order in which everything has one place either.
    """
    found.sort(key=lambda record: record.job.order)
    return _merged(found, _by_components)


def rank_whole_jobs(found: list[Record], way: str) -> None:
    """How each heterogeneous job is ranked from now on, in both loops: reservation, tier, priority."""
    for het in {record.job.het.leader: record.job.het for record in found if record.job.het is not None}.values():
        parts = [record for one in het.components for record in one.records]
        het.rank = (
            not any(one.reservation for one in het.components),
            -_of_all([record.table.tier for record in parts], way),
            -_of_all([record.priority for record in parts], way),
        )


def in_order_of_preemption(state: State, found: list[Record], apart: bool) -> list[Record]:
    """Whoever may preempt another comes before it, else by the usual order (§2.2, 1).

    That is no order in which everything has one place: what comes of it depends on how it is sorted, and on how many
    are. Jobs that prefer some nodes are listed twice; ``apart``: where that parts the two, both are in the queue.
    """
    found.sort(key=lambda record: record.job.order)
    listed = [record for record in found for _ in range(1 if record.liking is None else 2)]
    placed = _merged(listed, lambda one, other: _by_preemption(state, one, other))
    if len(listed) == len(found):
        return placed
    return _with_likings(placed) if apart else list(dict.fromkeys(placed))


def _with_likings(placed: list[Record]) -> list[Record]:
    """Of records that are there twice the first as what their job prefers, but for those that follow each other."""
    found: list[Record] = []
    seen: set[Record] = set()
    for place, record in enumerate(placed):
        if record.liking is None:
            found.append(record)
        elif record in seen:
            if record.liking_apart:
                found.append(record)
        else:
            seen.add(record)
            record.liking_apart = placed[place + 1] is not record
            if record.liking_apart:
                record.liking.priority = record.priority
            found.append(record.liking if record.liking_apart else record)
    return found


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


def _of_all(values: list[int], way: str) -> int:
    """The least, the greatest or the mean; slurmctld adds 32 bits only, of priority/basic too few."""
    if way.startswith("min"):
        return min(values)
    return max(values) if way.startswith("max") else (sum(values) & _BITS) // len(values)


def _by_components(one: Record, other: Record) -> int:
    """Components of different jobs by the ranks of these, if they have any yet; those of one job by their own."""
    mine, its = one.job.het, other.job.het
    apart = mine is None or its is None or mine.leader != its.leader
    first, second = _key(one), _key(other)
    if apart and mine is not None and mine.rank is not None:
        first = (*mine.rank, *first[3:])
    if apart and its is not None and its.rank is not None:
        second = (*its.rank, *second[3:])
    return -1 if first < second else 1 if first > second else 0


def _by_preemption(state: State, one: Record, other: Record) -> int:
    if may_preempt(state, one, other.job, other):
        return -1
    if may_preempt(state, other, one.job, one):
        return 1
    if state.site.backfill.bf_hetjob_prio:
        return _by_components(one, other)
    mine, its = _key(one), _key(other)
    return -1 if mine < its else 1 if mine > its else 0
