"""Writes ``schema.py``: a Struct per table, an enum per enum, an alias per union, and where JSON differs."""

from collections.abc import Iterator
from typing import Final

from windtunnel.wires.batprotocol.generate_common import HEADER, listing
from windtunnel.wires.batprotocol.idl import SCALARS, Field, Schema, Table

__all__ = ["structs"]

_PYTHON: Final = {"bool": "bool", "int32": "Int32", "uint32": "UInt32", "uint64": "UInt64", "float64": "float"}
_NUMBERS: Final = '''Int32 = Annotated[int, msgspec.Meta(ge=-(2**31), lt=2**31)]
UInt32 = Annotated[int, msgspec.Meta(ge=0, lt=2**32)]
UInt64 = Annotated[int, msgspec.Meta(ge=0)]  # its upper limit is beyond what msgspec checks


class Table(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """Base of all tables."""'''


def structs(schema: Schema) -> str:
    """The text of ``schema.py``."""
    members = {member for union in schema.unions.values() for member in union.members}
    names = sorted(["JSON_FORM", "Table", *schema.tables, *schema.enums, *schema.unions])
    parts = [
        HEADER.format(what="The messages of batprotocol: one Struct per table, one alias per union.")
        + "from __future__ import annotations\n\n"
        + "from enum import IntEnum\nfrom typing import Annotated, Any, Final, TypeAlias\n\nimport msgspec",
        listing("__all__ = [", [f'"{name}"' for name in names], "]"),
        _NUMBERS,
    ]
    for enum in schema.enums.values():
        values = [f"    {value} = {number}" for number, value in enumerate(enum.values)]
        parts.append("\n".join([f"class {enum.name}(IntEnum):", *values]))
    for table in schema.tables.values():
        tag = f', tag="{table.name}", tag_field="@type"' if table.name in members else ""
        body = [f"    {field.name}: {_annotation(schema, field)}" for field in table.fields]
        parts.append(
            "\n".join([f"class {table.name}(Table, frozen=True, kw_only=True{tag}):", *(body or ["    pass"])])
        )
    parts += [
        listing(f"{union.name}: TypeAlias = (", [], "    " + "\n    | ".join(union.members) + "\n)")
        for union in schema.unions.values()
    ]
    parts.append(_json_form(schema))
    return "\n\n\n".join(parts) + "\n"


def _annotation(schema: Schema, field: Field) -> str:
    kind = _PYTHON.get(field.type, "str" if field.type == "string" else field.type)
    if field.vector:
        kind = f"tuple[{kind}, ...]"
    if field.required:
        return kind
    if field.type in schema.enums:
        names = schema.enums[field.type].values
        chosen = names[0] if field.default == "0" else field.default
        return f"{kind} = {field.type}.{chosen}"
    if field.type in SCALARS and not field.vector and not field.optional:
        return f"{kind} = {field.default}"
    return f"{kind} | None = None"


def _json_form(schema: Schema) -> str:
    """Where the JSON text of a table differs from its Struct, or that of a table inside it does."""
    steps = {table.name: list(_json_steps(schema, table)) for table in schema.tables.values()}
    reached: set[str] = set()
    while True:
        more = {
            name
            for name, table in schema.tables.items()
            if steps[name] or any(field.type in reached for field in table.fields)
        }
        if more == reached:
            break
        reached = more
    lines = []
    for name in schema.tables:
        if name in reached:
            inner = [
                f'("{"each" if field.vector else "table"}", "{field.name}", "{field.type}")'
                for field in schema.tables[name].fields
                if field.type in reached
            ]
            lines.append(listing(f'    "{name}": (', [f"    {step}" for step in [*steps[name], *inner]], "    ),"))
    return (
        "JSON_FORM: Final[dict[str, tuple[tuple[str, str, Any], ...]]] = {\n"
        + "\n".join(lines)
        + '\n}\n"""By table, what its JSON text needs: (kind of step, member, what the step needs)."""'
    )


def _json_steps(schema: Schema, table: Table) -> Iterator[str]:
    for field in table.fields:
        if field.type in schema.unions:
            names = ", ".join(f'"{member}"' for member in schema.unions[field.type].members)
            yield f'("union", "{field.name}", ("NONE", {names}))'
        elif field.type in schema.enums:
            yield f'("enum", "{field.name}", tuple({field.type}.__members__))'
        elif not field.required and (field.type not in SCALARS or field.vector):
            yield f'("null", "{field.name}", None)'
