"""From hosts, flops and bytes to what a task consumes (execution-model.md 2.2 and 2.3).

Constraints are numbered: cpus first (the number of their host), then links. A task is plain data; homogeneous ones
stay a few bundles however many hosts they have.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from mypy_extensions import mypyc_attr

from windtunnel.diagnostics import UsageError
from windtunnel.engine.sharing.groups import Bundle, Weight
from windtunnel.model.platform import Network, by_amount

__all__ = ["TCP_GAMMA", "Builder", "Task"]

TCP_GAMMA: Final = 4194304.0
"""Bytes in flight that a flow may have: it never goes faster than gamma / (2 * latency) (network/TCP-gamma)."""


class Task:
    """What a task consumes per unit of rate (its whole amounts), ready to be started in a ``System``; never changed.

    ``hosts`` are as given (for meters and failures); ``latency`` in seconds comes before any progress, once;
    ``network_bound`` (1/s) is what the TCP window allows. ``traffic`` are bytes that hosts send and receive, to and
    from others: (hosts, bytes of each).
    """

    __slots__ = ("cpus", "hosts", "latency", "links", "network_bound", "traffic")

    def __init__(
        self,
        hosts: tuple[int, ...],
        cpus: tuple[Bundle, ...] = (),
        links: tuple[Bundle, ...] = (),
        latency: float = 0.0,
        network_bound: float = math.inf,
        traffic: tuple[tuple[Sequence[int], float], ...] = (),
    ) -> None:
        self.hosts = hosts
        self.cpus = cpus
        self.links = links
        self.latency = latency
        self.network_bound = network_bound
        self.traffic = traffic

    def __reduce__(self) -> tuple[Any, ...]:
        return Task, (self.hosts, self.cpus, self.links, self.latency, self.network_bound, self.traffic)

    @property
    def empty(self) -> bool:
        """Nothing to do once the latency is paid."""
        return not self.cpus and not self.links


@mypyc_attr(allow_interpreted_subclasses=True)
class Builder:
    """Makes tasks for one platform.

    Args:
        endpoints: the number of each host in the network.
        network: links and routes; without one communication is free.
        gamma: the TCP window in bytes.
    """

    def __init__(self, endpoints: Sequence[int], network: Network | None, *, gamma: float = TCP_GAMMA) -> None:
        self.endpoints = tuple(endpoints)
        self.network = network
        self.gamma = gamma
        self._later: dict[int, float] = {}
        """By link: how much longer its latency is now than the network says."""

    def set_latency(self, link: int, latency: float) -> None:
        """A link has another latency (s) for the tasks that are made from now on."""
        if self.network is not None:
            self._later[link] = latency - self.network.links[link].latency

    def homogeneous(self, hosts: Sequence[int], flops: float, amount: float) -> Task:
        """Every position computes ``flops`` and sends ``amount`` bytes to every other position."""
        positions = self._checked(hosts)
        alone = len(set(positions)) == len(positions)
        cpus = _cpus_alike(positions, _amount(flops, "flops"), alone)
        if len(positions) < 2 or _amount(amount, "bytes") == 0.0 or self.network is None:
            return Task(positions, cpus)
        if self._later:
            ends = [(a, b, amount) for i, a in enumerate(positions) for j, b in enumerate(positions) if i != j]
            return self._with_flows(positions, cpus, ends)
        crossed, latency = self.network.all_to_all([self.endpoints[host] for host in positions], amount)
        traffic = ((positions, 2.0 * amount * (len(positions) - 1)),) if alone else _listed(positions, amount)
        return Task(positions, cpus, self._links(crossed), latency, self._window(latency * amount), traffic)

    def matrices(
        self, hosts: Sequence[int], flops: Sequence[float] | None, amounts: Sequence[Sequence[float]] | None
    ) -> Task:
        """Position i computes ``flops[i]`` and sends ``amounts[i][j]`` bytes to position j (also to itself).

        As in SimGrid, the bytes of a task with one position are dropped.
        """
        positions = self._checked(hosts)
        cpus = _cpus(positions, flops)
        if len(positions) < 2 or amounts is None:
            return Task(positions, cpus)
        if len(amounts) != len(positions) or any(len(row) != len(positions) for row in amounts):
            n = len(positions)
            raise UsageError(f"a task on {n} positions needs a matrix of {n} rows of {n} bytes")
        return self._with_flows(
            positions,
            cpus,
            (
                (source, target, _amount(flow, "bytes"))
                for source, row in zip(positions, amounts, strict=True)
                for target, flow in zip(positions, row, strict=True)
                if flow
            ),
        )

    def flows(self, hosts: Sequence[int], flows: Iterable[tuple[int, int, float]]) -> Task:
        """A task of transfers only: (source host, target host, bytes) each; none is dropped, whatever ``hosts``."""
        return self._with_flows(
            self._checked(hosts), (), ((s, t, _amount(flow, "bytes")) for s, t, flow in flows if flow)
        )

    def _with_flows(
        self, hosts: tuple[int, ...], cpus: tuple[Bundle, ...], flows: Iterable[tuple[int, int, float]]
    ) -> Task:
        if self.network is None:
            return Task(hosts, cpus)
        links = self.network.links
        weights: dict[int, float] = {}
        moved: dict[int, float] = {}
        longest = window = 0.0
        for source, target, amount in flows:
            route, latency = self.network.route(self.endpoints[source], self.endpoints[target])
            if self._later:
                latency += sum([self._later.get(link, 0.0) for link in route], 0.0)
            longest = max(longest, latency)
            window = max(window, latency * amount)
            if source != target:
                moved[source] = moved.get(source, 0.0) + amount
                moved[target] = moved.get(target, 0.0) + amount
            for link in route:
                before = weights.get(link, 0.0)
                weights[link] = before + amount if links[link].shared else max(before, amount)
        return Task(hosts, cpus, self._links(by_amount(weights)), longest, self._window(window), _moved(moved))

    def _links(self, crossed: Iterable[tuple[Sequence[int], float]]) -> tuple[Bundle, ...]:
        first = len(self.endpoints)
        return tuple([(tuple([first + link for link in links]), weight) for links, weight in crossed])

    def _window(self, latency_times_bytes: float) -> float:
        return self.gamma / (2.0 * latency_times_bytes) if latency_times_bytes > 0.0 else math.inf

    def _checked(self, hosts: Sequence[int]) -> tuple[int, ...]:
        positions = tuple(hosts)
        count = len(self.endpoints)
        for host in positions:
            if not 0 <= host < count:
                break
        else:
            if positions:
                return positions
        raise UsageError(f"a task needs hosts among 0..{count - 1}, not {list(positions)}")


def _moved(amounts: Mapping[int, float]) -> tuple[tuple[tuple[int, ...], float], ...]:
    return tuple([(tuple(hosts), amount) for hosts, amount in by_amount(amounts)])


def _listed(positions: Sequence[int], amount: float) -> tuple[tuple[tuple[int, ...], float], ...]:
    """A host that is listed k times among n exchanges with the n - k positions that are elsewhere."""
    count = Counter(positions)
    return _moved({host: 2.0 * amount * k * (len(positions) - k) for host, k in count.items()})


def _amount(value: float, what: str) -> float:
    if not 0.0 <= value < math.inf:
        raise UsageError(f"a task cannot have {value!r} {what}", "amounts are finite and not negative")
    return float(value)


def _cpus_alike(hosts: tuple[int, ...], flops: float, alone: bool) -> tuple[Bundle, ...]:
    if flops == 0.0:
        return ()
    if alone:
        return ((hosts, flops),)
    return _cpus(hosts, [flops] * len(hosts))


def _cpus(hosts: tuple[int, ...], flops: Sequence[float] | None) -> tuple[Bundle, ...]:
    """One element for every position: a host that is listed k times has k of them."""
    if flops is None:
        return ()
    if len(flops) != len(hosts):
        raise UsageError(f"a task on {len(hosts)} positions needs as many flops, not {len(flops)}")
    listed: dict[int, tuple[float, ...]] = {}
    for host, amount in zip(hosts, flops, strict=True):
        if _amount(amount, "flops") > 0.0:
            listed[host] = (*listed.get(host, ()), float(amount))
    alike: dict[Weight, list[int]] = {}
    for host, weights in listed.items():
        alike.setdefault(weights[0] if len(weights) == 1 else weights, []).append(host)
    return tuple((tuple(constraints), weight) for weight, constraints in alike.items())
