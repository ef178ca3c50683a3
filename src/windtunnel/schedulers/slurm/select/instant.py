"""When jobs could start, as it was found in the same instant: while nothing starts or ends, jobs of a kind are alike.

The backfill loop asks again for each date at which a plan ends, and for each of many jobs that ask for the same.
"""

from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.jobs.picked import Picked
from windtunnel.schedulers.slurm.select.vacated import Vacated

__all__ = ["Earliest", "Instant"]

_NOTHING: Final = -1


@mypyc_attr(allow_interpreted_subclasses=True)
class Earliest:
    """When jobs of a kind could start at the earliest and where, or that they could not up to a date."""

    __slots__ = ("_found", "_until")

    def __init__(self, found: tuple[int, Picked] | None, until: int = _NOTHING) -> None:
        """``until``: by when the running jobs end that have to be gone; if nothing was found, those that were."""
        self._found = found
        self._until = until

    def tells(self, horizon: int) -> bool:
        """Whether it says what happens up to a date."""
        return self._found is not None or self._until >= horizon

    def within(self, horizon: int) -> tuple[int, Picked] | None:
        """The start, if the jobs that have to be gone end by a date."""
        return self._found if self._until <= horizon else None


@mypyc_attr(allow_interpreted_subclasses=True)
class Instant:
    """What was found since a job started or ended last."""

    __slots__ = ("_known", "_now", "_version", "vacated")

    def __init__(self) -> None:
        self._now = self._version = _NOTHING
        self._known: dict[tuple[object, ...], Earliest] = {}
        self.vacated: dict[tuple[str, ...], Vacated] = {}
        """What is held as running jobs go, without those first that may be preempted."""

    def at(self, now: int, version: int) -> dict[tuple[object, ...], Earliest]:
        """The answers that hold at a date, after so many starts and ends, by what was asked."""
        if now != self._now or version != self._version:
            self._now, self._version = now, version
            self._known.clear()
            self.vacated.clear()
        return self._known
