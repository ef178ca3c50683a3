"""Profiles: how speeds, states, bandwidths and latencies change with time (spec/execution-model.md 1.5)."""

from math import inf, isfinite
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from windtunnel.diagnostics import read_text
from windtunnel.formats.sites.simgrid_xml.grammar import line_of
from windtunnel.formats.sites.simgrid_xml.values import Values

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["ResourceTrace", "Traces"]

MAX_BYTES = 64 << 20
SHORTEST = 1e-6
"""Seconds: with shorter periods a run would hardly get on."""
FILES = {"speed_file": "SPEED", "availability_file": "SPEED", "state_file": "STATE"} | {
    "bandwidth_file": "BANDWIDTH",
    "latency_file": "LATENCY",
}


class ResourceTrace(NamedTuple):
    """(date in s, value) pairs; with ``period`` > 0 the dates come again every so many seconds."""

    pairs: tuple[tuple[float, float], ...]
    period: float


def parse_profile(text: str, periodicity: float = 0.0) -> tuple[ResourceTrace, list[tuple[int, str]]]:
    """Read the lines of a profile; also the faults, each with the number of its line (from 0)."""
    faults: list[tuple[int, str]] = []
    pairs: list[tuple[float, float]] = []
    pause = 0.0
    loops = periodicity > 0
    last = 0.0
    for number, raw in enumerate(text.split("\n")):
        words = raw.split()
        if not words or words[0][0] in "#%":
            continue
        if words[0] in {"STOCHASTIC", "DET", "NORM", "NORMAL", "GAUSS", "EXP", "EXPONENTIAL", "UNIF", "UNIFORM"}:
            faults.append((number, f"{words[0]}: stochastic profiles are not supported"))
            continue
        try:
            if words[0] in {"PERIODICITY", "LOOPAFTER"}:
                loops = True
                seconds = float(words[1])
                if not 0 <= seconds < inf:
                    faults.append((number, f"{raw.strip()!r}: expected a finite number of seconds, 0 or more"))
                elif words[0] == "PERIODICITY":
                    periodicity = seconds
                else:
                    pause = seconds
                continue
            date, value = float(words[0]), float(words[1])
        except (ValueError, IndexError):
            faults.append((number, f"{raw.strip()!r} is not a time and a value"))
            continue
        if date < last:
            faults.append((number, f"the time {date:g} comes after {last:g}"))
        if not (0 <= date < inf and 0 <= value < inf):
            faults.append((number, f"{raw.strip()!r}: times and values may not be negative"))
        last = max(last, date)
        pairs.append((date, value))
    if periodicity > 0 and pause:
        faults.append((0, "both PERIODICITY and LOOPAFTER are given"))
    if periodicity > 0 and periodicity < last:
        faults.append((0, f"the period {periodicity:g} is shorter than the last time {last:g}"))
    period = (periodicity if periodicity > 0 else last + pause) if loops else 0.0
    if not pairs and not faults:
        faults.append((0, "the profile is empty"))
    if loops and period <= 0 and not faults:
        faults.append((0, "the profile repeats without any time passing"))
    if 0 < period < SHORTEST and not faults:
        faults.append((0, f"the profile repeats every {period:g} s: expected at least {SHORTEST:g} s"))
    return ResourceTrace(tuple(pairs), period), faults


class Traces:
    """The traces of a platform and what they are connected to."""

    def __init__(self, values: Values, folder: Path) -> None:
        self.values = values
        self.folder = folder
        self.known: dict[str, ResourceTrace | None] = {}
        self.used: dict[tuple[str, str], str] = {}

    def file(self, element: "_Element", name: str) -> ResourceTrace | None:
        """The profile in a file, named relative to the platform's folder; faults name that file."""
        path = self.folder / name
        try:
            text = read_text(path, most=MAX_BYTES)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else "not a text file"
            self.values.fault(element, "no-file", f"cannot read the profile {name}: {reason}")
            return None
        profile, faults = parse_profile(text)
        for line, message in faults:
            self.values.findings.add(message, code="bad-profile", line=line + 1, file=str(path))
        return None if faults else profile

    def read(self, element: "_Element") -> None:
        """``<trace>``."""
        name, line = element.get("id"), line_of(element)
        if name is None:
            return
        if name in self.known:
            self.values.fault(element, "duplicate-id", f"the trace {name!r} is declared twice")
        periodicity = 0.0
        try:
            given = float(element.get("periodicity", "0"))
            if not isfinite(given):
                raise ValueError(given)
            periodicity = given
        except ValueError:
            text = element.get("periodicity")
            self.values.fault(element, "bad-number", f"periodicity is {text!r}", "expected a number of seconds")
        if element.get("file"):
            if periodicity > 0:
                message = f"periodicity of the trace {name!r} has no effect: its file says when it repeats"
                self.values.warn(element, "ignored-attribute", message, "write a line PERIODICITY in the file")
            self.known[name] = self.file(element, element.get("file", ""))
            return
        profile, faults = parse_profile(element.text or "", periodicity)
        for offset, message in faults:
            self.values.findings.add(f"trace {name!r}: {message}", code="bad-profile", line=line + offset)
        self.known[name] = None if faults else profile

    def connected(self, element: "_Element") -> tuple[str, str, ResourceTrace] | None:
        """What ``<trace_connect>`` says: (kind, name of the host or link, profile)."""
        trace, target, kind = element.get("trace"), element.get("element"), element.get("kind", "HOST_AVAIL")
        if trace is None or target is None:
            return None
        if trace not in self.known:
            self.values.fault(element, "unknown-trace", f"no trace is called {trace!r}")
            return None
        first = self.used.setdefault((kind, trace), target)
        if first != target:
            message = f"the trace {trace!r} is connected to {first!r} already: SimGrid ignores {target!r}"
            self.values.warn(element, "trace-used-twice", message, "declare a second trace with the same content")
            return None
        profile = self.known[trace]
        return None if profile is None else (kind, target, profile)

    def of_files(self, element: "_Element") -> dict[str, ResourceTrace]:
        """The profiles that ``speed_file``, ``state_file`` and the like name."""
        found: dict[str, ResourceTrace] = {}
        for attribute, kind in FILES.items():
            name = element.get(attribute)
            if name and (profile := self.file(element, name)) is not None and kind not in found:
                found[kind] = profile
        return found

    def read_all(self, root: "_Element") -> None:
        """Every ``<trace>``, wherever it stands."""
        for element in root.iter("trace"):
            self.read(element)
