"""The load over time, which batsched's energy schedulers measure and trace (spec: schedulers.md section 6.5)."""

from fractions import Fraction
from math import inf
from typing import Annotated, ClassVar

from msgspec import Meta

from windtunnel.schedulers.batsched.energy_bf import Monitoring, MonitoringOptions
from windtunnel.schedulers.batsched.energy_options import EnergyOptions, NonNegative, Seconds
from windtunnel.schedulers.batsched.liquid import Trace, horizon, load
from windtunnel.schedulers.batsched.profile import AvailabilityProfile
from windtunnel.schedulers.batsched.rationals import Exact, nearest

__all__ = ["InertialOptions", "MeasuredLoad"]

Alteration = Annotated[str, Meta(pattern=r"^[xp][0-9]+(\.[0-9]+)?$")]


class InertialOptions(MonitoringOptions, frozen=True, kw_only=True):
    """``trace_output_filename``: a CSV file of the load over time. ``inertial_alteration``: how the number of hosts
    switched grows from stage to stage, ``x2`` (times) or ``p2`` (plus).
    """

    trace_output_filename: str
    allow_future_switches: bool = True
    upper_llh_threshold: NonNegative = 1e100
    inertial_alteration: Alteration = "x2"
    idle_time_to_sedate: Seconds = 1e18
    sedate_idle_on_classical_events: bool = False


class MeasuredLoad(Monitoring):
    """The integral of the liquid load horizon of what is planned and waits, and its trace."""

    Options: ClassVar[type[EnergyOptions]] = InertialOptions
    file_options = frozenset({"trace_output_filename"})

    @property
    def inertial(self) -> InertialOptions:
        """The options."""
        options = self.energy
        assert isinstance(options, InertialOptions)
        return options

    def _reset(self) -> None:
        super()._reset()
        self._plan = AvailabilityProfile(0, 0)
        self._integral = self._previous = self._liquid = Fraction(0)
        self._measured: Exact = 0
        self._trace = Trace(
            self.inertial.trace_output_filename, "first_job_size", "priority_job_expected_waiting_time"
        )

    def stop(self) -> None:
        """Write the rest of the trace."""
        self._trace.flush()

    def _measure(self, date: Exact) -> None:
        """The integral of the liquid load horizon, up to now."""
        waiting = load(item for _, _, item in self._queue)
        liquid = horizon(self._plan, waiting, date)
        passed = date - self._measured
        self._integral += (self._liquid + liquid) / 2 * passed
        self._note(nearest(date) - min(1e-6, nearest(passed) / 2), waiting, liquid, date)

    def _remember(self, date: Exact) -> None:
        waiting = load(item for _, _, item in self._queue)
        self._liquid = horizon(self._plan, waiting, date)
        self._measured = date
        self._note(nearest(date), waiting, self._liquid, date)

    def _note(self, when: float, waiting: Exact, liquid: Fraction, now: Exact) -> None:
        first = wait = "NA"
        if self._queue:
            head = self._queue[0][2]
            first = str(head.size)
            begin = next((self._plan.begins[k] for k, jobs in enumerate(self._plan.jobs) if head.id in jobs), None)
            wait = f"{inf if begin is None else nearest(begin - now):g}"
        self._trace.add(when, len(self._queue), first, wait, waiting=waiting, liquid=liquid)
