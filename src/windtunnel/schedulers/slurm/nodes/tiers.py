"""Whose jobs are suspended for whose: SUSPEND by the tiers of partitions (§9)."""

from collections.abc import Mapping
from typing import NamedTuple

from windtunnel.model.slurm import OverSubscribe, Partition, SlurmSite

__all__ = ["Ways", "ends_beneath", "giving_way", "overlooked", "suspends", "suspends_nodes", "untouched", "ways_of"]


class Ways(NamedTuple):
    """Of jobs of one partition, whose cores they may be given: sets of partitions, in the order they are tried."""

    tried: tuple[frozenset[str], ...]
    """Where jobs are suspended: all of lower tiers; fewer and fewer of them, as long as that suffices; these and
    others of its own tier.

    The last one is all that may ever be: jobs that want whole nodes must find such in it.
    """
    untouched: frozenset[str]
    """The partitions whose cores they never get: those of higher tiers, and with PreemptMode=OFF."""


def suspends(site: SlurmSite) -> bool:
    """Whether jobs of low partitions are suspended in place for those of higher ones.

    select/linear has no cores that one partition could take beneath another: it goes by nodes.
    """
    by_tier = site.preempt.type == "partition_prio" and site.select.type != "linear"
    return by_tier and ("SUSPEND" in site.preempt.mode or any(_is_suspended(site, one) for one in site.partitions))


def suspends_nodes(site: SlurmSite) -> bool:
    """Whether jobs are suspended on whole nodes (select/linear)."""
    modes = [site.preempt.mode, *[one.preempt_mode or () for one in site.partitions]]
    modes += [one.preempt_mode or () for one in site.qos]
    preempts = bool(site.preempt.type) and site.select.type == "linear"
    return preempts and any("SUSPEND" in mode for mode in modes)


def ends_beneath(site: SlurmSite) -> bool:
    """Whether some partitions have their jobs requeued or cancelled where those of others are suspended."""
    return any({"REQUEUE", "CANCEL"} & {*(one.preempt_mode or ())} for one in site.partitions)


def giving_way(site: SlurmSite) -> dict[str, frozenset[str]]:
    """For each partition those beneath it: its jobs get the cores of theirs, which are suspended for the time."""
    if not suspends(site):
        return {}
    return {
        one.name: frozenset(
            other.name
            for other in site.partitions
            if other.priority_tier < one.priority_tier and _is_suspended(site, other)
        )
        for one in site.partitions
    }


def ways_of(site: SlurmSite) -> dict[str, Ways]:
    """For each partition whose cores its jobs get where none are idle; nothing where none is suspended, or shares."""
    if suspends(site):
        return {one.name: _ways(site, one) for one in site.partitions}
    several = len({one.priority_tier for one in site.partitions}) > 1
    if several and site.select.type != "linear" and any(one.share_count > 1 for one in site.partitions):
        return {one.name: _ways_beside(site, one) for one in site.partitions}
    return {}


def _ways_beside(site: SlurmSite, partition: Partition) -> Ways:
    """Where jobs share, and none is suspended: all of other tiers, then fewer and fewer of the lower ones."""
    tier = partition.priority_tier
    away = untouched(site).get(partition.name, frozenset())
    lower = [one for one in site.partitions if one.priority_tier < tier and one.name not in away]
    lower.sort(key=lambda one: -one.priority_tier)
    higher = [one.name for one in site.partitions if one.priority_tier > tier and one.name not in away]
    names = [one.name for one in lower]
    return Ways(tuple(frozenset([*higher, *names[place:]]) for place in range(len(names) + 1)), away)


def _ways(site: SlurmSite, partition: Partition) -> Ways:
    tier = partition.priority_tier
    others = [one for one in site.partitions if one.priority_tier <= tier and "OFF" not in (one.preempt_mode or ())]
    lower = [one for one in others if one.priority_tier < tier]
    lower.sort(key=lambda one: -one.priority_tier)
    names = [one.name for one in lower]
    tried = [frozenset(names[place:]) for place in range(len(names) + 1)]
    tried.append(frozenset(one.name for one in others if one is not partition))
    tried.append(frozenset(one.name for one in others))
    return Ways(tuple(tried), frozenset(one.name for one in site.partitions if one not in others))


def untouched(site: SlurmSite) -> dict[str, frozenset[str]]:
    """For each partition those whose jobs never make room for its own; nothing where tiers do not say it."""
    if site.preempt.type != "partition_prio" or site.select.type == "linear":
        return {}
    return {
        one.name: frozenset(
            other.name
            for other in site.partitions
            if other.priority_tier > one.priority_tier or "OFF" in (other.preempt_mode or ())
        )
        for one in site.partitions
    }


def overlooked(
    site: SlurmSite, sharing: frozenset[str], beneath: Mapping[str, frozenset[str]]
) -> dict[str, frozenset[str]]:
    """For each partition those beneath it, and others whose jobs share; where jobs take turns also other ones.

    Which cores its own jobs have says where one more goes; those of other partitions are not counted, but for higher
    tiers, and partitions that never make room, where preemption goes by partitions.
    """
    tiers = site.preempt.type == "partition_prio"
    turns = "GANG" in site.preempt.mode and not tiers
    return {
        one.name: beneath.get(one.name, frozenset()).union(
            other.name
            for other in site.partitions
            if other is not one
            and (other.name in sharing or (turns and one.over_subscribe is not OverSubscribe.EXCLUSIVE))
            and not (tiers and (other.priority_tier > one.priority_tier or "OFF" in (other.preempt_mode or ())))
        )
        for one in site.partitions
    }


def _is_suspended(site: SlurmSite, partition: Partition) -> bool:
    return "SUSPEND" in (partition.preempt_mode or site.preempt.mode)
