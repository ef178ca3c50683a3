"""Make ``schema.py``, ``_reader.py`` and ``_writer.py`` from ``batprotocol.fbs``.

``python -m windtunnel.wires.batprotocol.generate`` writes them beside the schema; a test says when they are stale.
"""

import re
from collections.abc import Iterable, Iterator
from struct import calcsize
from typing import Final

from windtunnel.wires.batprotocol.idl import SCALARS, SCHEMA_FILE, Field, Schema, Table, parse

__all__ = ["generate", "main"]

_HEADER: Final = '''"""{what}

Generated from batprotocol.fbs by windtunnel.wires.batprotocol.generate: do not edit.
"""
# ruff: noqa: A001, ARG001, E501, I001, RUF022, RUF100 -- generated: names and orders are those of the schema
# fmt: off

'''
_PYTHON: Final = {"bool": "bool", "int32": "Int32", "uint32": "UInt32", "uint64": "UInt64", "float64": "float"}
_VECTORS: Final = {"string": "texts", "float64": "doubles", "uint32": "uints"}


_NUMBERS: Final = '''Int32 = Annotated[int, msgspec.Meta(ge=-(2**31), lt=2**31)]
UInt32 = Annotated[int, msgspec.Meta(ge=0, lt=2**32)]
UInt64 = Annotated[int, msgspec.Meta(ge=0)]  # its upper limit is beyond what msgspec checks


class Table(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """Base of all tables."""'''


def generate(schema: Schema) -> dict[str, str]:
    """The text of each generated module, by file name."""
    return {"schema.py": _structs(schema), "_reader.py": _reader(schema), "_writer.py": _writer(schema)}


def main() -> None:
    """Write the generated modules."""
    for name, text in generate(parse(SCHEMA_FILE.read_text())).items():
        SCHEMA_FILE.with_name(name).write_text(text)


def _call(name: str) -> str:
    return "_" + re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def _constant(name: str) -> str:
    return _call(name).upper()


def _listing(opening: str, items: Iterable[str], closing: str) -> str:
    return "\n".join([opening, *(f"    {item}," for item in items), closing])


# ---- schema.py: the Structs --------------------------------------------------------------------------------------


def _structs(schema: Schema) -> str:
    members = {member for union in schema.unions.values() for member in union.members}
    names = sorted(["JSON_FORM", "Table", *schema.tables, *schema.enums, *schema.unions])
    parts = [
        _HEADER.format(what="The messages of batprotocol: one Struct per table, one alias per union.")
        + "from __future__ import annotations\n\n"
        + "from enum import IntEnum\nfrom typing import Annotated, Any, Final, TypeAlias\n\nimport msgspec",
        _listing("__all__ = [", [f'"{name}"' for name in names], "]"),
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
        _listing(f"{union.name}: TypeAlias = (", [], "    " + "\n    | ".join(union.members) + "\n)")
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
            lines.append(_listing(f'    "{name}": (', [f"    {step}" for step in [*steps[name], *inner]], "    ),"))
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


# ---- _reader.py --------------------------------------------------------------------------------------------------


def _reader(schema: Schema) -> str:
    recursive = _recursive(schema)
    names = sorted([*schema.tables, *schema.enums])
    parts = [
        _HEADER.format(what="Messages out of flatbuffers.")
        + _listing(
            "from windtunnel.wires.batprotocol._reading import (",
            [
                "Budget",
                "Reader",
                "Shape",
                "doubles",
                "fault",
                "fields",
                "nothing",
                "tables",
                "text",
                "texts",
                "uints",
                "unknown",
            ],
            ")",
        )
        + "\n"
        + _listing("from windtunnel.wires.batprotocol.schema import (", names, ")"),
        '__all__ = ["read_message"]',
        "\n".join(f"{_constant(enum)} = tuple({enum})" for enum in schema.enums),
    ]
    parts += [_shape(schema, table) for table in schema.tables.values()]
    parts += [_read_table(schema, table, table.name in recursive) for table in schema.tables.values()]
    parts += [
        _listing(f"{_constant(union.name)}: tuple[Reader, ...] = (", ["nothing", *map(_call, union.members)], ")")
        for union in schema.unions.values()
    ]
    parts.append(f"read_message = {_call(schema.root)}")
    return "\n\n\n".join(parts) + "\n"


def _recursive(schema: Schema) -> set[str]:
    """The tables that can hold themselves."""

    def inside(name: str) -> set[str]:
        kinds = {field.type for field in schema.tables[name].fields}
        return {t for kind in kinds for t in (schema.unions[kind].members if kind in schema.unions else [kind])}

    reach = {name: inside(name) & schema.tables.keys() for name in schema.tables}
    for _ in schema.tables:
        reach = {name: found.union(*(reach[other] for other in found)) for name, found in reach.items()}
    return {name for name, found in reach.items() if name in found}


def _shape(schema: Schema, table: Table) -> str:
    slots = []
    for field in table.fields:
        if field.type in schema.unions:
            slots.append(f'("{field.name}_type", "B", 0, False)')
        if field.vector or field.type not in {*SCALARS, *schema.enums}:
            letter, default = "o", "0"
        elif field.type in schema.enums:
            letter, default = "B", str(_number(schema, field))
        else:
            letter, default = SCALARS[field.type], "None" if field.optional else field.default
        slots.append(f'("{field.name}", "{letter}", {default}, {field.required})')
    return _listing(f"{_constant(table.name)} = Shape(", [f'"{table.name}"', *slots], ")")


def _number(schema: Schema, field: Field) -> int:
    return 0 if field.default == "0" else schema.enums[field.type].values.index(field.default)


def _read_table(schema: Schema, table: Table, recursive: bool) -> str:
    names, values = [], []
    for field in table.fields:
        if field.type in schema.unions:
            names.append(f"{field.name}_type")
        names.append(field.name)
        offset = field.vector or field.type not in {*SCALARS, *schema.enums}
        if offset:
            names.append(f"{field.name}_at")
        values.append(f"{field.name}={_read_field(schema, table, field)}")
    lines = [f"def {_call(table.name)}(b: bytes, p: int, c: Budget) -> {table.name}:"]
    if recursive:
        lines += ["    c[1] -= 1", "    if c[1] < 0:", f'        fault("{table.name}", "nested too deep")']
    call = f"fields(b, p, {_constant(table.name)})"
    if not names:
        return "\n".join([*lines, f"    {call}", f"    return {table.name}()"])
    lines.append(f"    {', '.join(names)} = {call}" if len(", ".join(names)) < 70 else "")
    if not lines[-1]:
        lines[-1] = _listing("    (", [f"    {name}" for name in names], f"    ) = {call}")
    result = "found =" if recursive else "return"
    lines.append(_listing(f"    {result} {table.name}(", [f"    {value}" for value in values], "    )"))
    return "\n".join([*lines, *(["    c[1] += 1", "    return found"] if recursive else [])])


def _read_field(schema: Schema, table: Table, field: Field) -> str:
    name, where = field.name, f'"{table.name}.{field.name}"'
    place = f"p + {name}_at + {name}"
    if field.vector and field.type in schema.tables:
        found = f"tables(b, {place}, c, {_call(field.type)}, {where})"
    elif field.vector:
        found = f"{_VECTORS[field.type]}(b, {place}, c, {where})"
    elif field.type == "string":
        found = f"text(b, {place}, c, {where})"
    elif field.type in schema.tables:
        found = f"{_call(field.type)}(b, {place}, c)"
    elif field.type in schema.unions:
        count = len(schema.unions[field.type].members)
        read = f"{_constant(field.type)}[{name}_type](b, {place}, c)"
        return f"({read} if {name} and 0 < {name}_type <= {count} else unknown({where}, {name}_type))"
    elif field.type in schema.enums:
        count = len(schema.enums[field.type].values)
        return f"{_constant(field.type)}[{name}] if {name} < {count} else unknown({where}, {name})"
    else:
        return name
    otherwise = f"nothing(b, p, c, {where})" if field.required else "None"
    return f"{found} if {name} else {otherwise}"


# ---- _writer.py --------------------------------------------------------------------------------------------------


def _writer(schema: Schema) -> str:
    names = sorted([*schema.tables, "Table"])
    parts = [
        _HEADER.format(what="Messages into flatbuffers.")
        + "from struct import Struct\n\n"
        + _listing(
            "from windtunnel.wires.batprotocol._writing import (",
            ["PAD", "Pieces", "Seen", "Writer", "doubles", "tables", "text", "texts", "uints", "vtables"],
            ")\n",
        )
        + _listing("from windtunnel.wires.batprotocol.schema import (", names, ")"),
        '__all__ = ["write_message"]',
    ]
    parts += [_write_table(schema, table) for table in schema.tables.values()]
    for union in schema.unions.values():
        cases = [f"{member}: ({number}, {_call(member)})" for number, member in enumerate(union.members, 1)]
        parts.append(_listing(f"{_constant(union.name)}: dict[type[Table], tuple[int, Writer]] = {{", cases, "}"))
    parts.append(f"write_message = {_call(schema.root)}")
    return "\n\n\n".join(parts) + "\n"


class _Inline:
    """How the members of a table lie in it: all of them always, so that the place is the same for all."""

    def __init__(self, schema: Schema, table: Table) -> None:
        members: list[tuple[str, int, str]] = []  # letter, slot, expression
        for field in table.fields:
            if field.type in schema.unions:
                members.append(("B", field.slot - 1, f"{field.name}_type"))
            if field.vector or field.type not in {*SCALARS, *schema.enums}:
                members.append(("I", field.slot, f"at - OFFSET - {field.name}"))
            else:
                letter = "b" if field.type in schema.enums else SCALARS[field.type]
                members.append((letter, field.slot, field.name if field.optional else f"x.{field.name}"))
        self.offsets = [0] * table.slots
        self.form, self.values, cursor = "<i", ["v - at"], 4
        members.sort(key=lambda member: -calcsize(member[0]))
        self.wide = any(calcsize(letter) == 8 for letter, _, _ in members)
        while members:
            chosen = next((m for m in members if cursor % calcsize(m[0]) == 0), None)
            if chosen is None:
                self.form, cursor = self.form + "x", cursor + 1
                continue
            letter, slot, value = chosen
            members.remove(chosen)
            self.offsets[slot] = cursor
            self.values.append(value.replace("OFFSET", str(cursor)))
            self.form, cursor = self.form + letter, cursor + calcsize(letter)
        self.form += "x" * (-cursor % 4)
        self.size = cursor + -cursor % 4


def _write_table(schema: Schema, table: Table) -> str:
    inline = _Inline(schema, table)
    name = _constant(table.name)
    absent = [f.slot for f in table.fields if not f.required and (f.optional or f.type not in SCALARS or f.vector)]
    absent = [slot for slot in absent if not any(f.slot == slot and f.type in schema.enums for f in table.fields)]
    lines = [
        f'{name} = Struct("{inline.form}").pack',
        f"{name}_VTABLES = vtables({inline.size}, {inline.offsets}, {absent})",
        "",
        "",
        f"def {_call(table.name)}(x: {table.name}, out: Pieces, at: int, seen: Seen) -> int:",
    ]
    if absent:
        lines.append("    mask = 0")
    for field in table.fields:
        lines += _write_field(schema, field, absent)
    lines += [
        f"    vtable = {name}_VTABLES[{'mask' if absent else 0}]",
        "    v = seen.get(vtable)",
        "    if v is None:",
        "        out.append(vtable)",
        "        at += len(vtable)",
        "        v = seen[vtable] = at",
    ]
    if inline.wide:
        lines += [f"    if at + {inline.size} & 4:", "        out.append(PAD)", "        at += 4"]
    lines += [
        f"    at += {inline.size}",
        _listing(f"    out.append({name}(", [f"    {value}" for value in inline.values], "    ))"),
        "    return at",
    ]
    return "\n".join(lines)


def _write_field(schema: Schema, field: Field, absent: list[int]) -> list[str]:
    name = field.name
    if field.vector and field.type in schema.tables:
        write = f"tables({{}}, out, at, seen, {_call(field.type)})"
    elif field.vector:
        write = f"{_VECTORS[field.type]}({{}}, out, at)"
    elif field.type == "string":
        write = "text({}, out, at)"
    elif field.type in schema.tables:
        write = f"{_call(field.type)}({{}}, out, at, seen)"
    elif field.type in schema.unions:
        return [
            f"    {name}_type, write = {_constant(field.type)}[type(x.{name})]",
            f"    {name} = at = write(x.{name}, out, at, seen)",
        ]
    elif field.optional:
        write = "{}"
    else:
        return []
    if field.required:
        return [f"    {name} = at = {write.format(f'x.{name}')}"]
    bit = 1 << absent.index(field.slot)
    target = name if field.optional else f"{name} = at"
    return [
        f"    {name} = {'0.0' if field.type == 'float64' and not field.vector else '0'}",
        f"    if x.{name} is not None:",
        f"        {target} = {write.format(f'x.{name}')}",
        f"        mask |= {bit}",
    ]


if __name__ == "__main__":
    main()
