"""Starts in a cycle of backfill, beside its map: nodes are selected anew, and what others leave is taken (§4.3)."""

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.jobs.pending import PendingJob
from windtunnel.schedulers.slurm.jobs.picked import Picked
from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.jobs.running import RunningJob
from windtunnel.schedulers.slurm.loops.cancelling import cut
from windtunnel.schedulers.slurm.loops.not_placed import would_take
from windtunnel.schedulers.slurm.loops.passes import Pass
from windtunnel.schedulers.slurm.loops.queue import refusal_in_backfill
from windtunnel.schedulers.slurm.loops.sharing import settle_sharing
from windtunnel.schedulers.slurm.loops.switch_wait import waits_for_switches
from windtunnel.schedulers.slurm.nodes.nodesets import without
from windtunnel.schedulers.slurm.plans.node_map import NodeMap
from windtunnel.schedulers.slurm.plans.outcomes import REFUSED, STARTED, Plan
from windtunnel.schedulers.slurm.preemption.beneath import end_beneath
from windtunnel.schedulers.slurm.preemption.victims import make_room, over_others, passed_over, preemptable
from windtunnel.schedulers.slurm.state import State

__all__ = ["Starter", "all_started"]


@mypyc_attr(allow_interpreted_subclasses=True)
class Starter:
    """Starts jobs of one cycle, and has the map of what is free of plans and of jobs that have nodes whole."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.settings = state.site.backfill
        self.window = self.settings.bf_window * 60
        self.licensed: bool = self.settings.bf_licenses
        counted = state.site.licences if self.licensed else {}
        nodes = self.nodes = state.up
        """Where jobs may be planned at all."""
        self.map = NodeMap(state.now, self.window, self.settings.bf_resolution, nodes, counted)
        self.done = Pass()
        """What has started."""
        self.lost = 0
        """Nodes that plans and starts have taken, each as often as one has."""
        if self.settings.bf_running_job_reserve or self.licensed:  # with licences whole nodes are, too
            for job in state.running.values():
                # Whole nodes are meant that were asked for, not those that select/linear gives to everybody.
                whole = job.holding.exclusive and job.record.demand.exclusive and not preemptable(state, job)
                licences = job.licences if self.licensed else None
                if whole or licences:
                    self.map.take(state.now, job.holding.end, job.holding.nodes if whole else 0, licences)

    def start_now(self, record: Record, among: int, minutes: int, limit: int) -> Plan | None:
        """Start a job now: nodes are selected anew within what was free; None: that failed, it is planned instead.

        Limits reckon with ``minutes``; it gets a time limit of ``limit``.
        """
        state, job = self.state, record.job
        refused = refusal_in_backfill(record)
        if not refused and not job.startable_tasks:
            return None
        record.tested_minutes = -1 if refused else minutes
        earlier = state.limits.before(record)
        record.tested_minutes = -1
        if earlier:
            job.reason = earlier  # limits are asked before accounts, and before any node is looked at
            return Plan(REFUSED)
        if refused:
            job.reason = refused
            return None
        among = without(among, state.completing | passed_over(state, record))
        settle_sharing(state, record)
        among &= record.mask
        preferred, own = state.preferred(record), state.flexible_nodes(record)
        placed = state.selector.start(record, among, state.occupancy, preferred, None, own)
        if placed is None:
            placed = over_others(state, record, among)
        if placed is None:
            record.tested_minutes = minutes
            placed, refusal = self._make_room(record, among)
            record.tested_minutes = -1
            if placed is None:
                job.reason = refusal or "Resources"
                return Plan(REFUSED) if refusal else None
        if waits_for_switches(state, record, placed):
            job.reason = "Resources"
            return None
        record.tested_minutes = minutes
        refusal = state.limits.after(record, placed, state.counted(record, placed))
        record.tested_minutes = -1
        if refusal:
            job.reason = refusal
            return Plan(REFUSED)
        running = state.begin(record, placed, state.now, cut(record, limit, state.now))
        self.lost += placed.nodes.bit_count()
        if (record.demand.exclusive and not preemptable(state, running)) or (self.licensed and running.licences):
            self.occupy(running)
        self.done.started.append(running)
        self.done.victims += [(victim, job) for victim in end_beneath(state, running)]
        return Plan(STARTED, state.now, placed.nodes)

    def _make_room(self, record: Record, among: int) -> tuple[Picked | None, str | None]:
        """Where a job starts as others leave their cores to it at once, or the limit that keeps it back."""
        state, job = self.state, record.job
        room = make_room(state, record, among)
        if room.placed is not None:
            return room.placed, None
        self.done.victims += [(victim, job) for victim in room.victims or ()]
        refusal = room.refusal
        if room.victims is None and not refusal and state.limits.active:
            refusal = state.limits.after(record, Picked(job.named, {}), would_take(state, record, among))
        return None, refusal

    def occupy(self, running: RunningJob) -> None:
        """A job that has its nodes whole leaves the map for as long as it may run, and so do its licences.

        Others are only seen to run.
        """
        whole = running.record.demand.exclusive and not preemptable(self.state, running)
        licences = running.licences if self.licensed else None
        self.map.take(self.state.now, running.holding.end, running.holding.nodes if whole else 0, licences)


def all_started(state: State, job: PendingJob) -> bool:
    """Whether a job has started, or all tasks of it that may: then it says so."""
    if job.id in state.pending:
        if job.startable_tasks:
            return False
        job.reason = "JobArrayTaskLimit"
    return True
