"""batsched's energy_bf_idle_sleeper and energy_bf_subpart_sleeper (spec: schedulers.md sections 6.6 and 6.7)."""

from typing import Annotated, ClassVar

from msgspec import Meta

from windtunnel.schedulers.batsched.energy_easy import EnergyEasy
from windtunnel.schedulers.batsched.energy_load import InertialOptions
from windtunnel.schedulers.batsched.energy_options import EnergyOptions
from windtunnel.schedulers.batsched.rationals import exact

__all__ = ["EnergyIdleSleeper", "EnergySubpartSleeper"]


class EnergyIdleSleeper(EnergyEasy):
    """EASY backfilling; once a period, hosts idle for at least ``idle_time_to_sedate`` seconds are put to sleep."""

    name = "batsched/energy_bf_idle_sleeper"

    def _stage(self, date: float) -> None:
        when = exact(date)
        self._advance(date)
        plan = self._plan = self._profile.copy()
        self._prio = self._queue[0][2] if self._queue else None
        self._update_idle(when)
        chosen = self._idle_to_sedate(when, self._awake_soon())
        self._to_sedate |= chosen
        self._by_idleness += chosen.bit_count()
        self._switch(plan)


class SubpartOptions(InertialOptions, frozen=True, kw_only=True):
    """``fraction_of_machines_to_let_awake``: the hosts of that part of the machine never sleep all at once."""

    fraction_of_machines_to_let_awake: Annotated[float, Meta(ge=0, le=1)]


class EnergySubpartSleeper(EnergyEasy):
    """EASY backfilling; once a period, all hosts beyond a fraction of the machine are put to sleep."""

    name = "batsched/energy_bf_subpart_sleeper"
    Options: ClassVar[type[EnergyOptions]] = SubpartOptions

    def _stage(self, date: float) -> None:
        options = self.energy
        assert isinstance(options, SubpartOptions)
        when = exact(date)
        self._advance(date)
        self._plan = self._profile.copy()
        if self._to_sedate:
            self._drop(self._to_sedate.bit_count())
            self._to_sedate = 0
        keep = int(options.fraction_of_machines_to_let_awake * self._n)
        self._prio = self._queue[0][2] if self._queue else None
        reserved, hole = (0, 0) if self._prio is None else self._place_of(self._prio)
        if self._prio is None or reserved:
            self._sedate_surplus(keep, hole)
        self._switch_off_now()
        self._update_idle(when)
        self._sedate_idle(when, (self._awake | self._switching_on | self._to_awaken) & ~self._to_sedate)
        surplus = self._by_idleness - keep
        if surplus > 0:
            self._by_idleness -= surplus
            self._by_inertia += surplus

    def _sedate_surplus(self, keep: int, hole: int) -> None:
        if self._prio is not None:
            keep = max(keep, self._prio.size)
        awake_soon = self._awake_soon()
        count = awake_soon.bit_count() - keep
        if count <= 0:
            return
        moved = min(self._by_idleness, count)
        self._by_inertia += moved
        self._by_idleness -= moved
        chosen = self._choose_to_sedate(self._plan, count, awake_soon, hole)
        self._to_sedate |= chosen
        self._by_inertia += chosen.bit_count()

    def _switch_off_now(self) -> None:
        sedated, _ = self._queued(self._plan, self._to_sedate, 0)
        self._to_sedate &= ~sedated
        self._apply(self._plan, call=False)
