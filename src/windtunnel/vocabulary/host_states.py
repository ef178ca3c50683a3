"""Which hosts are there: what the mirror of the site keeps of their availability and power states."""

from collections.abc import Sequence
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.model import Host, HostSet
from windtunnel.vocabulary.held import Held
from windtunnel.vocabulary.held_hosts import HeldHosts
from windtunnel.vocabulary.site_notices import HostsBecameAvailable, HostsBecameUnavailable
from windtunnel.vocabulary.sleeping import can_compute
from windtunnel.vocabulary.waiting import JobQueue

__all__ = ["HostStates"]

_NONE: Final = HostSet()


@mypyc_attr(allow_interpreted_subclasses=True)
class HostStates(HeldHosts):
    """Hosts that are unavailable, asleep or being switched leave ``free`` until they are back.

    Args:
        queue: where jobs wait that others may take.
        follow_hosts: whether it is kept up which hosts jobs have.
        sleep_state: the power state in which hosts sleep; default: the platform's.
    """

    __slots__ = ("asleep", "dozing", "hosts", "promised", "size", "sleep_state", "switched", "waking")

    def __init__(self, queue: JobQueue | None, follow_hosts: bool, sleep_state: int | None) -> None:
        super().__init__(queue, follow_hosts)
        self.sleep_state = sleep_state
        self.hosts: Sequence[Host] = ()
        self.size = 0
        """The number of hosts."""
        self.asleep = _NONE
        self.waking = _NONE
        """Hosts that are being switched on."""
        self.dozing = _NONE
        """Hosts that are being switched off."""
        self.promised: dict[tuple[int, ...], Held] = {}
        """Hosts that are being switched, and when they should be usable, if the scheduler has said so."""
        self.switched: list[tuple[HostSet, int, Held | None]] = []
        """Hosts that have reached a power state (news of the last message), and what was promised about them."""

    def switch(self, hosts: HostSet, state: int) -> None:
        """Note a requested power state; hosts that sleep, or will, are not free until they are awake."""
        known = [host for host in hosts if host < self.size]
        off = HostSet(host for host in known if self._sleeps(host, state))
        on = (HostSet(known) - off) & (self.asleep | self.dozing)
        self.asleep -= hosts
        self.waking = (self.waking - off) | on
        self.dozing = (self.dozing - on) | off
        self._update()

    def promise(self, hosts: HostSet, usable: float) -> None:
        """Note when a group of hosts that are being switched should be usable (s)."""
        self._rank = rank = self._rank + 1
        held = self.promised[tuple(hosts)] = Held()
        held.hosts = hosts
        held.start = self.now
        held.end = usable
        held.rank = rank
        self._await(usable, rank, hosts.size, held)

    def _keep_promise(self, hosts: HostSet) -> Held | None:
        """Hosts have been switched, or will not be after all."""
        if not self.promised:
            return None
        held = self.promised.pop(tuple(hosts), None)
        if held is not None:
            del self.ends[self._place(held)]
        return held

    def _sleeps(self, host: int, state: int) -> bool:
        """Whether a host cannot compute in a power state."""
        if self.sleep_state is not None:
            return state == self.sleep_state and len(self.hosts[host].pstates) > 0
        about = self.hosts[host]
        return bool(about.sleep_pstates or about.properties) and not can_compute(about, state)

    def _availability(self, notice: HostsBecameAvailable | HostsBecameUnavailable) -> None:
        if isinstance(notice, HostsBecameAvailable):
            self.unavailable -= notice.hosts
        else:
            self.unavailable |= notice.hosts
        self._update()
        self.changed = self.shifted = self._further = True

    def _switched(self, hosts: HostSet, state: int) -> None:
        """Hosts have arrived at a power state."""
        self._further = True
        promised = self._keep_promise(hosts)
        self.switched.append((hosts, state, promised))
        asleep = HostSet(host for host in hosts if host < self.size and self._sleeps(host, state))
        self.waking -= hosts
        self.dozing -= hosts
        self.asleep = (self.asleep - hosts) | asleep
        self._update()

    def _update(self) -> None:
        """Which hosts are out has changed: they leave ``free``, and come back to it unless a job has them."""
        before, now = self.absent, self.unavailable | self.asleep | self.waking | self.dozing
        gone, back = now - before, before - now
        if not gone and not back:
            return
        self.absent = now
        self._find_plain()
        idle = gone & self.free.frozen()
        self.free -= idle
        met = self._busy_absent & back
        self._busy_absent = (self._busy_absent | (gone - idle)) - back
        self.free |= back - met
        self.changed = self.shifted = self._further = True
        if met or len(idle) < len(gone):
            self.ends = [(end, rank, self._frees(held), held) for end, rank, _, held in self.ends]

    def left_of(self, host: int) -> dict[str, float]:
        """What is left of each resource of a host: nothing if it is unavailable or taken whole."""
        left = self.shares.left_on(host)
        if left is None:
            whole = self.shares.whole(host)
            return whole if host in self.free else dict.fromkeys(whole, 0.0)
        return dict.fromkeys(left, 0.0) if host in self.absent else left.copy()
