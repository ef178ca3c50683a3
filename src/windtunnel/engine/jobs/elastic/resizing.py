"""Running jobs get other hosts: the checks, hosts kept for them until they can change, and the change itself."""

from collections.abc import Sequence

from windtunnel.engine.jobs.elastic.machine import Machine
from windtunnel.engine.jobs.elastic.starting import restart
from windtunnel.engine.jobs.elastic.telling import tell_change
from windtunnel.engine.jobs.execution.nodes import Node
from windtunnel.engine.state.refusal import known_job, refuse
from windtunnel.engine.state.world import World
from windtunnel.model import HostSet, JobRecord, JobState
from windtunnel.model.application import ElasticProfile
from windtunnel.vocabulary import Decision, JobReconfigured, ResizeJob, SetJobArguments

__all__ = ["resize_job", "set_job_arguments", "settle"]


def machine_of(record: JobRecord) -> Machine | None:
    """What runs the application of a job."""
    node = record.execution
    if isinstance(node, Node) and isinstance(node.action, Machine):
        return node.action
    return None


def resize_job(world: World, rank: int, decision: ResizeJob) -> None:
    """The hosts that a running job is to have: from now on if it stands still, else when it can change."""
    record = known_job(world, decision, decision.job_id, rank)
    job = record.job
    if record.state is not JobState.RUNNING:
        refuse(world, decision, "state", f"job {job.id!r} is {record.state.name}, not RUNNING")
    profile, machine = job.profile, machine_of(record)
    if machine is None or not isinstance(profile, ElasticProfile) or not profile.resizable:
        refuse(world, decision, "resize-kind", f"job {job.id!r} cannot change its hosts while it runs")
    target = in_order(world, decision, decision.hosts, decision.placement)
    _check_range(world, decision, profile, len(target), decision.gpus)
    drop_target(world, machine)
    if decision.gpus >= 0:
        machine.next_gpus = decision.gpus
    if target == machine.hosts:
        return
    _reserve(world, decision, machine, HostSet(target))
    machine.target = target
    if machine.stopped:
        apply_target(world, machine, awaited=False)


def in_order(world: World, decision: Decision, hosts: HostSet, placement: Sequence[int] | None) -> list[int]:
    """The host of each rank."""
    ranked = [*hosts]
    if placement is None:
        return ranked
    if {*placement} != {*range(len(ranked))}:
        refuse(world, decision, "mapping", f"ranks {tuple(placement)} do not name each of {len(ranked)} hosts")
    if len(placement) != len(ranked) and not world.options.compute_sharing:
        refuse(world, decision, "host-busy", "a host is named twice and time-sharing on compute machines is disabled")
    return [ranked[rank] for rank in placement]


def _check_range(world: World, decision: Decision, profile: ElasticProfile, count: int, gpus: int) -> None:
    if not profile.least <= count <= profile.most:
        reason = f"it takes {profile.least} to {profile.most} hosts and is given {count}"
        refuse(world, decision, "resize-range", reason)
    if gpus >= 0 and not profile.gpus_least <= gpus <= profile.gpus_most:
        reason = f"it takes {profile.gpus_least} to {profile.gpus_most} GPUs on each host and is given {gpus}"
        refuse(world, decision, "resize-range", reason)


def check_start(world: World, decision: Decision, profile: ElasticProfile, count: int, gpus: int) -> None:
    """Whether a job may start on so many hosts, with so many GPUs of each."""
    _check_range(world, decision, profile, count, gpus)


def _reserve(world: World, decision: Decision, machine: Machine, hosts: HostSet) -> None:
    """Nobody else gets the new hosts until the job has come to where it can change."""
    table = world.hosts
    beyond = hosts - HostSet.span(table.size)
    if beyond:
        refuse(world, decision, "unknown-host", f"there are no compute hosts {beyond}")
    new = hosts - machine.host_set
    if table.sharing:
        if not table.free.covers(new):
            refuse(world, decision, "host-state", f"not all of the hosts {new} can compute jobs now")
        return
    if kept := new & table.reserved:
        refuse(world, decision, "host-reserved", f"the hosts {kept} are reserved for another job")
    if not table.free.covers(new):
        refuse(world, decision, "host-busy", f"not all of the hosts {new} are free")
    table.set_aside(new)
    machine.kept = new


def drop_target(world: World, machine: Machine) -> None:
    """A change that was decided is taken back: hosts kept for it are free again."""
    if machine.kept:
        world.hosts.give_back(machine.kept)
        machine.kept = HostSet()
    machine.target = None


def apply_target(world: World, machine: Machine, *, awaited: bool) -> None:
    """The job leaves its hosts for others."""
    record = machine.record
    table = world.hosts
    target = machine.target
    assert target is not None
    drop_target(world, machine)
    before, hosts = machine.hosts, HostSet(target)
    new = hosts - machine.host_set
    if not table.free.covers(new):
        return  # one of them has failed, or sleeps: it stays where it is
    world.energy.job_suspended(record)
    # What it has of hosts that became unavailable it may keep, though nobody could get them now.
    staying = HostSet(host for host in record.hosts & hosts if host in table.special) if table.special else HostSet()
    table.release(record.hosts - staying, record.since, world.now)
    record.done += world.now - record.since
    record.since = world.now
    released = record.hosts - hosts
    record.hosts = hosts
    if not table.occupy(hosts - staying, world.now):
        raise AssertionError("hosts that were free are not")
    world.energy.job_resumed(record)
    if machine.changed is None:
        machine.changed = before
    machine.hosts = target
    machine.moves = {}
    machine.newcomers = None
    machine.gpus = machine.next_gpus
    for hook in world.hooks.resized:
        hook(world.now, record, before, target)
    for hook in world.hooks.states:
        hook(world.now, table.counts)
    tell_change(world, JobReconfigured(world.now, record.job, tuple(target), released, awaited))


def settle(world: World, machine: Machine) -> None:
    """What a job that stands still has told was answered: it changes its hosts, or goes on."""
    if machine.target is not None:
        apply_target(world, machine, awaited=True)
    before, machine.changed = machine.changed, None
    restart(machine, before)


def set_job_arguments(world: World, rank: int, decision: SetJobArguments) -> None:
    """Arguments for the application of a job, from its start or the next change of its hosts on."""
    record = known_job(world, decision, decision.job_id, rank)
    if not isinstance(record.job.profile, ElasticProfile):
        refuse(world, decision, "resize-kind", f"job {record.job.id!r} has no application with arguments")
    if record.state is JobState.SUBMITTED:
        world.arguments[record.job.id] = dict(decision.arguments)
        return
    machine = machine_of(record)
    if machine is None or record.state is not JobState.RUNNING:
        refuse(world, decision, "state", f"job {record.job.id!r} is {record.state.name}, neither waiting nor running")
    machine.arguments = dict(decision.arguments)
