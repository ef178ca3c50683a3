"""batsched's energy_bf, energy_bf_monitoring and energy_bf_dicho (spec: schedulers.md sections 6.2 to 6.4)."""

from fractions import Fraction
from typing import Any, ClassVar, Literal

from windtunnel.schedulers.batsched.energy import EnergyScheduler, hosts_of, name, state_of
from windtunnel.schedulers.batsched.energy_options import EnergyOptions, NonNegative, PositiveSeconds
from windtunnel.schedulers.batsched.profile import AvailabilityProfile, lowest_bits
from windtunnel.schedulers.batsched.rationals import Exact, exact
from windtunnel.vocabulary import JobSubmitted

__all__ = ["EnergyBf", "EnergyDicho", "EnergyMonitoring", "Monitoring", "MonitoringOptions"]


class EnergyBf(EnergyScheduler):
    """Conservative backfilling planned anew at each message; hosts are woken only for a job that would never fit
    otherwise, and put to sleep as soon as nothing is planned for them.
    """

    name = "batsched/energy_bf"

    def _decide(self, now: float) -> None:
        self._take_ended()
        self._take_released()
        self._advance(now)
        plan = self._profile.copy()
        self._fill(plan)
        self._sedate_late(plan, self._awake)
        self._apply(plan, call=True)


class MonitoringOptions(EnergyOptions, frozen=True, kw_only=True):
    """``monitoring_period`` (s): how often the stage of the algorithm comes."""

    monitoring_period: PositiveSeconds
    output_dir: str = "."
    """batsched's; nothing is written there."""


class Monitoring(EnergyScheduler):
    """Asks to be called every period, from the first job on, until ``_stop``."""

    Options: ClassVar[type[EnergyOptions]] = MonitoringOptions

    def _reset(self) -> None:
        super()._reset()
        self._monitors = False
        self._stop = False

    @property
    def _period(self) -> float:
        options = self.energy
        assert isinstance(options, MonitoringOptions)
        return options.monitoring_period

    def _on_submission(self, notice: JobSubmitted) -> None:
        if not self._monitors:
            self._monitors = True
            self._call_at(notice.timestamp + self._period, notice.timestamp)

    def _on_call(self, date: float) -> None:
        super()._on_call(date)
        if self._over:
            return
        self._stage(date)
        if not self._stop:
            self._call_at(date + self._period, date)

    def _stage(self, date: float) -> None:
        """What is done once a period."""


class EnergyMonitoring(Monitoring, EnergyBf):
    """energy_bf that is called every ``monitoring_period`` seconds and does nothing then; it never lets the
    simulation end.
    """

    name = "batsched/energy_bf_monitoring"


class DichoOptions(EnergyOptions, frozen=True, kw_only=True):
    """``tolerated_slowdown_loss_ratio``: how much worse the mean slowdown may get; ``comparison_type``: what it is
    compared with, a plan without sleep or one in which all sleeping hosts are woken.
    """

    tolerated_slowdown_loss_ratio: NonNegative
    comparison_type: Literal["remove_sleep_jobs", "switch_on"] = "remove_sleep_jobs"


class EnergyDicho(EnergyScheduler):
    """Looks by bisection for how many hosts to put to sleep (or to wake) such that energy is least while the mean
    slowdown of what is planned stays within a tolerance.
    """

    name = "batsched/energy_bf_dicho"
    Options: ClassVar[type[EnergyOptions]] = DichoOptions

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        energy = self.energy
        self._watts = {
            "son": Fraction(energy.energy_switch_on) / Fraction(energy.time_switch_on),
            "soff": Fraction(energy.energy_switch_off) / Fraction(energy.time_switch_off),
            "esleep": Fraction(energy.power_sleep),
            "psleep": Fraction(energy.power_sleep),
        }

    def _reset(self) -> None:
        super()._reset()
        self._submitted: dict[str, Exact] = {}

    def _on_submission(self, notice: JobSubmitted) -> None:
        self._submitted[notice.job.id] = exact(notice.timestamp)

    def _decide(self, now: float) -> None:
        for notice in self._ended:
            self._submitted.pop(notice.job.id, None)
        self._take_ended()
        self._take_released()
        self._advance(now)
        options = self.energy
        assert isinstance(options, DichoOptions)
        bound = self._slowdown(self._awake_plan()) * Fraction(options.tolerated_slowdown_loss_ratio)
        online = self._profile.copy()
        self._fill(online)
        if self._slowdown(online) <= bound:
            best = self._most_to_sedate(online, bound)
        else:
            best = self._fewest_to_wake(online, bound)
        self._apply(best, call=True)

    def _awake_plan(self) -> AvailabilityProfile:
        """What would be planned if no host slept."""
        plan = self._profile.copy()
        options = self.energy
        assert isinstance(options, DichoOptions)
        for host in hosts_of(self._asleep_now()):
            if options.comparison_type == "switch_on":
                self._awaken(plan, host, self._earliest_wake(plan, 1 << host))
                continue
            for job_id in (name("esleep", host), name("psleep", host)):
                while plan.remove(job_id) is not None:
                    pass
        self._fill(plan)
        return plan

    def _asleep_now(self) -> int:
        return self._sleeping(self._profile, 0) | self._sleeping(self._profile, 0, "esleep")

    def _slowdown(self, plan: AvailabilityProfile) -> Fraction:
        """Mean of turnaround over duration of the real jobs planned; 0 if there are none."""
        first: dict[str, Exact] = {}
        last: dict[str, Exact] = {}
        for k, jobs in enumerate(plan.jobs):
            for job_id in jobs:
                if state_of(job_id) is None:
                    first.setdefault(job_id, plan.begins[k])
                    last[job_id] = plan.end(k)
        total = Fraction(0)
        for job_id, begin in first.items():
            total += Fraction(last[job_id] - self._submitted[job_id], last[job_id] - begin)
        return total / len(first) if first else Fraction(0)

    def _most_to_sedate(self, online: AvailabilityProfile, bound: Fraction) -> AvailabilityProfile:
        free = self._profile.free[0]

        def sedated(count: int) -> AvailabilityProfile:
            plan = self._profile.copy()
            for host in hosts_of(lowest_bits(free, count)):
                self._sedate(plan, host, 0)
            self._fill(plan)
            return plan

        best, best_count = online, 0
        low, high = 1, free.bit_count()
        while low < high:
            count = (low + high) // 2
            plan = sedated(count)
            if self._slowdown(plan) > bound:
                high = count - 1
                continue
            if self._is_better(plan, best, preferred=count > best_count):
                best, best_count = plan, count
            low = count + 1
        return best

    def _fewest_to_wake(self, online: AvailabilityProfile, bound: Fraction) -> AvailabilityProfile:
        wakable = self._sleeping(self._profile, 0)
        best, best_count = online, 0
        low, high = 1, wakable.bit_count()
        while low < high:
            count = (low + high) // 2
            plan = self._profile.copy()
            for host in hosts_of(lowest_bits(wakable, count)):
                self._awaken(plan, host, self._earliest_wake(plan, 1 << host))
            self._fill(plan)
            if self._slowdown(plan) > bound:
                low = count + 1
                continue
            if self._is_better(plan, best, preferred=count < best_count):
                best, best_count = plan, count
            high = count - 1
        return best

    def _is_better(self, plan: AvailabilityProfile, best: AvailabilityProfile, *, preferred: bool) -> bool:
        """Whether a plan takes less energy, or as much and is preferred by its count."""
        horizon = max(plan.begins[-1], best.begins[-1])
        ours, theirs = self._joules(plan, horizon), self._joules(best, horizon)
        return ours < theirs or (ours == theirs and preferred)

    def _joules(self, plan: AvailabilityProfile, horizon: Exact) -> Fraction:
        """Energy of a plan up to a date, in units of the exact dates."""
        compute, idle = Fraction(self.energy.power_compute), Fraction(self.energy.power_idle)
        total = Fraction(0)
        for k, jobs in enumerate(plan.jobs):
            begin = plan.begins[k]
            if begin >= horizon:
                break
            watts = idle * plan.counts[k]
            for job_id, hosts in jobs.items():
                fake = state_of(job_id)
                watts += compute * hosts.bit_count() if fake is None else self._watts[fake[0]]
            total += watts * (min(plan.end(k), horizon) - begin)
        return total
