"""Which executor is meant by ``--jobs`` and ``--on``."""

from collections.abc import Callable

from windtunnel.diagnostics import UsageError
from windtunnel.studies.executors.executor import Executor
from windtunnel.studies.executors.inline import Inline
from windtunnel.studies.executors.local import Local, check_processes
from windtunnel.studies.trials import Context

__all__ = ["executor_for"]


def executor_for(context: Context, jobs: int, on: str) -> Callable[[], Executor]:
    """What makes the executor, once it is needed.

    Raises:
        UsageError: it is none that there is.
    """
    if not isinstance(jobs, int) or isinstance(jobs, bool) or jobs < 1:
        raise UsageError(f"jobs must be a whole number of at least 1, not {jobs!r}")
    if not on and jobs == 1:
        return lambda: Inline(context)
    if not on:
        check_processes(context)
        return lambda: Local(context, jobs)
    if on.startswith("dask://") and on != "dask://":
        return lambda: _dask(context, on.removeprefix("dask://"))
    if on.startswith("ray://") and on != "ray://":
        return lambda: _ray(context, on)
    if on == "slurm":
        return lambda: _slurm(context, jobs)
    raise UsageError(
        f"a study does not run on {on!r}", "expected dask://HOST:PORT, ray://HOST:PORT or slurm; nothing means here"
    )


def _dask(context: Context, address: str) -> Executor:
    from windtunnel.studies.executors.dask import Dask

    return Dask.at(context, address)


def _ray(context: Context, address: str) -> Executor:
    from windtunnel.studies.executors.ray import Ray

    return Ray(context, address)


def _slurm(context: Context, jobs: int) -> Executor:
    from windtunnel.studies.executors.slurm import slurm

    return slurm(context, jobs)
