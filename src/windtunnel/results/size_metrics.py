"""What changes of size amount to: how many, who gained and lost hosts by them, and how long jobs had which size."""

from collections import defaultdict
from collections.abc import Iterable

import msgspec

from windtunnel.results.columns import DIGITS
from windtunnel.results.resizes_csv import Sized

__all__ = ["SizeMetrics", "size_metrics"]


class SizeMetrics(msgspec.Struct, frozen=True, kw_only=True):
    """Of the jobs that changed their hosts while they ran, within the window."""

    jobs: int
    """That changed their hosts at least once."""
    reconfigurations: int
    """Changes of hosts."""
    grown: int
    """Of these, to more hosts."""
    shrunk: int
    """To fewer."""
    host_seconds_given: float
    """That jobs had beyond the size at which they had started."""
    host_seconds_taken: float
    """That they lacked while they were smaller than when they started."""
    seconds_at_size: dict[int, float]
    """By number of hosts, how long such jobs ran on so many."""

    def table(self) -> list[tuple[str, str]]:
        """Rows (name, value) for people."""
        given, taken = (f"{value / 3600:,.2f}" for value in (self.host_seconds_given, self.host_seconds_taken))
        changes = f"{self.reconfigurations:,} ({self.grown:,} larger, {self.shrunk:,} smaller)"
        rows = [("changes of size", f"{changes}, of {self.jobs:,} jobs")]
        rows.append(("  host-hours given / taken", f"{given} / {taken}"))
        longest = sorted(self.seconds_at_size.items(), key=lambda item: (-item[1], item[0]))[:5]
        whole = sum(self.seconds_at_size.values())
        if whole:
            shares = ", ".join(f"{seconds / whole:.1%} at {size:,}" for size, seconds in longest)
            rows.append(("  time at each size, most", shares))
        return rows


def size_metrics(stretches: Iterable[Sized], opens: float, closes: float) -> SizeMetrics | None:
    """The figures of a window (s); None if nothing changed its hosts in it."""
    opens, closes = round(opens, DIGITS), round(closes, DIGITS)  # as the dates of stretches are
    first: dict[str, int] = {}
    changed: set[str] = set()
    changes = [0, 0, 0]
    given = taken = 0.0
    at_size: dict[int, float] = defaultdict(float)
    for one in stretches:
        size = first.setdefault(one.job, one.size)
        if one.change is not None and opens <= one.start <= closes:
            changed.add(one.job)
            changes[0 if one.change > 0 else 1 if one.change < 0 else 2] += 1
        seconds = max(0.0, min(one.finish, closes) - max(one.start, opens))
        if seconds:
            at_size[one.size] += seconds
            given += seconds * max(0, one.size - size)
            taken += seconds * max(0, size - one.size)
    if not changed:
        return None
    return SizeMetrics(
        jobs=len(changed),
        reconfigurations=sum(changes),
        grown=changes[0],
        shrunk=changes[1],
        host_seconds_given=given,
        host_seconds_taken=taken,
        seconds_at_size=dict(sorted(at_size.items())),
    )
