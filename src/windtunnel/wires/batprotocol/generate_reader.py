"""Writes ``_reader.py``: per table its shape and the function that makes its Struct."""

from windtunnel.wires.batprotocol.generate_common import HEADER, VECTORS, by_offset, call, constant, listing
from windtunnel.wires.batprotocol.idl import SCALARS, Field, Schema, Table

__all__ = ["reader"]


def reader(schema: Schema) -> str:
    """The text of ``_reader.py``."""
    recursive = _recursive(schema)
    names = sorted([*schema.tables, *schema.enums])
    parts = [
        HEADER.format(what="Messages out of flatbuffers.")
        + listing(
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
        + listing("from windtunnel.wires.batprotocol.schema import (", names, ")"),
        '__all__ = ["read_message"]',
        "\n".join(f"{constant(enum)} = tuple({enum})" for enum in schema.enums),
    ]
    parts += [_shape(schema, table) for table in schema.tables.values()]
    parts += [_read_table(schema, table, table.name in recursive) for table in schema.tables.values()]
    parts += [
        listing(f"{constant(union.name)}: tuple[Reader, ...] = (", ["nothing", *map(call, union.members)], ")")
        for union in schema.unions.values()
    ]
    parts.append(f"read_message = {call(schema.root)}")
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
        if by_offset(schema, field):
            letter, default = "o", "0"
        elif field.type in schema.enums:
            letter, default = "B", str(_number(schema, field))
        else:
            letter, default = SCALARS[field.type], "None" if field.optional else field.default
        slots.append(f'("{field.name}", "{letter}", {default}, {field.required})')
    return listing(f"{constant(table.name)} = Shape(", [f'"{table.name}"', *slots], ")")


def _number(schema: Schema, field: Field) -> int:
    return 0 if field.default == "0" else schema.enums[field.type].values.index(field.default)


def _read_table(schema: Schema, table: Table, recursive: bool) -> str:
    names, values = [], []
    for field in table.fields:
        if field.type in schema.unions:
            names.append(f"{field.name}_type")
        names.append(field.name)
        if by_offset(schema, field):
            names.append(f"{field.name}_at")
        values.append(f"{field.name}={_read_field(schema, table, field)}")
    lines = [f"def {call(table.name)}(b: bytes, p: int, c: Budget) -> {table.name}:"]
    if recursive:
        lines += ["    c[1] -= 1", "    if c[1] < 0:", f'        fault("{table.name}", "nested too deep")']
    source = f"fields(b, p, {constant(table.name)})"
    if not names:
        return "\n".join([*lines, f"    {source}", f"    return {table.name}()"])
    lines.append(f"    {', '.join(names)} = {source}" if len(", ".join(names)) < 70 else "")
    if not lines[-1]:
        lines[-1] = listing("    (", [f"    {name}" for name in names], f"    ) = {source}")
    result = "found =" if recursive else "return"
    lines.append(listing(f"    {result} {table.name}(", [f"    {value}" for value in values], "    )"))
    return "\n".join([*lines, *(["    c[1] += 1", "    return found"] if recursive else [])])


def _read_field(schema: Schema, table: Table, field: Field) -> str:
    name, where = field.name, f'"{table.name}.{field.name}"'
    place = f"p + {name}_at + {name}"
    if field.vector and field.type in schema.tables:
        found = f"tables(b, {place}, c, {call(field.type)}, {where})"
    elif field.vector:
        found = f"{VECTORS[field.type]}(b, {place}, c, {where})"
    elif field.type == "string":
        found = f"text(b, {place}, c, {where})"
    elif field.type in schema.tables:
        found = f"{call(field.type)}(b, {place}, c)"
    elif field.type in schema.unions:
        count = len(schema.unions[field.type].members)
        read = f"{constant(field.type)}[{name}_type](b, {place}, c)"
        return f"({read} if {name} and 0 < {name}_type <= {count} else unknown({where}, {name}_type))"
    elif field.type in schema.enums:
        count = len(schema.enums[field.type].values)
        return f"{constant(field.type)}[{name}] if {name} < {count} else unknown({where}, {name})"
    else:
        return name
    otherwise = f"nothing(b, p, c, {where})" if field.required else "None"
    return f"{found} if {name} else {otherwise}"
