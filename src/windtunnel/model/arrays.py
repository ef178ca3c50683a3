"""Columns of numbers."""

from array import array
from collections.abc import Iterable, Sequence
from itertools import islice
from struct import error, pack
from sys import byteorder
from types import FunctionType
from typing import Any, Final

__all__ = ["COMPILED", "extend", "extended"]

_CHUNK: Final = 4096
_WIDER: Final = {"b": "h", "h": "i", "i": "q", "q": "d"}


def extend(column: "array[Any]", values: Iterable[Any]) -> None:
    """``column.extend(values)``, in a third of the time: an array parses each number as a function's arguments.

    Raises:
        struct.error: a value is not a number that fits; some before it may be in the column.
    """
    if isinstance(values, list) and len(values) <= _CHUNK:  # the usual case, without counting them out
        count = len(values)
        if count and values[0] == values[-1] and values.count(values[0]) == count:  # what logs do not tell, and such
            column.frombytes(pack(column.typecode, values[0]) * count)
        elif COMPILED and byteorder == "little" and (data := _packed(column.typecode, values)) is not None:
            column.frombytes(data)
        else:
            column.frombytes(pack(f"{count}{column.typecode}", *values))
        return
    rest = iter(values)
    while chunk := tuple(islice(rest, _CHUNK)):
        column.frombytes(pack(f"{len(chunk)}{column.typecode}", *chunk))


def _packed(typecode: str, values: list[Any]) -> bytes | None:
    from windtunnel.model.packed import packed

    return packed(typecode, values)


def extended(column: "array[Any]", values: Sequence[Any]) -> "array[Any]":
    """A column with more numbers: itself, or one of a wider type (``b``, ``h``, ``i``, ``q``, ``d``) if they need it.

    So that most columns, of small integers, begin with a byte for each number and get no wider than they must.

    Raises:
        struct.error: a value is not a number.
    """
    count = len(column)
    while True:
        try:
            extend(column, values)
        except error:
            del column[count:]
            if column.typecode == "d":
                raise
            wider = array(_WIDER[column.typecode])
            extend(wider, column)
            column = wider
        else:
            return column


COMPILED: Final = not isinstance(extended, FunctionType)
"""Whether this is the compiled build."""
