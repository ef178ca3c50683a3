"""Which schedulers cannot share a simulation: each of ours starts all jobs, so two of them take each other's."""

from collections.abc import Sequence
from typing import Any, Final

from windtunnel.diagnostics import UsageError
from windtunnel.listings import LISTED
from windtunnel.schedulers.registry import ALIASES, GROUP

__all__ = ["check_together"]

_REGISTERS: Final = "batsched/submitter"
"""It starts only the jobs that it has registered."""


def check_together(schedulers: Sequence[Any]) -> None:
    """Refuse several of ours, by name; other components are expected to agree on who takes which jobs.

    Raises:
        UsageError: there are two.
    """
    named = [ALIASES.get(one, one) for one in schedulers if isinstance(one, str)]
    batch = [name for name in named if name in LISTED[GROUP] and name != _REGISTERS]
    if len(batch) > 1:
        raise UsageError(
            f"{' and '.join(batch)} cannot share a simulation: each of them would start all jobs",
            "run one after the other: windtunnel compare sets their runs side by side, windtunnel study runs many; "
            "what shares a simulation agrees on who takes which jobs, such as a scheduler and a power manager",
        )
