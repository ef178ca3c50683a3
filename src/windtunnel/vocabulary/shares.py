"""What jobs have taken of hosts that they share, as far as a scheduler knows."""

from collections.abc import Mapping, Sequence

from mypy_extensions import mypyc_attr

from windtunnel.model import Host, HostSet
from windtunnel.model.alike_amounts import AlikeAmounts
from windtunnel.vocabulary.held import Amounts

__all__ = ["Shares"]

_NONE = HostSet()
_NOTHING: Mapping[str, float] = {}


@mypyc_attr(allow_interpreted_subclasses=True)
class Shares:
    """Hosts of which jobs have parts: ``taken`` says what each job took, ``left`` what remains of each resource.

    ``cores`` are a resource like others. No rounding errors stay behind when a job gives back what it had. Hosts that
    one job took together, alike, are written down together, until somebody asks for them one by one.
    """

    __slots__ = ("_alone", "_left", "_noted", "_one_by_one", "_taken", "_together", "hosts")

    def __init__(self) -> None:
        self.hosts: Sequence[Host] = ()
        self._taken: dict[int, list[Mapping[str, float]]] = {}
        self._left: dict[int, dict[str, float]] = {}
        self._alone = _NONE
        """Hosts of one job each that are written down together."""
        self._together: list[AlikeAmounts] = []
        """What those jobs took."""
        self._noted: HostSet | None = None
        """The hosts that are written down one by one; None: nobody asked for them yet."""
        self._one_by_one = False
        """Whether somebody looks at hosts one by one."""

    @property
    def taken(self) -> dict[int, list[Mapping[str, float]]]:
        """What each job took, by host; whoever asks has it kept up to date."""
        self._write_out()
        return self._taken

    @property
    def left(self) -> dict[int, dict[str, float]]:
        """What remains, by host; whoever asks has it kept up to date."""
        self._write_out()
        return self._left

    @property
    def unused(self) -> bool:
        """Whether nobody has a part of any host."""
        return not self._taken and not self._together

    def left_on(self, host: int) -> dict[str, float] | None:
        """What remains of one host; None: nobody has a part of it."""
        if host in self._alone:
            rest = self.whole(host)
            _take(rest, self._of(host).get(host, _NOTHING))
            return rest
        return self._left.get(host)

    def whole(self, host: int) -> dict[str, float]:
        """All that a host has."""
        about = self.hosts[host]
        return {"cores": float(about.cores), **about.resources}

    def take(self, hosts: HostSet, amounts: Amounts) -> HostSet:
        """A job takes so much of each of these hosts; them."""
        if self._together and not hosts.isdisjoint(self._alone):
            for host in hosts & self._alone:
                self._note(host, self._of(host).get(host, _NOTHING))
            self._alone = self._alone - hosts
        rest = hosts
        if isinstance(amounts, AlikeAmounts) and hosts.size > 1 and not self._one_by_one:
            if self._noted is None:
                self._noted = HostSet(self._left)
            rest = hosts & self._noted
            self._alone = self._alone | (hosts - rest)
            self._together.append(amounts)
        if rest:
            self._take_one_by_one(rest, amounts)
        return hosts

    def _take_one_by_one(self, hosts: HostSet, amounts: Amounts) -> None:
        if self._noted is not None:
            self._noted = self._noted | hosts
        left: dict[int, dict[str, float]] = {}
        for host in hosts:
            rest = self._left.get(host)
            left[host] = rest = self.whole(host) if rest is None else rest.copy()
            _take(rest, amounts.get(host, _NOTHING))
        self._left.update(left)
        for host in hosts:
            taken = self._taken.get(host)
            if taken is None:
                taken = self._taken[host] = []
            taken.append(amounts.get(host, _NOTHING))

    def give_back(self, hosts: HostSet, amounts: Amounts) -> HostSet:
        """A job leaves these hosts; those of which nobody has a part any more."""
        place = next((i for i, one in enumerate(self._together) if one is amounts), -1)
        alone = _NONE
        if place >= 0:
            del self._together[place]
            alone = hosts & self._alone
            self._alone = self._alone - hosts
            hosts = hosts - alone
        unused = []
        for host in hosts:
            taken = self._taken[host]
            taken.remove(amounts.get(host, _NOTHING))
            if taken:
                left = self._left[host] = self.whole(host)
                for amount in taken:
                    _take(left, amount)
            else:
                del self._taken[host], self._left[host]
                unused.append(host)
        if not unused:
            return alone
        freed = HostSet(unused)
        if self._noted is not None:
            self._noted = self._noted - freed
        return freed | alone if alone else freed

    def _of(self, host: int) -> AlikeAmounts:
        """What the one job took that a host is written down with."""
        return next(one for one in self._together if host in one.hosts)

    def _note(self, host: int, amount: Mapping[str, float]) -> None:
        """A host with one job, by itself."""
        if self._noted is not None:
            self._noted = self._noted | HostSet.span(1, host)
        self._taken[host] = [amount]
        rest = self._left[host] = self.whole(host)
        _take(rest, amount)

    def _write_out(self) -> None:
        self._one_by_one = True
        if self._alone:
            for one in self._together:
                for hosts, amount in one.groups:
                    for host in hosts & self._alone:
                        self._note(host, amount)
            self._alone = _NONE
        self._together.clear()
        self._noted = None


def _take(left: dict[str, float], taken: Mapping[str, float]) -> None:
    for name, amount in taken.items():
        left[name] = left.get(name, 0.0) - amount
