"""Jobs that do not wait beneath others (§9).

With ``PreemptMode=SUSPEND,GANG`` a job of a higher tier starts at once on cores of lower ones, whatever becomes of
the jobs there. Those whose partition has them requeued or cancelled are not suspended: they end in the instant in
which the other starts, without grace, and for the rest of that pass their nodes are not free.
"""

from windtunnel.schedulers.slurm.jobs.running import RunningJob
from windtunnel.schedulers.slurm.preemption.victims import mode_of
from windtunnel.schedulers.slurm.state import State

__all__ = ["end_beneath"]


def end_beneath(state: State, running: RunningJob) -> list[RunningJob]:
    """A job has started: those beneath it go that are not just suspended."""
    if not state.cluster.ends_beneath:
        return []
    beneath = [job for job in state.running.values() if _lies_beneath(job, running)]
    found = [job for job in beneath if mode_of(state, job) != "SUSPEND"]
    for job in found:
        state.leave(job)
    return found


def _lies_beneath(job: RunningJob, above: RunningJob) -> bool:
    """Whether a job of a lower tier has cores of another."""
    if job.holding.leaving or job.record.table.tier >= above.record.table.tier:
        return False
    cores = above.holding.cores
    return any(cores.get(node, 0) & own for node, own in job.holding.cores.items())
