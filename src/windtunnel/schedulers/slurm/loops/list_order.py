"""sched/builtin walks the list of jobs as it is, and each job's partitions as they are listed (§3.3).

What is left of an array of which a task starts is listed anew, behind all others: the same run comes to it once more.

Where a job with several partitions starts in one of them, those behind it are left over: Slurm goes on with them for
the next job that does not start, though it never asked for them. It is in them from then on: nobody looks at what
else it waits for, nor does it come back to the partition that it asked for. Nothing is said of jobs that a run does
not come to, be it that their partition was down before. All this was recorded.
"""

from collections.abc import Iterator
from typing import Final

from windtunnel.schedulers.slurm.jobs.pending import PendingJob
from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.loops.passes import Pass
from windtunnel.schedulers.slurm.loops.queue import partition_refusal
from windtunnel.schedulers.slurm.nodes.partition_table import PartitionTable
from windtunnel.schedulers.slurm.state import State

__all__ = ["in_list_order", "leave_alone"]

_NEVER: Final = "BadConstraints"


def in_list_order(state: State, queue: list[Record], done: Pass, failed: set[str]) -> Iterator[Record]:
    """The records of a run as its walk comes to them; ``failed``: the partitions that have in it."""
    own: dict[str, list[Record]] = {}
    for record in queue:
        own.setdefault(record.job.id, []).append(record)
    if all(len(job.records) < 2 for job in state.pending.values()):
        yield from queue
    else:
        yield from _with_left_over(state, own, done, failed)
    begun = [job.pending for job in done.started if job.pending.tasks is not None]
    for job in reversed(list(dict.fromkeys(reversed(begun)))):  # behind each other as they were listed last
        if job.id in state.pending:
            yield from own.get(job.id, ())


def _with_left_over(
    state: State, own: dict[str, list[Record]], done: Pass, failed: set[str]
) -> Iterator[Record]:
    """Each job in its partitions, and in those that others have left over."""
    left: list[PartitionTable] = []
    for job in sorted(state.pending.values(), key=lambda one: one.order):
        tried = ""
        for record in own.get(job.id, ()):
            if job.id in state.pending:
                tried = record.table.name
                yield record
        gone = job.id not in state.pending and job.reason != _NEVER
        if len(job.records) > 1 and tried:
            names = [record.table.name for record in job.records]
            left = [record.table for record in job.records[names.index(tried) + 1 :]] if gone else []
        elif left and not gone:
            yield from _elsewhere(state, job, left, done, failed)


def _elsewhere(
    state: State, job: PendingJob, left: list[PartitionTable], done: Pass, failed: set[str]
) -> Iterator[Record]:
    """A job in what is left over, until it starts there; the rest stays for the next one."""
    while left:
        table = left.pop(0)
        if job.id not in state.pending:
            continue  # it can never run
        record = job.move_to(table, state.cluster)
        if table.name in state.closed_partitions or partition_refusal(record):
            continue
        if not job.held:
            yield record
            if job.id not in state.pending and job.reason != _NEVER:
                return
        elif table.name not in failed:  # it is taken for one that can never run
            job.reason = _NEVER
            state.pending.pop(job.id)
            done.failed.append(job)


def leave_alone(state: State, before: dict[str, str], farthest: int, looked_at: set[str]) -> None:
    """The Reasons that jobs behind the ``farthest`` one had ``before`` a run which ended there.

    What is left of arrays that have begun is behind all, and has been ``looked_at`` all the same.
    """
    for job in state.pending.values():
        if job.order > farthest and job.id in before and job.id not in looked_at:
            job.reason = before[job.id]
