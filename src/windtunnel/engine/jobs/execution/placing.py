"""Where parallel tasks are: the hosts of their executors, and the storages they name (batsim-inputs.md 5, 11)."""

from windtunnel.diagnostics import DecisionError
from windtunnel.engine.jobs.execution.nodes import Node
from windtunnel.engine.state.world import World
from windtunnel.model import (
    HostSet,
    JobState,
    ParallelTaskProfile,
    PlacementStrategy,
)
from windtunnel.vocabulary import ProfilePlacement

__all__ = ["claim_storage", "places", "storage_of"]


def places(world: World, node: Node) -> list[int]:
    """The host of each executor: the job's hosts, or what the decision says for this profile, or else for the nearest
    composition that it is part of.

    Raises:
        DecisionError: there is none although the job asks for hosts, or it is on no such host.
    """
    placed = _placed(world, node)
    if not placed and node.record.job.request.hosts:
        raise DecisionError(
            f"inconsistent placement for job={node.record.job.id!r}: no executor of {node.profile.id!r} is placed",
            rule="no-executor",
            now=world.now,
        )
    return placed


def _placed(world: World, node: Node) -> list[int]:
    decision = node.decision
    override = _override(node) if decision is not None and decision.profile_placements else None
    hosts: HostSet = node.record.hosts if override is None else override.hosts
    if override is not None:
        _check_override(world, node, override)
    placement = (override or decision).placement if override is not None or decision is not None else None
    ranked = list(hosts)
    if isinstance(placement, tuple):
        beyond = sorted({rank for rank in placement if not 0 <= rank < len(ranked)})
        if beyond:
            raise DecisionError(
                f"inconsistent placement for job={node.record.job.id!r}: the mapping names ranks {beyond} of "
                f"{len(ranked)} hosts",
                rule="mapping",
                now=world.now,
            )
        return [ranked[rank] for rank in placement]
    rigid = node.profile.executors if isinstance(node.profile, ParallelTaskProfile) else 0
    if placement is None:
        return ranked
    count = rigid or node.record.job.request.hosts
    if placement is PlacementStrategy.SpreadOverHostsFirst:
        return [ranked[i % len(ranked)] for i in range(count)] if ranked else []
    filled = [host for host in ranked for _ in range(world.platform.hosts[host].cores)]
    return [filled[i % len(filled)] for i in range(count)] if filled else []


def _override(node: Node) -> ProfilePlacement | None:
    """What the decision says of the node's profile, or of the nearest composition around it."""
    around: Node | None = node
    while around is not None:
        placement: ProfilePlacement | None = node.decision.profile_placements.get(around.profile.id)
        if placement is not None:
            return placement
        around = around.parent
    return None


def _check_override(world: World, node: Node, override: ProfilePlacement) -> None:
    """A sub-profile placed elsewhere must be on compute hosts that are there, by ranks among them."""
    beyond = override.hosts - HostSet.span(len(world.platform.hosts))
    ranks = override.placement if isinstance(override.placement, tuple) else ()
    wrong = [rank for rank in ranks if not 0 <= rank < len(override.hosts)]
    if beyond or wrong:
        what = f"there are no compute hosts {beyond}" if beyond else f"there are no ranks {wrong} on {override.hosts}"
        raise DecisionError(
            f"job {node.record.job.id!r}: the placement of {node.profile.id!r} is wrong: {what}",
            rule="mapping",
            now=world.now,
        )


def storage_of(world: World, node: Node, label: str, *, single: bool) -> int:
    """The number of the storage that a label stands for: as the decision says, by name, or the only one there is."""
    number = _storage_number(world, node, label, single=single)
    claim_storage(world, node.record.job.id, number)
    return number


def _storage_number(world: World, node: Node, label: str, *, single: bool) -> int:
    storages = world.platform.storages
    first = len(world.platform.hosts)
    chosen = node.decision.storages if node.decision is not None else {}
    if label in chosen:
        number = chosen[label]
        if not first <= number < first + len(storages):
            _no_storage(world, node, f"host {number}, given for the storage {label!r}, is not a storage")
        return int(number)
    for storage in storages:
        if storage.name == label:
            return storage.id
    if single and not chosen and len(storages) == 1:
        return storages[0].id
    known = ", ".join(f"{s.name} ({s.id})" for s in storages) or "none"
    return _no_storage(world, node, f"no storage is given for the label {label!r} (storages: {known})")


def claim_storage(world: World, job_id: str, number: int) -> None:
    """A job uses a storage, which another one may be using.

    Raises:
        DecisionError: it does, and storages cannot be shared.
    """
    if world.options.storage_sharing:
        return
    user = world.storage_users.get(number, job_id)
    record = world.jobs.get(user)
    if user != job_id and record is not None and record.state in (JobState.RUNNING, JobState.SUSPENDED):
        raise DecisionError(
            f"job {job_id!r}: storage {number} is used by job {user!r} and "
            "time-sharing on storage machines is disabled",
            rule="storage-busy",
            now=world.now,
        )
    world.storage_users[number] = job_id


def _no_storage(world: World, node: Node, reason: str) -> int:
    raise DecisionError(
        f"job {node.record.job.id!r}, profile {node.profile.id!r}: {reason}", rule="storage", now=world.now
    )
