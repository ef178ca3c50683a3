"""Heterogeneous jobs: their components are planned apart by backfill, and start together or not at all (§9).

The main loop starts none of them: the first component makes its partition fail. In a cycle of the backfill loop each
component is planned like a job of its own, but not before the start that is known of the others; the earliest start
found for each is kept. After the queue, a job starts if the kept starts of all its components are due: the components
one after another, each on nodes chosen anew among all that are up, none on a node of another component. What is kept
is forgotten in every second cycle.
"""

from collections.abc import Iterator, Sequence
from typing import Final, TypeVar

from msgspec.structs import replace
from mypy_extensions import mypyc_attr

from windtunnel.model.slurm import JobAsk
from windtunnel.schedulers.slurm.jobs.pending import PendingJob
from windtunnel.schedulers.slurm.jobs.picked import Picked
from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.jobs.running import RunningJob
from windtunnel.schedulers.slurm.jobs.tracked import tres_of
from windtunnel.schedulers.slurm.loops.queue import partition_refusal, refresh
from windtunnel.schedulers.slurm.loops.switch_wait import heed_switches, waits_for_switches
from windtunnel.schedulers.slurm.nodes.holdings import Holding
from windtunnel.schedulers.slurm.plans.het_jobs import HetPlan
from windtunnel.schedulers.slurm.state import State

__all__ = ["HetStarts", "component_asks", "component_id", "forget_het_plans"]

_Given = TypeVar("_Given")
_YEAR: Final = 365 * 86400
_AGAIN: Final = 121
"""Seconds until components whose start failed are eligible again."""


def component_asks(ask: JobAsk) -> list[JobAsk]:
    """What each component of a job asks for, the first one's first; a plain job has one.

    What sbatch does not forget from one component to the next (time limits, memory of nodes, accounts, QOS, nodes to
    be left out...) one has from the one before it if it says nothing of it, the first one the last that is given.
    What the first waits for all wait for. None gets nodes that others name.
    """
    if not ask.components:
        return [ask]
    parts = [replace(ask, components=()), *ask.components]
    begin = max((one.begin for one in parts if one.begin is not None), default=None)
    limits = _carried([one.time_limit for one in parts])
    least_times = _carried([one.time_min for one in parts])
    deadlines = _carried([one.deadline for one in parts])
    nice = _carried([one.nice or None for one in parts])
    accounts = _carried([one.account or None for one in parts])
    qos = _carried([one.qos or None for one in parts])
    reservations = _carried([one.reservation or None for one in parts])
    preferred = _carried([one.prefer or None for one in parts])
    left_out = _carried([one.exclude or None for one in parts])
    memory = _carried_memory(parts)
    return [
        replace(
            one,
            name=one.name or ask.name,
            user=one.user or ask.user,
            account=accounts[place] or "",
            qos=qos[place] or "",
            reservation=reservations[place] or "",
            prefer=preferred[place] or "",
            exclude=(*(left_out[place] or ()), *_named_by_others(parts, place)),
            memory_per_node=memory[place],
            time_limit=limits[place],
            time_min=least_times[place],
            deadline=deadlines[place],
            nice=nice[place] or 0,
            begin=begin,
            held=any(part.held for part in parts),
            dependencies=ask.dependencies,
            any_dependency=ask.any_dependency,
        )
        for place, one in enumerate(parts)
    ]


def _named_by_others(parts: Sequence[JobAsk], place: int) -> Iterator[str]:
    """The nodes that other components name."""
    for other, one in enumerate(parts):
        if other != place:
            yield from one.nodes


def _carried(given: Sequence[_Given | None]) -> list[_Given | None]:
    """What each component has of what is given for some."""
    before = next((one for one in reversed(given) if one is not None), None)
    found: list[_Given | None] = []
    for one in given:
        before = before if one is None else one
        found.append(before)
    return found


def _carried_memory(parts: Sequence[JobAsk]) -> list[int | None]:
    """The same of the memory of nodes, which is forgotten where memory is asked for CPUs or GPUs."""
    before = next((one.memory_per_node for one in reversed(parts) if one.memory_per_node is not None), None)
    found: list[int | None] = []
    for one in parts:
        if one.memory_per_cpu is not None or one.memory_per_gpu is not None:
            before = None
        elif one.memory_per_node is not None:
            before = one.memory_per_node
        found.append(before)
    return found


def component_id(leader: str, offset: int) -> str:
    """How a component is called: the first like the job, the others ``job+1``, ``job+2``..."""
    return f"{leader}+{offset}" if offset else leader


def _plans_of(state: State) -> dict[str, HetPlan]:
    """What is known of waiting jobs, at the beginning of a cycle: in every second one nothing."""
    waiting = {job.het.leader: job.het for job in state.pending.values() if job.het is not None}
    kept = state.het_plans
    state.het_plans = {key: kept[key] if key in kept else HetPlan(het) for key, het in waiting.items()}
    if state.cycles % 2 == 0:
        for plan in state.het_plans.values():
            plan.forget()
    state.cycles += 1
    return state.het_plans


def forget_het_plans(state: State) -> None:
    """A cycle in which nothing waits."""
    state.het_plans = {}
    state.cycles += 1


@mypyc_attr(allow_interpreted_subclasses=True)
class HetStarts:
    """The heterogeneous jobs of one cycle."""

    def __init__(self, state: State, window: int) -> None:
        self.state = state
        self.window = window
        self.plans = _plans_of(state)
        self.order: dict[str, dict[str, int]] = {}
        """The start of each job in each partition, for deadlocks."""

    def first(self, record: Record) -> int | None:
        """Before when a component is not planned; None: as long as nothing is known of the others, not at all."""
        job = record.job
        if job.het is None:
            return 0
        plan = self.plans[job.het.leader]
        plan.note(record, self.state.now + _YEAR)
        if job.reason == "None":
            job.reason = "Resources"
        first = plan.start(but=job.id)
        return None if first > self.state.now + self.window else first

    def note(self, record: Record, when: int, placed: Picked) -> None:
        """A component could start then."""
        if record.job.het is not None:
            self.plans[record.job.het.leader].note(record, when, placed.nodes)

    def deadlocked(self, record: Record, when: int) -> bool:
        """Whether a plan could keep two jobs waiting for each other in two partitions: it is not made then."""
        het = record.job.het
        if het is None:
            return False
        own = self.order.setdefault(record.table.name, {})
        own[het.leader] = max(own.get(het.leader, 0), when)
        listed = sorted(own, key=lambda leader: -own[leader])
        behind = listed[: listed.index(het.leader)]
        for name, other in self.order.items():
            if name == record.table.name or het.leader not in other:
                continue
            if any(other[leader] < own[het.leader] for leader in behind if leader in other):
                return True
        return False

    def start_all(self, most: int = 0) -> Iterator[RunningJob]:
        """After the queue, start what can start; ``most``: components, 0: any number."""
        count = 0
        for plan in list(self.plans.values()):
            if most and count >= most:
                return
            for running in self._start(plan):
                count += 1
                yield running

    def _start(self, plan: HetPlan) -> list[RunningJob]:
        state = self.state
        waiting = [one for one in plan.job.components if one.id in state.pending]
        if not waiting or not all(one.id in plan.starts and refresh(state, one) for one in waiting):
            plan.before = state.now + _YEAR
            return []
        plan.before = plan.start()
        if plan.before > state.now:
            return []
        if not self._within_limits(plan):
            plan.before = state.now + _YEAR
            return []
        started: list[RunningJob] = []
        used = 0
        for one in plan.starts.values():
            running = self._start_one(one.record, used)
            if running is None:
                self._undo(started)
                return []
            started.append(running)
            used |= running.holding.nodes
        return started

    def _within_limits(self, plan: HetPlan) -> bool:
        """Whether the limits of accounts and QOS leave room for all components together."""
        state = self.state
        begun: list[RunningJob] = []
        within = True
        for one in plan.starts.values():
            record, nodes = one.record, one.nodes
            tres = state.tracked.billed(record, tres_of(record.demand, nodes.bit_count()))
            refusal = state.limits.before(record) or state.limits.after(record, Picked(nodes, {}), tres)
            if refusal:
                record.job.reason = refusal
                within = False
                break
            key = record.job.id
            holding = Holding(key, nodes, 0, cpus={}, cores={}, memory={})
            spending = state.spending(record, tres)
            begun.append(RunningJob(key, record, holding, state.now, record.limit, spending, None))
            state.limits.begin(begun[-1])
        for running in begun:
            state.limits.end(running)
        return within

    def _start_one(self, record: Record, used: int) -> RunningJob | None:
        """A component starts on nodes chosen anew, none of them of the components before; None: it cannot."""
        state, job = self.state, record.job
        if partition_refusal(record) or not state.has_licences(job.ask.licences):
            return None
        among = record.mask & state.up & ~state.completing & ~used & ~state.of_others(record)
        end = state.now + record.limit * 60
        if job.reservation:
            own = state.bookings.own(job, state.now)
            if own is None or ("FLEX" not in own.flags and own.start > state.now):
                return None
            among &= own.mask if "FLEX" not in own.flags else among
        among &= ~state.bookings.kept_from(job, state.now, end)
        heed_switches(state, record)
        preferred, flexible = state.preferred(record), state.flexible_nodes(record)
        placed = state.selector.start(record, among, state.occupancy, preferred, None, flexible)
        if placed is None or waits_for_switches(state, record, placed):
            return None
        refusal = state.refusal_of(record, placed)
        if refusal:
            job.reason = refusal
            return None
        return state.begin(record, placed, state.now)

    def _undo(self, started: list[RunningJob]) -> None:
        """Components that have started give way as another could not; they wait for a while."""
        state = self.state
        for running in started:
            state.give_up(running.id)
            job: PendingJob = running.pending
            job.begin = state.now + _AGAIN
            state.pending[job.id] = job
