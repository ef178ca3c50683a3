"""Accounting of leases: counters over time, statistics per lease and per run, as Haizea's probes define them."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from mypy_extensions import mypyc_attr

from windtunnel.diagnostics import UsageError, did_you_mean
from windtunnel.model.lease import LeaseState
from windtunnel.results.lease_probes import PROBES, Probe
from windtunnel.vocabulary.lease_facts import LeaseFact, LeaseOver, LeaseRequested, LeasesNow

__all__ = ["LeaseAccounting", "Sample"]


_UNCOUNTED: Final = frozenset({LeaseState.CANCELLED, LeaseState.FAIL})


class Sample(NamedTuple):
    """One value of a counter, from ``time`` (s) on; ``average`` up to then where the counter has one."""

    time: float
    lease: int | None
    value: float
    average: float | None


@mypyc_attr(allow_interpreted_subclasses=True)
class LeaseAccounting:
    """Keeps what the chosen probes are interested in."""

    def __init__(self, probes: Iterable[str] = tuple(PROBES)) -> None:
        """Raises: UsageError: there is no such probe."""
        self.counters: dict[str, list[tuple[int, int | None, float]]] = {}
        """Time (hundredths of a second), lease, value; see :meth:`samples`."""
        self.stats: dict[str, float] = {}
        self.lease_stats: dict[int | None, dict[str, object]] = {}
        self._averages: dict[str, str] = {}
        self._probes: list[Probe] = []
        for name in probes:
            if name not in PROBES:
                raise UsageError(f"no probe {name!r}", did_you_mean(name, PROBES))
            self._probes.append(PROBES[name](self))
        self._now = 0
        self.heard = False
        """Whether a lease manager has reported anything."""

    # --- used by probes -------------------------------------------------------------------------------------------

    def counter(self, name: str, average: str = "none") -> None:
        """Start a counter at zero; ``average`` is ``none``, ``mean`` or ``time-weighted``."""
        self.counters[name] = [(0, None, 0)]
        self._averages[name] = average

    def count(self, name: str, lease: int | None, amount: float = 1) -> None:
        """Increase a counter."""
        self.set(name, self.counters[name][-1][2] + amount, lease)

    def set(self, name: str, value: float, lease: int | None = None) -> None:
        """Set a counter. At the same instant the value is replaced and the lease stays the first, as in Haizea."""
        samples = self.counters[name]
        time, last_lease, last_value = samples[-1]
        if time == self._now:
            samples[-1] = (time, last_lease, value)
        elif (last_lease, last_value) != (lease, value):
            samples.append((self._now, lease, value))

    def last(self, name: str) -> tuple[float, float]:
        """When (s) a counter got its last value, and that value."""
        time, _, value = self.counters[name][-1]
        return time / 100, value

    def lease_stat(self, lease: int | None, name: str, value: object) -> None:
        """Set a statistic of one lease."""
        self.lease_stats.setdefault(lease, {})[name] = value

    # --- what it is told ------------------------------------------------------------------------------------------

    def hear(self, now: float, facts: Sequence[LeaseFact]) -> None:
        """What a lease manager reports.

        As in Haizea, cancelled and failed leases are not counted when they end, nor those that were not admitted.
        """
        self._now = round(now * 100)
        self.heard = True
        refused = None
        for fact in facts:
            if isinstance(fact, LeaseRequested):
                refused = fact.lease if fact.rejected else None
                for probe in self._probes:
                    probe.requested(fact)
            elif isinstance(fact, LeaseOver):
                if fact.state not in _UNCOUNTED and fact.lease is not refused:
                    for probe in self._probes:
                        probe.finished(fact)
            elif isinstance(fact, LeasesNow):
                for probe in self._probes:
                    probe.stands(fact)

    def close(self) -> None:
        """The run is over with what was heard last: complete counters and totals."""
        for name, samples in self.counters.items():
            self.set(name, samples[-1][2])
        for probe in self._probes:
            probe.close()

    # --- results --------------------------------------------------------------------------------------------------

    def samples(self, name: str) -> list[Sample]:
        """A counter with its running average, times in seconds."""
        average = {"none": _no_average, "mean": _mean, "time-weighted": _time_weighted}[self._averages[name]]
        samples = self.counters[name]
        return [
            Sample(time / 100, lease, value, mean)
            for (time, lease, value), mean in zip(samples, average(samples), strict=True)
        ]


_Samples = list[tuple[int, int | None, float]]
_Averager = Callable[[_Samples], Iterable[float | None]]


def _no_average(samples: _Samples) -> Iterable[float | None]:
    return [None] * len(samples)


def _mean(samples: _Samples) -> Iterable[float | None]:
    total = 0.0
    for n, (_, _, value) in enumerate(samples, 1):
        total += value
        yield total / n


def _time_weighted(samples: _Samples) -> Iterable[float | None]:
    total = 0.0
    previous: tuple[int, float] | None = None
    for time, _, value in samples:
        if previous is None:
            yield value
        else:
            total += previous[1] * (time - previous[0])
            yield total / time
        previous = (time, value)
