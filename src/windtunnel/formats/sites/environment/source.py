"""One document of an environment: its text, its tree, and where it came from."""

from pathlib import Path
from typing import Any, Final

__all__ = ["Source"]


class Source:
    """One document: where it came from (``folder`` for relative references), its text, its tree."""

    def __init__(self, name: str, text: str, tree: Any, *, folder: Path | None = None) -> None:
        self.name: Final = name
        self.text: Final = text
        self.tree: Final = tree
        self.folder: Final = folder
        self.members = 0
        """How many object members the text holds."""

    def at(self, path: tuple[str | int, ...]) -> Any:
        """The raw value at a path that is known to exist."""
        value = self.tree
        for token in path:
            value = value[token]
        return value
