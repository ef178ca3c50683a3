"""What a change of a site does: who waits longer and who shorter."""

from collections.abc import Callable, Sequence
from typing import Final

import msgspec

__all__ = ["Change", "Shift", "in_whole_seconds"]

_NAMED: Final = 6
"""Groups that are named in a line."""


def in_whole_seconds(value: float) -> str:
    """A difference (s) with its sign; 0 where it is less than half a second either way."""
    return f"{round(value):+,}" if round(value) else "0"


class Shift(msgspec.Struct, frozen=True):
    """How the mean wait (s) of some jobs changes; ``low`` and ``high`` hold 95 of 100 resamples of weeks."""

    by: str
    name: str
    jobs: int
    before: float
    after: float
    low: float | None = None
    """None: the log is too short for an interval (fewer than three weeks with such jobs)."""
    high: float | None = None

    @property
    def sure(self) -> bool:
        """Whether it is more than chance: the interval leaves out zero; without one, the mean changes by a second."""
        if self.low is None or self.high is None:
            return abs(self.after - self.before) >= 1
        return self.low > 0 or self.high < 0


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """What a change of a site does."""

    shifts: tuple[Shift, ...]
    """All jobs first, then by partition, account, size, user and hour of submission."""
    never_before: int
    """Jobs that never start without the change; ``never_after``: with it."""
    never_after: int
    diff: str
    """Of slurm.conf and the files that it includes, to copy."""
    commands: tuple[str, ...] = ()
    """Of sacctmgr and scontrol, which change accounting and reservations in the same way."""
    told: tuple[str, ...] = ()
    """What did not take effect as written in the runs."""

    def gaining(self) -> list[Shift]:
        """Partitions, accounts, sizes and users that wait less, those first that save most in all."""
        return self._moved(lambda one: one.after < one.before)

    def losing(self) -> list[Shift]:
        """Those that wait longer, those first that lose most in all."""
        return self._moved(lambda one: one.after > one.before)

    def in_words(self) -> tuple[str, str]:
        """Who gains, and who loses, each in a line."""
        return f"gain: {_named(self.gaining())}", f"lose: {_named(self.losing())}"

    def _moved(self, which: Callable[[Shift], bool]) -> list[Shift]:
        some = [one for one in self.shifts if one.by not in ("all", "hour") and one.sure and which(one)]
        return sorted(some, key=lambda one: -abs(one.after - one.before) * one.jobs)


def _named(some: Sequence[Shift]) -> str:
    """The groups that move most, with by how much the mean wait changes."""
    said = [f"{one.by} {one.name} ({in_whole_seconds(one.after - one.before)} s)" for one in some[:_NAMED]]
    left = len(some) - len(said)
    more = f" and {left} more group{'s' if left > 1 else ''}" if left else ""
    return ", ".join(said) + more if said else "nobody significantly"
