"""Selections that were made before: the same job among the same free nodes is placed alike, whenever that is."""

from typing import Final

from mypy_extensions import mypyc_attr

__all__ = ["NOT_KEPT", "KeptPicks", "Parts"]

Parts = list[tuple[int, int]]
"""CPUs, and the nodes of which so many are taken."""

NOT_KEPT: Final[Parts] = []
"""What stands for a selection that is not known: no selection takes nothing."""
_MOST: Final = 2000
"""Selections of one generation; the one before it is kept, too."""


@mypyc_attr(allow_interpreted_subclasses=True)
class KeptPicks:
    """What selections by sets of nodes came to, the latest of them; by hashes, as those of large sets take long."""

    __slots__ = ("_before", "_latest")

    def __init__(self) -> None:
        self._latest: dict[int, tuple[tuple[int, ...], Parts | None]] = {}
        self._before: dict[int, tuple[tuple[int, ...], Parts | None]] = {}

    def find(self, number: int, key: tuple[int, ...]) -> Parts | None:
        """What a selection came to (None: to nothing), or :data:`NOT_KEPT`; ``number``: the hash of its key."""
        found = self._latest.get(number)
        if found is None:
            found = self._before.get(number)
        return NOT_KEPT if found is None or found[0] != key else found[1]

    def keep(self, number: int, key: tuple[int, ...], found: Parts | None) -> Parts | None:
        """One more; it."""
        if len(self._latest) >= _MOST:
            self._before = self._latest
            self._latest = {}
        self._latest[number] = key, found
        return found

    def __reduce__(self) -> tuple[object, ...]:
        return (KeptPicks, ())  # a saved run finds them anew
