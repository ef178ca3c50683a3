"""Requests that are refused whatever the cluster looks like (§6.3)."""

from windtunnel.model.slurm import JobAsk
from windtunnel.schedulers.slurm.jobs.asked_tasks import asked_tasks, gpus_of_nodes
from windtunnel.schedulers.slurm.jobs.pending import PendingJob

__all__ = ["too_few_gpus", "too_many_named", "wrong_gpus", "wrong_least_time"]


def wrong_gpus(ask: JobAsk) -> bool:
    """Whether sbatch does not take what is said of GPUs: sockets without their number, tasks that leave some over.

    Nor does it take GPUs in all that are no multiple of those of a node, or make other nodes than ``-N`` says.
    """
    if ask.gres_per_socket and not ask.sockets_per_node:
        return True
    given = gpus_of_nodes(ask)
    if given is not None:
        nodes, over = divmod(given[0], given[1])
        least = ask.min_nodes or 0
        most = ask.max_nodes or least or nodes
        if over or not max(1, least) <= nodes <= most:
            return True
    tasks = asked_tasks(ask) if ask.tasks_per_gpu else 0
    return bool(tasks and ask.tasks_per_gpu and tasks % ask.tasks_per_gpu)


def too_few_gpus(job: PendingJob) -> bool:
    """Whether a job has fewer GPUs in all than nodes: at least as many of those as one of its partitions wants."""
    ask = job.ask
    given = ask.tasks is not None or not ask.gres_per_task
    gpus = job.records[0].demand.gpus_per_job if given else 0
    least = min([record.table.partition.min_nodes for record in job.records])
    most = ask.max_nodes
    asked = min(ask.min_nodes or 0, ask.min_nodes or 0 if ask.tasks is None else ask.tasks)
    nodes = max(asked, least) if most is None or most >= least else asked
    return 0 < gpus < nodes


def too_many_named(ask: JobAsk) -> bool:
    """Whether a job names more nodes than it may have; where its tasks say how many, sbatch leaves out the others."""
    most = ask.max_nodes or ask.min_nodes
    return most is not None and len({*ask.nodes}) > most != ask.tasks


def wrong_least_time(job: PendingJob, now: int) -> bool:
    """Whether ``--time-min`` is more than the job's limit, than any of its partitions allows, or than its deadline.

    That is looked at whatever EnforcePartLimits says; a QOS that lifts time limits lifts it, save for the deadline.
    """
    least = job.time_min
    if least is None:
        return False
    if job.deadline is not None and job.deadline < now + least * 60:
        return True
    own = job.ask.time_limit if job.ask.time_limit is not None else job.default_time
    mosts = [record.table.partition.max_time for record in job.records]
    known = [one for one in mosts if one is not None]
    too_long = len(known) == len(mosts) and least > max(known)
    return (too_long or (own is not None and least > own)) and not job.lifts_time
