"""Failures of machines made from distributions, the same for the same seed.

Each machine (or each rack, for failures that its machines share) fails after a time drawn from one distribution and
is back after a time drawn from another. Every machine and every rack has a random stream of its own, so that adding
machines changes nothing for the others.
"""

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import heappop, heappush
from math import inf, isfinite, nan
from typing import Any, Final

import msgspec

from windtunnel.diagnostics import UsageError, did_you_mean
from windtunnel.model.host import Host
from windtunnel.model.hostset import HostSet
from windtunnel.model.workload import EventList, ExternalEvent

__all__ = ["Distribution", "FailureModel", "failures", "parse_distribution", "parse_failures"]


MOST: Final = 5_000_000
"""More failures are not made: they are all held in memory."""

_Spell = tuple[float, float, HostSet, str]
"""From when to when which hosts are away, and what has failed."""

_TRIED: Final = 1000
"""After so many failures of one machine it is seen how many there will be."""

# Shared by all events, which never change.
_FAILED: Final = {what: {"state": "FAILURE", "cause": f"{what} failure"} for what in ("machine", "rack")}
_REPAIRED: Final = {"state": "ACTIVE", "cause": "repaired"}


class Distribution(msgspec.Struct, frozen=True):
    """A distribution of times (s) by name and parameters; see :func:`parse_distribution`."""

    name: str
    parameters: tuple[float, ...]

    def draw(self, stream: random.Random) -> float:
        """One time, from 0; ``inf`` when it overflows."""
        try:
            return max(0.0, _DRAWS[self.name][1](stream, self.parameters))
        except OverflowError:
            return inf

    def __str__(self) -> str:
        return f"{self.name}:{','.join(f'{p:g}' for p in self.parameters)}"


_Draw = Callable[[random.Random, Sequence[float]], float]

_DRAWS: dict[str, tuple[tuple[str, ...], _Draw]] = {
    "constant": (("seconds",), lambda _, p: p[0]),
    "exponential": (("mean",), lambda stream, p: stream.expovariate(1 / p[0])),
    "weibull": (("shape", "scale"), lambda stream, p: stream.weibullvariate(p[1], p[0])),
    "lognormal": (("mu", "sigma"), lambda stream, p: stream.lognormvariate(p[0], p[1])),
    "gamma": (("shape", "scale"), lambda stream, p: stream.gammavariate(p[0], p[1])),
    "uniform": (("low", "high"), lambda stream, p: stream.uniform(p[0], p[1])),
}


def parse_distribution(text: str) -> Distribution:
    """Read ``exponential:MEAN``, ``weibull:SHAPE,SCALE``, ``lognormal:MU,SIGMA``, ``gamma:SHAPE,SCALE``,
    ``uniform:LOW,HIGH`` or ``constant:SECONDS``.

    Raises:
        UsageError: it is none of these, or a parameter is invalid.
    """
    name, _, rest = text.partition(":")
    if name not in _DRAWS:
        raise UsageError(f"there is no distribution {name!r}", did_you_mean(name, _DRAWS))
    names = _DRAWS[name][0]
    try:
        values = tuple(float(part) for part in rest.split(","))
    except ValueError:
        values = ()
    positive = name != "lognormal"
    if len(values) != len(names) or not all(isfinite(v) and (v >= 0 or not positive) for v in values):
        raise UsageError(f"{text!r}: expected {name}:{','.join(names).upper()}")
    if (name in {"exponential", "weibull", "gamma"} and 0 in values) or (name == "uniform" and values[0] > values[1]):
        raise UsageError(f"{text!r}: these parameters do not define a distribution")
    return Distribution(name, values)


_REPAIRS: Final = {"repair": "between", "rack_repair": "rack_between"}
"""How long what is away, and what says when it goes."""


class FailureModel(msgspec.Struct, frozen=True, kw_only=True):
    """When machines fail and how long they are away; ``rack_*`` for whole racks at once (none without)."""

    between: Distribution | None = None
    """From a machine's return (or the start) to its next failure."""
    repair: Distribution = Distribution("constant", (3600.0,))
    rack_between: Distribution | None = None
    rack_repair: Distribution = Distribution("constant", (3600.0,))
    seed: int = 0
    until: float = 0.0
    """Nothing fails from this date (s) on; a run lasts until all machines are back."""

    def __str__(self) -> str:
        """As :func:`parse_failures` reads it."""
        values = {name: getattr(self, name) for name in self.__struct_fields__}
        said = {name: value for name, value in values.items() if value is not None}
        for repair, between in _REPAIRS.items():
            if between not in said:
                del said[repair]
        return ";".join(f"{_said(name)}={value}" for name, value in said.items())


def parse_failures(text: str) -> FailureModel:
    """Read ``between=weibull:0.7,86400;repair=lognormal:7,1;rack-between=...;rack-repair=...;seed=1;until=604800``.

    Raises:
        UsageError: parts are unknown, invalid or there twice, or nothing would ever fail; all faults are named.
    """
    values: dict[str, Any] = {}
    faults: list[str] = []
    for part in filter(None, text.split(";")):
        key, _, value = part.partition("=")
        name = key.strip().replace("-", "_")
        try:
            if name in values:
                raise UsageError(f"{key.strip()} is given twice")
            values[name] = _part(name, value.strip())
        except UsageError as fault:
            faults.append(str(fault).replace("\n  hint: ", ": "))
    needed = {"until"} <= values.keys() and not values.keys().isdisjoint({"between", "rack_between"})
    for repair, between in _REPAIRS.items():
        if repair in values and between not in values:
            faults.append(f"{_said(repair)} has no effect without {_said(between)}")
    if not faults and not needed:
        faults.append("they need until (s) and between or rack-between")
    if faults:
        example = "between=exponential:86400;repair=constant:3600;until=604800"
        raise UsageError(f"failures: {'; '.join(faults)}", f"such as {example}")
    return FailureModel(**values)


def _said(name: str) -> str:
    return name.replace("_", "-")


def _part(name: str, text: str) -> "Distribution | float":
    """The value of one part of :func:`parse_failures`."""
    known = FailureModel.__struct_fields__
    if name not in known:
        shown = [_said(one) for one in known]
        raise UsageError(f"there is no part {name!r}", did_you_mean(name, shown))
    if name not in {"seed", "until"}:
        return parse_distribution(text)
    try:
        number = int(text) if name == "seed" else float(text)
    except ValueError:
        number = nan
    if name == "seed" and isinstance(number, float):
        raise UsageError(f"seed must be a whole number, not {text!r:.50}")
    if name == "until" and not 0 < number < inf:
        raise UsageError(f"until must be a number of seconds, more than 0, not {text!r:.50}")
    return number


def failures(hosts: Sequence[Host], model: FailureModel) -> EventList:
    """The failures and returns of machines before ``model.until``, as one list of events in order of date.

    A machine that is away for two reasons comes back when both are over.

    Raises:
        UsageError: there is no last date, a machine would never be back, or there are more than :data:`MOST`.
    """
    until = model.until
    if not until < inf:
        raise UsageError("failures are generated up to a time, which must be finite")
    spells: list[_Spell] = []
    if model.between is not None:
        machines = [(host.name, HostSet.span(1, host.id)) for host in hosts]
        _add_spells(spells, "machine", machines, model.between, model.repair, model)
    if model.rack_between is not None:
        if not any(host.place for host in hosts):
            raise UsageError("failures: rack-between: the platform has no racks", "between makes single hosts fail")
        members: dict[tuple[str, ...], list[int]] = {}
        for host in hosts:
            members.setdefault(host.place or (host.name,), []).append(host.id)
        racks = [(" / ".join(place), HostSet(group)) for place, group in members.items()]
        _add_spells(spells, "rack", racks, model.rack_between, model.rack_repair, model)
    return EventList(name="failures", events=tuple(_events(sorted(spells, key=lambda spell: spell[:2]))))


def _add_spells(
    spells: list[_Spell],
    what: str,
    groups: Sequence[tuple[str, HostSet]],
    between: Distribution,
    repair: Distribution,
    model: FailureModel,
) -> None:
    """The failures of all machines, or of all racks."""
    until = model.until
    for name, group in groups:
        stream = random.Random(f"{model.seed} {what} {name}")
        for count, (start, end) in enumerate(_spells(between, repair, stream, until), 1):
            spells.append((start, end, group, what))
            expected = count * len(groups) * until / end if count == _TRIED and end else 0.0
            if len(spells) > MOST or expected > 2 * MOST or (count == _TRIED and not end):
                raise UsageError(
                    f"more than {MOST:,} failures until {until:g} s: {len(groups):,} {what}s, "
                    f"with {between} s between failures",
                    "let it end earlier (until), or let them fail less often",
                )


def _spells(
    between: Distribution, repair: Distribution, stream: random.Random, until: float
) -> Iterator[tuple[float, float]]:
    """Failure and return, again and again."""
    now = 0.0
    while True:
        failure = now + between.draw(stream)
        if failure >= until:
            return
        now = failure + repair.draw(stream)
        if now == inf:
            raise UsageError(f"failures: a repair that takes {repair} s never ends")
        yield failure, now


def _events(spells: Iterable[_Spell]) -> Iterator[ExternalEvent]:
    """Events such that a host is failed while at least one spell of it lasts; returns come before failures."""
    away: dict[int, int] = {}
    ends: list[tuple[float, int, HostSet]] = []
    for number, (start, end, hosts, what) in enumerate(spells):
        yield from _returns(ends, away, start)
        gone = HostSet(host for host in hosts if not away.get(host))
        for host in hosts:
            away[host] = away.get(host, 0) + 1
        heappush(ends, (end, number, hosts))
        if gone:
            yield ExternalEvent(timestamp=start, kind="machine_state", hosts=gone, attributes=_FAILED[what])
    yield from _returns(ends, away, inf)


def _returns(ends: list[tuple[float, int, HostSet]], away: dict[int, int], until: float) -> Iterator[ExternalEvent]:
    while ends and ends[0][0] <= until:
        end, _, hosts = heappop(ends)
        for host in hosts:
            away[host] -= 1
        back = HostSet(host for host in hosts if not away[host])
        if back:
            yield ExternalEvent(timestamp=end, kind="machine_state", hosts=back, attributes=_REPAIRED)
