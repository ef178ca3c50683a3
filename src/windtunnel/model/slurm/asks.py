"""What a Slurm site asks of whoever schedules on it, told by kind: partitions, limits, and what else decides."""

from collections.abc import Iterator

from windtunnel.model.asks import Asks
from windtunnel.model.slurm.accounts import Limits
from windtunnel.model.slurm.cluster import SlurmSite
from windtunnel.model.slurm.partitions import OverSubscribe, Partition

__all__ = ["asks_of_slurm"]

_QUEUES = "queues"
_LIMITS = "limits of accounts and QOS"
_REST = "the other rules of Slurm"
_SHARES = "shares of hosts"
_SHARED = "cores that jobs share"


def asks_of_slurm(asks: Asks, site: object, path: str) -> None:
    """Note what a site asks for, if it is a Slurm site; ``path`` is where it was read."""
    if not isinstance(site, SlurmSite):
        return
    narrow = [one for one in site.partitions if _narrows(one)]
    if narrow:
        reason = "partitions have nodes of their own, or limit what jobs may ask for"
        asks.note(_QUEUES, reason, f"{path}, {narrow[0].name}", len(narrow))
    if {"limits", "safe"} & set(site.enforce):
        limited = [one.account for one in site.associations if _limits(one.limits)]
        limited += [one.name for one in site.qos if _limits(one.limits)]
        if limited:
            asks.note(_LIMITS, "accounts and QOS have limits", f"{path}, {limited[0]}", len(limited))
    for ability, reason in _kept_with(site):
        asks.note(ability, reason, path)
    for reason in _others(site):
        asks.note(_REST, reason, path)
    for one in site.partitions:
        if one.over_subscribe in (OverSubscribe.YES, OverSubscribe.FORCE):
            reason = f"partitions let jobs share cores (OverSubscribe={one.over_subscribe.value})"
            asks.note(_SHARED, reason, f"{path}, {one.name}")


def _narrows(one: Partition) -> bool:
    limited = (one.max_time, one.max_nodes, one.allow_accounts, one.allow_qos)
    own = one.nodes is not None or one.state != "UP" or bool(one.deny_accounts or one.deny_qos)
    return own or any(limit is not None for limit in limited)


def _limits(limits: Limits) -> bool:
    return limits != Limits()


def _kept_with(site: SlurmSite) -> Iterator[tuple[str, str]]:
    """What is kept by whoever keeps partitions, or limits."""
    if site.licences:
        yield _QUEUES, "jobs share licences"
    if any(one.max_cpus_per_node is not None for one in site.partitions):
        for ability in (_QUEUES, _SHARES):
            yield ability, "partitions use only some CPUs of their nodes (MaxCPUsPerNode)"
    if any(one.min_nodes > 1 for one in site.partitions):
        yield _QUEUES, "partitions require a minimum number of nodes (MinNodes)"
    if any(one.over_subscribe is OverSubscribe.EXCLUSIVE for one in site.partitions):
        yield _QUEUES, "partitions give nodes exclusively to one job (OverSubscribe=EXCLUSIVE)"
    limits = [one.limits for one in site.associations] + [one.limits for one in site.qos]
    enforced = {"limits", "safe"} & set(site.enforce)
    if enforced and any(one.grp_tres_mins or one.grp_wall is not None for one in limits):
        yield _LIMITS, "accounts and QOS have budgets over time (GrpTRESMins, GrpWall)"


def _others(site: SlurmSite) -> Iterator[str]:
    """What decides in a Slurm beside partitions and limits of what is held at once."""
    if site.priority.multifactor:
        yield "priorities and fair share order the jobs (PriorityType=priority/multifactor)"
    if site.preempt.type:
        yield f"jobs preempt others (PreemptType={site.preempt.type})"
    if site.reservations:
        yield "reservations keep nodes for some users"
    if len({one.priority_tier for one in site.partitions}) > 1:
        yield "partitions have precedence over others (PriorityTier)"
    if any(one.exclusive_user for one in site.partitions):
        yield "partitions give nodes exclusively to one user (ExclusiveUser)"
