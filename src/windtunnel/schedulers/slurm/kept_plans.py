"""Plans of the backfill loop that hold in the next cycle, too: while nothing starts or ends, most come out the same.

What a test comes to depends on the job, on what runs, and on the plans entered before it. Time itself matters in few
ways, and up to a date that is known when the plan is made: until a plan is due, a slot of the map is over, or the
span that the job would need from now on reaches one slot further.
"""

from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.jobs import Record
from windtunnel.schedulers.slurm.node_map import NodeMap
from windtunnel.schedulers.slurm.plans import NOTHING, PLANNED, Plan

__all__ = ["KeptPlan", "KeptPlans", "same_slots_until", "same_until"]

_MOST: Final = 100_000
"""Maps that are told apart."""
_FOREVER: Final = 1 << 62


@mypyc_attr(allow_interpreted_subclasses=True)
class KeptPlan:
    """What a test came to, whether selection was tried in it, and until when it would come to the same."""

    __slots__ = ("plan", "tested", "until")

    def __init__(self, plan: Plan, tested: bool, until: int) -> None:
        self.plan = plan
        self.tested = tested
        self.until = until


@mypyc_attr(allow_interpreted_subclasses=True)
class KeptPlans:
    """The tests that were made while just the same jobs ran, by the map that they found and the job."""

    __slots__ = ("_known", "_maps", "_site", "_version")

    def __init__(self) -> None:
        self._maps: dict[tuple[int, int, int, int], int] = {}
        """Maps by the one before and the plan entered in it last; 0: without plans."""
        self._known: dict[tuple[int, int, str], KeptPlan] = {}
        self._version = -1
        self._site: tuple[int, int] = (0, 0)

    def begin(self, nodes: int, usage: int) -> None:
        """A cycle begins, with so many nodes up, and by what was used at a date (where limits ask for that)."""
        if self._site != (nodes, usage) or len(self._maps) > _MOST:
            self._site = (nodes, usage)
            self._maps.clear()
            self._known.clear()

    def after(self, number: int, begin: int, end: int, nodes: int) -> int:
        """The number of the map that comes from one when a plan is entered (where: :meth:`~.NodeMap.effect`)."""
        key = (number, begin, end, nodes)
        found = self._maps.get(key)
        if found is None:
            found = self._maps[key] = len(self._maps) + 1
        return found

    def find(self, number: int, record: Record, running: int, now: int) -> KeptPlan | None:
        """What a test would come to now; ``running`` tells one set of running jobs from another."""
        if self._version != running:
            self._version = running
            self._known.clear()
            return None
        found = self._known.get((number, record.job.number, record.table.name))
        return found if found is not None and found.until >= now else None

    def keep(self, number: int, record: Record, plan: Plan, tested: bool, until: int) -> None:
        """A test came to that; nothing has started in it."""
        self._known[number, record.job.number, record.table.name] = KeptPlan(plan, tested, until)

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
    begin, end = plan.start // step * step, (plan.start + length) // step * step
    minute = now // step * step
    until = begin - 1 if begin > minute else min(plan.start, minute + step) - 1
    if end >= node_map.end:  # once the map goes on beyond it, the plan's end becomes a boundary
        until = min(until, end + step - window - 1)
    return until
