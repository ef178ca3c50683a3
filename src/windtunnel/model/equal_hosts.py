"""Many equal hosts, each made when somebody asks for it.

A site of a million equal hosts is described by one of them: most runs never look at more than a few. Loaded for sites
of very many hosts only.
"""

from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Any, overload

from windtunnel.diagnostics import without_garbage_collection
from windtunnel.model.host import Host, PowerState

__all__ = ["EqualHosts"]


class EqualHosts(Sequence[Host]):
    """Reads as the tuple of ``size`` hosts that differ in ``id`` and ``name`` (host0, host1, ...) only.

    A host that was made is kept: whoever changes it finds it changed. To go through all of them makes all of them.
    """

    __slots__ = ("_all", "_cores", "_made", "_pstates", "_size")

    def __init__(self, size: int, cores: int, pstates: tuple[PowerState, ...]) -> None:
        self._size = size
        self._cores = cores
        self._pstates = pstates
        self._made: dict[int, Host] = {}
        self._all: tuple[Host, ...] | None = None

    def _make(self, number: int) -> Host:
        return Host(id=number, name=f"host{number}", cores=self._cores, pstates=self._pstates)

    def _one(self, number: int) -> Host:
        host = self._made.get(number)
        if host is None:
            host = self._made[number] = self._make(number)
        return host

    def _whole(self) -> tuple[Host, ...]:
        if self._all is None:
            made = self._made
            with without_garbage_collection():
                self._all = tuple(made[i] if i in made else self._make(i) for i in range(self._size))
            self._made = {}
        return self._all

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, index: int) -> Host: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Host, ...]: ...
    def __getitem__(self, index: int | slice) -> Host | tuple[Host, ...]:
        if self._all is not None:
            return self._all[index]
        if isinstance(index, slice):
            return tuple(map(self._one, range(self._size)[index]))
        return self._one(range(self._size)[index])

    def __iter__(self) -> Iterator[Host]:
        return iter(self._whole())

    def __reversed__(self) -> Iterator[Host]:
        return reversed(self._whole())

    def __hash__(self) -> int:
        return hash((*self[:1],))  # as of a tuple of hosts: hosts have none, and no hosts have one

    def __eq__(self, other: object) -> bool:
        if isinstance(other, EqualHosts):
            return self is other or (self._size == other._size and self._whole() == other._whole())
        return self._whole() == other if isinstance(other, tuple) else NotImplemented

    def __add__(self, other: Sequence[Host]) -> tuple[Host, ...]:
        return (*self, *other) if isinstance(other, tuple | EqualHosts) else NotImplemented

    def __radd__(self, other: tuple[Host, ...]) -> tuple[Host, ...]:
        return (*other, *self) if isinstance(other, tuple) else NotImplemented

    def __copy__(self) -> "EqualHosts":
        return self

    def __repr__(self) -> str:
        return repr(self._whole())

    def kinds(self) -> Sequence[Host]:
        """Every host that was made, and one that stands for all others, which may have no place among them."""
        return self._all if self._all is not None else (*self._made.values(), self._make(0))

    def column(self, name: str) -> list[Any]:
        """What each host has under this name of a field (neither ``id`` nor ``name``)."""
        if self._all is not None:
            return [*map(attrgetter(name), self._all)]
        column = [getattr(self._make(0), name)] * self._size
        for number, host in self._made.items():
            column[number] = getattr(host, name)
        return column
