"""Whether a job shares cores: each partition that looks for nodes for it has its say, for the others too (§5.2)."""

from windtunnel.model.slurm import OverSubscribe
from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.jobs.whole_nodes import forget_user, share_cores, want_whole
from windtunnel.schedulers.slurm.state import State

__all__ = ["settle_sharing"]


def settle_sharing(state: State, record: Record) -> None:
    """A partition looks for nodes for a job: only those with OverSubscribe=YES leave to it what was said before."""
    job, partition = record.job, record.table.partition
    if len(job.records) == 1 and not record.demand.forced:
        return
    if partition.over_subscribe is OverSubscribe.EXCLUSIVE:
        share_cores(job, False)
        want_whole(job)  # from now on, and in all of its partitions
    elif partition.over_subscribe is OverSubscribe.FORCE and partition.share_count > 1:
        share_cores(job, True)
    elif record.demand.exclusive or (state.selector.linear and partition.over_subscribe is OverSubscribe.NO):
        share_cores(job, False)
    if job.ask.exclusive_user and record.by_whole_nodes:
        forget_user(job)
