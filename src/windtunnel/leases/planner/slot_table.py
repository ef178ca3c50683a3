"""The slot table: all reservations that are not over, and the CPU left over time.

Reservations leave the table when they end, so no search grows with the length of the past. Two things make searches
short: node sets are ints (one operation compares hundreds of nodes), and a profile of the CPU left at every instant
tells in a few steps at which times a lease cannot possibly fit.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from mypy_extensions import mypyc_attr

from windtunnel.leases.planner.cpu_profile import CpuProfile
from windtunnel.leases.planner.record import Progress, Reservation, VirtualMachines
from windtunnel.leases.planner.reservations import Resumption, Shutdown, Suspension
from windtunnel.leases.planner.site_nodes import SiteNodes
from windtunnel.leases.planner.space import ResourceSpace, Vector
from windtunnel.leases.planner.ticks import FOREVER
from windtunnel.model.lease import LeaseSite

__all__ = ["SlotTable", "TableState"]

# Bound once: compiled code looks up what comes from other modules each time.
_bisect_left: Final = bisect_left
_bisect_right: Final = bisect_right
_ACTIVE: Final = Progress.ACTIVE


class TableState(NamedTuple):
    """A copy of the table's content, for going back to."""

    start_times: list[int]
    by_start: list[Reservation]
    end_times: list[int]
    by_end: list[Reservation]
    keys: list[tuple[int, int, int]]
    profile: tuple[list[int], list[int]]
    inflated: int


@mypyc_attr(allow_interpreted_subclasses=True)
class SlotTable(SiteNodes):
    """Which reservations hold what on the nodes of a site, now and later.

    It is the nodes as well, since searches look up both at every step.
    """

    def __init__(self, site: LeaseSite, space: ResourceSpace, *, lost: int | None = None) -> None:
        """``lost``: a node number that cannot be used: Haizea's image node takes the place of node 1000."""
        super().__init__(site, space, lost=lost)
        self.profile = CpuProfile(sum(space.cpu(capacity) * nodes.bit_count() for capacity, nodes in self.classes))
        self.inflated = 0
        """How many reservations hold more CPU than the profile counts."""
        self._start_times: list[int] = []
        self._by_start: list[Reservation] = []
        """Reservations by start, and those starts; what starts at the same time is in the order of entry."""
        self._end_times: list[int] = []
        self._by_end: list[Reservation] = []
        self.starts: dict[int, int] = {}
        """How many reservations start when."""
        self.ends: dict[int, int] = {}
        """How many end when."""
        self.entered = 0
        """How many reservations were ever entered; also their sequence numbers."""
        self._cpus: dict[Vector, int] = {}
        """The CPU of amounts."""

    def __len__(self) -> int:
        return len(self._by_start)

    # --- contents -------------------------------------------------------------------------------------------------

    def add(self, reservation: Reservation) -> None:
        """Put a reservation in."""
        assert reservation.key is None, "it is already in the table"
        self.entered += 1
        start, end = reservation.start, reservation.end
        reservation.key = (start, end, self.entered)
        place = _bisect_right(self._start_times, start)
        self._start_times.insert(place, start)
        self._by_start.insert(place, reservation)
        place = _bisect_right(self._end_times, end)
        self._end_times.insert(place, end)
        self._by_end.insert(place, reservation)
        self.starts[start] = self.starts.get(start, 0) + 1
        self.ends[end] = self.ends.get(end, 0) + 1
        self._count(reservation, start, end, 1)

    def add_all(self, reservations: Sequence[Reservation]) -> None:
        """Put reservations in, in this order."""
        for reservation in reservations:
            self.add(reservation)

    def remove(self, reservation: Reservation) -> None:
        """Take a reservation out."""
        assert reservation.key is not None, "it is not in the table"
        start, end, _ = reservation.key
        place = _place_of(reservation, self._start_times, self._by_start, start)
        del self._start_times[place], self._by_start[place]
        place = _place_of(reservation, self._end_times, self._by_end, end)
        del self._end_times[place], self._by_end[place]
        reservation.key = None
        _count_down(self.starts, start)
        _count_down(self.ends, end)
        self._count(reservation, start, end, -1)

    def discard(self, reservation: Reservation) -> None:
        """Take a reservation out if it is in."""
        if reservation.key is not None:
            self.remove(reservation)

    def move(self, reservation: Reservation) -> None:
        """Enter a reservation anew after its times were changed."""
        self.remove(reservation)
        self.add(reservation)

    def save(self) -> TableState:
        """A copy of the contents."""
        keys = [r.key for r in self._by_start if r.key is not None]
        return TableState(
            self._start_times[:],
            self._by_start[:],
            self._end_times[:],
            self._by_end[:],
            keys,
            self.profile.copy(),
            self.inflated,
        )

    def restore(self, state: TableState) -> None:
        """Go back to saved contents; start and end of the reservations themselves are the caller's to restore."""
        for reservation in self._by_start:
            reservation.key = None
        self._start_times, self._by_start = state.start_times, state.by_start
        self._end_times, self._by_end = state.end_times, state.by_end
        self.starts, self.ends = dict(Counter(state.start_times)), dict(Counter(state.end_times))
        self.profile.restore(state.profile)
        self.inflated = state.inflated
        for reservation, key in zip(self._by_start, state.keys, strict=True):
            reservation.key = key

    def _count(self, reservation: Reservation, start: int, end: int, sign: int) -> None:
        """Enter a reservation in the profile, or take it out.

        Saving and restoring memory counts at most what the machines themselves use, so that the profile never shows
        less room than there is, even where Haizea inflates their need.
        """
        if start >= end:
            return
        cpus = self._cpus
        counted = 0
        for amount, nodes in reservation.parts:
            if (cpu := cpus.get(amount)) is None:
                cpu = self._cpu_of(amount)
            if cpu:
                counted += cpu * (nodes & ~self._image).bit_count()
        if isinstance(reservation, Suspension | Resumption):
            least = 0
            for amount, nodes in reservation.parts:
                least += cpus[amount] * nodes.bit_count()
                for running, where in reservation.vm.parts:
                    if (more := cpus[amount] - self._cpu_of(running)) > 0:
                        least -= more * (nodes & where).bit_count()
            self.inflated += sign * (least != counted)
            counted = least
        self.profile.add(start, end, sign * counted)

    def _cpu_of(self, amount: Vector) -> int:
        cpu = self._cpus.get(amount)
        if cpu is None:
            cpu = self._cpus[amount] = self.space.cpu(amount)
        return cpu

    # --- by time --------------------------------------------------------------------------------------------------

    def starting_at(self, time: int) -> list[Reservation]:
        """Those that start at that instant, in order of entry."""
        times = self._start_times
        return self._by_start[_bisect_left(times, time) : _bisect_right(times, time)]

    def ending_at(self, time: int) -> list[Reservation]:
        """Those that end at that instant, in order of entry."""
        times = self._end_times
        return self._by_end[_bisect_left(times, time) : _bisect_right(times, time)]

    def ending_after(self, time: int) -> list[Reservation]:
        """Those that end after that time, by end."""
        return self._by_end[_bisect_right(self._end_times, time) :]

    def starting_after(self, time: int) -> list[Reservation]:
        """Those that start after that time, by start."""
        return self._by_start[_bisect_right(self._start_times, time) :]

    def from_on(self, time: int) -> list[Reservation]:
        """Those that start or end at that time or later, by start."""
        times = self._start_times
        return [r for place, r in enumerate(self._by_start) if times[place] >= time or r.end >= time]

    def overlapping(self, start: int, end: int) -> list[Reservation]:
        """Those that hold something at any instant of [start, end), by start."""
        last = _bisect_left(self._start_times, end)
        return [r for r in self._by_start[:last] if r.end > start and r.end > r.start]

    def next_change(self, time: int) -> int | None:
        """The first start or end after that time."""
        return self.upcoming(time)[0]

    def upcoming(self, time: int) -> tuple[int | None, int | None]:
        """The first start or end after that time; and the first that is not where running machines simply end.

        Whoever drives the planner is told of that end; what follows it is found then.
        """
        first = wake = FOREVER
        times, entries = self._start_times, self._by_start
        following = _bisect_right(times, time)
        if following < len(times):
            first = times[following]
        for i in range(following, len(entries)):
            r = entries[i]
            if type(r) is not Shutdown or r.vm.key is None:
                wake = times[i]
                break
        times, entries = self._end_times, self._by_end
        following = _bisect_right(times, time)
        if following < len(times):
            first = min(first, times[following])
        for i in range(following, len(entries)):
            end = times[i]
            if end >= wake:
                break
            r = entries[i]
            if type(r) is VirtualMachines:
                if r.state is _ACTIVE and r.lease.ends_by_itself and not (r.post and r.post[0].saves):
                    continue
            elif type(r) is Shutdown and r.vm.key is not None:
                continue
            wake = end
            break
        return None if first == FOREVER else first, None if wake == FOREVER else wake

    def free_cpu(self, time: int) -> int:
        """The CPU no reservation holds at that instant, over all nodes."""
        used = 0
        for reservation in self.overlapping(time, time + 1):
            for amount, nodes in reservation.parts:
                cpu = self.space.cpu(amount)
                used += cpu * (nodes & self.all_nodes).bit_count() if cpu else 0
        return self.profile.total - used

    def reservations(self) -> Sequence[Reservation]:
        """All of them, by start."""
        return self._by_start[:]


def _count_down(counts: dict[int, int], time: int) -> None:
    if counts[time] == 1:
        del counts[time]
    else:
        counts[time] -= 1


def _place_of(reservation: Reservation, times: list[int], entries: list[Reservation], time: int) -> int:
    """Where a reservation of a time stands."""
    place = _bisect_left(times, time)
    while entries[place] is not reservation:
        place += 1
    return place
