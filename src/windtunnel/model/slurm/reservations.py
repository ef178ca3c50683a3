"""Advance reservations of a Slurm site."""

from collections.abc import Mapping

import msgspec

__all__ = ["Reservation"]


class Reservation(msgspec.Struct, frozen=True, kw_only=True):
    """A reservation as ``scontrol show reservation`` prints it."""

    name: str
    start: int
    """Seconds since 1970, as is ``end``."""
    end: int
    nodes: tuple[str, ...] = ()
    partition: str = ""
    """Of jobs that ask for the reservation and for no partition; empty: the cluster's default."""
    users: tuple[str, ...] = ()
    """Names; with a ``-`` before it: all but that one."""
    accounts: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    """Groups of the operating system."""
    flags: tuple[str, ...] = ()
    """In capitals: ``MAINT``, ``IGNORE_JOBS``, ``FLEX``, ``DAILY``, ``WEEKLY``, ``OVERLAP``..."""
    licences: Mapping[str, int] = {}
    core_count: int | None = None
    features: str = ""
    tres: Mapping[str, int] = {}
    max_start_delay: int | None = None
    """Seconds after its start at which jobs that ask for it may still wait for it."""
