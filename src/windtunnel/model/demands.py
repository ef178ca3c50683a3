"""What requests come to on the hosts of a site: which host can hold a part of a job, and which jobs none can hold.

A request that names cores takes so much of each host and leaves the rest to others; one that names none takes whole
hosts, which must have whatever else it names. What no host of the site describes is nothing that it could lack: it is
left out here, and told in the run's account.
"""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from windtunnel.diagnostics.counted import too_many
from windtunnel.model.host import Host
from windtunnel.model.hostset import HostSet
from windtunnel.model.job import Request

__all__ = ["Demands", "Need", "described_by"]

_ROUNDING = 1e-9
"""Sums of parts may exceed the whole by so much of them."""


class Need(msgspec.Struct, frozen=True, gc=False):
    """What a job takes of each of ``hosts`` hosts. ``whole``: all of it, and they must have the amounts."""

    hosts: int
    amounts: tuple[tuple[str, float], ...] = ()
    whole: bool = True

    def within(self, left: Mapping[str, float]) -> bool:
        """Whether so much is left of a host."""
        for name, amount in self.amounts:  # noqa: SIM110 -- a generator costs twice as much
            if left.get(name, 0.0) < amount * (1.0 - _ROUNDING):
                return False
        return True


def described_by(hosts: Iterable[Host]) -> frozenset[str]:
    """The resources that a site describes: cores, and whatever any of its hosts has by name."""
    return frozenset({"cores"}.union(*(host.resources for host in hosts)))


class Demands:
    """What requests come to on these hosts. With ``by_cores`` jobs that count processors take cores of hosts."""

    def __init__(self, hosts: Sequence[Host], *, by_cores: bool = False) -> None:
        self.hosts = hosts
        self.by_cores = by_cores
        self.described = described_by(hosts)
        self._kinds: dict[tuple[object, ...], list[int]] = {}
        for host in hosts:
            self._kinds.setdefault((host.cores, *sorted(host.resources.items())), []).append(host.id)
        self._fitting: dict[Need, HostSet] = {}

    def of(self, request: Request) -> Need:
        """What a job takes of each of its hosts."""
        hosts = request.hosts
        if not request.amounts and not self.by_cores:
            return Need(hosts)
        amounts = {name: amount for name, amount in request.amounts if name in self.described and amount > 0}
        if self.by_cores and request.processors and hosts and "cores" not in amounts:
            amounts["cores"] = float(-(-request.processors // hosts))
        return Need(hosts, tuple(sorted(amounts.items())), whole="cores" not in amounts)

    def whole(self, host: int) -> dict[str, float]:
        """All that a host has."""
        about = self.hosts[host]
        return {"cores": float(about.cores), **about.resources}

    def fitting(self, need: Need) -> HostSet:
        """The hosts that could hold their part of a job if nobody else were there."""
        known = self._fitting.get(need)
        if known is None:
            able = [host for alike in self._kinds.values() if need.within(self.whole(alike[0])) for host in alike]
            known = self._fitting[need] = HostSet(able)
        return known

    def unmeetable(self, need: Need) -> str:
        """Why these hosts can never meet a need, "" if they can."""
        there = len(self.fitting(need))
        if there >= need.hosts:
            return ""
        if not need.amounts or need.hosts > len(self.hosts):
            return too_many(need.hosts, "host", len(self.hosts))
        what = " and ".join(f"{amount:g} {name}" for name, amount in need.amounts)
        have = f"{there} hosts have" if there > 1 else "1 host has" if there else "no host has"
        return f"asks for {need.hosts} host{'s' * (need.hosts > 1)} with {what}, {have} that much"
