"""A reader of the flatbuffers schema language, as far as batprotocol uses it.

Namespaces, enums (of ``byte``, counted from 0), unions and tables of scalars, enums, strings, tables, unions and
vectors of these, with defaults, ``= null`` and ``(required)``. Anything else is refused by name.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

__all__ = ["SCALARS", "SCHEMA_FILE", "Enum", "Field", "Schema", "Table", "Union", "parse"]

SCHEMA_FILE: Final = Path(__file__).with_name("batprotocol.fbs")

SCALARS: Final = {"bool": "?", "byte": "b", "int32": "i", "uint32": "I", "uint64": "Q", "float64": "d"}
"""The scalar types in use, with their letter in the ``struct`` module."""


@dataclass(frozen=True, slots=True)
class Enum:
    """Named numbers; the first is 0."""

    name: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Union:
    """One of several tables; the first has type number 1, and 0 is none."""

    name: str
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Field:
    """A member of a table. ``slot`` is its place in the vtable; that of a union's type is one less."""

    name: str
    type: str
    """Name of a scalar, ``string``, or of an enum, union or table; of the elements where ``vector``."""
    vector: bool
    required: bool
    optional: bool
    """A scalar that may be null."""
    default: str
    slot: int


@dataclass(frozen=True, slots=True)
class Table:
    """A record of optional and required members, in the order of the schema."""

    name: str
    fields: tuple[Field, ...]

    @property
    def slots(self) -> int:
        """How many entries a full vtable has."""
        return self.fields[-1].slot + 1 if self.fields else 0


@dataclass(frozen=True, slots=True)
class Schema:
    """All declarations by name, in the order of the file."""

    tables: dict[str, Table]
    enums: dict[str, Enum]
    unions: dict[str, Union]
    root: str


_TOKEN: Final = re.compile(r"//[^\n]*|\s+|([A-Za-z_][\w.]*|-?\d+(?:\.\d+)?|[{}:;=,()\[\]])|(.)")
_DEFAULTS: Final = {"bool": "False", "float64": "0.0"}


def parse(text: str) -> Schema:
    """The schema written in a text; raises ValueError that names what is not understood."""
    tokens = _tokens(text)
    enums: dict[str, Enum] = {}
    unions: dict[str, Union] = {}
    drafts: dict[str, list[str]] = {}
    root = ""
    for word in tokens:
        if word == "namespace":
            _until(tokens, ";")
        elif word == "root_type":
            root = _until(tokens, ";")[0]
        elif word == "enum":
            name, *base = _until(tokens, "{")
            if base != [":", "byte"]:
                raise ValueError(f"enum {name}: only enums of byte are supported")
            enums[name] = Enum(name, _names(name, tokens))
        elif word == "union":
            (name,) = _until(tokens, "{")
            unions[name] = Union(name, _names(name, tokens))
        elif word == "table":
            (name,) = _until(tokens, "{")
            drafts[name] = _until(tokens, "}")
        else:
            raise ValueError(f"{word!r} is not a declaration known here")
    tables = {name: Table(name, tuple(_fields(name, body, unions))) for name, body in drafts.items()}
    schema = Schema(tables, enums, unions, root)
    _check(schema)
    return schema


def _tokens(text: str) -> Iterator[str]:
    for match in _TOKEN.finditer(text):
        if match[2]:
            raise ValueError(f"unexpected character {match[2]!r}")
        if match[1]:
            yield match[1]


def _until(tokens: Iterator[str], end: str) -> list[str]:
    found: list[str] = []
    for token in tokens:
        if token == end:
            return found
        found.append(token)
    raise ValueError(f"the text ends before {end!r}")


def _names(owner: str, tokens: Iterator[str]) -> tuple[str, ...]:
    words = _until(tokens, "}")
    if any(comma != "," for comma in words[1::2]):
        raise ValueError(f"{owner}: only plain names separated by commas are supported")
    return tuple(words[0::2])


_FIELD: Final = re.compile(r"(\w+) : (\[ )?(\w+)( \])?(?: = (\S+))?( \( required \))? ")


def _fields(table: str, body: list[str], unions: dict[str, Union]) -> Iterator[Field]:
    slot = 0
    for declaration in " ".join(body).split(";")[:-1]:
        match = _FIELD.fullmatch(declaration.lstrip())
        if match is None:
            raise ValueError(f"{table}: the member {declaration.strip()!r} is not understood")
        name, vector, kind, _, default, required = match.groups()
        slot += kind in unions
        yield Field(
            name,
            kind,
            vector=bool(vector),
            required=bool(required),
            optional=default == "null",
            default=_default(kind, default),
            slot=slot,
        )
        slot += 1


def _default(kind: str, written: str | None) -> str:
    if written is None or written == "null":
        return _DEFAULTS.get(kind, "0")
    return written.capitalize() if kind == "bool" else written


def _check(schema: Schema) -> None:
    for table in schema.tables.values():
        for field in table.fields:
            where = f"{table.name}.{field.name}"
            known = (SCALARS, schema.enums, schema.unions, schema.tables, ("string",))
            if not any(field.type in names for names in known):
                raise ValueError(f"{where}: there is no type {field.type!r}")
            if field.vector and (field.type in schema.unions or field.type in schema.enums):
                raise ValueError(f"{where}: vectors of unions and enums are not supported")
            if field.type in schema.unions and not field.required:
                raise ValueError(f"{where}: only required unions are supported")
    missing = [m for union in schema.unions.values() for m in union.members if m not in schema.tables]
    if missing or schema.root not in schema.tables:
        raise ValueError(f"there is no table {(missing or [schema.root])[0]!r}")
