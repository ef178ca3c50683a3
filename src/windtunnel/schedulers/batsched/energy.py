"""batsched's energy family: hosts that are switched off while idle, planned as fake jobs (spec: section 6)."""

from collections.abc import Iterator
from typing import Any, ClassVar, Final, Literal

from windtunnel.diagnostics import UsageError
from windtunnel.model import HostSet
from windtunnel.schedulers.batsched.energy_options import EnergyOptions
from windtunnel.schedulers.batsched.loop import Batsched, Waiting
from windtunnel.schedulers.batsched.profile import AvailabilityProfile, lowest_bits
from windtunnel.schedulers.batsched.rationals import HORIZON, Exact, exact, nearest
from windtunnel.vocabulary import (
    CallMeLater,
    HostsPStateChanged,
    HostsTurnedOnOff,
    Mirror,
    Notice,
    OneShot,
    ResourceStateChanged,
    SetResourceState,
    SimulationBegins,
)

__all__ = [
    "FAKE",
    "EnergyScheduler",
    "hosts_of",
    "state_of",
]

FAKE: Final = "fakejob_"
"""How the ids of fake jobs begin; ``fakejob_son_3`` is host 3 being switched on."""

State = Literal["son", "soff", "esleep", "psleep"]
"""Being switched on or off; asleep and not to be woken; asleep and to be woken when needed."""


def name(state: State, host: int) -> str:
    """The id of a fake job."""
    return f"{FAKE}{state}_{host}"


def state_of(job_id: str) -> tuple[str, int] | None:
    """State and host of a fake job; None for a real one."""
    if not job_id.startswith(FAKE):
        return None
    state, _, host = job_id[len(FAKE) :].partition("_")
    return state, int(host)


def hosts_of(bits: int) -> Iterator[int]:
    """The hosts in a bit set, ascending."""
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low


class EnergyScheduler(Batsched):
    """State and moves that the family shares. Host sets are bits."""

    Options: ClassVar[type[EnergyOptions]] = EnergyOptions

    def __init__(self, **options: Any) -> None:
        energy = self.energy = self.Options(**options)
        if energy.power_idle <= energy.power_sleep:
            raise UsageError(f"scheduler {self.name!r}: power_idle must be more than power_sleep")
        super().__init__(queue_order=energy.queue_order, rjms_delay=energy.rjms_delay)

    def _reset(self) -> None:
        super()._reset()
        energy = self.energy
        delay = exact(self.rjms_delay)
        self._son = exact(energy.time_switch_on) + delay
        self._soff = exact(energy.time_switch_off) + delay
        self._esleep = exact(energy.ensured_sleep())
        self._profile = AvailabilityProfile(0, 0)
        self._non_wakable = 0  # by the plan: hosts that have not slept for long enough yet
        self._known = self._finished = self._calls = self._call_ids = 0

    def _mirror(self) -> Mirror:
        return Mirror(availability=False, sleep_state=self.energy.pstate_sleep)

    @property
    def _awake(self) -> int:
        return (1 << self._n) - 1 & ~self.site.absent.bits

    @property
    def _asleep(self) -> int:
        return self.site.asleep.bits

    @property
    def _switching_on(self) -> int:
        return self.site.waking.bits

    @property
    def _switching_off(self) -> int:
        return self.site.dozing.bits

    def _on_begin(self, notice: SimulationBegins) -> None:
        self._profile = AvailabilityProfile(self._n, exact(notice.timestamp))

    # Moves in a profile

    def _sleep_from(self, plan: AvailabilityProfile, host: int, date: Exact) -> None:
        bits = 1 << host
        stop = date
        if self._esleep > 0:
            stop = plan.place(name("esleep", host), bits, self._esleep, plan.slice_at(date))
        if stop < HORIZON:
            plan.place(name("psleep", host), bits, HORIZON - stop, plan.slice_at(date))

    def _sedate(self, plan: AvailabilityProfile, host: int, first: int) -> Exact:
        """Switch a host off as early as it is free from a slice on; when that begins."""
        stop = plan.place(name("soff", host), 1 << host, self._soff, first)
        self._sleep_from(plan, host, stop)
        return stop - self._soff

    def _awaken(self, plan: AvailabilityProfile, host: int, date: Exact | None) -> Exact:
        """Switch a host on at a date in its last potential sleep (None: at its begin); when that begins."""
        begin = plan.remove_last(name("psleep", host))
        if begin is None:
            raise self._fault(f"host {host} does not sleep and cannot be woken")
        if date is not None and date > begin:
            plan.place(name("psleep", host), 1 << host, date - begin, plan.slice_at(begin))
        stop = plan.place(name("son", host), 1 << host, self._son, plan.slice_at(begin))
        return stop - self._son

    def _earliest_wake(self, plan: AvailabilityProfile, hosts: int) -> Exact:
        ids = [name("psleep", host) for host in hosts_of(hosts)]
        for k in range(len(plan) - 2, -1, -1):
            jobs = plan.jobs[k]
            if any(job_id not in jobs for job_id in ids):
                return plan.end(k)
        return plan.begins[0]

    def _sedate_late(self, plan: AvailabilityProfile, hosts: int) -> Exact:
        """Put hosts to sleep as soon as they stay idle indefinitely; when the last of them is switched off."""
        left = hosts & plan.free[-1]
        date = HORIZON
        for k in range(len(plan) - 1, -1, -1):
            used = 0
            for job_id, bits in plan.jobs[k].items():
                state = state_of(job_id)
                if state is None or state[0] == "son":
                    used |= bits
            used &= left
            if used:
                date = plan.end(k)
                for host in hosts_of(used):
                    self._sedate(plan, host, k)
                left &= ~used
        if left:
            date = plan.begins[0]
            for host in hosts_of(left):
                self._sedate(plan, host, 0)
        return date

    def _sleeping(self, plan: AvailabilityProfile, k: int, state: State = "psleep") -> int:
        """The hosts in such a fake job in a slice."""
        start = f"{FAKE}{state}_"
        bits = 0
        for job_id, hosts in plan.jobs[k].items():
            if job_id.startswith(start):
                bits |= hosts
        return bits

    def _fill(self, plan: AvailabilityProfile) -> None:
        """Plan all queued jobs, waking hosts for those that would never fit."""
        for _, _, item in self._queue:
            if plan.add(item.id, item.size, item.duration) is None:
                wanted = item.size - plan.counts[-1]
                hosts = lowest_bits(self._sleeping(plan, len(plan) - 1), wanted)
                date = self._earliest_wake(plan, hosts)
                for host in hosts_of(hosts):
                    self._awaken(plan, host, date)
                plan.add(item.id, item.size, item.duration, plan.slice_at(date))

    def _apply(self, plan: AvailabilityProfile, *, call: bool) -> None:
        """Do what begins now in a plan: switches, then jobs; or ask to be called."""
        profile = self._profile
        switched: dict[int, int] = {}
        begin = nearest(plan.begins[0])
        done = False
        for job_id in sorted(plan.jobs[0]):
            hosts = plan.jobs[0][job_id]
            fake = state_of(job_id)
            if fake is None:
                done |= self._launch(job_id, hosts, begin)
            elif fake[0] in {"son", "soff"} and job_id not in profile.jobs[0]:
                on = fake[0] == "son"
                pstate = self.energy.pstate_compute if on else self.energy.pstate_sleep
                switched[pstate] = switched.get(pstate, 0) | hosts
                (self._switch_on if on else self._switch_off)(fake[1])
        for pstate in sorted(switched):
            self._write(SetResourceState(hosts=HostSet.of_bits(switched[pstate]), state=pstate), begin)
        if call and not done and not switched and self._finished < self._known and not self._calls:
            self._call_at(nearest(profile.end(0) + exact(1.0)))

    def _launch(self, job_id: str, hosts: int, date: float) -> bool:
        k = next((k for k, entry in enumerate(self._queue) if entry[1] == job_id), None)
        if k is None:
            return False
        item: Waiting = self._queue.pop(k)[2]
        self._profile.place(job_id, hosts, item.duration)
        self._execute(item.job, HostSet.of_bits(hosts, None, item.size), date)
        return True

    def _switch_on(self, host: int) -> None:
        profile = self._profile
        bit = 1 << host
        profile.remove(name("esleep", host))
        profile.remove(name("psleep", host))
        profile.place(name("son", host), bit, self._son)
        self.site.switch(HostSet.of_bits(bit), self.energy.pstate_compute)

    def _switch_off(self, host: int) -> None:
        self._sedate(self._profile, host, 0)
        self.site.switch(HostSet.of_bits(1 << host), self.energy.pstate_sleep)

    def _call_at(self, date: float, written: float | None = None) -> None:
        self._calls += 1
        self._call_ids += 1
        self._write(CallMeLater(call_me_later_id=f"call {self._call_ids}", when=OneShot(date)), written)

    # Reading

    def _on_call(self, date: float) -> None:
        del date
        self._calls -= 1

    def _on_other(self, notice: Notice) -> None:
        if isinstance(notice, ResourceStateChanged | HostsTurnedOnOff):
            self._on_switched(notice.hosts, notice.state, exact(notice.timestamp))
        elif isinstance(notice, HostsPStateChanged):
            self._on_switched(notice.hosts, notice.pstate, exact(notice.timestamp))

    def _on_switched(self, hosts: HostSet, state: int, date: Exact) -> None:
        profile = self._profile
        if state == self.energy.pstate_compute:
            for host in hosts:
                profile.remove(name("son", host))
            return
        for host in hosts:
            profile.remove(name("soff", host))
            if any(name("esleep", host) in jobs for jobs in profile.jobs):
                self._non_wakable |= 1 << host
        for host in hosts:
            profile.remove(name("esleep", host))
            profile.remove(name("psleep", host))
            self._sleep_from(profile, host, date)

    # Deciding

    def _advance(self, now: float) -> None:
        profile = self._profile
        if profile.drop_until(exact(now)):
            self._non_wakable = self._sleeping(profile, 0, "esleep")

    def _take_ended(self) -> None:
        for notice in self._ended:
            self._profile.remove(notice.job.id)
            self._finished += 1

    def _take_released(self) -> list[Waiting]:
        self._known += len(self._released)
        admitted = self._admit()
        self._finished += len(self._released) - len(admitted)
        return admitted
