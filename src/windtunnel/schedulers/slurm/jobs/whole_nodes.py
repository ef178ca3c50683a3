"""Whole nodes and shared cores: what a partition that looks at a job decides for all of its partitions (§5.2)."""

from typing import TYPE_CHECKING

from windtunnel.model.slurm import OverSubscribe
from windtunnel.schedulers.slurm.nodes.cluster import Cluster

if TYPE_CHECKING:
    from windtunnel.schedulers.slurm.jobs.pending import PendingJob

__all__ = ["forget_user", "keep_whole", "share_cores", "want_whole"]


def keep_whole(job: "PendingJob", cluster: Cluster) -> None:
    """A job that a partition with OverSubscribe=EXCLUSIVE has looked at wants whole nodes of the others too.

    At submission those of higher tiers look first; all where all have to take it, no small ones where any has to.
    """
    any_takes = cluster.site.enforce_partition_limits == "ANY"
    kinds = [record.table.partition.over_subscribe for record in job.records]
    whole = job.all_look and OverSubscribe.EXCLUSIVE in kinds
    for record, sharing in zip(job.records, kinds, strict=True):
        if whole:
            for form in record.forms:
                form.demand.want_whole()
        if whole or job.ask.exclusive or job.ask.exclusive_user or record is job.records[0]:
            record.leave_large_nodes()  # further partitions do so once they have looked at it
        whole = whole or (sharing is OverSubscribe.EXCLUSIVE and (not any_takes or record.within_bounds))
    if job.ask.exclusive_user:
        looking = job.records if job.all_look else job.records[:1]
        if any(record.by_whole_nodes for record in looking):
            forget_user(job)


def want_whole(job: "PendingJob") -> None:
    """A partition with OverSubscribe=EXCLUSIVE has looked at it."""
    for record in job.records:
        for form in record.forms:
            if not form.demand.exclusive:
                form.demand.want_whole()
                form.look_afresh()
                form.refusal = ""
        if record.mask & record.table.beyond_most:
            record.leave_large_nodes()
            record.sort = 0


def forget_user(job: "PendingJob") -> None:
    """A partition that gives whole nodes has looked at it: ``--exclusive=user`` means nothing any more (§5.2)."""
    for record in job.records:
        for form in record.forms:
            form.demand.exclusive_user = record.table.partition.exclusive_user
            form.look_afresh()


def share_cores(job: "PendingJob", shares: bool) -> None:
    """Where partitions leave that to jobs, it shares cores from now on, or shares none."""
    if shares is job.shares:
        return
    job.shares = shares
    for record in job.records:
        for form in record.forms if record.table.partition.over_subscribe is OverSubscribe.YES else ():
            form.demand.over_subscribe = shares
            form.demand.forced = shares and form.demand.exclusive
            form.look_afresh()
