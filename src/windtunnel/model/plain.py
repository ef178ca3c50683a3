"""Numbers of others, such as numpy's, become ints and floats: compiled code takes nothing else for one."""

from numbers import Integral, Real
from operator import index
from typing import Any, Final, TypeVar

import msgspec

from windtunnel.model.hostset import HostSet

__all__ = ["plain_numbers"]

_Fields = TypeVar("_Fields", bound=msgspec.Struct)
_PLAIN: Final = frozenset({int, float, bool, str, tuple, list, dict, type(None), HostSet})


def plain_numbers(value: _Fields) -> _Fields:
    """A struct with ints and floats where it, or one inside it, had numbers of another kind; itself if none."""
    changed: dict[str, Any] = {}
    for name in value.__struct_fields__:
        held = getattr(value, name)
        if type(held) in _PLAIN:
            continue
        if isinstance(held, msgspec.Struct):
            plain = plain_numbers(held)
            if plain is not held:
                changed[name] = plain
        elif isinstance(held, Integral) and not isinstance(held, int):
            changed[name] = index(held)
        elif isinstance(held, Real) and not isinstance(held, int):
            changed[name] = float(held)
    return msgspec.structs.replace(value, **changed) if changed else value
