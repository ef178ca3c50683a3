"""From problems to findings: file, line, column, pointers, and the chain of bases, for as many as are shown."""

from collections.abc import Iterable

from windtunnel.diagnostics import Finding, Severity
from windtunnel.diagnostics.json_positions import Place, positions
from windtunnel.formats.sites.environment.origins import Origin, origin
from windtunnel.formats.sites.environment.problems import Path, Problem, pointer
from windtunnel.formats.sites.environment.resolution import Resolver
from windtunnel.formats.sites.environment.source import Source

__all__ = ["LIMIT", "place_all"]

LIMIT = 1000
"""So many different findings are given places; the rest is counted."""


class _Placed:
    """A problem at its origin; problems of all that inherit one faulty value are one."""

    def __init__(self, problem: Problem, at: Origin, *, found: bool) -> None:
        self.problem = problem
        self.at = at
        self.found = found
        self.also: list[Origin] = []
        self.users = 1


def place_all(problems: list[Problem], source: Source, resolver: Resolver | None) -> tuple[Finding, ...]:
    """The findings, sorted by position, each only once."""
    placed: dict[tuple[object, ...], _Placed] = {}
    for problem in problems:
        at, found = _origin(problem, problem.path, source, resolver)
        key = (problem.code, at.source, at.path, problem.message, problem.at)
        if key in placed:
            placed[key].users += 1
        elif len(placed) < LIMIT:
            placed[key] = new = _Placed(problem, at, found=found)
            new.also = [_origin(problem, path, source, resolver)[0] for path in problem.also]
    places = _positions(placed.values())
    findings = sorted(_finding(item, places) for item in placed.values())
    left = len(problems) - sum(item.users for item in placed.values())
    if left > 0:
        note = Finding(
            source.name, message=f"{left} more findings are not shown", code="more", severity=Severity.NOTE
        )
        findings.append(note)
    return tuple(findings)


def _origin(problem: Problem, path: Path, source: Source, resolver: Resolver | None) -> tuple[Origin, bool]:
    if problem.source is not None or resolver is None:
        return Origin(problem.source or source, path, ()), True
    return origin(resolver, path)


def _positions(items: Iterable[_Placed]) -> dict[tuple[Source, Path], tuple[Place, Place]]:
    wanted: dict[Source, set[Path]] = {}
    for item in items:
        for at in (item.at, *item.also):
            if item.problem.at is None:
                wanted.setdefault(at.source, set()).add(at.path)
            for source, path in at.chain:
                wanted.setdefault(source, set()).add((*path, "$base"))
    return {
        (source, path): place
        for source, paths in wanted.items()
        for path, place in positions(source.text, paths).items()
    }


def _finding(item: _Placed, places: dict[tuple[Source, Path], tuple[Place, Place]]) -> Finding:
    problem, at = item.problem, item.at
    line, column = problem.at or _place(at.source, at.path, places, key=problem.key and item.found)
    message, hint = problem.message, problem.hint
    for other in item.also:
        if (other.source, other.path) == (at.source, at.path):
            hint = hint or "the contents of a definition are inherited by everything that uses it"
        else:
            message += f" (see {_show(other.source, other.path, places)})"
    if item.users > 1:
        message += f"; {item.users - 1} more inherit this"
    written, seen = pointer(at.path), pointer(problem.path)
    chain = tuple(_show(source, (*path, "$base"), places) for source, path in at.chain)
    resolved = seen if problem.source is None and seen != written else ""
    severity = problem.severity
    return Finding(at.source.name, line, column, written, problem.code, message, hint, severity, chain, resolved)


def _place(source: Source, path: Path, places: dict[tuple[Source, Path], tuple[Place, Place]], *, key: bool) -> Place:
    found = places.get((source, path))
    if found is None:
        return (0, 0)
    return found[0] if key else found[1]


def _show(source: Source, path: Path, places: dict[tuple[Source, Path], tuple[Place, Place]]) -> str:
    line, column = _place(source, path, places, key=False)
    return f"{source.name}:{line}:{column}#{pointer(path)}" if line else f"{source.name}#{pointer(path)}"
