"""``--switches``: a job waits for a placement below few leaf switches, but not longer than it said (§5.6)."""

from windtunnel.schedulers.slurm.jobs.records import Picked, Record
from windtunnel.schedulers.slurm.state import State

__all__ = ["waits_for_switches"]


def waits_for_switches(state: State, record: Record, placed: Picked) -> bool:
    """Whether a placement is not taken, as it is spread over more leaves than the job wants to.

    It waits from the first such placement on, at most ``max_switch_wait`` (s), or what it asked for if that is less.
    """
    job, tree = record.job, state.selector.tree
    wanted = job.ask.switches
    if tree is None or wanted is None or not state.selector.by_switches(record):
        return False
    if tree.leaves_of(placed.nodes) <= wanted:
        return False
    if job.switch_wait_from is None:
        job.switch_wait_from = state.now
    longest = state.site.main.max_switch_wait
    if job.ask.switch_wait is not None:
        longest = min(longest, job.ask.switch_wait)
    return state.now - job.switch_wait_from < longest
