"""The workload model of Lublin and Feitelson: sizes, run times and arrivals of rigid parallel jobs.

U. Lublin, D. G. Feitelson: The workload on parallel supercomputers: modeling the characteristics of rigid jobs.
Journal of Parallel and Distributed Computing 63(11), 2003. With the random numbers of ``drand48`` the jobs are those
of the authors' program (m_lublin99), row by row.
"""

from collections.abc import Iterator
from math import exp, log2
from typing import Final, NamedTuple

from windtunnel.workloads.gamma_distribution import gamma_cdf
from windtunnel.workloads.random_sources import RandomSource, gamma

__all__ = ["BATCH", "INTERACTIVE", "TYPELESS", "GeneratedJob", "JobType", "jobs_of", "types_for"]

_BUCKET_SECONDS: Final = 1800
_BUCKETS: Final = 48
_DAY_STARTS_AT: Final = 11
"""The half hour from which the daily cycle is counted: the gamma distribution of arrivals begins at 5:30."""
_LONGEST_LOG_RUN: Final = 12.0
"""Of run times (ln s): about 45 hours."""
_LONGEST_LOG_GAP: Final = 13.0
"""Of gaps between arrivals (ln s)."""


class JobType(NamedTuple):
    """What is drawn for jobs of one type: sizes as log2 of processors, run times and gaps as logarithms of s."""

    number: int
    """As in the queue field of the program's SWF rows."""
    serial: float
    """Probability of one processor."""
    power_of_two: float
    """Probability, of all jobs, of a power of two above one."""
    size_low: float
    size_middle: float
    size_high: float
    size_lower_part: float
    """Probability of a size between low and middle."""
    run_first: tuple[float, float]
    """Shape and scale of the shorter run times."""
    run_second: tuple[float, float]
    run_slope: float
    """The probability of the shorter ones is slope * processors + base."""
    run_base: float
    gap: tuple[float, float]
    """Shape (with the program's correction) and scale of gaps at the peak of the day."""
    cycle: tuple[float, float]
    """Shape and scale of arrivals over the day, in half hours."""


BATCH: Final = JobType(
    number=1,
    serial=0.2927,
    power_of_two=0.6686,
    size_low=1.2,
    size_middle=5.0,
    size_high=7.0,
    size_lower_part=0.875,
    run_first=(6.57, 0.823),
    run_second=(639.1, 0.0156),
    run_slope=-0.003,
    run_base=0.6986,
    gap=(6.0415 * 1.0519, 0.8531),
    cycle=(6.1271, 5.2740),
)
INTERACTIVE: Final = JobType(
    number=0,
    serial=0.1541,
    power_of_two=0.625,
    size_low=1.0,
    size_middle=3.0,
    size_high=5.5,
    size_lower_part=0.705,
    run_first=(3.8351, 0.6605),
    run_second=(7.073, 0.6856),
    run_slope=-0.0118,
    run_base=0.9156,
    gap=(6.5510 * 0.9797, 0.6621),
    cycle=(8.9186, 3.6680),
)
TYPELESS: Final = JobType(
    number=0,
    serial=0.244,
    power_of_two=0.576,
    size_low=0.8,
    size_middle=4.5,
    size_high=7.0,
    size_lower_part=0.86,
    run_first=(4.2, 0.94),
    run_second=(312.0, 0.03),
    run_slope=-0.0054,
    run_base=0.78,
    gap=(10.2303 * 1.0225, 0.4871),
    cycle=(8.1737, 3.9631),
)


class GeneratedJob(NamedTuple):
    """One job of a generator: arrival and run time in whole seconds."""

    arrival: int
    processors: int
    run_time: int
    type: int


def types_for(hosts: int, *, typed: bool = False) -> tuple[JobType, ...]:
    """The types of jobs, adapted to a machine of so many processors as the authors advise.

    The largest size becomes the machine's and the middle lies 2.5 below (in log2); interactive jobs stay 1.5 below
    the largest, as in the authors' own constants for 128.
    """
    high = log2(hosts)

    def adapted(kind: JobType, below: float) -> JobType:
        top = max(high - below, kind.size_low)
        return kind._replace(size_high=top, size_middle=max(min(top - 2.5, top), kind.size_low))

    if not typed:
        return (adapted(TYPELESS, 0.0),)
    if hosts == 1 << 7:
        return BATCH, INTERACTIVE
    return adapted(BATCH, 0.0), adapted(INTERACTIVE, 1.5)


class _Arrivals:
    """When jobs of one type arrive: gaps at the peak, stretched by the cycle of the day."""

    def __init__(self, source: RandomSource, kind: JobType, start_hour: int) -> None:
        self.kind = kind
        self.clock = 0
        """Seconds since the start, whole: the program cuts them each time."""
        self._source = source
        self._weights = _weights(kind)
        self._bucket = 2 * start_hour % _BUCKETS
        self._points = 0.0
        self._within = 0.0
        """How much of the present half hour has passed."""

    def advance(self) -> None:
        """To the next arrival."""
        while (drawn := gamma(self._source, *self.kind.gap)) > _LONGEST_LOG_GAP:
            pass
        self._points += exp(drawn) / _BUCKET_SECONDS
        gap = 0.0
        while self._points > self._weights[self._bucket]:
            self._points -= self._weights[self._bucket]
            self._bucket = (self._bucket + 1) % _BUCKETS
            gap += _BUCKET_SECONDS
        within = self._points / self._weights[self._bucket]
        gap += _BUCKET_SECONDS * (within - self._within)
        self._within = within
        self.clock = int(self.clock + gap)


def _weights(kind: JobType) -> list[float]:
    """How many arrivals each half hour of the day has, 1 on average."""
    weights = [0.0] * _BUCKETS
    for place in range(_DAY_STARTS_AT, _DAY_STARTS_AT + _BUCKETS):
        above, below = gamma_cdf(place + 0.5, *kind.cycle), gamma_cdf(place - 0.5, *kind.cycle)
        weights[(place - 1) % _BUCKETS] = above - below
    mean = sum(weights) / _BUCKETS
    return [weight / mean for weight in weights]


def jobs_of(types: tuple[JobType, ...], source: RandomSource, *, start_hour: int = 0) -> Iterator[GeneratedJob]:
    """Jobs without end, in order of arrival; the types are (one for all) or (batch, interactive).

    ``start_hour``: the hour of the day at which the workload starts.
    """
    if len(types) == 1:
        _Arrivals(source, types[0], start_hour).advance()  # the program draws for the type that then never comes
    streams = [_Arrivals(source, kind, start_hour) for kind in types]
    for stream in streams:
        stream.advance()
    while True:
        stream = streams[0] if len(streams) == 1 or streams[0].clock < streams[1].clock else streams[1]
        arrival = stream.clock
        stream.advance()
        processors = _size(source, stream.kind)
        yield GeneratedJob(arrival, processors, _run_time(source, stream.kind, processors), stream.kind.number)


def _size(source: RandomSource, kind: JobType) -> int:
    drawn = source.random()
    if drawn <= kind.serial:
        return 1
    lower = source.random() <= kind.size_lower_part
    start, stop = (kind.size_low, kind.size_middle) if lower else (kind.size_middle, kind.size_high)
    power = start + (stop - start) * source.random()
    if drawn <= kind.serial + kind.power_of_two:
        power = float(int(power + 0.5))
    return int(2**power + 0.5)


def _run_time(source: RandomSource, kind: JobType, processors: int) -> int:
    shorter = min(1.0, max(0.0, kind.run_slope * processors + kind.run_base))
    while True:
        shape, scale = kind.run_first if source.random() <= shorter else kind.run_second
        if (drawn := gamma(source, shape, scale)) <= _LONGEST_LOG_RUN:
            return int(exp(drawn))
