"""The files of a run, wherever they are: on disk at a layout, or in memory."""

from windtunnel.diagnostics import read_input
from windtunnel.results.files import write_whole
from windtunnel.results.layout import KNOWN_FILES, Layout
from windtunnel.results.rows import Rows

__all__ = ["RunFiles"]


class RunFiles:
    """Growing files, by name, and small ones, which are written whole."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.rows: dict[str, Rows] = {}
        """The growing files, by name."""
        self.small: dict[str, bytes] = {}
        """The small files written at the end (all there is of them in memory)."""

    @property
    def names(self) -> set[str]:
        """The names of those that there are in memory, and of the growing ones that have begun."""
        return {*(name for name, rows in self.rows.items() if rows.exists), *self.small}

    def write(self, name: str, data: bytes) -> None:
        """Write a small file.

        Raises:
            UsageError, SimulationError: it cannot be written.
        """
        path = self.layout.path(name)
        if path is None:
            self.small[name] = data
        else:
            write_whole(path, data)

    def read(self, name: str) -> bytes | None:
        """The content of a file, without what growing ones have not been given yet; None if there is no such file."""
        rows = self.rows.get(name)
        if rows is not None:
            return rows.read() if rows.exists else None
        path = self.layout.path(name)
        if path is None:
            return self.small.get(name)
        return read_input(path) if name in KNOWN_FILES and path.exists() else None

    def move(self) -> None:
        """Copy all to where the layout says now, and go on there; the old ones stay."""
        for name, rows in self.rows.items():
            rows.move(self.layout.path(name))
        for name, data in self.small.items():
            self.write(name, data)
