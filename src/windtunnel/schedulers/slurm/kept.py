"""Selections that were made before: the same job among the same free nodes is placed alike, whenever that is."""

from typing import Final

from mypy_extensions import mypyc_attr

__all__ = ["KeptPicks", "Parts"]

Parts = list[tuple[int, int]]
"""CPUs, and the nodes of which so many are taken."""

_MOST: Final = 2000
"""Selections of one generation; the one before it is kept, too."""


@mypyc_attr(allow_interpreted_subclasses=True)
class KeptPicks:
    """What selections by sets of nodes came to, the latest of them."""

    __slots__ = ("_before", "_latest")

    def __init__(self) -> None:
        self._latest: dict[tuple[int, ...], Parts | None] = {}
        self._before: dict[tuple[int, ...], Parts | None] = {}

    def __contains__(self, key: tuple[int, ...]) -> bool:
        return key in self._latest or key in self._before

    def __getitem__(self, key: tuple[int, ...]) -> Parts | None:
        return self._latest[key] if key in self._latest else self._before[key]

    def keep(self, key: tuple[int, ...], found: Parts | None) -> Parts | None:
        """One more; it."""
        if len(self._latest) >= _MOST:
            self._before = self._latest
            self._latest = {}
        self._latest[key] = found
        return found

    def __reduce__(self) -> tuple[object, ...]:
        return (KeptPicks, ())  # a saved run finds them anew
