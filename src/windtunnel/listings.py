"""What the package ships by name, listed as installed packages list theirs: a registry names nothing that it holds.

The package fills it when it is imported (from :mod:`windtunnel.shipped`); registries read their own group.
"""

TYPE_CHECKING = False  # typing is slow to load, and this is loaded before Ctrl-C is a message
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final

__all__ = ["LISTED", "Listed"]


class Listed:
    """One thing that can be named: where it is (``module:Name``), what it does in one line, whose rules it follows.

    ``aliases`` are names it had before, which are understood through 0.2.
    """

    __slots__ = ("aliases", "description", "reference", "source")

    def __init__(self, reference: str, description: str, source: str, aliases: tuple[str, ...] = ()) -> None:
        self.reference = reference
        self.description = description
        self.source = source
        self.aliases = aliases


LISTED: "Final[dict[str, Mapping[str, Listed]]]" = {}
"""Group of entry points -> name -> what is there."""
