"""What jobs have taken of hosts that they share, as far as a scheduler knows."""

from collections.abc import Mapping, Sequence

from mypy_extensions import mypyc_attr

from windtunnel.model import Host, HostSet
from windtunnel.vocabulary.held import Amounts

__all__ = ["Shares"]

_NONE = HostSet()
_NOTHING: Mapping[str, float] = {}


@mypyc_attr(allow_interpreted_subclasses=True)
class Shares:
    """Hosts of which jobs have parts: ``taken`` says what each job took, ``left`` what remains of each resource.

    ``cores`` are a resource like others. No rounding errors stay behind when a job gives back what it had.
    """

    __slots__ = ("hosts", "left", "taken")

    def __init__(self) -> None:
        self.hosts: Sequence[Host] = ()
        self.taken: dict[int, list[Mapping[str, float]]] = {}
        self.left: dict[int, dict[str, float]] = {}

    def whole(self, host: int) -> dict[str, float]:
        """All that a host has."""
        about = self.hosts[host]
        return {"cores": float(about.cores), **about.resources}

    def take(self, hosts: HostSet, amounts: Amounts) -> HostSet:
        """A job takes so much of each of these hosts; them."""
        left: dict[int, dict[str, float]] = {}
        for host in hosts:
            rest = self.left.get(host)
            left[host] = rest = self.whole(host) if rest is None else rest.copy()
            _take(rest, amounts.get(host, _NOTHING))
        self.left.update(left)
        for host in hosts:
            taken = self.taken.get(host)
            if taken is None:
                taken = self.taken[host] = []
            taken.append(amounts.get(host, _NOTHING))
        return hosts

    def give_back(self, hosts: HostSet, amounts: Amounts) -> HostSet:
        """A job leaves these hosts; those of which nobody has a part any more."""
        unused = []
        for host in hosts:
            taken = self.taken[host]
            taken.remove(amounts.get(host, _NOTHING))
            if taken:
                left = self.left[host] = self.whole(host)
                for amount in taken:
                    _take(left, amount)
            else:
                del self.taken[host], self.left[host]
                unused.append(host)
        return HostSet(unused) if unused else _NONE


def _take(left: dict[str, float], taken: Mapping[str, float]) -> None:
    for name, amount in taken.items():
        left[name] = left.get(name, 0.0) - amount
