"""What is wrong with an environment, before it is known where: places are computed only when they are needed."""

import msgspec

from windtunnel.diagnostics import Severity
from windtunnel.formats.sites.environment.source import Source

__all__ = ["Path", "Problem", "pointer"]

Path = tuple[str | int, ...]


class Problem(msgspec.Struct, frozen=True):
    """One problem. ``path`` is a place in the resolved tree, or in the text of ``source`` if that is given."""

    code: str
    message: str
    path: Path = ()
    hint: str = ""
    severity: Severity = Severity.ERROR
    source: Source | None = None
    at: tuple[int, int] | None = None
    """Line and column, where already known."""
    key: bool = False
    """Whether the name of the property is meant rather than its value."""
    also: tuple[Path, ...] = ()
    """Other places (in the resolved tree) that belong to the problem, such as the first holder of an id."""


def pointer(path: Path) -> str:
    """The JSON Pointer (RFC 6901) of a path."""
    return "".join("/" + str(token).replace("~", "~0").replace("/", "~1") for token in path)
