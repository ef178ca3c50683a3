"""Faults of a study: all of them at once, each with its place in the file where there is one."""

from collections.abc import Callable, Sequence

from windtunnel.diagnostics import Findings
from windtunnel.diagnostics.json_positions import Path, json_pointer

__all__ = ["Faults"]


class Faults:
    """Collects what is wrong with a study by the way to it: ``("schedulers", 1, "options")``."""

    def __init__(self, source: str, place: Callable[[Path], tuple[int, int]] = lambda _: (0, 0)) -> None:
        self.source = source
        """The file, or how the study was made."""
        self._place = place
        self._found = Findings(source)
        self._told: set[tuple[Path, str]] = set()

    def add(self, path: Sequence[str | int], message: str, hint: str = "", *, code: str = "study") -> None:
        """One fault, told once, though a text be at fault for each value of a parameter that it contains.

        The first line of a message of ours that brings its hint along is split from it.
        """
        if not hint and "\n  hint: " in message:
            message, _, hint = message.partition("\n  hint: ")
        way = tuple(path)
        if (way, message) in self._told:
            return
        self._told.add((way, message))
        line, column = self._place(way)
        self._found.add(message, code=code, line=line, column=column, pointer=json_pointer(way), hint=hint)

    def __bool__(self) -> bool:
        return self._found.has_errors

    def raise_if_any(self) -> None:
        """Raise :class:`~windtunnel.diagnostics.InputError` with all of them."""
        self._found.raise_if_errors()
