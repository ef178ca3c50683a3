"""The rule under which rows of logs become jobs, whatever their format: what is dropped, repaired and counted.

Bulk readers ask it about odd rows only, those that read row by row about each.
"""

from collections import Counter
from math import inf, nextafter
from typing import Final, Literal, get_args

import msgspec

from windtunnel.diagnostics import Findings, UsageError

__all__ = ["MOST_PROCESSORS", "ReplayOptions", "Rule", "WalltimePolicy", "behind_end", "length_name", "start_date"]

WalltimePolicy = Literal["extend", "kill"]
"""What a run time beyond the requested time means: the limit is extended, or the job is killed at it."""

MOST_PROCESSORS: Final = 10**18
"""No job asks for as many: tables of jobs hold whole numbers of 64 bits."""
EPOCH_LIKE: Final = 1e8
"""Dates from here on (1973) are calendar dates; smaller ones count from an unknown day."""


class ReplayOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How rows become jobs.

    Raises:
        UsageError: there is no such policy.
    """

    walltime: WalltimePolicy = "extend"
    keep_epoch: bool = False
    """Keep submit times as they are; otherwise the first job is submitted at 0."""
    max_processors: int | None = None
    """Jobs that want more are dropped."""
    strict: bool = False
    """Rows dropped or repaired are errors."""

    def __post_init__(self) -> None:
        if self.walltime not in get_args(WalltimePolicy):
            raise UsageError(f"no walltime policy {self.walltime!r}", "choose extend or kill")


class Rule:
    """Judges rows, repairs what they leave open, and counts what it did; times in seconds."""

    def __init__(self, options: ReplayOptions, findings: Findings) -> None:
        self.options = options
        self.most = options.max_processors
        """Jobs that want more processors are dropped; None: none is."""
        self.dropped: Counter[str] = Counter()
        self.repaired: Counter[str] = Counter()
        self.noted: Counter[str] = Counter()
        self.first: dict[str, int] = {}
        """The line of the first row of each reason and repair."""
        self._findings = findings
        self._extends = options.walltime == "extend"

    def drops(
        self, submit: float | None, run: float | None, processors: int, line: int, *, cancelled: bool, burst: bool
    ) -> bool:
        """Whether a row is not simulated. ``burst``: a part of a checkpointed job, whose summary has a row too."""
        reason = ""
        if burst:
            reason = "burst of a checkpointed job (status 2 to 4)"
        elif submit is None:
            reason = "no submit time"
        elif cancelled and (run is None or run <= 0):
            reason = "cancelled before it ran"
        elif run is None or run < 0:
            reason = "no run time"
        elif processors <= 0:
            reason = "no processors"
        elif self.most is not None and processors > self.most:
            reason = "more processors than there are"
        if not reason:
            return False
        self.dropped[reason] += 1
        self.first.setdefault(reason, line)
        if self.options.strict:
            self._findings.add(f"the row cannot be replayed: {reason}", code="dropped", line=line)
        return True

    def processors(self, requested: int, allocated: int, line: int) -> int:
        """What a job that is kept asks for."""
        if requested > 0:
            return requested
        self.mended("requested processors unknown: allocated ones used", line)
        return allocated

    def walltime(self, run: float, asked: float | None, line: int) -> float:
        """The limit of a job that is kept."""
        if asked is None or asked <= 0:
            self.mended("requested time unknown: run time used", line)
            return nextafter(run, inf)  # nobody asked for a limit, so none is reached
        if run > asked:
            if self._extends:
                self.mended("run time beyond requested time: walltime extended", line)
                return run
            self.noted["run time beyond requested time: killed at it"] += 1
        return asked

    def mended(self, how: str, line: int) -> None:
        """Count a repair."""
        self.repaired[how] += 1
        self.first.setdefault(how, line)
        if self.options.strict:
            self._findings.add(how, code="repaired", line=line)


def behind_end(run: float, walltime: float, *, extend: bool) -> float:
    """The limit of a job: one that lasts exactly as long as its walltime counts as killed, so just behind its end."""
    return nextafter(run, inf) if walltime <= run and extend else walltime


def length_name(run: float) -> str:
    """What a profile of that length is called."""
    return str(int(run)) if run.is_integer() else repr(run)


def start_date(base: float, first: float) -> float | None:
    """Seconds since 1970 at simulated time 0, which is the date ``base``; None if dates count from an unknown day.

    ``first`` is the date of the first submission.
    """
    return base if first >= EPOCH_LIKE else None
