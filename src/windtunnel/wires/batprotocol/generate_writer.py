"""Writes ``_writer.py``: per table its layout, its vtables, and the function that packs it."""

from struct import calcsize

from windtunnel.wires.batprotocol.generate_common import HEADER, VECTORS, by_offset, call, constant, listing
from windtunnel.wires.batprotocol.idl import SCALARS, Field, Schema, Table

__all__ = ["writer"]


def writer(schema: Schema) -> str:
    """The text of ``_writer.py``."""
    names = sorted([*schema.tables, "Table"])
    parts = [
        HEADER.format(what="Messages into flatbuffers.")
        + "from struct import Struct\n\n"
        + listing(
            "from windtunnel.wires.batprotocol._writing import (",
            ["PAD", "Pieces", "Seen", "Writer", "doubles", "tables", "text", "texts", "uints", "vtables"],
            ")\n",
        )
        + listing("from windtunnel.wires.batprotocol.schema import (", names, ")"),
        '__all__ = ["write_message"]',
    ]
    parts += [_write_table(schema, table) for table in schema.tables.values()]
    for union in schema.unions.values():
        cases = [f"{member}: ({number}, {call(member)})" for number, member in enumerate(union.members, 1)]
        parts.append(listing(f"{constant(union.name)}: dict[type[Table], tuple[int, Writer]] = {{", cases, "}"))
    parts.append(f"write_message = {call(schema.root)}")
    return "\n\n\n".join(parts) + "\n"


class _Inline:
    """How the members of a table lie in it: all of them always, so that the place is the same for all."""

    def __init__(self, schema: Schema, table: Table) -> None:
        members: list[tuple[str, int, str]] = []  # letter, slot, expression
        for field in table.fields:
            if field.type in schema.unions:
                members.append(("B", field.slot - 1, f"{field.name}_type"))
            if by_offset(schema, field):
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
    name = constant(table.name)
    absent = [f.slot for f in table.fields if not f.required and (f.optional or by_offset(schema, f))]
    lines = [
        f'{name} = Struct("{inline.form}").pack',
        f"{name}_VTABLES = vtables({inline.size}, {inline.offsets}, {absent})",
        "",
        "",
        f"def {call(table.name)}(x: {table.name}, out: Pieces, at: int, seen: Seen) -> int:",
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
        listing(f"    out.append({name}(", [f"    {value}" for value in inline.values], "    ))"),
        "    return at",
    ]
    return "\n".join(lines)


def _write_field(schema: Schema, field: Field, absent: list[int]) -> list[str]:
    name = field.name
    if field.vector and field.type in schema.tables:
        write = f"tables({{}}, out, at, seen, {call(field.type)})"
    elif field.vector:
        write = f"{VECTORS[field.type]}({{}}, out, at)"
    elif field.type == "string":
        write = "text({}, out, at)"
    elif field.type in schema.tables:
        write = f"{call(field.type)}({{}}, out, at, seen)"
    elif field.type in schema.unions:
        return [
            f"    {name}_type, write = {constant(field.type)}[type(x.{name})]",
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
