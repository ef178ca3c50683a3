"""What the generators of modules share: the head of a module, names, listings."""

import re
from collections.abc import Iterable
from typing import Final

from windtunnel.wires.batprotocol.idl import SCALARS, Field, Schema

__all__ = ["HEADER", "VECTORS", "by_offset", "call", "constant", "listing"]

HEADER: Final = '''"""{what}

Generated from batprotocol.fbs by windtunnel.wires.batprotocol.generate: do not edit.
"""
# ruff: noqa: A001, ARG001, E501, I001, RUF022, RUF100 -- generated: names and orders are those of the schema
# fmt: off

'''
VECTORS: Final = {"string": "texts", "float64": "doubles", "uint32": "uints"}
"""The functions that read or write vectors of such elements."""


def by_offset(schema: Schema, field: Field) -> bool:
    """Whether a table holds an offset to the member, not the member itself."""
    return field.vector or (field.type not in SCALARS and field.type not in schema.enums)


def call(name: str) -> str:
    """The name of the function for a table."""
    return "_" + re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def constant(name: str) -> str:
    """The name of the constant for a table, enum or union."""
    return call(name).upper()


def listing(opening: str, items: Iterable[str], closing: str) -> str:
    """Items one to a line, between brackets."""
    return "\n".join([opening, *(f"    {item}," for item in items), closing])
