"""What the hosts of a run were besides busy: failed, in maintenance, switched off, reserved, or busy with images.

Spans are ``[from, until, first host, number of hosts, kind]``, times in s; the kind is a rank in a list of names.
"""

from collections.abc import Iterable, Iterator, Sequence
from math import floor
from typing import Any, Final

from windtunnel.model import HostSet
from windtunnel.results.run import Run

__all__ = ["MOST_SPANS", "conditions", "markers"]

MOST_SPANS: Final = 100_000
"""Beyond that many the shortest, which cannot be seen anyway, are left out."""
_MOST_MARKS: Final = 2_000
_MOST_REPETITIONS: Final = 1_000
_ON, _OFF = -1, -2
_SWITCHING: Final = {_ON: "switching on", _OFF: "switching off"}
_AT_WORK: Final = ("VM",)
"""Reservations of leases that are drawn as jobs already."""

Span = tuple[float, float, int, int, str]


class _Spells:
    """Hosts in some condition, from when on; told as spans when they leave it."""

    def __init__(self) -> None:
        self.since: dict[int, tuple[float, str]] = {}

    def change(self, now: float, hosts: Iterable[int], kind: str | None) -> Iterator[Span]:
        """Hosts enter a condition (None: they leave it); the spans that end so."""
        ended: dict[tuple[float, str], list[int]] = {}
        for host in hosts:
            before = self.since.pop(host, None)
            if before is not None:
                if before[1] == kind:
                    self.since[host] = before
                    continue
                ended.setdefault(before, []).append(host)
            if kind is not None:
                self.since[host] = (now, kind)
        for (since, was), members in ended.items():
            if now > since:
                for low, high in HostSet(members).runs:
                    yield since, now, low, high - low + 1, was

    def close(self, last: float) -> Iterator[Span]:
        """The spans that go on to the end."""
        yield from self.change(last, list(self.since), None)


def conditions(run: Run, last: float) -> dict[str, Any]:
    """All spans of a run that ends at ``last`` (s): names of kinds, spans, and how many are left out."""
    spans = [*_away(run, last), *_power_states(run, last), *_of_leases(run), *_reserved(run, last)]
    left_out = max(0, len(spans) - MOST_SPANS)
    if left_out:
        spans = sorted(spans, key=lambda span: span[0] - span[1])[:MOST_SPANS]
    kinds: dict[str, int] = {}
    shown = [[*span[:4], kinds.setdefault(span[4], len(kinds))] for span in spans]
    return {"kinds": list(kinds), "spans": shown, "left_out": left_out}


def _rows(run: Run, name: str) -> Iterator[dict[str, Any]]:
    frame = run.frame(name)
    return iter(()) if frame is None else frame.iter_rows(named=True)


def _hosts(run: Run, text: str | None) -> Iterable[int]:
    hosts = HostSet.parse(text or "")
    return [host for host in hosts if host < run.hosts] if hosts and hosts.last < 1 << 26 else ()


def _away(run: Run, last: float) -> Iterator[Span]:
    """Hosts that were not available, by what the events call it: ``failure``, ``maintenance``..."""
    spells = _Spells()
    for row in _rows(run, "events.csv"):
        if row["event"] in ("available", "unavailable"):
            kind = (row["data"] or "").partition(":")[0].strip().lower().replace("_", " ") or "unavailable"
            gone = row["event"] == "unavailable"
            yield from spells.change(float(row["time"]), _hosts(run, row["hosts"]), kind if gone else None)
    yield from spells.close(last)


def _power_states(run: Run, last: float) -> Iterator[Span]:
    """Hosts in another power state than the one most of them began in, and hosts that are being switched."""
    rows = [
        (float(row["time"]), list(_hosts(run, row["machine_id"])), int(row["new_pstate"]))
        for row in _rows(run, "pstate_changes.csv")
    ]
    began: dict[int, int] = {}
    for _, hosts, state in rows:
        for host in hosts:
            began.setdefault(host, state)
    states = list(began.values())
    usual = max(set(states), key=lambda state: (states.count(state), -state), default=0)
    spells = _Spells()
    off: set[int] = set()
    for now, hosts, state in rows:
        off = off | set(hosts) if state == _OFF else off - set(hosts) if state == _ON else off
        down = off.intersection(hosts) if state >= 0 else set()
        yield from spells.change(now, sorted(down), f"asleep (power state {state})")
        awake = [host for host in hosts if host not in down]
        yield from spells.change(now, awake, None if state == usual else _state(state))
    yield from spells.close(last)


def _state(state: int) -> str:
    return _SWITCHING.get(state, f"power state {state}")


def _of_leases(run: Run) -> Iterator[Span]:
    """Suspensions, resumptions, migrations and transfers of images, where leases were simulated."""
    for row in _rows(run, "reservations.csv"):
        if row["kind"] not in _AT_WORK and row["end"] > row["start"]:
            for low, high in HostSet.parse(str(row["hosts"])).runs:
                yield float(row["start"]), float(row["end"]), low - 1, high - low + 1, str(row["kind"])


def _reserved(run: Run, last: float) -> Iterator[Span]:
    """Advance reservations of a Slurm site: hosts that are kept from all who may not use them."""
    for one in run.state.platform.reservations:
        hosts = HostSet(_hosts(run, one.hosts))
        start, end = one.start, one.end
        if one.every > 0.0 and end <= 0.0:
            ahead = floor(-end / one.every) + 1
            start, end = start + ahead * one.every, end + ahead * one.every
        for _ in range(_MOST_REPETITIONS if one.every > 0.0 else 1):
            if start >= last:
                break
            if end > max(start, 0.0):
                for low, high in hosts.runs:
                    yield max(start, 0.0), min(end, last), low, high - low + 1, f"reservation {one.name}"
            start, end = start + one.every, end + one.every


def markers(run: Run) -> list[Sequence[Any]]:
    """Events that were only forwarded: (time, kind, what it says); the first two thousand."""
    found: list[Sequence[Any]] = []
    for row in _rows(run, "events.csv"):
        if row["event"] not in ("available", "unavailable") and len(found) < _MOST_MARKS:
            said = " ".join(str(row[name]) for name in ("id", "hosts", "data") if row[name] not in (None, ""))
            found.append((float(row["time"]), str(row["event"]), said[:200]))
    return found
