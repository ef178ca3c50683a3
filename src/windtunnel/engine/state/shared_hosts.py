"""Hosts that jobs share by amounts (cores, memory, GPUs, any named resource), so that none is given twice.

A job without amounts takes whole hosts and never meets this. A host on which amounts are taken is not free for whole
jobs; it is free again when the last share is given back.
"""

from collections.abc import Mapping, Sequence

from mypy_extensions import mypyc_attr

from windtunnel.model import Host, HostSet

__all__ = ["Amounts", "Shares"]

Amounts = Mapping[int, Mapping[str, float]]

_SLACK = 1 + 1e-9
"""Sums of parts may exceed the whole by a rounding error."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Shares:
    """What is taken of each shared host."""

    def __init__(self) -> None:
        self._taken: dict[int, dict[str, float]] = {}
        self._jobs: dict[int, int] = {}

    def __contains__(self, host: object) -> bool:
        """Whether a host is shared at present."""
        return host in self._jobs

    def refusal(self, hosts: HostSet, amounts: Amounts, platform: Sequence[Host]) -> str:
        """Why these amounts cannot be taken, "" if they can."""
        others = [host for host in amounts if host not in hosts]
        if others:
            return f"amounts are given for hosts {others}, which are not among {hosts}"
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
        fresh = []
        for number in hosts:
            if number not in self._jobs:
                fresh.append(number)
                self._jobs[number] = 0
                self._taken[number] = {}
            self._jobs[number] += 1
            taken = self._taken[number]
            for name, amount in amounts.get(number, {}).items():
                taken[name] = taken.get(name, 0.0) + amount
        return HostSet(fresh)

    def give_back(self, hosts: HostSet, amounts: Amounts) -> HostSet:
        """Give back what was taken; the hosts that are whole again."""
        whole = []
        for number in hosts:
            self._jobs[number] -= 1
            if self._jobs[number]:
                taken = self._taken[number]
                for name, amount in amounts.get(number, {}).items():
                    taken[name] -= amount
            else:  # nothing is left, not even rounding errors
                whole.append(number)
                del self._jobs[number], self._taken[number]
        return HostSet(whole)
