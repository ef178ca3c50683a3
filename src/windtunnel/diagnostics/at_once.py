"""Faults of several things that are given together: all of them are raised at once."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from windtunnel.diagnostics.errors import InputError, UsageError

__all__ = ["raise_all", "tried"]

T = TypeVar("T")


def tried(make: Callable[[], T | None], faults: list[InputError | UsageError]) -> T | None:
    """What ``make`` gives; None if what was given is at fault, which is added to the faults of the others."""
    try:
        return make()
    except (InputError, UsageError) as error:
        faults.append(error)
        return None


def raise_all(faults: Sequence[InputError | UsageError]) -> None:
    """Raise all faults at once, if there are any.

    Raises:
        InputError: all are of files.
        UsageError: some are of what was asked for; the text has those of files, too.
    """
    if len(faults) == 1:
        raise faults[0]
    findings = [finding for fault in faults if isinstance(fault, InputError) for finding in fault.findings]
    if any(isinstance(fault, UsageError) for fault in faults):
        raise UsageError("\n".join(map(str, faults)))
    if findings:
        raise InputError(findings)
