"""The subsystems of a simulation as they are while nobody needs them: they keep nothing, and nothing comes of them.

The world has one of each, always. Those that are simulated derive from these and stand on the floors above
(``sharing``, ``energy``, ``probes``, ``site``); whoever calls one need not know which it is.
"""

# ruff: noqa: ARG002 -- what is not there looks at nothing

from collections.abc import Iterable, Mapping, Sequence
from math import inf

from mypy_extensions import mypyc_attr

from windtunnel.model import HostSet, JobRecord

__all__ = ["Conditions", "Energy", "Gauges", "Sharing"]


@mypyc_attr(allow_interpreted_subclasses=True)
class Sharing:
    """Hosts and links while no task uses any. Hosts are numbered as in the platform, storages follow."""

    def __init__(self) -> None:
        self.changed = False
        """Whether something has happened since rates and loads were settled last."""

    def settle(self) -> None:
        """After what happened at this instant: let rates and loads follow, and plan the next event."""

    def next_event(self) -> float:
        """The date (s) of the next end of a task or of a latency; infinite when nothing moves."""
        return inf

    def set_speed(self, hosts: Sequence[int], speed: float) -> None:
        """Hosts go over to power states of another speed (flop/s of a core)."""

    def watch_loads(self) -> None:
        """Take note of the loads that change, from now on."""

    def watch_traffic(self) -> None:
        """Take note of what hosts and links carry, from now on."""

    def changed_traffic(self) -> tuple[Iterable[int], Iterable[int]]:
        """The hosts and links whose traffic may have changed since this was last asked."""
        return (), ()

    def host_load(self, host: int) -> float:
        """flop/s in use on a host."""
        return 0.0

    def host_loads(self, count: int) -> list[float]:
        """flop/s in use on each of the first hosts."""
        return [0.0] * count

    def host_capacity(self, host: int) -> float:
        """flop/s of all cores of a host."""
        return 0.0

    def link_load(self, link: int) -> float:
        """B/s on a link."""
        return 0.0

    def link_loads(self, count: int) -> list[float]:
        """B/s on each of the first links."""
        return [0.0] * count

    def link_capacity(self, link: int) -> float:
        """B/s that a link can carry."""
        return 0.0

    def host_traffic(self, host: int) -> float:
        """B/s that a host sends and receives."""
        return 0.0

    def host_bandwidth(self, host: int) -> float:
        """B/s of a host's own two links: the first on its way out and the last on the way in."""
        return 0.0


@mypyc_attr(allow_interpreted_subclasses=True)
class Energy:
    """Energy that is not simulated. Hosts are numbered as in the sharing system."""

    def set_loads(self, loads: Mapping[int, float]) -> None:
        """The flop/s in use have changed on some hosts."""

    def set_pstate(self, hosts: HostSet | Sequence[int], pstate: int) -> None:
        """Hosts go over to another power state."""

    def set_off(self, hosts: HostSet | Sequence[int], *, off: bool) -> None:
        """Hosts lose their power, or have it again (machines that halt, fail and come back)."""

    def touch(self, hosts: Iterable[int]) -> None:
        """Something at which SimGrid looks at its meters happened on hosts."""

    def pstates_changed(self) -> None:
        """Power states were changed: a row of the energy of the whole site."""

    def submission(self) -> None:
        """The first static job is submitted."""

    def job_started(self, record: JobRecord) -> None:
        """A job is about to start on its hosts."""

    def job_resumed(self, record: JobRecord) -> None:
        """A job gets its hosts: what they consume from now on is its energy (its fair part, on shared hosts)."""

    def job_suspended(self, record: JobRecord) -> None:
        """A job leaves its hosts for a while."""

    def job_ended(self, record: JobRecord, left: bool) -> None:
        """A job has ended; ``left``: only now it leaves its hosts (a suspended one had left them before)."""

    def sleep_ended(self, record: JobRecord) -> None:
        """A delay is a sleep on the lowest host of its job: SimGrid looks at that host's meter when it ends."""

    def host_power(self, host: int) -> float:
        """Watts that a host draws now."""
        return 0.0

    def host_joules(self, host: int) -> float:
        """Joules of a host since the start."""
        return 0.0

    def total(self, now: float) -> float:
        """Joules of all hosts since the start."""
        return 0.0

    def cut_short(self) -> None:
        """The run is stopped here, whatever is still to come."""

    def close(self) -> None:
        """The run is over."""

    def totals(self) -> dict[str, object]:
        """The sums of the run."""
        return {"consumed_joules": 0.0, "rack_excesses": 0, "worst_rack_excess": 0.0}


@mypyc_attr(allow_interpreted_subclasses=True)
class Gauges:
    """What probes follow while there are none."""

    def follow(self, hosts: Iterable[int]) -> None:
        """The load or power state of hosts has changed, and perhaps the traffic anywhere."""

    def watch(self) -> None:
        """Have the sharing system take note of what probes follow."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Conditions:
    """What the profiles of a platform do where it has none."""

    def fail_tasks(self) -> None:
        """Tasks that have begun on a link or storage that is off fail at once."""
