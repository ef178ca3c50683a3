"""Power states of hosts from their properties (spec/batsim-inputs.md 7.3)."""

from collections.abc import Mapping
from typing import NamedTuple

from windtunnel.diagnostics import Severity
from windtunnel.formats.sites.simgrid_xml.builder import HostDraft
from windtunnel.formats.sites.simgrid_xml.values import Values
from windtunnel.model.host import PowerState
from windtunnel.model.signals import MOST

__all__ = ["Power", "PowerReader"]

WATTS = ("wattage_per_state", "watt_per_state")
OFF = ("wattage_off", "watt_off")


class Power(NamedTuple):
    """What the properties of a host say about power."""

    states: tuple[PowerState, ...]
    sleep: Mapping[int, tuple[int, int]]
    watts_off: float


class PowerReader:
    """Reads power properties; equal hosts share the result, and a fault of a cluster is reported once.

    Without ``energy`` faults are warnings, as SimGrid then does not look at these properties.
    """

    def __init__(self, values: Values, *, energy: bool) -> None:
        self.values = values
        self.severity = Severity.ERROR if energy else Severity.WARNING
        self.known: dict[tuple[object, ...], Power] = {}

    def read(self, host: HostDraft, *, computes: bool) -> Power:
        """The power states of a host; a host that computes needs speed in each state it computes in."""
        names = (*WATTS, *OFF, "sleep_pstates")
        key = (host.line, computes, host.pstate, host.speeds, *(host.properties.get(name) for name in names))
        found = self.known.get(key)
        if found is None:
            found = self.known[key] = self._read(host, computes=computes)
        return found

    def _fault(self, host: HostDraft, code: str, message: str, hint: str = "") -> None:
        severity = Severity.ERROR if code == "zero-speed" else self.severity
        self.values.findings.add(
            f"host {host.name!r}: {message}", code=code, line=host.line, hint=hint, severity=severity
        )

    def _property(self, host: HostDraft, names: tuple[str, ...]) -> str | None:
        given = [name for name in names if name in host.properties]
        if len(given) > 1:
            message = f"host {host.name!r} has both {given[0]} and {given[1]}: {given[0]} counts"
            self.values.findings.warn(message, code="duplicate-property", line=host.line)
        return host.properties[given[0]] if given else None

    def _read(self, host: HostDraft, *, computes: bool) -> Power:
        watts = self._watts(host)
        sleep = self._sleep(host)
        if computes:
            idle = set(sleep) | {p for pair in sleep.values() for p in pair}
            for pstate, speed in enumerate(host.speeds):
                if pstate in idle or speed > 0:
                    continue
                message = f"the speed of power state {pstate} is 0, and it is one to compute in"
                hint = "give it a speed, or list it in sleep_pstates"
                if pstate == host.pstate:
                    self._fault(host, "zero-speed", message, hint)
                else:  # nobody may switch to it
                    message = f"host {host.name!r}: {message}: nothing that computes in it goes on"
                    self.values.findings.warn(message, code="zero-speed", line=host.line, hint=hint)
        off = 0.0
        text = self._property(host, OFF)
        if text is not None:
            try:
                off = _watt(text)
            except ValueError as error:
                self._fault(host, "bad-power", f"wattage_off: {error}", "expected one number of watts")
        return Power(tuple(PowerState(s, *w) for s, w in zip(host.speeds, watts, strict=True)), sleep, off)

    def _watts(self, host: HostDraft) -> list[tuple[float, ...]]:
        unknown: list[tuple[float, ...]] = [()] * len(host.speeds)
        text = self._property(host, WATTS)
        if text is None:
            return unknown
        entries = text.split(",")
        if len(entries) != len(host.speeds):
            message = f"wattage_per_state has {len(entries)} entries, but speed has {len(host.speeds)}"
            self._fault(host, "pstate-count", message, "give one entry per power state, separated by commas")
            return unknown
        try:
            return [_levels(entry) for entry in entries]
        except ValueError as error:
            hint = "expected Idle:AllCores or Idle:Epsilon:AllCores for each power state"
            self._fault(host, "bad-power", f"wattage_per_state: {error}", hint)
            return unknown

    def _sleep(self, host: HostDraft) -> Mapping[int, tuple[int, int]]:
        """``sleep:off:on`` triples; the virtual states may serve several sleep states."""
        text = host.properties.get("sleep_pstates", "").strip()
        found: dict[int, tuple[int, int]] = {}
        hint = "expected SLEEP:SWITCH_OFF:SWITCH_ON, separated by commas, as in 3:4:5, 6:4:5"
        for entry in text.split(",") if text else ():
            try:
                sleep, off, on = (int(part) for part in entry.split(":"))
            except ValueError:
                self._fault(host, "bad-sleep", f"sleep_pstates: {entry.strip()!r} is not three power states", hint)
                continue
            missing = [p for p in (sleep, off, on) if not 0 <= p < len(host.speeds)]
            if missing:
                message = f"sleep_pstates names power state {missing[0]}, but there are {len(host.speeds)} (from 0)"
                self._fault(host, "bad-sleep", message, hint)
                continue
            if sleep in found:
                self._fault(host, "bad-sleep", f"power state {sleep} appears twice as a sleep state", hint)
            found[sleep] = (off, on)
        virtual = {p for pair in found.values() for p in pair}
        for pstate in sorted(virtual & set(found)):
            message = f"power state {pstate} is both a sleep state and one of switching"
            self._fault(host, "bad-sleep", message, hint)
        for pstate in sorted(virtual):
            if host.speeds[pstate] <= 0:
                message = f"power state {pstate} has speed 0: switching (one flop) would never end"
                self._fault(host, "bad-sleep", message, "its speed is 1/seconds that switching takes")
        return found


def _watt(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= MOST:  # joules of larger ones would overflow
        raise ValueError(f"{text.strip()!r} is not a power in watts")
    return value


def _levels(entry: str) -> tuple[float, ...]:
    """Idle, Epsilon (equal to Idle where it is left out) and AllCores."""
    values = [_watt(part) for part in entry.split(":")]
    if not 2 <= len(values) <= 3:
        raise ValueError(f"{entry.strip()!r} holds {len(values)} of two or three values")
    return values[0], values[-2], values[-1]
