"""Hints for misspelt names."""

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = ["did_you_mean", "nearest_names"]

LISTED = 40
"""Of more names than these not all are listed."""
COMPARED = 1000
"""Among more names than these only one that differs in case is looked for: comparing takes time."""


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """A hint such as ``did you mean 'easy'?``, or the list of what is known when nothing is near.

    ``name`` is what was given for a name, which may be no text at all.
    """
    names = sorted({str.__str__(one) for one in known})  # also of members of enumerations, by what is written
    name = str(name)
    near = [other for other in names if other.lower() == name.lower()]
    if not near and len(names) <= COMPARED:
        near = get_close_matches(name, names, n=1, cutoff=0.6)
    if near:
        return f"did you mean {near[0]!r}?"
    return f"known: {', '.join(names)}" if 0 < len(names) <= LISTED else ""


def nearest_names(name: str, known: Iterable[str], most: int = 3) -> str:
    """A hint that names a few of many names: those that differ in case, end alike after a ``/``, or are near.

    ``EASY`` suggests ``easy``, ``sjf`` suggests ``literature/sjf``. Empty when nothing is near.
    """
    names = sorted(known)
    wanted = name.lower()
    last = {other: other.lower().rpartition("/")[2] for other in names}
    near = [other for other in names if other.lower() == wanted]
    near += [other for other in names if last[other] == wanted.rpartition("/")[2]]
    if len(names) <= COMPARED:
        near += get_close_matches(name, names, n=most, cutoff=0.6)
        alike = get_close_matches(wanted, set(last.values()), cutoff=0.75)
        near += [other for other in names if last[other] in alike]
    found = [repr(other) for other in dict.fromkeys(near)][:most]
    if not found:
        return ""
    return f"did you mean {' or '.join([', '.join(found[:-1]), found[-1]] if found[1:] else found)}?"
