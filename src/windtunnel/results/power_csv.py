"""``pstate_changes.csv``, ``consumed_energy.csv`` and ``rack_power.csv``: power states and energy over time."""

from collections.abc import Sequence
from typing import Final

from windtunnel.model import HostSet, Platform, Workload
from windtunnel.results.fields import plain
from windtunnel.results.layout import Layout
from windtunnel.results.rows import Recorder

__all__ = ["ConsumedEnergyCsv", "PstateChangesCsv", "RackPowerCsv"]

_PSTATES: Final = "time,machine_id,new_pstate\n"
_ENERGY: Final = "time,energy,event_type,wattmin,epower\n"
_RACKS: Final = "rack,from,until,peak_watts,capacity_watts\n"


class PstateChangesCsv(Recorder):
    """Writes ``pstate_changes.csv``: the initial states at time 0 (ascending), then every change."""

    def __init__(self, layout: Layout) -> None:
        self.rows = layout.open("pstate_changes.csv", _PSTATES)

    def on_begin(self, now: float, platform: Platform, workloads: Sequence[Workload]) -> None:  # noqa: ARG002 -- hook
        """Write one row per power state that hosts start in."""
        by_state: dict[int, list[int]] = {}
        for host in (*platform.hosts, *platform.storages):
            by_state.setdefault(host.pstate, []).append(host.id)
        for pstate in sorted(by_state):
            self.on_pstate(now, HostSet(by_state[pstate]), pstate)

    def on_pstate(self, now: float, hosts: HostSet, pstate: int) -> None:
        """Write a row."""
        self.rows.add(f"{now:g},{hosts},{pstate}\n")


class ConsumedEnergyCsv(Recorder):
    """Writes ``consumed_energy.csv``: joules since the start, and the mean power since the row before."""

    def __init__(self, layout: Layout) -> None:
        self.rows = layout.open("consumed_energy.csv", _ENERGY)
        self._last = (0.0, 0.0)

    def on_energy(self, now: float, joules: float, kind: str, epsilon_watts: float) -> None:
        """Write a row."""
        then, before = self._last
        self._last = (now, joules)
        power = f"{(joules - before) / (now - then):f}" if now > then else "NA"
        self.rows.add(f"{now:f},{joules:f},{kind},{epsilon_watts:f},{power}\n")


class RackPowerCsv(Recorder):
    """Writes ``rack_power.csv``: a row each time a rack drew more than its capacity."""

    def __init__(self, layout: Layout) -> None:
        self.rows = layout.open("rack_power.csv", _RACKS, lazy=True)

    def on_rack_excess(self, rack: str, since: float, until: float, peak: float, capacity: float) -> None:
        """Write a row."""
        self.rows.add(f"{plain(rack)},{since:f},{until:f},{peak:f},{capacity:f}\n")
