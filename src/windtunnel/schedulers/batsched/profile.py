"""The availability of hosts over time, host by host, as batsched keeps it (spec: schedulers.md section 3).

Slices cover [begin, horizon) without gaps; each has its free hosts (bits) and its jobs with their hosts. A job is
placed at the begin of the first slice from which enough hosts *in common* stay free for its whole duration.
"""

from bisect import bisect_left, bisect_right
from typing import Final

from windtunnel.model import HostPool, HostSet
from windtunnel.schedulers.batsched.rationals import HORIZON, Exact

__all__ = ["AvailabilityProfile", "Place", "lowest_bits", "select"]

Place = tuple[Exact, int]
"""When a job starts, and its hosts as bits."""


_FEW_BITS: Final = 512
"""Sets of so many hosts are looked at interval by interval; larger ones are halved first."""


def lowest_bits(bits: int, count: int) -> int:
    """The ``count`` lowest bits set in ``bits``; there must be so many."""
    picked = place = 0
    width = bits.bit_length()
    while width > _FEW_BITS:
        half = width // 2
        low = bits & ((1 << half) - 1)
        size = low.bit_count()
        if size < count:
            picked |= low << place
            place += half
            bits >>= half
            count -= size
            width -= half
        else:
            bits = low
            width = half
    return picked | _lowest_of_few(bits, count) << place


def _lowest_of_few(bits: int, count: int) -> int:
    picked = 0
    while count:
        low = bits & -bits
        left = bits & (bits + low)
        run = bits ^ left
        size = run.bit_count()
        if size > count:
            return picked | ((low << count) - low)
        picked |= run
        count -= size
        bits = left
    return picked


def select(bits: int, count: int, policy: str) -> int | None:
    """The hosts that a policy selects among these, or None."""
    if policy == "contiguous":
        hosts = HostPool(HostSet.of_bits(bits)).pick_contiguous(count)
        return None if hosts is None else hosts.bits
    return lowest_bits(bits, count)


class AvailabilityProfile:
    """Slices as parallel lists: where they begin, free hosts, how many, and jobs with their hosts."""

    def __init__(self, hosts: int, begin: Exact, policy: str = "basic") -> None:
        self.policy = policy
        self.begins: list[Exact] = [begin]
        self.free: list[int] = [(1 << hosts) - 1]
        self.counts: list[int] = [hosts]
        self.jobs: list[dict[str, int]] = [{}]
        self._begun = bytearray(1)
        """Of each slice whether a job begins with it: if none does, all that was free before is free there."""
        self._taken = [0]
        """So many hosts at most are taken by those that do."""

    def copy(self) -> "AvailabilityProfile":
        """An independent copy."""
        new = AvailabilityProfile.__new__(AvailabilityProfile)
        new.policy = self.policy
        new.begins = self.begins.copy()
        new.free = self.free.copy()
        new.counts = self.counts.copy()
        new.jobs = [jobs.copy() for jobs in self.jobs]
        new._begun = self._begun.copy()
        new._taken = self._taken.copy()
        return new

    def __len__(self) -> int:
        return len(self.begins)

    def end(self, k: int) -> Exact:
        """Where a slice ends."""
        return self.begins[k + 1] if k + 1 < len(self.begins) else HORIZON

    def advance(self, now: Exact) -> bool:
        """Let the first slice begin now; False when it ended before."""
        if now > self.end(0):
            return False
        self.begins[0] = now
        return True

    def drop_until(self, now: Exact) -> bool:
        """Drop the slices that ended by now, and let the first one left begin now; whether any was dropped."""
        k = 0
        while self.end(k) <= now:
            k += 1
        if k:
            del self.begins[:k], self.free[:k], self.counts[:k], self.jobs[:k], self._begun[:k], self._taken[:k]
        self.begins[0] = now
        return k > 0

    def split(self, k: int, date: Exact) -> None:
        """Cut a slice in two at a date strictly inside."""
        self.begins.insert(k + 1, date)
        self.free.insert(k + 1, self.free[k])
        self.counts.insert(k + 1, self.counts[k])
        self.jobs.insert(k + 1, self.jobs[k].copy())
        self._begun.insert(k + 1, False)
        self._taken.insert(k + 1, 0)

    def find(self, size: int, duration: Exact | None, first: int = 0) -> tuple[int, int, int] | None:
        """First fit: the slice it starts with, the last one it touches, and the hosts; None when there is no place.

        Without duration, it lasts to the horizon.
        """
        counts, begins = self.counts, self.begins
        n = len(begins)
        for k in range(first, n):
            if counts[k] < size:
                continue
            stop = HORIZON if duration is None else begins[k] + duration
            last = bisect_left(begins, stop, k + 1) - 1
            if stop > HORIZON:
                continue
            common = self._common(k, last, size)
            hosts = select(common, size, self.policy) if common else None if size else 0
            if hosts is not None:
                return k, last, hosts
        return None

    def _common(self, first: int, last: int, size: int) -> int:
        """The hosts that are free in all of these slices; 0 where they are fewer than ``size``."""
        common = self.free[first]
        sure = self.counts[first]
        begun = self._begun
        k = begun.find(True, first + 1, last + 1)
        while k >= 0:
            common &= self.free[k]
            sure -= self._taken[k]
            if sure < size:  # counting takes longer than all else
                sure = common.bit_count()
                if sure < size:
                    return 0
            k = begun.find(True, k + 1, last + 1)
        return common

    def slice_at(self, date: Exact) -> int:
        """The slice that begins at a date inside the profile; one is cut for it if need be."""
        k = bisect_right(self.begins, date) - 1
        if self.begins[k] != date:
            self.split(k, date)
            k += 1
        return k

    def place(self, job_id: str, hosts: int, duration: Exact | None, first: int = 0) -> int:
        """Put a job on exactly these hosts as early as they are free for its duration; where it ends.

        Raises:
            LookupError: they never are.
        """
        free, begins = self.free, self.begins
        n = len(begins)
        for k in range(first, n):
            stop = HORIZON if duration is None else begins[k] + duration
            last = k
            while free[last] & hosts == hosts:
                if stop <= (begins[last + 1] if last + 1 < n else HORIZON):
                    self.occupy(job_id, k, last, hosts, stop)
                    return stop
                last += 1
                if last == n:
                    break
        raise LookupError(job_id)

    def add(self, job_id: str, size: int, duration: Exact | None, first: int = 0) -> tuple[int, int] | None:
        """Place a job at its first fit; the slice it starts with (0: now) and its hosts."""
        found = self.find(size, duration, first)
        if found is None:
            return None
        k, last, hosts = found
        self.occupy(job_id, k, last, hosts, HORIZON if duration is None else self.begins[k] + duration)
        return k, hosts

    def occupy(self, job_id: str, first: int, last: int, hosts: int, stop: Exact) -> None:
        """Give hosts that are free to a job, from a slice on until a date inside the last slice."""
        if stop < self.end(last):
            self.split(last, stop)
        count = hosts.bit_count()
        for k in range(first, last + 1):
            self.free[k] ^= hosts
            self.counts[k] -= count
            self.jobs[k][job_id] = hosts
        self._begun[first] = True
        self._taken[first] += count

    def remove(self, job_id: str, near: Exact | None = None) -> int | None:
        """Take the first block of a job out; its first slice, or None when it has none.

        ``near`` is where it begins, if known (a later date will not do).
        """
        jobs = self.jobs
        n = len(jobs)
        first = 0 if near is None else max(bisect_right(self.begins, near) - 1, 0)
        while first < n and job_id not in jobs[first]:
            first += 1
        if first == n:
            return None
        self._take_out(job_id, first)
        return first

    def remove_last(self, job_id: str) -> Exact | None:
        """Take the last block of a job out; where it began, or None when it has none."""
        jobs = self.jobs
        k = len(jobs) - 1
        while k >= 0 and job_id not in jobs[k]:
            k -= 1
        if k < 0:
            return None
        while k > 0 and job_id in jobs[k - 1]:
            k -= 1
        begin = self.begins[k]
        self._take_out(job_id, k)
        return begin

    def _take_out(self, job_id: str, first: int) -> None:
        jobs = self.jobs
        last = first
        known = jobs[first][job_id]
        count = begun = known.bit_count()
        while last < len(jobs) and job_id in jobs[last]:
            hosts = jobs[last].pop(job_id)
            if hosts is not known:
                known, count = hosts, hosts.bit_count()
            self.free[last] |= hosts
            self.counts[last] += count
            last += 1
        if first:
            self._taken[first] -= begun
            before = jobs[first - 1]
            self._begun[first] = any(before.get(one) != hosts for one, hosts in jobs[first].items())
        self._merge(first, last)

    def _merge(self, first: int, last: int) -> None:
        """Merge each of these slices with the one before when both hold the same jobs on the same hosts."""
        jobs = self.jobs
        for k in range(min(last, len(jobs) - 1), max(first, 1) - 1, -1):
            if jobs[k] == jobs[k - 1]:
                del self.begins[k], self.free[k], self.counts[k], jobs[k], self._begun[k], self._taken[k]
