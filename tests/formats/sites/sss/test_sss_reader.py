"""Reading SSS node objects: the seed's examples, every code, references."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from documents import xml_pieces
from windtunnel.diagnostics import InputError, Severity
from windtunnel.entities.sss_node import Consumable, Extension, SssNode, node_xml, nodes_xml
from windtunnel.entities.sss_reference import NodeReference, ReferenceFaultError, expand
from windtunnel.entities.sss_units import UNITS, best_units, duration_seconds, duration_text, in_bytes
from windtunnel.formats.sites.sss import check, read

SIMPLE = "<Node><Id>Node64</Id><Configured><Processors>2</Processors><Memory>512</Memory></Configured></Node>"
ELABORATE = """<Node>
  <Id>64</Id>
  <Name>Netpipe2</Name>
  <Feature>BigMem</Feature>
  <Feature>NetOC12</Feature>
  <Opsys>AIX</Opsys>
  <Arch>Power4</Arch>
  <Configured>
    <Processors>16</Processors>
    <Memory units=”MB”>512</Memory>
    <Swap>512</Swap>
  </Configured>
  <Available>
    <Processors>7</Processors>
    <Memory metric=”Instantaneous”>143</Memory>
  </Available>
  <Utilized>
    <Processors wallDuration=”3576”>8</Processors>
    <Memory metric=”Average” wallDuration=”3576”>400</Memory>
  </Utilized>
</Node>"""


def codes(text: str | bytes) -> list[str]:
    return [f.code if f.severity is Severity.ERROR else f.code.lower() for f in check(text).findings if f.severity]


def node(inside: str) -> str:
    return f"<Node><Id>n1</Id>{inside}</Node>"


def test_elements_inside_of_an_amount_are_no_part_of_it() -> None:
    found = check(node("<Configured><Memory>5<b>12</b></Memory><Disk>1<!-- TB -->0</Disk></Configured>"))
    assert [amount.value for amount in found.nodes[0].configured] == [5, 10]
    assert [(f.code, f.message) for f in found.findings if f.severity] == [
        ("SSS050", "unknown element 'b' has no effect")
    ]


def test_the_simple_example() -> None:
    found = check(SIMPLE)
    configured = (Consumable(element="Processors", value=2), Consumable(element="Memory", value=512))
    assert found.nodes == (SssNode(id="Node64", configured=configured),)
    assert [f.code for f in found.findings] == ["SSS013"]


def test_the_elaborate_example_with_its_typographic_quotes() -> None:
    found = check(ELABORATE)
    assert [(f.code, f.line) for f in found.findings] == [("SSS013", 1), ("SSS003", 10)]
    (made,) = found.nodes
    assert (made.id, made.name, made.opsys, made.arch) == ("64", "Netpipe2", "AIX", "Power4")
    assert made.features == ("BigMem", "NetOC12")
    assert made.configured[1] == Consumable(element="Memory", value=512, units="MB")
    assert made.available[1] == Consumable(element="Memory", value=143, metric="Instantaneous")
    assert made.utilized[1] == Consumable(element="Memory", value=400, metric="Average", wall_duration=3576.0)


def test_every_example_of_the_seed_document() -> None:
    """All XML in the document: fragments are put where they belong; all read but for the quotes."""
    pieces = xml_pieces()
    assert len(pieces) >= 9
    for found in pieces:
        first = found.lstrip()[1:].split(">")[0].split()[0]
        if first == "Node":
            wrapped = found
        elif first in {"Configured", "Available", "Utilized", "Extension"}:
            wrapped = node(found)
        else:
            wrapped = "".join(
                node(f"<Utilized>{line}</Utilized>").replace("n1", f"n{i}")
                for i, line in enumerate(found.splitlines())
            )
        checked = check(wrapped)
        assert checked.nodes or checked.references, found
        assert {f.code for f in checked.findings} <= {"SSS003", "SSS013"}, (found, checked.findings)
        if checked.nodes:
            again = check("".join(nodes_xml(checked.nodes)))
            assert again.nodes == checked.nodes


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<Node>", ["SSS001"]),
        ("", ["SSS001"]),
        ("<Nodule/>", ["SSS002"]),
        ("<Data><Job/></Data>", ["SSS002"]),
        ("<Node><Name>x</Name></Node>", ["SSS010"]),
        ("<Node><Id/><Name>x</Name></Node>", ["SSS010"]),
        (f"<Data>{SIMPLE}{SIMPLE}</Data>", ["SSS011"]),
        ("<Node><Id>a</Id><Id>b</Id></Node>", ["SSS012"]),
        (node("<Configured/><Configured/>"), ["SSS012"]),
        (node("<Configured><Memory>1</Memory><Memory>2</Memory></Configured>"), ["SSS012"]),
        (node('<Utilized><Memory metric="Average">1</Memory><Memory metric="Max">2</Memory></Utilized>'), []),
        (node("<Processors>4</Processors>"), ["SSS020"]),
        (node("<Configured><Processors>4.5</Processors></Configured>"), ["SSS021"]),
        (node("<Configured><Processors>-4</Processors></Configured>"), ["SSS021"]),
        (node("<Configured><Memory>NaN</Memory></Configured>"), ["SSS022"]),
        (node("<Configured><Memory>lots</Memory></Configured>"), ["SSS022"]),
        (node("<Configured><Memory>1e999</Memory></Configured>"), ["SSS022"]),
        (node('<Configured><Memory units="mb">1</Memory></Configured>'), ["SSS030"]),
        (node('<Configured><Network units="parsecs">1</Network></Configured>'), []),
        (node("<Configured><Resource>1</Resource></Configured>"), ["SSS031"]),
        (node("<Extension>1</Extension>"), ["SSS031"]),
        (
            node("<Configured><Memory>1</Memory></Configured><Available><Memory units='GB'>1</Memory></Available>"),
            ["sss040"],
        ),
        (
            node(
                "<Configured><Processors>1</Processors></Configured><Utilized><Processors>2</Processors></Utilized>"
            ),
            ["sss040"],
        ),
        (node("<State>idle</State>"), ["sss041"]),
        (node("<State>Idle</State><Utilized><Processors>1</Processors></Utilized>"), ["sss042"]),
        (
            node(
                "<State>Busy</State><Configured><Processors>1</Processors></Configured>"
                "<Available><Processors>1</Processors></Available>"
            ),
            ["sss042"],
        ),
        (node("<Colour>red</Colour>"), ["sss050"]),
        (node('<State colour="red">Idle</State>'), ["sss050"]),
        (node('<Configured><Memory unit="MB">1</Memory></Configured>'), ["sss050"]),
        (f'<Node count="64">{SIMPLE[6:]}', ["sss050"]),
        (f'<Data xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="x" of="2">{SIMPLE}</Data>', ["sss050"]),
        (f"<Data>{SIMPLE},</Data>", ["sss050"]),
        (node("<Configured>16</Configured>"), ["sss050"]),
        (node("<State>Idle</State> Busy"), ["sss050"]),
        (node("<State>Id<b>le</b></State>"), ["sss050", "sss041"]),
        (f"<Response><Status/>{SIMPLE}<node/></Response>", ["SSS002"]),
        ('<Node aggregation="Set">a</Node>', ["SSS051"]),
        ('<Node aggregation="Pattern">a[</Node>', ["SSS051"]),
        ('<Node aggregation="Range">a[5-3]</Node>', ["SSS051"]),
        ('<Node aggregation="Range" delimiter=";">a[3-5]</Node>', ["sss052"]),
        ('<Node aggregation="Range" count="7">a[3-5]</Node>', ["sss053"]),
        ('<Node count="x">a</Node>', ["SSS051"]),
        (node('<Utilized><Processors wallDuration="soon">1</Processors></Utilized>'), ["SSS060"]),
        (SIMPLE + SIMPLE.replace("64", "65"), ["sss003"]),
    ],
)
def test_codes(text: str, expected: list[str]) -> None:
    assert codes(text) == expected


def test_all_faults_at_once_with_lines() -> None:
    text = (
        "<Data>\n<Node>\n<Id>a</Id><Processors>1</Processors></Node>\n<Node><Id/>\n<Memory>1</Memory></Node>\n</Data>"
    )
    found = [(f.code, f.line) for f in check(text).findings if f.severity is Severity.ERROR]
    assert found == [("SSS020", 3), ("SSS010", 4), ("SSS020", 5)]


def test_entities_are_refused() -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>\n<Node><Id>&b;</Id></Node>'
    (finding,) = check(bomb).findings
    assert (finding.code, finding.line) == ("SSS001", 1)
    assert "refused" in finding.message
    assert codes(bomb.encode("utf-16")) == ["SSS001"]


def test_wrappers_namespaces_and_encodings() -> None:
    inside = node("<Name>ü</Name>")
    text = f'<?xml version="1.0" encoding="latin-1"?>\n<Envelope xmlns="urn:x"><Body><Response><Status/><Data>{inside}</Data></Response></Body></Envelope>'
    assert [n.name for n in check(text.encode("latin-1")).nodes] == ["ü"]
    assert [n.name for n in check(f"<Nodes>{inside}</Nodes>".encode("utf-16")).nodes] == ["ü"]


def test_features_as_list_and_repeated() -> None:
    one = check(node("<Feature>a, b</Feature><Feature>c</Feature>")).nodes[0]
    assert one.features == ("a", "b", "c")
    assert node_xml(one).count("<Feature>") == 3


def test_resources_are_told_apart_by_name_and_type() -> None:
    inside = (
        '<Configured><Resource name="License" type="MATLAB">1</Resource>'
        '<Resource name="License" type="Maple">2</Resource><Resource name="Telescope">3</Resource></Configured>'
    )
    made = check(node(inside)).nodes[0]
    assert [(r.name, r.type, r.value) for r in made.configured] == [
        ("License", "MATLAB", 1),
        ("License", "Maple", 2),
        ("Telescope", "", 3),
    ]


def test_units_are_exact_both_ways() -> None:
    assert list(UNITS.values()) == [2 ** (10 * k) for k in range(11)]
    assert in_bytes(3, "DB") == 3 * 2**100
    assert in_bytes(0.5, "KB") == 512
    assert in_bytes(1) == 2**20
    for name, size in UNITS.items():
        assert best_units(size) == (1, name)
        assert in_bytes(*best_units(7 * size)) == 7 * size
    assert best_units(8_000_000_000) == (7812500, "KB")


@given(st.integers(0, 2**110))
def test_best_units_lose_nothing(amount: int) -> None:
    assert in_bytes(*best_units(amount)) == amount


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("3576", 3576),
        ("PT3576S", 3576),
        ("PT1H2M3.5S", 3723.5),
        ("P1DT1S", 86401),
        ("P1Y", 365 * 86400),
        ("P", None),
        ("PT", None),
        ("-PT1S", None),
        ("1 h", None),
    ],
)
def test_durations(text: str, seconds: float | None) -> None:
    assert duration_seconds(text) == seconds


@given(st.integers(0, 10**9) | st.floats(0, 1e9))
def test_durations_both_ways(seconds: float) -> None:
    assert duration_seconds(duration_text(seconds)) == pytest.approx(seconds, abs=1e-6)
    assert duration_seconds(duration_text(seconds, plain=True)) == pytest.approx(seconds, abs=1e-6)


IDS = [f"node{i}" for i in range(20)]


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("", "node7", ["node7"]),
        ("List", "a, b,,c", ["a", "b", "c"]),
        ("Range", "n[8-10,12]", ["n8", "n9", "n10", "n12"]),
        ("Range", "n[08-10]x", ["n08x", "n09x", "n10x"]),
        ("Range", "n[1-2],m3", ["n1", "n2", "m3"]),
        ("Range", "r[1-2]n[1-2]", ["r1n1", "r1n2", "r2n1", "r2n2"]),
        ("Range", "node[1-5]", [f"node{i}" for i in range(1, 6)]),
        ("Pattern", "node[1-5]", [f"node{i}" for i in range(1, 6)]),
        ("Range", "node[10-15]", [f"node{i}" for i in range(10, 16)]),
        ("Pattern", "node[10-15]", ["node0", "node1", "node5"]),
        ("Pattern", "node1", ["node1"]),
        ("Pattern", "(?<n>node)1.", [f"node{i}" for i in range(10, 20)]),
    ],
)
def test_references(kind: str, text: str, expected: list[str]) -> None:
    assert expand(NodeReference(text, kind), IDS) == expected


def test_lists_with_another_delimiter() -> None:
    assert expand(NodeReference("a;b,c", "List", ";")) == ["a", "b,c"]


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("Range", "n[1-2"),
        ("Range", "n1-2]"),
        ("Range", "n[a-b]"),
        ("Range", "n[]"),
        ("Range", "n[0-99999999]"),
        ("Range", "n[0-9999]m[0-9999]"),
        ("Pattern", "[[:alpha:]]+"),
        ("Pattern", r"\Qa\E"),
        ("Sum", "a"),
    ],
)
def test_references_that_fail(kind: str, text: str) -> None:
    with pytest.raises(ReferenceFaultError):
        expand(NodeReference(text, kind), IDS)


def test_patterns_start_no_program_where_there_is_nothing_to_match(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: object, **__: object) -> None:
        raise AssertionError("a program is started")

    monkeypatch.setattr("subprocess.run", forbidden)
    assert expand(NodeReference("n[1-3]", "Pattern")) == []
    reference = '<Node aggregation="Pattern">n[1-3]</Node>'
    found = check(f"<Data>{SIMPLE}{reference * 3}</Data>")
    assert len(found.references) == 3


def test_patterns_are_stopped_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("windtunnel.entities.sss_reference.TIME_LIMIT", 0.3)
    with pytest.raises(ReferenceFaultError, match="takes more than"):  # or it would run for years
        expand(NodeReference("(a+)+b", "Pattern"), ["a" * 60])


words = st.text(
    st.characters(min_codepoint=33, max_codepoint=0x2FF, exclude_categories=["Cs", "Cc"]), min_size=1, max_size=6
)
features = words.filter(lambda w: "," not in w)
amounts = st.integers(0, 2**60) | st.floats(0, 1e12)


@st.composite
def consumables(draw: st.DrawFn) -> tuple[Consumable, ...]:
    kinds = draw(
        st.lists(st.sampled_from(["Processors", "Memory", "Disk", "Swap", "Network", "Resource"]), unique=True)
    )
    return tuple(
        Consumable(
            element=kind,
            value=draw(st.integers(0, 2**40) if kind == "Processors" else amounts),
            units=draw(st.sampled_from(["", *UNITS])),
            metric=draw(st.sampled_from(["", "Average", "Max", "KX"])),
            wall_duration=draw(st.none() | st.integers(0, 10**6).map(float)),
            consumption_rate=draw(st.none() | st.floats(0, 2)),
            name=draw(words) if kind == "Resource" else "",
            type=draw(st.just("") | words) if kind == "Resource" else "",
        )
        for kind in kinds
    )


nodes = st.builds(
    SssNode,
    id=words,
    name=st.just("") | words,
    opsys=st.just("") | words,
    arch=st.just("") | words,
    description=st.just("") | words,
    state=st.just("") | words,
    features=st.lists(features, max_size=3).map(tuple),
    extensions=st.lists(st.builds(Extension, words, st.just("") | words, st.just("") | words), max_size=2).map(tuple),
    configured=consumables(),
    available=consumables(),
    utilized=consumables(),
)


@settings(max_examples=60)
@given(st.lists(nodes, max_size=4, unique_by=lambda n: n.id), st.booleans())
def test_what_is_written_reads_back(made: list[SssNode], moab: bool) -> None:
    found = check("".join(nodes_xml(made, moab=moab)))
    assert list(found.nodes) == made
    assert not [f for f in found.findings if f.severity is Severity.ERROR]


@settings(max_examples=200)
@given(st.text(alphabet='<>/="NodeId&;! []-x”', max_size=40) | st.binary(max_size=40))
def test_no_text_breaks_the_reader(text: str | bytes) -> None:
    check(text)


def test_reading_a_file(tmp_path) -> None:
    path = tmp_path / "n.xml"
    with pytest.raises(InputError, match="cannot be read"):
        read(path)
    path.write_text(SIMPLE)
    assert read(path)[0][0].id == "Node64"
    path.write_text("<Node/>")
    with pytest.raises(InputError, match="SSS010"):
        read(path)
