"""batsched's energy_bf_monitoring_inertial (spec: schedulers.md section 6.5)."""

from fractions import Fraction

from windtunnel.schedulers.batsched.energy_easy import EnergyEasy
from windtunnel.schedulers.batsched.profile import AvailabilityProfile
from windtunnel.schedulers.batsched.rationals import exact

__all__ = ["EnergyInertial"]


class EnergyInertial(EnergyEasy):
    """EASY backfilling whose number of sleeping hosts follows the load: once a period it goes on waking (or putting
    to sleep) more and more hosts while the liquid load horizon grows (or does not).
    """

    name = "batsched/energy_bf_monitoring_inertial"

    def _stage(self, date: float) -> None:
        when = exact(date)
        self._advance(date)
        self._measure(when)
        plan = self._plan = self._profile.copy()
        if self._to_sedate:
            self._drop(self._to_sedate.bit_count())
            self._to_sedate = 0
        self._prio = self._queue[0][2] if self._queue else None
        reserved, hole = (0, 0) if self._prio is None else self._place_of(self._prio)
        missing = self._prio is not None and not reserved
        if self._awakens is None:
            self._awakens = True
        elif not missing:
            self._inertia(plan, reserved, hole)
        if self._prio is not None and not missing:
            plan.add(self._prio.id, self._prio.size, self._prio.duration)
        self._previous, self._integral = self._integral, Fraction(0)
        self._switch(plan)
        if missing and self._prio is not None:
            plan.add(self._prio.id, self._prio.size, self._prio.duration)
        self._update_idle(when)
        self._sedate_idle(when, self._awake_soon())
        self._remember(when)

    def _more(self, count: int) -> int:
        kind, amount = self.inertial.inertial_alteration[0], Fraction(self.inertial.inertial_alteration[1:])
        return max(int(count * amount if kind == "x" else count + amount), 1)

    def _inertia(self, plan: AvailabilityProfile, reserved: int, hole: int) -> None:
        options = self.inertial
        if self._integral / (exact(options.monitoring_period)) >= exact(options.upper_llh_threshold):
            self._awakens = True
            self._previous = Fraction(0)
        if self._awakens:
            if self._integral > self._previous:
                self._wake_more(plan)
            else:
                self._awakens = False
        elif self._integral <= self._previous:
            self._sedate_more(plan, reserved, hole)
        else:
            self._awakens = True

    def _wake_more(self, plan: AvailabilityProfile) -> None:
        candidates = self._asleep & ~self._to_awaken
        if not self.inertial.allow_future_switches:
            candidates &= ~self._non_wakable
        count = min(self._more(self._lately_awakened.bit_count()), candidates.bit_count())
        self._to_awaken |= self._choose_to_awaken(plan, count, candidates)
        self._drop(count)

    def _sedate_more(self, plan: AvailabilityProfile, reserved: int, hole: int) -> None:
        candidates = self._awake & ~self._to_sedate
        if not self.inertial.allow_future_switches:
            candidates &= plan.free[0]
        most = candidates.bit_count()
        if self._prio is not None:
            most = max(0, most - reserved.bit_count())
        count = min(self._more(self._lately_sedated.bit_count()), most)
        if count <= 0:
            return
        steal = min(self._by_idleness, count)
        chosen = self._choose_to_sedate(plan, count, candidates, hole) if count > steal else 0
        self._by_inertia += chosen.bit_count() + steal
        self._by_idleness -= steal
        self._to_sedate |= chosen
