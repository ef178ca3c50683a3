"""``{load}`` and ``{seed}`` in the texts of a study stand for the values of a point."""

import re
from collections.abc import Mapping
from typing import Any, Final

__all__ = ["filled", "placeholders"]

_HOLE: Final = re.compile(r"\{([A-Za-z_]\w*)\}")


def placeholders(value: Any) -> frozenset[str]:
    """The names in braces in a text, or anywhere in lists and tables of texts."""
    if isinstance(value, str):
        return frozenset(_HOLE.findall(value))
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple):
        return frozenset().union(*map(placeholders, value))
    return frozenset()


def filled(value: Any, values: Mapping[str, Any]) -> Any:
    """The same with values in place of names. A text that is nothing but a name becomes the value, whatever it is."""
    if isinstance(value, str):
        whole = _HOLE.fullmatch(value)
        if whole and whole[1] in values:
            return values[whole[1]]
        return _HOLE.sub(lambda hole: str(values[hole[1]]) if hole[1] in values else hole[0], value)
    if isinstance(value, Mapping):
        return {key: filled(one, values) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(filled(one, values) for one in value)
    return value
