"""What will be free of each host once some of what runs has ended: a copy of what is, made as far as it changes."""

from collections.abc import Mapping

from mypy_extensions import mypyc_attr

from windtunnel.model import HostSet
from windtunnel.model.demands import Need
from windtunnel.schedulers.packing.room import Room, without
from windtunnel.vocabulary import Mirror, Running
from windtunnel.vocabulary.held import Held

__all__ = ["LaterRoom"]


@mypyc_attr(allow_interpreted_subclasses=True)
class LaterRoom(Room):
    """What is free now, to be changed for asking what will be; only as long as nothing changes in the mirror.

    Args:
        now: what is free now.
        site: the mirror of the site.
        need: what will be asked about: the hosts that can hold it now are those that are known already.
    """

    def __init__(self, now: Room, site: Mirror, need: Need | None = None) -> None:
        super().__init__(now.demands, site.free.copy(), dict(site.shares.left), site.absent)
        self._taken: Mapping[int, list[Mapping[str, float]]] = site.shares.taken
        self._jobs: dict[int, int] = {}
        """How many jobs have a part of each host of which that has changed; what is left of those is ours."""
        self._in_parts = 0, now.in_parts()
        if need is not None and not need.whole:
            self._able[need] = 0, now.parts(need)

    def _begin_to_change(self, host: int) -> None:
        if host not in self._jobs:
            self._jobs[host] = len(self._taken.get(host, ()))
            if host in self.left:
                self.left[host] = self.left[host].copy()

    def give_back(self, held: Held) -> HostSet:
        """Something that was held ends; its hosts, as far as they are there."""
        hosts = held.hosts - self.absent if isinstance(held, Running) else held.hosts
        self.note(hosts)
        amounts = held.amounts if isinstance(held, Running) else None
        if amounts is None:
            self.free.add(hosts)
            return hosts
        empty = []
        for host in hosts:
            self._begin_to_change(host)
            self._jobs[host] -= 1
            if self._jobs[host]:
                left = self.left[host]
                for name, amount in amounts.get(host, {}).items():
                    left[name] = left.get(name, 0.0) + amount
            else:
                del self.left[host]
                empty.append(host)
        self.free.add(HostSet(empty))
        return hosts

    def take(self, need: Need, hosts: HostSet) -> None:
        """A job comes to these hosts."""
        self.free.remove(hosts - self.in_parts())
        self.note(hosts)
        if need.whole:
            return
        for host in hosts:
            self._begin_to_change(host)
            self.left[host] = without(self.of(host), need)
            self._jobs[host] += 1
