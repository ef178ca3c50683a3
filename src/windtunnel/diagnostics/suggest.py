"""Hints for misspelt names."""

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = ["did_you_mean"]

LISTED = 40
"""Of more names than these not all are listed."""
COMPARED = 1000
"""Among more names than these only one that differs in case is looked for: comparing takes time."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A hint such as ``did you mean 'easy'?``, or the list of what is known when nothing is near."""
    names = sorted(known)
    if len(names) <= COMPARED:
        near = get_close_matches(name, names, n=1, cutoff=0.6)
    else:
        near = [other for other in names if other.lower() == name.lower()]
    if near:
        return f"did you mean {near[0]!r}?"
    return f"known: {', '.join(names)}" if 0 < len(names) <= LISTED else ""
