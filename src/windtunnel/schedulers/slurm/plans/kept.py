"""Plans of the backfill loop that hold in the next cycle, too: most come out the same.

What a test comes to depends on the job, on what runs on the nodes that it asks about, and on the plans entered before
it. Time itself matters in few
ways, and up to a date that is known when the plan is made: until a plan is due, a slot of the map is over, or the
span that the job would need from now on reaches one slot further.
"""

from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.plans.node_map import NodeMap
from windtunnel.schedulers.slurm.plans.outcomes import NOTHING, PLANNED, Plan
from windtunnel.schedulers.slurm.select.answers import Answer

__all__ = ["KeptPlan", "KeptPlans", "same_slots_until", "same_until"]

_MOST: Final = 20_000
"""Maps that are told apart."""
_MOST_PLANS: Final = 1500
"""Tests of one generation; the one before it is kept, too."""
_FOREVER: Final = 1 << 62


@mypyc_attr(allow_interpreted_subclasses=True)
class KeptPlan:
    """What a test came to, whether selection was tried in it, and until when it would come to the same."""

    __slots__ = ("after", "answers", "plan", "tested", "until", "version")

    def __init__(
        self, plan: Plan, tested: bool, until: int, after: int, version: int, answers: list[Answer] | None
    ) -> None:
        self.plan = plan
        self.tested = tested
        self.until = until
        self.after = after
        """The number of the map that it leaves."""
        self.version = version
        """The changes of what runs, up to which it came to that."""
        self.answers = answers
        """While they hold it comes to the same; None: nobody knows, once anything has changed."""


@mypyc_attr(allow_interpreted_subclasses=True)
class KeptPlans:
    """The latest tests, by the map that they found and the job."""

    __slots__ = ("_before", "_known", "_maps", "_site")

    def __init__(self) -> None:
        self._maps: dict[tuple[int, int, int, int], int] = {}
        """Maps by the one before and the plan entered in it last; 0: without plans."""
        self._known: dict[tuple[int, int, str], KeptPlan] = {}
        self._before: dict[tuple[int, int, str], KeptPlan] = {}
        self._site: tuple[int, int] = (0, 0)

    def begin(self, nodes: int, usage: int) -> None:
        """A cycle begins, with so many nodes up, and by what was used at a date (where limits ask for that)."""
        if self._site != (nodes, usage) or len(self._maps) > _MOST:
            self._site = (nodes, usage)
            self._maps.clear()
            self._known.clear()
            self._before.clear()

    def after(self, number: int, begin: int, end: int, nodes: int) -> int:
        """The number of the map that comes from one when a plan is entered (where: :meth:`~.NodeMap.effect`)."""
        key = (number, begin, end, nodes)
        found = self._maps.get(key)
        if found is None:
            found = self._maps[key] = len(self._maps) + 1
        return found

    def find(self, number: int, record: Record, now: int) -> KeptPlan | None:
        """What a test came to, if time makes no difference since."""
        key = (number, record.job.number, record.table.name)
        found = self._known.get(key)
        if found is None:
            found = self._before.get(key)
            if found is None:
                return None
            self._keep(key, found)
        return found if found.until >= now else None

    def keep(self, number: int, record: Record, plan: KeptPlan) -> None:
        """A test came to that; nothing has started in it."""
        self._keep((number, record.job.number, record.table.name), plan)

    def _keep(self, key: tuple[int, int, str], plan: KeptPlan) -> None:
        if len(self._known) >= _MOST_PLANS:
            self._before = self._known
            self._known = {}
        self._known[key] = plan

    def __reduce__(self) -> tuple[object, ...]:
        return (KeptPlans, ())  # a saved run finds them anew


def same_slots_until(node_map: NodeMap, now: int, length: int) -> int:
    """Until when a job of so many seconds that would start at once meets the same slots of a map."""
    until = _FOREVER
    for slot in node_map.slots:
        if slot.end > now:
            until = min(until, slot.end - 1)
        if slot.begin > now + length:
            return min(until, slot.begin - length - 1)
    return until


def same_until(node_map: NodeMap, plan: Plan, now: int, length: int, window: int) -> int:
    """Until when a plan of so many seconds, made now, is entered in the same way; 0: only now."""
    if plan.outcome is NOTHING:
        return _FOREVER
    if plan.outcome is not PLANNED or plan.start <= now or plan.start >= node_map.end:
        return 0
    step = node_map.resolution
    begin = plan.start // step * step
    end = max((plan.start + length) // step * step, begin + step)
    minute = now // step * step
    until = begin - 1 if begin > minute else min(plan.start, minute + step) - 1
    if end >= node_map.end:  # once the map goes on beyond it, the plan's end becomes a boundary
        until = min(until, end + step - window - 1)
    return until
