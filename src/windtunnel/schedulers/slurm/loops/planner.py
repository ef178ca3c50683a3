"""The planner of a cycle: what tests came to in the cycle before is kept, and hopeless ones are left out (§4.3)."""

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.jobs.running import RunningJob
from windtunnel.schedulers.slurm.loops.plan_making import MOST_TRIES, PlanMaker, minutes_of
from windtunnel.schedulers.slurm.plans.kept import KeptPlan, same_slots_until, same_until
from windtunnel.schedulers.slurm.plans.node_map import NodeMap
from windtunnel.schedulers.slurm.plans.outcomes import NOTHING, PLANNED, Plan
from windtunnel.schedulers.slurm.state import State

__all__ = ["Planned", "Planner"]


@mypyc_attr(allow_interpreted_subclasses=True)
class Planned:
    """What a planner knew at one point of its cycle."""

    __slots__ = ("hopeless", "map", "number")

    def __init__(self, node_map: NodeMap, number: int, hopeless: set[int]) -> None:
        self.map = node_map
        self.number = number
        self.hopeless = hopeless


@mypyc_attr(allow_interpreted_subclasses=True)
class Planner(PlanMaker):
    """Tests the jobs of one cycle; what a test came to in the cycle before is looked up first."""

    def __init__(self, state: State) -> None:
        super().__init__(state)
        self.keeps = self._repeats()
        """Whether plans may be those of the cycle before."""
        self.number = 0
        """Of the map as it is, among those of all cycles."""
        self.hopeless: set[int] = set()
        """Kinds of jobs, with their minutes, for which no date has nodes enough: plans only take more of them."""
        if self.keeps:
            state.kept_plans.begin(self.nodes, state.ledger.last if state.limits.active else 0)

    def _repeats(self) -> bool:
        """Whether nothing but jobs and plans decides on plans."""
        state, known = self.state, self.settings
        dates = state.selector.dates
        return not (
            self.booked
            or self.limits_stop
            or known.bf_licenses
            or known.bf_running_job_reserve
            or self.preempting
            or state.limits.counts_nodes
            or state.selector.futures is None
            or self.window <= 2 * known.bf_resolution
            or (dates and dates[0] <= state.now)  # what should have ended makes plans follow the clock
        )

    def as_it_is(self) -> "Planned":
        """What is planned, to come back to it."""
        return Planned(self.map.copy(), self.number, self.hopeless.copy())

    def back_to(self, known: "Planned") -> None:
        """All that was planned since is forgotten; nothing has started in it."""
        self.map, self.number, self.hopeless = known.map, known.number, known.hopeless

    def test(self, record: Record, only_now: bool, first: int) -> tuple[Plan, bool]:
        """The first start at which a job fits beside all plans (§4.3); and whether selection was tried.

        Not before ``first``: components of a heterogeneous job start with the others.
        """
        if only_now or not self.keeps or not self._keeps(record):
            return self.make(record, only_now, first)
        state, number = self.state, self.number
        minutes = minutes_of(record)
        sort = state.selector.kind(record) << 40 | minutes
        if sort in self.hopeless:
            return Plan(NOTHING), False
        if state.unmeasured(record):
            return self.make(record, only_now, first)
        known = state.kept_plans.find(number, record, state.now)
        length = minutes * 60
        if known is not None and self.stands(known):
            plan = known.plan
            if plan.outcome is PLANNED:
                self.number = known.after
                super().enter(record, plan.start, plan.start + length, plan.nodes)
            self._note(sort, plan, known.tested)
            return plan, known.tested
        until = same_slots_until(self.map, state.now, length)
        answers = self.answers = []
        self.lasting = not (state.limits.active or state.users_alone)
        version = state.selector.answers.version
        plan, tested = self.make(record, only_now, first)
        self._note(sort, plan, tested)
        until = min(until, same_until(self.map, plan, state.now, length, self.window))
        if until > state.now and self.tried < self.map.end:
            kept = KeptPlan(plan, tested, until, self.number, version, answers if self.lasting else None)
            state.kept_plans.keep(number, record, kept)
        return plan, tested

    def _note(self, sort: int, plan: Plan, tested: bool) -> None:
        """If no date had nodes enough for a job even to be tested, none will have for others of its sort."""
        if plan.outcome is NOTHING and not (tested or self.state.users_alone) and len(self.map.slots) < MOST_TRIES:
            self.hopeless.add(sort)

    def is_hopeless(self, record: Record, look: bool) -> bool:
        """Whether no date has nodes enough for a job even to be tested; if not ``look``, as far as it is known."""
        if not self._keeps(record) or self.state.users_alone:
            return False
        sort = self.state.selector.kind(record) << 40 | minutes_of(record)
        if sort not in self.hopeless:
            if not look:
                return False
            _, _, _, tries, possible = self.chance(record, self.state.now, minutes_of(record), MOST_TRIES)
            if possible or tries >= MOST_TRIES:
                return False
            self.hopeless.add(sort)
        return True

    def stands(self, known: KeptPlan) -> bool:
        """Whether a test would come to the same: nothing has changed, or nothing of what it asked about."""
        state = self.state
        selector = state.selector
        version = selector.answers.version
        if known.version == version:
            return True
        answers = known.answers
        if answers is None or selector.fit.weights.marked or state.users_alone:
            return False
        for place, answer in enumerate(answers):
            found = selector.again(answer)
            if found is None:
                known.answers = None
                return False
            answers[place] = found
        known.version = version
        return True

    def _keeps(self, record: Record) -> bool:
        """Whether a job's tests come to the same in the next cycle if nothing changes: jobs of plain CPUs do."""
        job = record.job
        if job.het is not None or job.tasks is not None or job.licences:
            return False
        return self.state.selector.by_sets(record, self.base(record))

    def enter(self, record: Record, begin: int, end: int, nodes: int) -> None:
        """A plan is entered in the map, which has another number then."""
        if self.keeps:
            self.number = self.state.kept_plans.after(self.number, *self.map.effect(begin, end), nodes)
        super().enter(record, begin, end, nodes)

    def occupy(self, running: RunningJob) -> None:
        """A job that has its nodes whole leaves the map, which has another number then."""
        if self.keeps:
            end, nodes = running.holding.end, running.holding.nodes
            self.number = self.state.kept_plans.after(self.number, *self.map.effect(self.state.now, end), nodes)
        super().occupy(running)
