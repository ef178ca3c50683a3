"""Why a simulation cannot go on: which jobs wait, and for what."""

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
        lines.append(f"  {len(waiting)} jobs were submitted and neither executed nor rejected: {_names(waiting)}.")
        lines.append(f"  {free} of {world.hosts.size} hosts are free; {fitting} of these jobs would fit there now.")
        away = world.hosts.unavailable
        if away:
            named = _hosts(world, away)
            lines.append(f"  {len(away)} hosts are unavailable (failed, halted or maintained): {named}.")
        too_big = [r for r in waiting if r.job.hosts > world.hosts.size]
        if too_big:
            lines.append(f"  {len(too_big)} of them request more hosts than there are: {_names(too_big)}.")
    for record in running:
        if isinstance(record.job.profile, ReceiveProfile):
            lines.append(f"  job {record.job.id!r} waits for a message that nobody will send.")
    for record in running:
        replay = record.execution.action if isinstance(record.execution, Node) else None
        if isinstance(replay, TraceReplay):
            lines.append(f"  job {record.job.id!r} replays traces that wait for each other: {replay.waiting()}.")
    if running:
        lines.append(f"  {len(running)} jobs run and will never end by themselves: {_names(running)}.")
    if suspended:
        lines.append(f"  {len(suspended)} jobs are suspended and never resumed: {_names(suspended)}.")
    if world.waiting_for:
        first = next(iter(world.waiting_for))
        lines.append(
            f"  {sum(map(len, world.waiting_for.values()))} jobs wait for others to end, e.g. for {first!r}."
        )
    for session in world.sessions:
        if session.registering:
            lines.append(f"  {session.name!r} asked for dynamic registration and has not said that it has finished.")
    return "\n".join(lines)


def _hosts(world: World, hosts: HostSet) -> str:
    names = [world.platform.hosts[host].name for host in [*hosts][:_SHOWN]]
    more = len(hosts) - len(names)
    return ", ".join(names) + (f" and {more} more" if more > 0 else "")


def _names(records: list[JobRecord]) -> str:
    names = [f"{r.job.id} ({r.job.hosts} hosts)" for r in records[:_SHOWN]]
    more = len(records) - len(names)
    return ", ".join(names) + (f" and {more} more" if more > 0 else "")
