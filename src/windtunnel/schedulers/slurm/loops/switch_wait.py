"""``--switches``: a job waits for a placement below few leaf switches, but not longer than it said (§5.6)."""

from windtunnel.schedulers.slurm.jobs.records import Picked, Record
from windtunnel.schedulers.slurm.state import State

__all__ = ["note_switches", "prefers_few_switches", "waits_for_switches"]


def waits_for_switches(state: State, record: Record, placed: Picked) -> bool:
    """Whether a placement is not taken, as it is spread over more leaves than the job wants to.

    It waits from the first such placement on, at most ``max_switch_wait`` (s), or what it asked for if that is less.
    """
    tree, wanted = state.selector.tree, record.job.ask.switches
    if tree is None or wanted is None or not state.selector.by_switches(record):
        return False
    return tree.leaves_of(placed.nodes) > wanted and _waits(state, record)


def _waits(state: State, record: Record) -> bool:
    job = record.job
    if job.switch_wait_from is None:
        job.switch_wait_from = state.now
    longest = state.site.main.max_switch_wait
    if job.ask.switch_wait is not None:
        longest = min(longest, job.ask.switch_wait)
    return state.now - job.switch_wait_from < longest


def prefers_few_switches(state: State, record: Record) -> bool:
    """Have tests of the future pass over placements that a job does not take; `note_switches` ends that."""
    job, selector = record.job, state.selector
    if selector.tree is None or selector.linear or not selector.by_switches(record):
        return False
    began = job.switch_wait_from
    selector.most_leaves = (job.ask.switches or 0) if _waits(state, record) else 0
    job.switch_wait_from = began
    selector.spread = False
    return True


def note_switches(state: State, record: Record) -> None:
    """The wait of a job begins with the first placement that it did not take."""
    selector, job = state.selector, record.job
    if selector.spread and job.switch_wait_from is None:
        job.switch_wait_from = state.now
    selector.most_leaves = 0
