"""The liquid load horizon: until when the hosts would be busy if the queue were a fluid (spec: sections 4.6, 6.5)."""

from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

from windtunnel.diagnostics import UsageError
from windtunnel.schedulers.batsched.loop import Waiting
from windtunnel.schedulers.batsched.profile import AvailabilityProfile
from windtunnel.schedulers.batsched.rationals import HORIZON, Exact, nearest

__all__ = ["Trace", "horizon", "load"]


def load(queue: Iterable[Waiting]) -> Exact:
    """Hosts times duration of what waits, in host-seconds."""
    return sum(item.size * (item.duration or 0) for item in queue)


def horizon(plan: AvailabilityProfile, waiting: Exact, date: Exact) -> Fraction:
    """How long it takes from a date on to pour such a load into what a plan leaves free (in the unit of dates)."""
    if not waiting:
        return Fraction(0)
    k = len(plan) - 1
    while k > 0 and plan.begins[k] > date:
        k -= 1
    left = waiting
    for j in range(k, len(plan)):
        begin = max(date, plan.begins[j])
        area = plan.counts[j] * max(0, plan.end(j) - begin)
        if area > left:
            return begin + Fraction(left, plan.counts[j]) - date
        left -= area
    return Fraction(HORIZON - date)


class Trace:
    """A CSV file of the load over time; lines are gathered and written now and then."""

    def __init__(self, path: str, *columns: str) -> None:
        """Raises:
        UsageError: the path cannot be that of a file.
        """
        if not path or Path(path).is_dir():
            raise UsageError(f"trace_output_filename: {path!r} cannot be a file", "name one, such as load.csv")
        self.path = path
        self._lines = [",".join(("date", "nb_jobs_in_queue", *columns, "load_in_queue", "liquid_load_horizon"))]
        self._written = False

    def add(self, date: float, jobs: int, *values: str, waiting: Exact, liquid: Fraction) -> None:
        """One line: date (s), jobs in the queue, values of the further columns, load (host-seconds), horizon (s)."""
        fields = (f"{date:g}", str(jobs), *values, f"{nearest(waiting):g}", f"{nearest(int(liquid)):g}")
        self._lines.append(",".join(fields))
        if len(self._lines) > 1000:
            self.flush()

    def flush(self) -> None:
        """Write what was gathered."""
        with Path(self.path).open("a" if self._written else "w", encoding="utf-8", newline="\n") as file:
            file.writelines(f"{line}\n" for line in self._lines)
        self._written = True
        self._lines.clear()
