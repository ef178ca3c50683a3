"""Queries over node objects, and the messages that carry them."""

import base64
import hashlib
import hmac

import pytest

from windtunnel.entities.sss_message import (
    MessageFaultError,
    envelope,
    read_request,
    response_xml,
    signed_body_is_valid,
)
from windtunnel.entities.sss_node import Consumable, Extension, SssNode
from windtunnel.entities.sss_query import answer
from windtunnel.formats.sites.sss import check


def amount(element: str, value: float, units: str = "", **more: str) -> Consumable:
    return Consumable(element=element, value=value, units=units, **more)


def node(name: str, state: str, cores: int, memory: Consumable, *features: str, gpus: int = 0) -> SssNode:
    configured = [amount("Processors", cores), memory]
    if gpus:
        configured.append(amount("Resource", gpus, name="GPU", type="A100"))
    return SssNode(
        id=name,
        state=state,
        features=features,
        configured=tuple(configured),
        extensions=(Extension("Rack", name[0], "place"),),
    )


NODES = [
    node("a1", "Idle", 8, amount("Memory", 512, "MB"), "big"),
    node("a2", "Busy", 16, amount("Memory", 1, "GB"), "big", "fast", gpus=2),
    node("b1", "Busy", 4, amount("Memory", 256)),
    node("b10", "Offline", 4, amount("Memory", 2048, "KB"), "fast"),
    SssNode(id="c1"),
]


def ask(inside: str, action: str = "Query") -> str:
    request = read_request(
        f'<Request action="{action}" actor="me"><Object>Node</Object>{inside}</Request>', limit=10_000
    )
    return response_xml(answer(request, NODES))


def ids(inside: str) -> list[str]:
    text = ask(inside)
    assert "<Code>000</Code>" in text, text
    return [n.id for n in check(f"<Data>{text.partition('<Data>')[2].partition('</Data>')[0]}</Data>").nodes]


@pytest.mark.parametrize(
    ("wheres", "expected"),
    [
        ("", "a1 a2 b1 b10 c1"),
        ('<Where name="Id">a1</Where>', "a1"),
        ('<Where name="State" op="NE">Busy</Where>', "a1 b10"),
        ('<Where name="Configured/Processors" op="GE">8</Where>', "a1 a2"),
        ('<Where name="Configured/Processors" op="G">8</Where>', "a2"),
        ('<Where name="Configured/Processors" op="L">8</Where>', "b1 b10"),
        ('<Where name="Configured/Processors" op="LE">8.0</Where>', "a1 b1 b10"),
        ('<Where name="Configured/Memory" op="GE">512</Where>', "a1 a2"),
        ('<Where name="Configured/Memory" op="EQ" units="KB">2048</Where>', "b10"),
        ('<Where name="Configured/Memory" op="EQ">2</Where>', "b10"),
        ('<Where name="Feature">fast</Where>', "a2 b10"),
        ('<Where name="Feature" op="NE">fast</Where>', "a1"),
        ('<Where name="Id" op="Match">b*</Where>', "b1 b10"),
        ('<Where name="Id" op="Match">?1</Where>', "a1 b1 c1"),
        ('<Where name="Id" op="Match">b</Where>', ""),
        ('<Where name="Id" op="Match">b.*</Where>', ""),
        ('<Where name="Id" op="Match">[ab]1</Where>', ""),
        ('<Where name="Id" aggregation="Pattern">[ab]1.*</Where>', "a1 b1 b10"),
        ('<Where name="Id" aggregation="Pattern">b</Where>', ""),
        ('<Where name="Id" aggregation="Range">b[1-10],c[1]</Where>', "b1 b10 c1"),
        ('<Where name="Id" aggregation="List">a2, b1,zz</Where>', "a2 b1"),
        ('<Where name="Id" aggregation="List" delimiter=":">a2:b1</Where>', "a2 b1"),
        (
            '<Where name="Id" aggregation="Range">a[1-2]</Where><Where name="State" conj="AndNot">Busy</Where>',
            "a1",
        ),
        ("<Where name='Configured/Resource[@name=\"GPU\"]' op='GT'>0</Where>", "a2"),
        ("<Where name='Configured/Resource[@name=\"GPU\"]/@type'>A100</Where>", "a2"),
        ("<Where name='Configured/Memory/@units'>GB</Where>", "a2"),
        ("<Where name='Extension[@name=\"Rack\"]'>b</Where>", "b1 b10"),
        ('<Where name="State">Busy</Where><Where name="Configured/Processors" op="LT">8</Where>', "b1"),
        ('<Where name="Id">a1</Where><Where name="Id" conj="Or">b1</Where>', "a1 b1"),
        # And binds tighter than Or: a1 or (b1 and Idle), and with a group (a1 or b1) and Idle.
        (
            '<Where name="Id">a1</Where><Where name="Id" conj="Or">b1</Where><Where name="State">Idle</Where>',
            "a1",
        ),
        (
            '<Where name="Id">a2</Where><Where name="Id" conj="Or">b1</Where><Where name="State">Idle</Where>',
            "a2",
        ),
        (
            (
                '<Where name="Id" group="1">a2</Where><Where name="Id" conj="Or" group="-1">a1</Where>'
                '<Where name="State">Idle</Where>'
            ),
            "a1",
        ),
        (
            '<Where name="Configured/Processors" op="GT">0</Where><Where name="State" conj="AndNot">Busy</Where>',
            "a1 b10",
        ),
        (
            (
                '<Where name="Id">a1</Where><Where name="State" conj="OrNot" group="1">Busy</Where>'
                '<Where name="State" conj="Or" group="-1">Idle</Where>'
            ),
            "a1 b10 c1",
        ),
    ],
)
def test_where(wheres: str, expected: str) -> None:
    assert ids(wheres) == expected.split()


def test_sort_limit_and_offset() -> None:
    assert ids('<Get name="Configured/Processors" op="Tros"/><Get name="Id" op="Tros"/>') == [
        "a2",
        "a1",
        "b10",
        "b1",
        "c1",
    ]
    assert ids('<Get name="Id" op="Sort"/><Option name="limit">2</Option><Option name="offset">1</Option>') == [
        "a2",
        "b1",
    ]


def test_only_what_was_asked_for() -> None:
    text = ask('<Get name="Id"/><Get name="Configured/Processors"/><Where name="Id">a2</Where>')
    (found,) = check(text).nodes
    assert found == SssNode(id="a2", configured=(amount("Processors", 16),))
    text = ask(
        "<Get name='State'/><Get name='Configured/Resource[@name=\"GPU\"]' alias='Gpus'/><Where name='Id'>a2</Where>"
    )
    assert "<State>Busy</State>" in text
    assert '<Gpus name="GPU">2</Gpus>' in text
    assert "<Id>" not in text


def test_figures() -> None:
    text = ask(
        '<Get name="Configured/Processors" op="Sum"/><Get name="Id" op="Count"/><Get name="Configured/Memory" op="Max"/>'
    )
    assert '<Configured><Processors metric="Sum">32</Processors></Configured>' in text
    assert '<Id metric="Count">5</Id>' in text
    assert '<Memory units="GB" metric="Max">1</Memory>' in text
    assert "<Count>1</Count>" in text


def test_figures_of_groups() -> None:
    text = ask('<Get name="State" op="GroupBy"/><Get name="Configured/Processors" op="Average" alias="cores"/>')
    groups = [part.partition("</Node>")[0] for part in text.split("<Node>")[1:]]
    assert groups == [
        "<State></State>",
        '<State>Busy</State><cores metric="Average">10</cores>',
        '<State>Idle</State><cores metric="Average">8</cores>',
        '<State>Offline</State><cores metric="Average">4</cores>',
    ]


@pytest.mark.parametrize(
    ("inside", "code"),
    [
        ('<Where name="Processors">1</Where>', "314"),
        ('<Where name="Configured/Procesors">1</Where>', "314"),
        ('<Where name="Id[1]">1</Where>', "314"),
        ('<Where name="Id" op="Like">1</Where>', "315"),
        ('<Where name="Id" conj="Xor">1</Where>', "316"),
        ('<Where name="Id" group="1">1</Where>', "317"),
        ('<Where name="Id" group="-1">1</Where>', "317"),
        ('<Where name="Id" aggregation="Pattern">[</Where>', "318"),
        ('<Where name="Id" aggregation="Pattern" op="NE">a</Where>', "315"),
        ('<Where name="Id" aggregation="Set">a</Where>', "318"),
        (f'<Where name="Id" aggregation="Pattern">{"a" * 1001}</Where>', "318"),
        ('<Where name="Configured/Memory">much</Where>', "318"),
        ('<Where name="Configured/Memory" units="mb">1</Where>', "318"),
        ('<Get name="Colour"/>', "313"),
        ('<Get name="Id" op="Median"/>', "315"),
        ('<Get name="State" op="Sum"/>', "318"),
        ('<Option name="limit">x</Option>', "318"),
        (f'<Option name="limit">{"9" * 5000}</Option>', "318"),
        ('<Option name="ShowUsage">x</Option>', "100"),
        ('<Set name="State">Offline</Set>', "740"),
    ],
)
def test_faults_are_answers(inside: str, code: str) -> None:
    assert f"<Code>{code}</Code>" in ask(inside)


def test_patterns_are_time_boxed_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thirty conditions that would each run for years."""
    monkeypatch.setattr("windtunnel.entities.sss_conditions.TIME_LIMIT", 0.5)
    slow = SssNode(id="a" * 64 + "b")
    condition = '<Where name="Id" conj="Or" aggregation="Pattern">(a+)+$</Where>'
    request = read_request(f'<Request action="Query"><Object>Node</Object>{condition * 30}</Request>', limit=10_000)
    reply = answer(request, [slow])
    assert reply.code == "318"
    # Wildcards need no limit: they never try a stretch twice.
    wild = condition.replace('aggregation="Pattern"', 'op="Match"').replace("(a+)+$", "*a" * 40 + "*c")
    request = read_request(f'<Request action="Query"><Object>Node</Object>{wild * 30}</Request>', limit=10_000)
    assert answer(request, [slow]).count == 0


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("<Request", "300"),
        ("<Nothing/>", "300"),
        ("<Request><Object>Node</Object></Request>", "312"),
        ('<Request action="Query"><Thing/></Request>', "310"),
        ('<Request action="Query"><Where name="Id" group="x">1</Where></Request>', "317"),
        ("<Request action='Query'>" + " " * 10_000 + "</Request>", "300"),
        ('<!DOCTYPE x [<!ENTITY a "b">]><Request action="Query">&a;</Request>', "300"),
    ],
)
def test_requests_that_cannot_be_read(text: str, code: str) -> None:
    with pytest.raises(MessageFaultError) as error:
        read_request(text, limit=10_000)
    assert error.value.code == code


def test_other_objects_and_actions() -> None:
    job = read_request('<Request action="Query"><Object>Job</Object></Request>', limit=1000)
    assert answer(job, NODES).code == "311"
    assert "<Code>312</Code>" in ask("", action="Explode")
    assert "<Code>740</Code>" in ask('<Set name="State">Offline</Set>', action="Modify")


def test_changes_where_they_are_allowed() -> None:
    changes: list[tuple[list[str], str]] = []
    request = read_request(
        '<Request action="Modify"><Object>Node</Object><Set name="State">Offline</Set>'
        '<Where name="State">Idle</Where></Request>',
        limit=1000,
    )
    response = answer(request, NODES, lambda names, state: changes.append((list(names), state)))
    assert (response.code, response.count, changes) == ("000", 1, [(["a1"], "Offline")])


def test_chunking_is_answered_in_one_chunk() -> None:
    request = read_request(
        '<Envelope><Body><Request action="Query" chunking="True"><Object>Node</Object></Request></Body></Envelope>',
        limit=1000,
    )
    assert 'chunkNum="1" chunkMax="1"' in response_xml(answer(request, NODES))


def test_signatures() -> None:
    """The digest is over the bytes of Body, the signature over the raw digest."""
    message = envelope('<Request action="Query"></Request>', b"k")
    body = b'<Body><Request action="Query"></Request></Body>'
    digest = hashlib.sha1(body).digest()
    assert f"<DigestValue>{base64.b64encode(digest).decode()}</DigestValue>".encode() in message
    signature = base64.b64encode(hmac.new(b"k", digest, "sha1").digest())
    assert b"<SignatureValue>" + signature + b"</SignatureValue>" in message
    # Worked out once with openssl: dgst -sha1 -binary | dgst -sha1 -hmac k -binary | base64.
    assert b"<DigestValue>QoQVIg3ByOK04sH34TTlYQ+2evQ=</DigestValue>" in message
    assert b"<SignatureValue>A+XFs3WMhZH97Mr5KCgMLXGxK9A=</SignatureValue>" in message
    assert signed_body_is_valid(message, b"k", limit=10_000)
    assert not signed_body_is_valid(message, b"wrong", limit=10_000)
    assert not signed_body_is_valid(message.replace(b"Query", b"Quer1"), b"k", limit=10_000)
    assert not signed_body_is_valid(envelope("<Request/>"), b"k", limit=10_000)
    assert not signed_body_is_valid(b"garbage", b"k", limit=10_000)


@pytest.mark.parametrize(
    ("inside", "said"),
    [
        ("<Data><Node>a1</Node></Data>", "without effect: Data"),
        ('<Get name="Id">a1</Get>', "without effect: the text 'a1' of Get"),
        ('<Get name="Id"/>, a1', "without effect: the text ', a1'"),
        ('<Where name="Id" delimiter=";">a1;a2</Where>', "without effect: a delimiter without a List"),
        ('<Option name="limit">1</Option><Option name="Limit">2</Option>', "without effect: all limit but the last"),
        ('<Get name="Id" object="Job"/>', "without effect: object='Job' of Get"),
        ('<Option name="colour">1</Option><Data/>', "options without effect: colour; without effect: Data"),
    ],
)
def test_what_has_no_effect_is_answered_with_a_warning(inside: str, said: str) -> None:
    text = ask(inside)
    assert "<Value>Warning</Value><Code>100</Code>" in text
    assert f"<Message>{said}</Message>" in text


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        ('<Get name="Configured/Memory" units="KB"/><Where name="Id">a2</Where>', '<Memory units="KB">1048576</Memory>'),
        ('<Get name="Configured/Memory" units="GB" alias="M"/><Where name="Id">a1</Where>', '<M units="GB">0.5</M>'),
        ('<Get name="Configured/Memory" op="Sum" units="GB"/>', '<Memory units="GB" metric="Sum">1.751953125</Memory>'),
        ('<Get name="Configured/Memory" op="Sum" units="GB"/><Where name="Id">c1</Where>', '<Memory units="GB" metric="Sum">0<'),
        ('<Get name="Configured/Memory" units="gb"/>', "<Code>318</Code>"),
        ('<Get name="Configured/Processors" units="GB"/>', "Configured/Processors is not counted in GB"),
        ('<Where name="State" units="GB">Idle</Where>', "State is not counted in GB"),
    ],
)  # fmt: skip
def test_units_are_those_that_were_asked_for(inside: str, expected: str) -> None:
    assert expected in ask(inside)


SIMILAR = check(
    """<Nodes><Node><Id>10</Id><Configured><Processors wallDuration="PT1H" consumptionRate="0.5">2</Processors>
<Memory>2</Memory></Configured></Node><Node><Id>010</Id><Configured><Processors>3</Processors></Configured></Node>
<Node><Id>1_0</Id><Extension name="Speed">1e999</Extension><Extension name="Speed">1</Extension></Node></Nodes>"""
).nodes


@pytest.mark.parametrize(
    ("inside", "ids"),
    [
        ('<Where name="Id">10</Where>', ["10"]),
        ('<Where name="Id" op="NE">10</Where>', ["010", "1_0"]),
        ('<Where name="Id" op="GE">9</Where>', ["10", "010"]),
        ('<Where name="Configured/Processors/@consumptionRate" op="NE">0.1</Where>', ["10"]),
        ('<Where name="Configured/Processors/@units" op="NE">x</Where>', []),
        ('<Where name="Configured/Processors">2.0</Where>', ["10"]),
    ],
)  # fmt: skip
def test_ids_are_texts_and_missing_attributes_have_no_value(inside: str, ids: list[str]) -> None:
    request = f'<Request action="Query"><Object>Node</Object><Get name="Id"/>{inside}</Request>'
    found = answer(read_request(request, limit=10_000), SIMILAR)
    assert [shown.partition("<Id>")[2].partition("</Id>")[0] for shown in found.data] == ids


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        ('<Where name="Configured/Processors" op="LT">1e999999999</Where>', "<Code>318</Code>"),
        ('<Where name="Configured/Processors" op="LT">many</Where>', "<Code>318</Code>"),
        ('<Get name="Extension[@name=\'Speed\']" op="Average"/>', "<Code>318</Code>"),
        ('<Get name="Configured" op="Sum"/>', "such as Configured/Processors"),
        ('<Get name="Configured" alias="all"/>', "such as Configured/Processors"),
        ('<Where name="Configured" op="GT">1</Where>', "such as Configured/Processors"),
        ('<Get name="Configured" op="Count"/>', "<Code>000</Code>"),
        ('<Get name="Configured/Processors/@consumptionRate" op="Average"/>', ">0.5<"),
        ('<Get name="Configured/Processors/@consumptionRate" op="Count"/>', ">1<"),
        ('<Get name="Id" alias="\u00aax"/>', "is not a name"),
        ('<Get name="Id" alias="n\u0153ud"/>', "<n\u0153ud>10</n\u0153ud>"),
    ],
)
def test_figures_are_of_numbers_of_one_kind(inside: str, expected: str) -> None:
    request = f'<Request action="Query"><Object>Node</Object>{inside}</Request>'
    assert expected in response_xml(answer(read_request(request, limit=10_000), SIMILAR))
