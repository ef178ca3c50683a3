"""What is used of each host at an instant, or over an interval, from the record of a run."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from windtunnel.entities.sss_host import HostUse, IntervalUse
from windtunnel.model import Host, HostSet

__all__ = ["StateChange", "Stay", "use_at", "use_between"]


class Stay(msgspec.Struct, frozen=True):
    """A job on hosts from ``start`` to ``finish`` (s); without ``amounts`` it has them whole."""

    hosts: HostSet
    start: float
    finish: float
    amounts: Mapping[int, Mapping[str, float]] | None = None

    def taken(self, host: Host) -> Mapping[str, float]:
        """What it takes of a host, by resource."""
        if self.amounts is None:
            return {"cores": float(host.cores), **host.resources}
        return self.amounts.get(host.id, {})


class StateChange(msgspec.Struct, frozen=True):
    """Machines get a state."""

    time: float
    hosts: HostSet
    state: str


def use_at(
    hosts: Sequence[Host], stays: Iterable[Stay], changes: Iterable[StateChange], time: float
) -> list[HostUse]:
    """What is used at ``time``; a job that ends then is gone, one that starts then is there."""
    used: dict[int, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for stay in stays:
        if stay.start <= time < stay.finish:
            for number in stay.hosts:
                for name, amount in stay.taken(hosts[number]).items():
                    used[number][name] += amount
    states = _states(changes, time)
    return [HostUse(used.get(host.id, {}), states.get(host.id, "ACTIVE")) for host in hosts]


def use_between(
    hosts: Sequence[Host], stays: Sequence[Stay], changes: Iterable[StateChange], start: float, finish: float
) -> list[HostUse]:
    """Averages and peaks over [start, finish), and the machine state at the end. ``finish`` must be greater."""
    length = finish - start
    steps: dict[int, list[tuple[float, Mapping[str, float], int]]] = defaultdict(list)
    for stay in stays:
        low, high = max(stay.start, start), min(stay.finish, finish)
        if low < high:
            for number in stay.hosts:
                taken = stay.taken(hosts[number])
                steps[number] += [(low, taken, 1), (high, taken, -1)]
    changes = sorted(changes, key=lambda change: change.time)
    states = _states(changes, finish)
    away = _away(changes, start, finish)
    drained = _drained(hosts, stays, away)
    uses = []
    for host in hosts:
        over = _interval(steps.get(host.id, []), length)
        if host.id in away:
            up = 1.0 - sum(high - low for low, high in away[host.id]) / length
            over = msgspec.structs.replace(over, up=up, drained=_interval(drained[host.id], length).average)
        uses.append(HostUse({}, states.get(host.id, "ACTIVE"), over))
    return uses


_Steps = list[tuple[float, Mapping[str, float], int]]


def _away(changes: Sequence[StateChange], start: float, finish: float) -> dict[int, list[tuple[float, float]]]:
    """When hosts were not ACTIVE within an interval; ``changes`` are in order of date."""
    since: dict[int, float] = {}
    away: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for change in changes:
        for host in change.hosts:
            if change.state != "ACTIVE":
                since.setdefault(host, change.time)
            elif host in since:
                away[host].append((since.pop(host), change.time))
    for host, date in since.items():
        away[host].append((date, finish))
    inside = {host: [(max(a, start), min(b, finish)) for a, b in spells] for host, spells in away.items()}
    return {host: [spell for spell in spells if spell[0] < spell[1]] for host, spells in inside.items()}


def _drained(
    hosts: Sequence[Host], stays: Iterable[Stay], away: Mapping[int, Sequence[tuple[float, float]]]
) -> dict[int, _Steps]:
    """What was used of hosts while they were not ACTIVE."""
    steps: dict[int, _Steps] = defaultdict(list)
    if not away:
        return steps
    gone = HostSet(away)
    for stay in stays:
        for number in stay.hosts & gone:
            for first, last in away[number]:
                low, high = max(stay.start, first), min(stay.finish, last)
                if low < high:
                    taken = stay.taken(hosts[number])
                    steps[number] += [(low, taken, 1), (high, taken, -1)]
    return steps


def _interval(steps: list[tuple[float, Mapping[str, float], int]], length: float) -> IntervalUse:
    """Integrate the steps of one host; what leaves at an instant leaves before others come."""
    level: dict[str, float] = defaultdict(float)
    integral: dict[str, float] = defaultdict(float)
    peak: dict[str, float] = defaultdict(float)
    since = 0.0
    for time, taken, sign in sorted(steps, key=lambda step: (step[0], step[2])):
        if time > since:
            for name, amount in level.items():
                integral[name] += amount * (time - since)
            since = time
        for name, amount in taken.items():
            level[name] += sign * amount
            peak[name] = max(peak[name], level[name])
    return IntervalUse({name: amount / length for name, amount in integral.items()}, dict(peak), length)


def _states(changes: Iterable[StateChange], time: float) -> dict[int, str]:
    states: dict[int, str] = {}
    for change in sorted(changes, key=lambda change: change.time):
        if change.time <= time:
            states.update(dict.fromkeys(change.hosts, change.state))
    return states
