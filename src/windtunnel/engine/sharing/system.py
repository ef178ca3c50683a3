"""Running actions that share cpus and links, driven by events (execution-model.md 2.2 to 2.7).

Nothing is walked at every step: the remaining part of an action is touched only when its rate changes, completion
dates wait in a heap, and only what depends on a change is solved again.
"""

import math
from collections.abc import Iterable, Sequence
from heapq import heappop, heappush
from typing import Any

from mypy_extensions import mypyc_attr

from windtunnel.engine.sharing.actions import NOW, ROUNDING, Action
from windtunnel.engine.sharing.rates import Rates
from windtunnel.engine.sharing.solver import Rule, fair_bottleneck
from windtunnel.engine.sharing.tasks import Task
from windtunnel.model.platform import Link

__all__ = ["System"]


@mypyc_attr(allow_interpreted_subclasses=True)
class System(Rates):
    """All actions of a simulation, by number.

    Args:
        speeds: flop/s of one core of each host.
        cores: number of cores of each host.
        links: bandwidth and policy of each link.
        rule: who gets how much: ``fair_bottleneck`` (SimGrid's) or ``max_min``.
        watch_loads: keep note of the hosts whose load changes (for ``changed_loads``).
    """

    def __init__(
        self,
        speeds: Sequence[float],
        cores: Sequence[int],
        links: Iterable[Link] = (),
        *,
        rule: Rule = fair_bottleneck,
        watch_loads: bool = False,
    ) -> None:
        super().__init__(speeds, cores, links, rule=rule, watch_loads=watch_loads)
        self.speeds = list(speeds)
        self.cores = list(cores)
        self._next = 0

    def start(self, now: float, task: Task, tag: Any = None) -> Action:
        """Start a task. It may be due at once: ask ``next_event``."""
        action = self._new(now, task, tag)
        action.network_bound = task.network_bound
        if task.latency > 0.0:
            action.latent = True
            self._schedule(action, now + task.latency)
        else:
            self._enable(action)
        return action

    def sleep(self, now: float, duration: float, tag: Any = None) -> Action:
        """Start an action that lasts ``duration`` seconds and uses nothing."""
        action = self._new(now, None, tag)
        self._schedule(action, now + max(0.0, duration))
        return action

    def cancel(self, now: float, action: Action) -> None:
        """Take an action away; what it used is free from now on. One that has ended is left alone."""
        self._go(now)
        if action.number in self.actions:
            action.touch(now)
            self._leave(action)

    def suspend(self, now: float, action: Action) -> None:
        """Let an action stand still; it uses nothing until it is resumed."""
        self._go(now)
        if action.number not in self.actions or action.held >= 0.0:
            return
        action.touch(now)
        action.held = action.due - now if action.latent or action.task is None else 0.0
        action.due = math.inf
        action.rate = 0.0
        self._release(action)

    def resume(self, now: float, action: Action) -> None:
        """Let a suspended action go on where it stood."""
        self._go(now)
        if action.number not in self.actions or action.held < 0.0:
            return
        if action.latent or action.task is None:
            self._schedule(action, now + action.held)
        else:
            self._enable(action)
        action.held = -1.0

    def next_event(self) -> float:
        """The date of the next completion or end of latency (infinite if nothing moves)."""
        self.settle()
        heap = self._heap
        while heap:
            due, number = heap[0]
            action = self.actions.get(number)
            if action is not None and action.due == due:
                return due
            heappop(heap)
        return math.inf

    def advance(self, now: float) -> list[Action]:
        """Go to a date, not beyond ``next_event``; the actions that are complete then, in the order of their start.

        Those within SimGrid's tolerances of the date (1e-9 s for sleeps and latencies, 1e-14 of a task) end with it.
        """
        self._go(now)
        ended: list[Action] = []
        begun: list[Action] = []
        later: list[tuple[float, int]] = []
        horizon = now + max(NOW, ROUNDING * math.ulp(now))
        while self._heap and self._heap[0][0] <= horizon:
            due, number = heappop(self._heap)
            action = self.actions.get(number)
            if action is None or action.due != due:
                continue
            if due <= now or action.ends_with(now):
                (begun if action.latent else ended).append(action)
                action.due = math.inf
            else:
                later.append((due, number))
        for entry in later:
            heappush(self._heap, entry)
        for action in sorted(ended, key=_number):
            action.remaining = 0.0
            action.since = now
            self._leave(action)
        for action in sorted(begun, key=_number):
            action.latent = False
            self._enable(action)
        return sorted(ended, key=_number)

    def set_speed(self, now: float, hosts: Iterable[int], speed: float) -> None:
        """Give the cores of hosts another speed (flop/s): capacity and bounds of their tasks change."""
        self._go(now)
        by_cores: dict[int, list[int]] = {}
        for host in hosts:
            self.speeds[host] = speed
            by_cores.setdefault(self.cores[host], []).append(host)
        for cores, alike in by_cores.items():
            for number in self._groups.set_capacity(alike, cores * speed):
                self._rebound(self.actions[number])

    def set_bandwidth(self, now: float, link: int, bandwidth: float) -> None:
        """Give a link another bandwidth (B/s)."""
        self._go(now)
        self._dirty |= self._groups.set_capacity([len(self.speeds) + link], bandwidth)

    def set_network_bound(self, now: float, action: Action, bound: float) -> None:
        """Change what the TCP window allows (1/s): the latency of a link in use has changed."""
        self._go(now)
        action.network_bound = bound
        if action.number in self._groups.footprints:
            self._rebound(action)

    def remaining(self, now: float, action: Action) -> float:
        """The fraction of a task that is left."""
        return action.left(now)

    def _go(self, now: float) -> None:
        """Move to a date. What changed at the date before counts from there."""
        if now != self.now:
            self.settle()
            self.now = now

    def _new(self, now: float, task: Task | None, tag: Any) -> Action:
        self._go(now)
        action = self.actions[self._next] = Action(self._next, task, tag, now, latent=False)
        self._next += 1
        return action

    def _enable(self, action: Action) -> None:
        """The latency is paid (or it was suspended): from now on it takes part."""
        task = action.task
        assert task is not None
        action.since = self.now
        if task.empty:
            action.remaining = 0.0
            self._schedule(action, self.now)
            return
        self._groups.add(action.number, (*task.cpus, *task.links))
        if self.traffic is not None:
            self.traffic.add(action)
        self._rebound(action)

    def _rebound(self, action: Action) -> None:
        """One core of every host, and the TCP window, bound its rate."""
        assert action.task is not None
        bound = action.network_bound
        speeds = self.speeds
        for hosts, weight in action.task.cpus:
            slowest = math.inf
            for host in hosts:
                slowest = min(slowest, speeds[host])
            bound = min(bound, slowest / (weight if isinstance(weight, float) else max(weight)))
        action.bound = bound
        self._groups.footprints[action.number].bind(bound)
        self._dirty.add(action.number)

    def _leave(self, action: Action) -> None:
        del self.actions[action.number]
        self._release(action)

    def _release(self, action: Action) -> None:
        if action.number in self._groups.footprints:
            self._dirty.update(self._groups.remove(action.number))
            self._dirty.discard(action.number)
            self._mark(action)
            if self.traffic is not None:
                self.traffic.remove(action)


def _number(action: Action) -> int:
    return action.number
