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
    hosts: Sequence[Host], stays: Iterable[Stay], changes: Iterable[StateChange], start: float, finish: float
) -> list[HostUse]:
    """Averages and peaks over [start, finish), and the state at the end. ``finish`` must be greater."""
    length = finish - start
    steps: dict[int, list[tuple[float, Mapping[str, float], int]]] = defaultdict(list)
    for stay in stays:
        low, high = max(stay.start, start), min(stay.finish, finish)
        if low < high:
            for number in stay.hosts:
                taken = stay.taken(hosts[number])
                steps[number] += [(low, taken, 1), (high, taken, -1)]
    states = _states(changes, finish)
    return [HostUse({}, states.get(host.id, "ACTIVE"), _interval(steps.get(host.id, []), length)) for host in hosts]


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
