"""Starts and ends of jobs that merely take so long, on whole hosts: what most runs consist of, at the least cost.

The same as :func:`~.starting.execute_job` and :func:`~.ending.end_job`, which do whatever is unusual.
"""

from heapq import heappush
from typing import Any, Final

from windtunnel.engine.jobs.ending import end_job
from windtunnel.engine.jobs.starting import execute_job
from windtunnel.engine.state.calendar import COMPILED, JOB_END, WALLTIME, plan
from windtunnel.engine.state.last_changes import MANY
from windtunnel.engine.state.world import World
from windtunnel.model import JobRecord, JobState
from windtunnel.vocabulary import ExecuteJob
from windtunnel.vocabulary.component import MOST_GATHERED
from windtunnel.vocabulary.held import Running

__all__ = ["end_at_once", "start_at_once"]

# Bound once: compiled code looks up what comes from other modules each time.
_SUBMITTED: Final = JobState.SUBMITTED
_RUNNING: Final = JobState.RUNNING
_SUCCESS: Final = JobState.COMPLETED_SUCCESSFULLY
_MOST_GATHERED: Final = MOST_GATHERED
_MANY: Final = MANY
_heappush: Final = heappush


def start_at_once(world: World, running: Running) -> None:
    """Start a job as the only component has decided in brief, on hosts that run one job at a time."""
    hosts = running.hosts
    size = hosts.size
    record = world.jobs.get(running.job.id)
    table, hooks = world.hosts, world.hooks
    if (
        record is None
        or record.owner != -1
        or record.state is not _SUBMITTED
        or record.delay < 0.0
        or size != record.size
        or hooks.started
        or not table.free.claim(hosts)
    ):
        execute_job(world, 0, ExecuteJob(running.job.id, hosts))
        return
    now = world.now
    moment: Any = now  # compiled code makes an object of a number wherever one is wanted
    counts, changes = table.counts, table.changes
    counts[3] = counts[3] - size  # compiled, augmented assignments to items are left to Python
    counts[4] = counts[4] + size
    changes.hosts.append(hosts)
    changes.when.append(moment)
    record.hosts = hosts
    record.owner = 0
    record.state = _RUNNING
    record.starting_time = record.since = now
    if world.metered:
        world.energy.job_started(record)
    if (states := hooks.gathered_states) is not None:
        states.append(moment)
        states.extend(counts)
    else:
        for hook in hooks.states:
            hook(moment, counts)
    world.sequence = sequence = world.sequence + 1
    delay, walltime = record.delay, record.walltime
    if delay < walltime:
        entry: tuple[Any, ...] = (now + delay, 0, sequence, JOB_END, record, record.version)
    else:  # a delay equal to the walltime is killed by it (batsim-inputs.md 5)
        entry = (now + walltime, 1, sequence, WALLTIME, record, record.version)
    if COMPILED:
        plan(world.heap, entry)
    else:
        _heappush(world.heap, entry)


def end_at_once(world: World, record: JobRecord, news: list[Any]) -> None:
    """End a job that has run to its end; the only component is told in brief, by these news."""
    table, hooks = world.hosts, world.hooks
    if (
        record.state is not _RUNNING
        or record.amounts is not None
        or record.code
        or record.execution is not None
        or table.touched
    ):
        end_job(world, record)
        return
    now = world.now
    moment: Any = now
    hosts = record.hosts
    size = hosts.size
    counts, times, changes = table.counts, table.times, table.changes
    counts[3] = counts[3] + size
    counts[4] = counts[4] - size
    times[4] = times[4] + (now - record.since) * size
    table.free.put_back(hosts)
    changes.hosts.append(hosts)
    changes.when.append(moment)
    if len(changes.when) > _MANY:
        changes.settle()
    record.state = _SUCCESS
    record.finish_time = world.last_end = now
    if world.metered:
        world.energy.job_ended(record, True)
    jobs = hooks.gathered_jobs
    if jobs is not None and len(jobs) < _MOST_GATHERED:
        jobs.append(record)
    else:
        for hook in hooks.ended:
            hook(moment, record)
    if (states := hooks.gathered_states) is not None:
        states.append(moment)
        states.extend(counts)
    else:
        for hook in hooks.states:
            hook(moment, counts)
    news.append(record)
    world.to_forget.append(record.job_id)
