"""ENV045: definitions that nothing inherits from."""

from typing import Any

from windtunnel.diagnostics import Severity
from windtunnel.formats.sites.environment.problems import Path, Problem
from windtunnel.formats.sites.environment.source import Source

__all__ = ["unused_definitions"]


def unused_definitions(source: Source, used: set[Path], problems: list[Problem]) -> None:
    """Note every entry of ``definitions``, or of a group of them, that no ``$base`` touches."""
    definitions = source.tree.get("definitions")
    if isinstance(definitions, dict):
        touched = {path[:length] for path in used for length in range(1, len(path) + 1)}
        _look(definitions, ("definitions",), used, touched, source, problems)


def _look(
    group: dict[str, Any],
    path: Path,
    used: set[Path],
    touched: set[Path],
    source: Source,
    problems: list[Problem],
) -> None:
    for name, value in group.items():
        place = (*path, name)
        if place in used:
            continue
        if place not in touched:
            message = f"nothing inherits from the definition {name!r}"
            problems.append(Problem("ENV045", message, place, "", Severity.NOTE, source, key=True))
        elif isinstance(value, dict) and all(isinstance(item, dict) for item in value.values()):
            _look(value, place, used, touched, source, problems)
