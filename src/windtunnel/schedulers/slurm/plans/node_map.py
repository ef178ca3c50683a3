"""The backfill loop's map: time slots, each with the nodes that no plan has taken (§4.2)."""

from collections.abc import Mapping

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.nodes.nodesets import without
from windtunnel.schedulers.slurm.select.shortage import Shortage

__all__ = ["NodeMap", "Slot"]


@mypyc_attr(allow_interpreted_subclasses=True)
class Slot:
    """A span of time and the nodes free of plans in it."""

    __slots__ = ("begin", "end", "frees", "licences", "nodes")

    def __init__(self, begin: int, end: int, nodes: int, licences: Mapping[str, int]) -> None:
        self.begin = begin
        self.end = end
        self.nodes = nodes
        self.frees = -1
        """Whether a node is free in the next slot that is not in this one (1, 0); -1: nobody has asked."""
        self.licences = licences
        """Free ones by name."""

    def copy(self) -> "Slot":
        """The same, to be changed apart."""
        other = Slot(self.begin, self.end, self.nodes, self.licences)
        other.frees = self.frees
        return other


@mypyc_attr(allow_interpreted_subclasses=True)
class NodeMap:
    """The slots in order of time; whole nodes only."""

    def __init__(
        self, now: int, window: int, resolution: int, nodes: int, licences: Mapping[str, int] | None = None
    ) -> None:
        self.now = now
        self.resolution = resolution
        begin = now // resolution * resolution
        self.end = (now + window) // resolution * resolution
        self.nodes = nodes
        """All nodes of the map."""
        self.slots = [Slot(begin, max(self.end, begin + resolution), nodes, dict(licences or {}))]
        self.records = 1
        """Boundaries ever made: merging never lowers the count (§4.5)."""
        self._following = 0
        """The slot after the one that was found last to end with nodes coming free."""
        self._known: dict[tuple[int, int], tuple[int, int]] = {}
        """By date and seconds: the nodes free of plans for so long when somebody last asked, and after how many."""
        self._entered: list[tuple[int, int, int]] = []
        """The plans that were entered: when they begin and end, and their nodes."""

    def copy(self) -> "NodeMap":
        """The same, to be changed apart."""
        other = NodeMap(self.now, 0, self.resolution, self.nodes)
        other.end, other.records = self.end, self.records
        other.slots = [one.copy() for one in self.slots]
        other._following = self._following
        other._known = dict(self._known)
        other._entered = self._entered[:]
        return other

    def later_than(self, start: int, base: int, available: int, end: int) -> tuple[int, int, list[Slot]]:
        """What a job that starts at ``start`` and ends by ``end`` may use.

        Returns when to try again if that fails (0: never), the nodes free all the time, and the slots it overlaps.
        """
        later = 0
        overlapped = []
        last = len(self.slots) - 1
        for place in range(self._place_of(start), last + 1):
            slot = self.slots[place]
            if slot.end > start and place < last and not later:
                # Some node of the partition that is taken here is free in the next slot.
                freed = base & self.slots[place + 1].nodes & ~(available & slot.nodes)
                later = slot.end if freed else 0
            if slot.end <= start:
                continue
            if slot.begin > end:
                break
            available &= slot.nodes
            overlapped.append(slot)
        return later, available, overlapped

    def chance(
        self,
        start: int,
        base: int,
        mask: int,
        length: int,
        least: int,
        few: int,
        tries: int,
        shortage: Shortage | None = None,
    ) -> tuple[int, int, int, int, bool]:
        """The first date from which on so many nodes (``least``) of a mask are free all of a time.

        It is looked for as :meth:`later_than` does, and again at each later date that this gives, ``tries`` times at
        most. Dates are passed over of which it is known that the job starts later than at the next (``shortage``).
        Returns the date, when to try again (0: never), the nodes (0: there is no such date), how many tries
        that took, and whether there were ever at least a ``few`` nodes.
        """
        slots = self.slots
        last = len(slots) - 1
        place = done = 0
        enough_once = False
        whole = base == self.nodes
        narrower = mask != base and mask & base != base
        while place <= last and slots[place].end <= start:
            place += 1
        while True:
            done += 1
            end = start + length
            later = self._freed_after(place, end) if whole else self._freed_of(base, place, end)
            following = self._following if later else place
            available = self.free_for(start, length, place)
            if not whole:
                available &= base
            if narrower:
                available &= mask
            count = available.bit_count() if least > 1 and available else 1 if available else 0
            enough_once = enough_once or count >= few
            if count >= least and not (
                later and done < tries and shortage is not None and shortage.until(later, available)
            ):
                return start, later, available, done, True
            if not later or done >= tries:
                return start, 0, 0, done, enough_once
            start, place = later, following

    def _freed_after(self, place: int, end: int) -> int:
        """When the first slot ends, from a place on, after which some node is free that is not in it; 0: none does.

        Slots are looked at up to the first that begins after ``end``. As each slot up to there has all nodes of the
        next, that is the first node free again that a job would lack which starts in the slot at the place.
        """
        slots = self.slots
        last = len(slots) - 1
        while place < last:
            slot = slots[place]
            frees = slot.frees
            if frees < 0:
                after = slots[place + 1].nodes
                frees = slot.frees = 1 if after & slot.nodes != after else 0
            place += 1
            if frees:
                self._following = place
                return slot.end
            if slot.begin > end:
                return 0
        return 0

    def _freed_of(self, base: int, place: int, end: int) -> int:
        """The same of the nodes of a partition."""
        slots = self.slots
        last = len(slots) - 1
        while place < last:
            slot = slots[place]
            place += 1
            after = base & slots[place].nodes
            if after & slot.nodes != after:
                self._following = place
                return slot.end
            if slot.begin > end:
                return 0
        return 0

    def free(self, begin: int, end: int, nodes: int, known: int = 0) -> bool:
        """Whether all these nodes are free of plans over a span, rounded down on both ends.

        In the slots that begin by a date it is ``known`` that they are.
        """
        begin, end = self._rounded(begin), self._rounded(end)
        for place in range(self._place_of(max(begin, known)), len(self.slots)):
            slot = self.slots[place]
            if slot.begin >= end:
                break
            if slot.end > begin and nodes & slot.nodes != nodes:
                return False
        return True

    def free_for(self, start: int, length: int, place: int = 0) -> int:
        """The nodes free of plans from a date on for so many seconds, as :meth:`chance` looks for them.

        They are kept, and plans that were entered since are taken from them. No slot before a ``place`` matters.
        """
        key = (start, length)
        end = start + length
        entered = self._entered
        known = self._known.get(key)
        if known is None:
            found = self.nodes
            for at in range(place, len(self.slots)):
                slot = self.slots[at]
                if slot.begin > end:
                    break
                if slot.end > start:
                    found &= slot.nodes
        else:
            found, seen = known
            if seen == len(entered):
                return found
            for begin, until, nodes in entered[seen:]:
                if begin <= end and until > start:
                    found = without(found, nodes)
        self._known[key] = found, len(entered)
        return found

    def free_from_now(self, length: int) -> int:
        """The same from now on."""
        return self.free_for(self.now, length)

    def take(self, begin: int, end: int, nodes: int, licences: Mapping[str, int] | None = None) -> None:
        """Enter a plan; both ends are rounded down, and it lasts for one step at least (§4.3)."""
        begin = max(self._rounded(begin), self.slots[0].begin)
        end = max(self._rounded(end), begin + self.resolution)
        first = self._cut(begin)
        last = self._cut(end)
        if first:
            self.slots[first - 1].frees = -1
        for slot in self.slots[first:last]:
            taken = slot.nodes & nodes
            slot.nodes ^= taken
            if taken != nodes:  # else the next slot loses nothing that this one lacks
                slot.frees = -1
            if licences:
                left = dict(slot.licences)
                for name, count in licences.items():
                    left[name] = left.get(name, 0) - count
                slot.licences = left
        if first < last:
            self.slots[last - 1].frees = -1
        self._merge(max(0, first - 2), last)
        if nodes and first < last and end > self.now:  # beyond the map nothing is taken
            self._entered.append((begin, end, nodes))

    def licences_again(self, wanted: Mapping[str, int], slots: list[Slot]) -> int:
        """When the first slot with too few licences is over; 0: all have enough, or it is the last one."""
        for slot in slots:
            if any(slot.licences.get(name, 0) < count for name, count in wanted.items()):
                return 0 if slot is self.slots[-1] else slot.end
        return 0

    def effect(self, begin: int, end: int) -> tuple[int, int]:
        """Where a plan makes boundaries; -1: at the begin of the map, and at its end or beyond; -2: nowhere."""
        begin, end = self._rounded(begin), self._rounded(end)
        end = max(end, begin + self.resolution)
        if begin >= self.slots[-1].end:
            return -2, -2
        return begin if begin > self.slots[0].begin else -1, end if end < self.slots[-1].end else -1

    def _cut(self, when: int) -> int:
        """The place of the first slot after a date, with which one ends: it is cut there if none does.

        At the map's own begin that leaves a first slot without length.
        """
        place = self._place_of(when - 1)
        slot = self.slots[place]
        if slot.end < when:
            return place + 1
        if slot.end != when:
            self.slots.insert(place, Slot(slot.begin, when, slot.nodes, slot.licences))
            slot.begin = when
            self.records += 1
        return place + 1

    def _merge(self, first: int, last: int) -> None:
        """The first two neighbours that are equal become one, from one slot before a plan to one after it.

        One pair for each plan: others stay apart, and with them the dates at which a job is tried again (§4.3).
        """
        for place in range(first, min(last, len(self.slots) - 1)):
            before, slot = self.slots[place], self.slots[place + 1]
            if before.nodes == slot.nodes and before.licences == slot.licences:
                before.end, before.frees = slot.end, slot.frees
                del self.slots[place + 1]
                return

    def _place_of(self, when: int) -> int:
        """The place of the slot that a date lies in: the first one for earlier dates, the last one for later ones."""
        slots = self.slots
        low, high = 0, len(slots) - 1
        while low < high:
            middle = (low + high) // 2
            if slots[middle].end > when:
                high = middle
            else:
                low = middle + 1
        return low

    def _rounded(self, when: int) -> int:
        return when // self.resolution * self.resolution
