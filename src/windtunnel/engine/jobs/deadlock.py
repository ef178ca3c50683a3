"""Why a simulation cannot go on: which jobs wait, and for what."""

from windtunnel.diagnostics import counted
from windtunnel.engine.state.world import World
from windtunnel.model import HostSet, JobRecord, JobState, ReceiveProfile

__all__ = ["diagnose"]

_SHOWN = 10


def diagnose(world: World) -> str:
    """A paragraph on everything that keeps the run from ending although nothing can happen."""
    from windtunnel.engine.jobs.execution.nodes import Node
    from windtunnel.engine.replay import TraceReplay

    lines = ["deadlock: nothing can happen any more, but the simulation is not over."]
    waiting = [r for r in world.jobs.values() if r.state is JobState.SUBMITTED]
    running = [r for r in world.jobs.values() if r.state is JobState.RUNNING]
    suspended = [r for r in world.jobs.values() if r.state is JobState.SUSPENDED]
    if waiting:
        free = len(world.hosts.free)
        fitting = sum(1 for r in waiting if r.job.hosts <= free)
        were = _jobs(len(waiting), "was", "were")
        lines.append(f"  {were} submitted and neither executed nor rejected: {_names(waiting)}.")
        there = counted(world.hosts.size, "host")
        lines.append(f"  Free: {free} of {there}; {fitting} of these jobs would fit there now.")
        away = world.hosts.unavailable
        if away:
            named = _hosts(world, away)
            lines.append(f"  Unavailable (failed, halted or maintained): {counted(len(away), 'host')}: {named}.")
        too_big = [r for r in waiting if r.job.hosts > world.hosts.size]
        if too_big:
            lines.append(f"  Requesting more hosts than there are: {_names(too_big)}.")
    for record in running:
        if isinstance(record.job.profile, ReceiveProfile):
            lines.append(f"  job {record.job.id!r} waits for a message that nobody will send.")
    for record in running:
        replay = record.execution.action if isinstance(record.execution, Node) else None
        if isinstance(replay, TraceReplay):
            lines.append(f"  job {record.job.id!r} replays traces that wait for each other: {replay.waiting()}.")
    if running:
        lines.append(f"  {_jobs(len(running), 'runs', 'run')} and will never end by themselves: {_names(running)}.")
    if suspended:
        lines.append(f"  {_jobs(len(suspended), 'is', 'are')} suspended and never resumed: {_names(suspended)}.")
    if world.waiting_for:
        first = next(iter(world.waiting_for))
        behind = sum(map(len, world.waiting_for.values()))
        lines.append(f"  {_jobs(behind, 'waits', 'wait')} for others to end, e.g. for {first!r}.")
    for session in world.sessions:
        if session.registering:
            lines.append(f"  {session.name!r} asked for dynamic registration and has not said that it has finished.")
    return "\n".join(lines)


def _jobs(count: int, does: str, do: str) -> str:
    return f"{counted(count, 'job')} {does if count == 1 else do}"


def _hosts(world: World, hosts: HostSet) -> str:
    names = [world.platform.hosts[host].name for host in [*hosts][:_SHOWN]]
    more = len(hosts) - len(names)
    return ", ".join(names) + (f" and {more} more" if more > 0 else "")


def _names(records: list[JobRecord]) -> str:
    names = [f"{r.job.id} ({counted(r.job.hosts, 'host')})" for r in records[:_SHOWN]]
    more = len(records) - len(names)
    return ", ".join(names) + (f" and {more} more" if more > 0 else "")
