"""Points on nodes of a Slurm cluster, by Dask's own jobqueue: Slurm jobs that are workers of a Dask cluster.

What such a job asks for (partition, account, memory, time, how Python is found) stands in Dask's configuration
(``~/.config/dask/jobqueue.yaml``), as jobqueue documents it.
"""

from typing import Final

from windtunnel.diagnostics import MissingExtraError, UsageError
from windtunnel.studies.executors.dask import Dask
from windtunnel.studies.trials import Context

__all__ = ["slurm"]

_USUAL: Final = {"cores": 1, "processes": 1, "memory": "2GB"}
"""What a worker asks for where Dask's configuration says nothing."""


def slurm(context: Context, jobs: int) -> Dask:
    """Ask for so many workers, and use those that Slurm gives.

    Raises:
        UsageError: Slurm refuses, or is not here.
        MissingExtraError: Dask's jobqueue is not installed.
    """
    try:
        import dask
        from dask_jobqueue import SLURMCluster
        from distributed import Client
    except ImportError as fault:
        raise MissingExtraError("dask-jobqueue", "slurm") from fault
    said = dask.config.get("jobqueue.slurm", {})
    unsaid = {name: value for name, value in _USUAL.items() if said.get(name) is None}
    try:
        cluster = SLURMCluster(**unsaid)
        cluster.scale(jobs=jobs)
        return Dask(context, Client(cluster, set_as_default=False), cluster)
    except (OSError, RuntimeError, ValueError) as fault:
        raise UsageError(f"Slurm gives no workers: {fault}") from fault
