"""Jobs start, after the checks of batsim-protocol.md section 6."""

from heapq import heappush
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import astuple

from windtunnel.engine.state.calendar import COMPILED, JOB_END, WALLTIME, plan
from windtunnel.engine.state.host_states import HostState
from windtunnel.engine.state.refusal import known_job, refuse
from windtunnel.engine.state.shared_hosts import enough_alike
from windtunnel.engine.state.world import World
from windtunnel.model import (
    DelayProfile,
    HostSet,
    Job,
    JobRecord,
    JobState,
    ParallelTaskHomogeneousProfile,
    ParallelTaskProfile,
    PlacementStrategy,
    Profile,
    SequentialCompositionProfile,
)
from windtunnel.model.alike_amounts import AlikeAmounts
from windtunnel.model.profiles import GenerationStrategy
from windtunnel.vocabulary import ExecuteJob, JobStarted, ResumeJob
from windtunnel.vocabulary.checking import wrong_field

if TYPE_CHECKING:
    from windtunnel.model.application import ElasticProfile

__all__ = ["check_amounts", "execute_job"]

_NO_HOSTS: Final = HostSet()
_RIGID: Final = (DelayProfile, ParallelTaskProfile, ParallelTaskHomogeneousProfile)
"""Most profiles: they do not change size."""
_SUBMITTED: Final = JobState.SUBMITTED
_RUNNING: Final = JobState.RUNNING

# Bound once: compiled code looks up what comes from other modules each time.
_astuple: Final = astuple
_heappush: Final = heappush


def execute_job(world: World, rank: int, decision: ExecuteJob, given: tuple[Any, ...] | None = None) -> None:
    """Start a job, after the checks of batsim-protocol.md section 6; ``given`` are all fields of the decision."""
    if given is None:
        given = _astuple(decision)  # all at once: each one costs compiled code as much
    hosts: HostSet
    job_id, hosts, placement, amounts, placements, storages, more, _ = given
    record = world.jobs.get(job_id)
    if record is None or record.owner != -1:
        record = known_job(world, decision, job_id, rank)
    if record.state is not _SUBMITTED:
        refuse(world, decision, "state", f"job {job_id!r} is {record.state.name}, not SUBMITTED")
    now = world.now
    delay = record.delay if more is None else -1.0
    if (
        (delay >= 0.0 or world.strict)
        and amounts is None
        and hosts.size == record.size
        and (placement is None or type(placement) is PlacementStrategy)
        and not storages
        and not placements
    ):
        if not world.hosts.occupy(hosts, now):
            _explain_hosts(world, decision)
        record.hosts = hosts
    else:
        _place(world, decision, record)
    record.owner = rank
    record.state = _RUNNING
    record.starting_time = record.since = now
    if world.metered:
        world.energy.job_started(record)
    hooks = world.hooks
    moment: Any = now  # compiled code makes an object of a number wherever one is wanted
    if hooks.started:
        for hook in hooks.started:
            hook(moment, record)
    states = hooks.gathered_states
    if states is not None:
        states.append(now)
        states.extend(world.hosts.counts)
    elif (only := hooks.only_states) is not None:
        only(moment, world.hosts.counts)
    else:
        for hook in hooks.states:
            hook(moment, world.hosts.counts)
    if world.only_session is None:
        world.tell_others(rank, JobStarted(now, record.job, hosts, record.amounts))
    if delay < 0.0:
        from windtunnel.engine.jobs.execution.jobs import begin_job  # much code, which a fixed run time needs not

        begin_job(world, record, decision)
        return
    # The common case costs one event. A delay equal to the walltime is killed by it (batsim-inputs.md 5).
    world.sequence = sequence = world.sequence + 1
    walltime = record.walltime
    if delay < walltime:
        entry: tuple[Any, ...] = (now + delay, 0, sequence, JOB_END, record, record.version)
    else:
        entry = (now + walltime, 1, sequence, WALLTIME, record, record.version)
    if COMPILED:
        plan(world.heap, entry)
    else:
        _heappush(world.heap, entry)


def _place(world: World, decision: ExecuteJob, record: JobRecord) -> None:
    """The job gets its hosts, or amounts of them, after all checks."""
    if reason := wrong_field(decision):
        refuse(world, decision, "field", reason)
    job, hosts, amounts = record.job, decision.hosts, decision.amounts
    table = world.hosts
    if not isinstance(job.profile, _RIGID):
        from windtunnel.model.application import ElasticProfile

        if isinstance(job.profile, ElasticProfile):
            _place_elastic(world, decision, record, job.profile)
            return
    unusual = hosts.size != job.request.hosts
    if amounts is not None:
        check_amounts(world, decision, job)
        unusual &= not job.request.processors
    else:
        if not table.free.covers(hosts):
            _explain_hosts(world, decision)
        unusual |= decision.placement is not None
    if unusual and world.options.check_sizes:
        _check_size(world, decision, job)
    if not hosts and job.request.hosts:
        refuse(
            world, decision, "allocation-size", f"job {job.id!r} requests {job.request.hosts} hosts and is given none"
        )
    record.hosts = hosts
    if not world.strict:
        from windtunnel.engine.jobs.execution.jobs import check_job

        try:
            check_job(world, record, decision)
        except Exception:
            record.hosts = _NO_HOSTS
            raise
    if decision.storages:
        from windtunnel.engine.jobs.execution.unused import tell_unused

        tell_unused(world, record, decision)
    if amounts is None:
        table.occupy(hosts, world.now)
    else:
        record.amounts = amounts
        table.occupy_shares(hosts, amounts, world.now)


def _place_elastic(world: World, decision: ExecuteJob, record: JobRecord, profile: "ElasticProfile") -> None:
    """A job that may change size gets as many hosts as it takes, whole; amounts are GPUs."""
    hosts, placement = decision.hosts, decision.placement
    if not world.hosts.free.covers(hosts):
        _explain_hosts(world, decision)
    ranks = placement if isinstance(placement, tuple) else tuple(range(len(hosts)))
    where = f"job {decision.job_id!r}"
    if {*ranks} != {*range(len(hosts))}:
        refuse(world, decision, "mapping", f"{where}: its ranks {ranks} are not on {len(hosts)} hosts, each named")
    if len(ranks) != len(hosts) and not world.options.compute_sharing:
        reason = f"{where}: a host is named twice and time-sharing on compute machines is disabled"
        refuse(world, decision, "host-busy", reason)
    if not profile.least <= len(ranks) <= profile.most:
        reason = f"{where} takes {profile.least} to {profile.most} hosts and is given {len(ranks)}"
        refuse(world, decision, "allocation-size", reason)
    amounts = (decision.amounts or {}).values()
    if others := sorted({name for one in amounts for name in one} - {"gpus"}):
        refuse(world, decision, "amounts", f"{where} takes whole hosts, and of each only GPUs, not {others[0]}")
    gpus = {one.get("gpus", profile.gpus_least) for one in amounts}
    if any(not profile.gpus_least <= count <= profile.gpus_most for count in gpus):
        reason = f"{where} takes {profile.gpus_least} to {profile.gpus_most} GPUs on each host"
        refuse(world, decision, "amounts", reason)
    world.hosts.occupy(hosts, world.now)
    record.hosts = hosts


def check_amounts(world: World, decision: ExecuteJob | ResumeJob, job: Job) -> None:
    """Whether the hosts have the amounts, and whether they are what the job asked for."""
    table = world.hosts
    hosts, amounts = decision.hosts, decision.amounts or {}
    if isinstance(amounts, AlikeAmounts) and _plainly_right(world, hosts, amounts, job):
        return
    known = HostSet.span(table.size)
    shared = HostSet(host for host in hosts if host in table.shares and host not in table.special)
    if not hosts <= known or not table.free.covers(hosts - shared):
        _explain_hosts(world, decision, shared)
    if reason := table.shares.refusal(hosts, amounts, world.platform.hosts):
        refuse(world, decision, "amounts", f"job {job.id!r}: {reason}")
    request = job.request
    if request.processors and job.ask is None:  # what a Slurm request comes to is for Slurm's rules to say
        cores = sum([amounts.get(host, {}).get("cores", 0.0) for host in hosts], 0.0)
        if cores < request.processors:
            message = f"job {job.id!r} requests {request.processors} cores and is given {cores:g}"
            refuse(world, decision, "allocation-size", message)
    for name, amount in request.amounts:
        if name == "cores" and request.processors:  # on however many hosts
            continue
        given = all(amounts.get(host, {}).get(name, 0.0) >= amount for host in hosts)
        if not given and name in table.described(world.platform.hosts):
            refuse(world, decision, "amounts", f"job {job.id!r} requests {amount:g} {name!r} on each host")


def _plainly_right(world: World, hosts: HostSet, amounts: AlikeAmounts, job: Job) -> bool:
    """Whether these hosts have as much as is taken, and that is what the job asked for: the common case."""
    table = world.hosts
    platform = world.platform.hosts
    if table.sharing or table.special or amounts.hosts != hosts:
        return False
    fresh = table.shares.fresh(hosts)
    if not table.free.covers(fresh) or not enough_alike(amounts, table.kinds(platform)):
        return False
    if fresh.size < hosts.size and not table.shares.have_room(hosts - fresh, amounts, platform):
        return False
    request = job.request
    cores = sum([some.size * taken.get("cores", 0.0) for some, taken in amounts.groups])
    if job.ask is None and request.processors > cores:
        return False
    return all(
        (name == "cores" and request.processors) or all(taken.get(name, 0.0) >= amount for _, taken in amounts.groups)
        for name, amount in request.amounts
    )


def _explain_hosts(world: World, decision: ExecuteJob | ResumeJob, shared: HostSet = _NO_HOSTS) -> None:
    """Say which host cannot be given to the job, and why."""
    table = world.hosts
    for host in decision.hosts - shared:
        if host >= table.size:
            known = f"0-{table.size - 1}" if table.size else "none"
            refuse(
                world, decision, "unknown-host", f"job {decision.job_id!r}: there is no compute host {host} ({known})"
            )
        state = table.state(host)
        if host in table.reserved:
            reason = f"job {decision.job_id!r}: host {host} is reserved for another job"
            refuse(world, decision, "host-reserved", reason)
        if state is HostState.COMPUTING and not table.sharing:
            busy = next((j for j, r in world.jobs.items() if r.state is _RUNNING and host in r.hosts), "?")
            refuse(
                world,
                decision,
                "host-busy",
                f"job {decision.job_id!r}: host {host} is running job {busy!r} and "
                "time-sharing on compute machines is disabled (--share-compute)",
            )
        if state not in (HostState.IDLE, HostState.COMPUTING):
            refuse(
                world,
                decision,
                "host-state",
                f"job {decision.job_id!r}: host {host} cannot compute jobs now (the machine is not computing nor "
                f"idle, its state is {state.name.lower()})",
            )
        if host not in table.free:  # its power state was changed, as Batsim 5 allows at any time
            reason = f"host {host} cannot compute jobs now: its power state {table.pstate[host]} is not for computing"
            refuse(world, decision, "host-pstate", f"job {decision.job_id!r}: {reason}")


def _check_size(world: World, decision: ExecuteJob, job: Job) -> None:
    """A rigid job gets as many hosts as it asked for, or a mapping of as many executors (Batsim 4)."""
    wanted = job.request.hosts
    if isinstance(decision.placement, tuple):
        beyond = [rank for rank in decision.placement if not 0 <= rank < len(decision.hosts)]
        if beyond:
            refuse(
                world,
                decision,
                "mapping",
                f"job {job.id!r}: the mapping names ranks {beyond} of {len(decision.hosts)} hosts",
            )
        if len(decision.placement) == wanted:
            return
        refuse(
            world,
            decision,
            "mapping-size",
            f"job {job.id!r}: the mapping places {len(decision.placement)} executors, the job has {wanted}",
        )
    if len(decision.hosts) != wanted and not _moldable(world, job.profile):
        refuse(
            world,
            decision,
            "allocation-size",
            f"job {job.id!r} requests {wanted} hosts and is given {len(decision.hosts)}"
            + (" in parts: only a job that counts processors can be spread" if decision.amounts else ""),
        )


def _moldable(world: World, profile: Profile) -> bool:
    if isinstance(profile, ParallelTaskHomogeneousProfile):
        return profile.generation_strategy is not GenerationStrategy.DefinedAmountsUsedForEachValue
    if isinstance(profile, SequentialCompositionProfile):
        return all(_moldable(world, world.profiles[p]) for p in profile.profile_ids)
    return False
