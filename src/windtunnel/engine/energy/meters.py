"""Energy meters of hosts: the exact integral, or SimGrid's readings (execution-model.md 3, decisions.md 25).

A meter is told the load of its host whenever that changes, and integrates power over time when it must, not at every
step. SimGrid's meters notice less: they look only at certain moments (``touch``) and charge the whole time since the
last one at the load of now. Pure bookkeeping: whoever runs the hosts calls it.
"""

import math
from collections.abc import Iterable, Mapping, Sequence

from mypy_extensions import mypyc_attr

from windtunnel.diagnostics import UsageError
from windtunnel.model.host import Host, PowerState

__all__ = ["Meters", "SimgridMeters", "watts"]


def watts(state: PowerState, cores: int, load: float) -> float:
    """What a host draws in a power state, with ``load`` flop/s in use on its ``cores`` cores.

    Idle without load; otherwise from epsilon to full, linearly in the share of all cores that is in use. A state
    without speed counts as fully loaded, as in SimGrid.

    Raises:
        UsageError: The state has no watts.
    """
    if state.idle is None or state.full is None:
        raise UsageError("the energy of a host was requested whose power states have no watts")
    share = min(1.0, load / state.speed / cores) if state.speed > 0.0 else 1.0
    if share <= 0.0:
        return state.idle
    epsilon = state.idle if state.epsilon is None else state.epsilon
    return epsilon + share * (state.full - epsilon)


@mypyc_attr(allow_interpreted_subclasses=True)
class Meters:
    """One meter per host, by host id; joules since the start, exact.

    Hosts without watts may be there as long as nobody reads them (``metered`` says which have them).
    """

    def __init__(self, hosts: Sequence[Host], now: float = 0.0) -> None:
        self.states = [host.pstates for host in hosts]
        self.cores = [host.cores for host in hosts]
        self.watts_off = [host.watts_off for host in hosts]
        self.metered = [all(s.idle is not None and s.full is not None for s in host.pstates) for host in hosts]
        self.pstates = [host.pstate for host in hosts]
        self.off = [False] * len(hosts)
        self.loads = [0.0] * len(hosts)
        self.joules = [0.0] * len(hosts)
        self.since = [now] * len(hosts)

    def power(self, host: int) -> float:
        """Watts drawn now.

        Raises:
            UsageError: The host has no watts.
        """
        if self.off[host]:
            return self.watts_off[host]
        return watts(self.states[host][self.pstates[host]], self.cores[host], self.loads[host])

    def read(self, now: float, host: int) -> float:
        """Joules since the start.

        Raises:
            UsageError: The host has no watts.
        """
        if not self.metered[host]:
            raise UsageError(f"host {host} has no power states with watts, so its energy is not known")
        self._charge(now, host)
        return self.joules[host]

    def total(self, now: float, hosts: Iterable[int]) -> float:
        """Joules of several hosts together."""
        return math.fsum(self.read(now, host) for host in hosts)

    def set_loads(self, now: float, loads: Mapping[int, float]) -> None:
        """The flop/s in use have changed on some hosts (``System.changed_loads``)."""
        for host, load in loads.items():
            self._charge(now, host)
            self.loads[host] = load

    def set_pstate(self, now: float, host: int, pstate: int) -> None:
        """The host goes over to another power state."""
        self._charge(now, host)
        self.pstates[host] = pstate

    def set_off(self, now: float, host: int, off: bool) -> None:
        """The host is switched off or on."""
        self._charge(now, host)
        self.off[host] = off

    def touch(self, now: float, hosts: Iterable[int]) -> None:
        """Something happened on hosts at which SimGrid looks at its meters; an exact one does not care.

        That is: the end or cancellation of whatever runs on the host (tasks, also without flops there, and sleeps of
        the processes on it), and the start of a task that has this host alone.
        """

    def _charge(self, now: float, host: int) -> None:
        if self.metered[host]:
            self.joules[host] += self.power(host) * (now - self.since[host])
        self.since[host] = now


@mypyc_attr(allow_interpreted_subclasses=True)
class SimgridMeters(Meters):
    """Meters that charge the time since they were last looked at by the load that they then find.

    A task that starts on several hosts, the end of a latency and a change of rate by others go unnoticed, as in
    SimGrid: a host idle until 4 s and busy until 6 s is charged as busy for 6 s, if nobody looked at 4 s.
    """

    def set_loads(self, now: float, loads: Mapping[int, float]) -> None:
        """The load after SimGrid's last solve: it counts from the last look on, not from now."""
        del now
        for host, load in loads.items():
            self.loads[host] = load

    def touch(self, now: float, hosts: Iterable[int]) -> None:
        """Charge what has passed by the load after the last solve; call it before loads are set."""
        for host in hosts:
            self._charge(now, host)
