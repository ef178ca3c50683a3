"""The schema in the package is upstream's, and the generated modules are those of the schema."""

import pytest
from tests.shared import shared
from tests.wires.batprotocol.oracles import EVENTS, SCHEMA

from windtunnel.wires.batprotocol.generate import generate
from windtunnel.wires.batprotocol.idl import SCHEMA_FILE, Schema, parse


def test_the_schema_declares_what_upstreams_does():
    (seed,) = shared("seeds").glob("001*")
    text = seed.read_text()
    upstream = parse(text[text.index("namespace") :])
    assert parse(SCHEMA_FILE.read_text()) == upstream


@pytest.mark.parametrize("name", ["schema.py", "_reader.py", "_writer.py"])
def test_generated_modules_are_up_to_date(name):
    fresh = generate(SCHEMA)[name]
    assert SCHEMA_FILE.with_name(name).read_text() == fresh, "run python -m windtunnel.wires.batprotocol.generate"


def reachable(schema: Schema, start: str) -> set[str]:
    found, todo = set(), [start]
    while todo:
        name = todo.pop()
        if name in found:
            continue
        found.add(name)
        kinds = {field.type for field in schema.tables[name].fields}
        for kind in kinds:
            todo += schema.unions[kind].members if kind in schema.unions else {kind} & schema.tables.keys()
    return found


def test_messages_of_each_event_hold_every_table_and_union():
    tables = set().union({"Message", "EventAndTimestamp"}, *(reachable(SCHEMA, event) for event in EVENTS))
    assert tables == set(SCHEMA.tables)
    assert SCHEMA.root == "Message"


@pytest.mark.parametrize(
    "text, said",
    [
        ("table T { a: int8; } root_type T;", "T.a: there is no type 'int8'"),
        ("table T { a: [U] (required); } union U { T } root_type T;", "vectors of unions"),
        ("table T { a: U; } union U { T } root_type T;", "only required unions"),
        ("enum E : int { A } root_type T;", "only enums of byte"),
        ("enum E : byte { A = 3 } root_type T;", "only plain names"),
        ("struct T { a: uint32; }", "'struct' is not a declaration"),
        ("table T { a: uint32 (deprecated); } root_type T;", "is not understood"),
        ("table T { a: uint32;", "the text ends before '}'"),
        ("table T { } root_type Other;", "there is no table 'Other'"),
        ("table T { a: uint32 @ }", "unexpected character '@'"),
    ],
)
def test_what_the_reader_of_schemas_does_not_know_it_refuses(text, said):
    with pytest.raises(ValueError, match=said.replace("(", r"\(")):
        parse(text)
