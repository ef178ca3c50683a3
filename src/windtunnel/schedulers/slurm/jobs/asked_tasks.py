"""The tasks of jobs that say nothing of tasks, but of sockets or GPUs, as sbatch and slurmctld count them (§5.3)."""

from windtunnel.model.slurm import JobAsk

__all__ = ["asked_gpus", "asked_tasks", "cpus_of_tasks", "gpus_of_nodes", "named_nodes", "nodes_of_gpus"]


def asked_tasks(ask: JobAsk) -> int | None:
    """So many tasks, whether the job gives the number or it follows from GPUs or sockets; None: it says nothing."""
    if ask.tasks_per_gpu:
        gpus = _named_gpus(ask)
        if gpus or ask.tasks is None:
            return (gpus or max(1, ask.min_nodes or 1)) * ask.tasks_per_gpu
    if ask.tasks is not None or ask.tasks_per_node or ask.max_nodes not in (ask.min_nodes, None):
        return ask.tasks
    return _tasks_of_layout(ask)


def named_nodes(ask: JobAsk) -> int:
    """How many of the nodes that a job names it gets: sbatch leaves out those beyond its tasks."""
    named = len({*ask.nodes})
    return named if ask.tasks is None else min(named, ask.tasks)


def asked_gpus(ask: JobAsk) -> int:
    """The GPUs of the whole job; those that ``--ntasks-per-gpu`` needs where none are named."""
    named = sum(one.count for one in ask.gres_per_job)
    if named or not ask.tasks_per_gpu or _named_gpus(ask):
        return named
    return (asked_tasks(ask) or 0) // ask.tasks_per_gpu


def gpus_of_nodes(ask: JobAsk) -> tuple[int, int] | None:
    """The GPUs of the whole job and of each node, where it names both of one type; None: it does not."""
    in_all = {(one.name, one.type): one.count for one in ask.gres_per_job}
    for one in ask.gres_per_node:
        if one.name == "gpu" and one.count and (one.name, one.type) in in_all:
            return in_all[one.name, one.type], one.count
    return None


def nodes_of_gpus(ask: JobAsk) -> int:
    """As many nodes as follow from the GPUs in all and on each node; 0: none follow."""
    given = gpus_of_nodes(ask)
    return given[0] // given[1] if given is not None else 0


def cpus_of_tasks(ask: JobAsk, tasks: int) -> int:
    """The CPUs of so many tasks; those of GPUs count only where they are more than what sbatch reckons with."""
    each = ask.cpus_per_task or 1
    if nodes_of_gpus(ask) and asked_tasks(ask) is None and not ask.tasks_per_node:
        return max(1, ask.min_nodes or 1) * each  # sbatch knows no more of its nodes
    if not ask.tasks_per_gpu:
        return tasks * each
    reckoned = (ask.tasks or max(1, ask.min_nodes or 1) * (ask.tasks_per_node or 1)) * each
    return reckoned if tasks <= reckoned else tasks * each


def _named_gpus(ask: JobAsk) -> int:
    """The GPUs that a job asks for, counted for all of its nodes."""
    in_all = sum(one.count for one in ask.gres_per_job)
    nodes = max(1, ask.min_nodes or 1)
    on_node = sum(one.count for one in ask.gres_per_node if one.name == "gpu")
    on_socket = sum(one.count for one in ask.gres_per_socket) * (ask.sockets_per_node or 1)
    return in_all or max(on_node, on_socket) * nodes


def _tasks_of_layout(ask: JobAsk) -> int | None:
    """Of a job with so many nodes, sockets, cores or threads: a task for each of them."""
    layout = [ask.sockets_per_node, ask.cores_per_socket, ask.threads_per_core]
    if ask.min_nodes is None or not any(layout):
        return None
    tasks = max(1, ask.min_nodes)
    for count in layout:
        tasks *= count or 1
    return tasks
