"""pybatsim's easyBackfill: EASY on rectangles of consecutive hosts (spec: schedulers.md section 8)."""

from math import inf

from windtunnel.model import HostSet, Job
from windtunnel.schedulers.pybatsim.loop import Pybatsim, walltime

__all__ = ["EasyBackfillPybatsim"]


class _Gap:
    """Consecutive free hosts, for so long (s), given out from the low or the high side.

    ``twin`` shares hosts with it: what is taken here moves the twin's bound.
    """

    __slots__ = ("first", "high", "last", "length", "twin", "virtual")

    def __init__(self, first: int, last: int, *, high: bool = False, virtual: bool = False) -> None:
        self.first = first
        self.last = last
        self.high = high
        self.length = inf
        self.twin: _Gap | None = None
        self.virtual = virtual

    @property
    def size(self) -> int:
        return self.last - self.first + 1


class _Gaps:
    """Free hosts as gaps in ascending order."""

    def __init__(self) -> None:
        self.gaps: list[_Gap] = []

    def copy(self) -> "_Gaps":
        new = _Gaps()
        new.gaps = [_Gap(gap.first, gap.last, high=gap.high) for gap in self.gaps]
        return new

    def free(self, first: int, last: int) -> _Gap:
        """Give hosts back; the gap they are in now."""
        gaps = self.gaps
        k = next((k for k, gap in enumerate(gaps) if gap.first > first), len(gaps))
        left = gaps[k - 1] if k and gaps[k - 1].last == first - 1 else None
        right = gaps[k] if k < len(gaps) and gaps[k].first == last + 1 else None
        if left is not None and right is not None:
            left.last = right.last
            del gaps[k]
            return left
        if left is not None:
            left.last = last
            left.high = True
            return left
        if right is not None:
            right.first = first
            right.high = False
            return right
        gaps.insert(k, _Gap(first, last))
        return gaps[k]

    def take(self, gap: _Gap, count: int) -> HostSet:
        """Take hosts from a gap's side."""
        first = gap.last - count + 1 if gap.high else gap.first
        for one in (gap, gap.twin):
            if one is None:
                continue
            if gap.high:
                one.last = min(one.last, first - 1)
            else:
                one.first = max(one.first, first + count)
            if one.size <= 0 and one in self.gaps:
                self.gaps.remove(one)
        return HostSet.span(count, first)

    def fitting(self, job: Job) -> _Gap | None:
        """The first gap in which a job has room and time."""
        size, length = job.request.hosts, walltime(job)
        return next((gap for gap in self.gaps if gap.size >= size and gap.length >= length), None)

    def reserve(self, first: int, last: int, length: float) -> None:
        """A place is needed in so many seconds: gaps in it last no longer, and what lies beside it is endless."""
        for gap in list(self.gaps):
            if not (gap.first <= first <= gap.last or gap.first <= last <= gap.last):
                continue
            gap.length = length
            if gap.first < first:
                self._split(gap, _Gap(gap.first, first - 1, virtual=True), high=True)
            if gap.last > last:
                self._split(gap, _Gap(last + 1, gap.last, high=True, virtual=True), high=False)
                return

    def _split(self, gap: _Gap, beside: _Gap, *, high: bool) -> None:
        self.gaps.insert(self.gaps.index(gap) + 1, beside)
        gap.high = high
        gap.twin, beside.twin = beside, gap

    def restore(self) -> None:
        """Forget the reservation."""
        self.gaps = [gap for gap in self.gaps if not gap.virtual]
        for gap in self.gaps:
            gap.length = inf
            gap.high = False
            gap.twin = None


class EasyBackfillPybatsim(Pybatsim):
    """EASY with a reservation of particular, consecutive hosts; jobs larger than the machine are rejected (ours:
    there they wait indefinitely).
    """

    name = "pybatsim/easyBackfill"

    def _reset(self) -> None:
        super()._reset()
        self._gaps = _Gaps()

    def _freed(self, hosts: HostSet) -> None:
        for first, last in hosts.runs:
            self._gaps.free(first, last)

    def _pass(self) -> None:
        for job in list(self._open.values()):
            if job.request.hosts > self._n:
                self._reject(job)
                continue
            gap = self._gaps.fitting(job)
            if gap is None:
                break
            self._start(job, self._gaps.take(gap, job.request.hosts))
        if len(self._open) >= 2:
            self._backfill()

    def _backfill(self) -> None:
        head, *others = self._open.values()
        place = self._place(head)
        if place is not None and place[1]:
            begin, hosts = place
            self._gaps.reserve(hosts.first, hosts.last, begin - self._now)
        for job in others:
            gap = self._gaps.fitting(job)
            if gap is not None:
                self._start(job, self._gaps.take(gap, job.request.hosts))
        self._gaps.restore()

    def _place(self, head: Job) -> tuple[float, HostSet] | None:
        """When and where the head will start, as running jobs end one after the other."""
        gaps = self._gaps.copy()
        for end, _, _, held in self.site.ends:
            hosts = held.hosts
            if not hosts:  # jobs of no hosts free none
                continue
            gap = gaps.free(hosts.first, hosts.last)
            if gap.size >= head.request.hosts:
                return end, gaps.take(gap, head.request.hosts)
        return None
