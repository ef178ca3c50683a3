"""``--switches``: a job waits for a placement below few leaf switches, but not longer than it said (§5.6)."""

from windtunnel.schedulers.slurm.jobs.picked import Picked
from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.nodes.nodesets import union
from windtunnel.schedulers.slurm.state import State

__all__ = ["heed_switches", "waits_for_switches"]


def heed_switches(state: State, record: Record) -> None:
    """Before nodes are looked for: below how many leaves they have to be (0: wherever) as long as the job waits.

    It waits from its submission on, at most ``max_switch_wait`` (s), or what it asked for if that is less.
    """
    tree, job = state.selector.tree, record.job
    if tree is None:
        return
    tree.most_leaves = 0
    wanted = job.ask.switches
    if not wanted or not state.selector.by_switches(record):
        return
    if job.switch_wait_from is None:
        job.switch_wait_from = state.now
    longest = state.site.main.max_switch_wait
    if job.ask.switch_wait is not None:
        longest = min(longest, job.ask.switch_wait)
    if state.now - job.switch_wait_from < longest:
        tree.most_leaves = wanted


def waits_for_switches(state: State, record: Record, placed: Picked) -> bool:
    """Whether select/linear does not take a placement for its leaves; those of named nodes do not count."""
    selector = state.selector
    tree = selector.tree
    if tree is None or not selector.linear or not tree.most_leaves:
        return False
    beside_named = union(leaf.nodes for leaf in tree.leaves if leaf.nodes & record.job.named)
    return tree.leaves_of(placed.nodes & ~beside_named) > tree.most_leaves
