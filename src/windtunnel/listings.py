"""What the package ships by name, listed as installed packages list theirs: a registry names nothing that it holds.

The package fills it when it is imported (from :mod:`windtunnel.shipped`); registries read their own group.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

__all__ = ["LISTED", "Listed"]


class Listed(NamedTuple):
    """One thing that can be named: where it is (``module:Name``), what it does in one line, whose rules it follows.

    ``aliases`` are names it had before, which are understood through 0.2.
    """

    reference: str
    description: str
    source: str
    aliases: tuple[str, ...] = ()


LISTED: Final[dict[str, Mapping[str, Listed]]] = {}
"""Group of entry points -> name -> what is there."""
