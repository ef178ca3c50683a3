"""Traffic of hosts and links, for whoever measures it (probes); nothing is kept until it is asked for."""

import math
from collections.abc import Iterable

from mypy_extensions import mypyc_attr

from windtunnel.engine.sharing.actions import Action

__all__ = ["Traffic"]


@mypyc_attr(allow_interpreted_subclasses=True)
class Traffic:
    """Who sends and receives on which host, and where the traffic has changed.

    Hosts are numbered from 0; links as constraints (after the hosts).
    """

    def __init__(self) -> None:
        self._carried: dict[int, dict[Action, float]] = {}
        """By host: the running actions that move bytes there, with the bytes of their whole task."""
        self._hosts: set[int] = set()
        self._links: set[int] = set()

    def begin(self, actions: Iterable[Action]) -> None:
        """Take in what runs already."""
        for action in actions:
            self.add(action)
            self.mark(action)

    def add(self, action: Action) -> None:
        """An action takes part from now on."""
        if action.task is not None:
            for hosts, amount in action.task.traffic:
                for host in hosts:
                    self._carried.setdefault(host, {})[action] = amount

    def remove(self, action: Action) -> None:
        """An action uses nothing any more."""
        if action.task is not None:
            for hosts, _ in action.task.traffic:
                for host in hosts:
                    carried = self._carried.get(host)
                    if carried is not None and carried.pop(action, None) is not None and not carried:
                        del self._carried[host]

    def mark(self, action: Action) -> None:
        """The rate of an action has changed."""
        if action.task is not None:
            for hosts, _ in action.task.traffic:
                self._hosts.update(hosts)
            for links, _ in action.task.links:
                self._links.update(links)

    def of(self, host: int) -> float:
        """Bytes/s that a host sends and receives."""
        return math.fsum(amount * action.rate for action, amount in self._carried.get(host, {}).items())

    def changed(self) -> tuple[list[int], list[int]]:
        """Hosts, and links, whose traffic may have changed since this was last asked."""
        found = sorted(self._hosts), sorted(self._links)
        self._hosts.clear()
        self._links.clear()
        return found
