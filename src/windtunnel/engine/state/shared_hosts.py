"""Hosts that jobs share by amounts (cores, memory, GPUs, any named resource), so that none is given twice.

A job without amounts takes whole hosts and never meets this. A host on which amounts are taken is not free for whole
jobs; it is free again when the last share is given back.
"""

from collections.abc import Mapping, Sequence

from mypy_extensions import mypyc_attr

from windtunnel.model import Host, HostSet
from windtunnel.model.alike_amounts import AlikeAmounts

__all__ = ["Amounts", "Shares", "enough_alike"]

Amounts = Mapping[int, Mapping[str, float]]

_NONE = HostSet()
_NOTHING: Mapping[str, float] = {}
_SLACK = 1 + 1e-9
"""Sums of parts may exceed the whole by a rounding error."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Shares:
    """What is taken of each shared host."""

    def __init__(self) -> None:
        self._taken: dict[int, dict[str, float]] = {}
        self._jobs: dict[int, int] = {}
        self._alone = _NONE
        """Hosts of one job each, of which is written down together what the job took."""
        self._together: list[AlikeAmounts] = []
        """What these jobs took."""
        self._noted: HostSet | None = None
        """The hosts that are noted one by one; None: nobody asked for them yet."""
        self._looked_at: tuple[HostSet, HostSet] | None = None
        """The hosts of which was last asked which nobody has, and these: a job that starts is checked before."""

    def __contains__(self, host: object) -> bool:
        """Whether a host is shared at present."""
        return host in self._jobs or host in self._alone

    def refusal(self, hosts: HostSet, amounts: Amounts, platform: Sequence[Host]) -> str:
        """Why these amounts cannot be taken, "" if they can."""
        others = [host for host in amounts if host not in hosts]
        if others:
            return f"amounts are given for hosts {others}, which are not among {hosts}"
        self._write_out(hosts)
        for number in hosts:
            host = platform[number]
            taken = self._taken.get(number, {})
            for name, amount in amounts.get(number, {}).items():
                has = host.cores if name == "cores" else host.resources.get(name)
                if has is None:
                    return f"host {number} ({host.name}) has no {name!r}"
                if not amount >= 0:
                    return f"an amount must not be negative, this is {amount!r} {name!r}"
                if taken.get(name, 0.0) + amount > has * _SLACK:
                    left = has - taken.get(name, 0.0)
                    return (
                        f"host {number} ({host.name}) has {left:g} of {has:g} {name!r} left, {amount:g} are asked for"
                    )
        return ""

    def take(self, hosts: HostSet, amounts: Amounts) -> HostSet:
        """Take amounts that were checked; the hosts that were whole until now."""
        self._write_out(hosts)
        if not isinstance(amounts, AlikeAmounts) or hosts.size == 1:
            return self._take(hosts, amounts)
        fresh = self.fresh(hosts)
        self._looked_at = None
        self._alone = self._alone | fresh
        self._together.append(amounts)
        return fresh if fresh.size == hosts.size else fresh | self._take(hosts - fresh, amounts)

    def have_room(self, hosts: HostSet, amounts: AlikeAmounts, platform: Sequence[Host]) -> bool:
        """Whether hosts that jobs share already have so much left."""
        self._write_out(hosts)
        for number, wanted in _by_host(hosts, amounts):
            taken = self._taken.get(number, _NOTHING)
            host = platform[number]
            for name, amount in wanted.items():
                has = host.cores if name == "cores" else host.resources.get(name)
                if has is None or not amount >= 0 or taken.get(name, 0.0) + amount > has * _SLACK:
                    return False
        return True

    def fresh(self, hosts: HostSet) -> HostSet:
        """Of some hosts those of which nobody has any amount."""
        if self._looked_at is not None and self._looked_at[0] is hosts:
            return self._looked_at[1]
        if self._noted is None:
            self._noted = HostSet(self._jobs)
        found = hosts - self._noted - self._alone
        self._looked_at = hosts, found
        return found

    def _take(self, hosts: HostSet, amounts: Amounts) -> HostSet:
        self._looked_at = None
        fresh = []
        jobs = self._jobs
        for number, wanted in _by_host(hosts, amounts):
            count = jobs.get(number)
            if count is None:
                fresh.append(number)
                jobs[number] = 1
                self._taken[number] = dict(wanted)
                continue
            jobs[number] = count + 1
            taken = self._taken[number]
            for name, amount in wanted.items():
                taken[name] = taken.get(name, 0.0) + amount
        found = HostSet(fresh)
        if self._noted is not None and fresh:
            self._noted = self._noted | found
        return found

    def give_back(self, hosts: HostSet, amounts: Amounts) -> HostSet:
        """Give back what was taken; the hosts that are whole again."""
        alone, others = self.give_back_apart(hosts, amounts)
        return alone | others if others else alone

    def give_back_apart(self, hosts: HostSet, amounts: Amounts) -> tuple[HostSet, HostSet]:
        """The same; first the hosts to which nobody else has come while the job had them, as far as is known."""
        self._looked_at = None
        place = next((i for i, one in enumerate(self._together) if one is amounts), -1)
        if place < 0:
            return _NONE, self._give_back(hosts, amounts)
        del self._together[place]
        alone = hosts & self._alone
        self._alone = self._alone - hosts
        return alone, self._give_back(hosts - alone, amounts) if alone.size < hosts.size else _NONE

    def _give_back(self, hosts: HostSet, amounts: Amounts) -> HostSet:
        whole = []
        jobs = self._jobs
        for number, had in _by_host(hosts, amounts):
            count = jobs[number] - 1
            if count:
                jobs[number] = count
                taken = self._taken[number]
                for name, amount in had.items():
                    taken[name] -= amount
            else:  # nothing is left, not even rounding errors
                whole.append(number)
                del jobs[number], self._taken[number]
        found = HostSet(whole)
        if self._noted is not None and whole:
            self._noted = self._noted - found
        return found

    def _write_out(self, hosts: HostSet) -> None:
        """Others come to some hosts: what is taken of these is noted one by one."""
        if not self._together or hosts.isdisjoint(self._alone):
            return
        met = hosts & self._alone
        self._alone = self._alone - met
        if self._noted is not None:
            self._noted = self._noted | met
        for one in self._together:
            for some, amounts in one.groups if not met.isdisjoint(one.hosts) else ():
                for number in some & met:
                    self._jobs[number] = 1
                    self._taken[number] = dict(amounts)


def _by_host(hosts: HostSet, amounts: Amounts) -> list[tuple[int, Mapping[str, float]]]:
    """Some hosts, each with what a job takes of it."""
    if isinstance(amounts, AlikeAmounts):
        return [(number, wanted) for some, wanted in amounts.groups for number in some & hosts]
    return [(number, amounts.get(number, _NOTHING)) for number in hosts]


def enough_alike(amounts: AlikeAmounts, kinds: Sequence[tuple[HostSet, Host]]) -> bool:
    """Whether whole hosts, of which there are these kinds, have such amounts."""
    for hosts, taken in amounts.groups:
        for alike, host in kinds:
            if hosts.isdisjoint(alike):
                continue
            for name, amount in taken.items():
                has = host.cores if name == "cores" else host.resources.get(name)
                if has is None or not 0 <= amount <= has * _SLACK:
                    return False
    return True
