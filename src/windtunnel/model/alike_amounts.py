"""What a job takes of hosts of which many give the same: said once for all of them, and read as any other mapping."""

from collections.abc import ItemsView, Iterator, Mapping, Sequence, ValuesView

from windtunnel.model.hostset import HostSet

__all__ = ["AlikeAmounts"]


class AlikeAmounts(Mapping[int, Mapping[str, float]]):
    """Host -> resource -> amount, kept as groups: disjoint sets of hosts, each with what is taken of every one.

    What looks at :attr:`groups` pays for groups; what goes through the hosts pays for hosts.
    """

    __slots__ = ("_table", "groups", "hosts")

    def __init__(self, hosts: HostSet, groups: Sequence[tuple[HostSet, Mapping[str, float]]]) -> None:
        self.hosts = hosts
        """All of them."""
        self.groups = tuple(groups)
        self._table: dict[int, Mapping[str, float]] | None = None

    def _written_out(self) -> dict[int, Mapping[str, float]]:
        """The amounts of each host, in the order of the hosts."""
        table = self._table
        if table is None:
            found = {host: taken for hosts, taken in self.groups for host in hosts}
            table = self._table = found if len(self.groups) == 1 else {host: found[host] for host in self.hosts}
        return table

    def __getitem__(self, host: int) -> Mapping[str, float]:
        for hosts, taken in self.groups:
            if host in hosts:
                return taken
        raise KeyError(host)

    def __iter__(self) -> Iterator[int]:
        return iter(self._written_out())

    def __len__(self) -> int:
        return self.hosts.size

    def __repr__(self) -> str:
        return repr(self._written_out())

    def __reduce__(self) -> tuple[object, ...]:
        return (AlikeAmounts, (self.hosts, self.groups))

    def items(self) -> ItemsView[int, Mapping[str, float]]:
        """The hosts and what is taken of each."""
        return self._written_out().items()

    def values(self) -> ValuesView[Mapping[str, float]]:
        """What is taken of each host."""
        return self._written_out().values()
