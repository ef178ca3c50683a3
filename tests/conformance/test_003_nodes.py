"""Clauses of the SSS node object specification 3.1.0 that no other test shows by itself (docs/conformance/003.md)."""

from pathlib import Path

import pytest

from windtunnel.api import Simulation
from windtunnel.cli.main import main
from windtunnel.diagnostics import Severity
from windtunnel.entities.sss_node import CATEGORIES, SssNode, nodes_xml
from windtunnel.formats.sites.sss import check

SIMPLE = "<Id>Node64</Id><Configured><Processors>2</Processors><Memory>512</Memory></Configured>"


def node(inside: str, state: str = "<State>Idle</State>") -> str:
    return f"<Node><Id>n1</Id>{state}{inside}</Node>"


def one(inside: str) -> SssNode:
    found = check(node(inside))
    assert not found.findings, found.findings
    return found.nodes[0]


def errors(text: str) -> list[str]:
    return [found.code for found in check(text).findings if found.severity is Severity.ERROR]


def written(made: SssNode) -> str:
    return "".join(nodes_xml([made]))


def test_a_document_holds_nodes_and_nothing_else() -> None:
    assert check(f"<Node>{SIMPLE}</Node>").nodes[0].id == "Node64"
    assert errors("<Job/>") == ["SSS002"]


def test_a_node_needs_its_id_and_nothing_more() -> None:
    assert errors("<Node><Name>x</Name></Node>") == ["SSS010"]
    assert errors("<Node><Id>a</Id></Node>") == []


@pytest.mark.parametrize(
    ("element", "field"),
    [("Name", "name"), ("Opsys", "opsys"), ("Arch", "arch"), ("Description", "description")],
)
def test_simple_properties_are_text_given_once_and_written_back(element: str, field: str) -> None:
    made = one(f"<{element}>some text</{element}>")
    assert getattr(made, field) == "some text"
    assert check(written(made)).nodes == (made,)
    assert errors(node(f"<{element}>a</{element}><{element}>b</{element}>")) == ["SSS012"]


@pytest.mark.parametrize("state", ["Offline", "Configured", "Unknown", "Idle", "Busy"])
def test_the_five_states(state: str) -> None:
    found = check(node("", f"<State>{state}</State>"))
    assert found.nodes[0].state == state
    assert not found.findings


def test_features_are_a_list_or_repeated() -> None:
    assert one("<Feature>a, b</Feature><Feature>c</Feature>").features == ("a", "b", "c")


def test_extensions_have_a_name_a_type_and_a_value() -> None:
    made = one('<Extension type="Chemistry" name="Software">NWChem</Extension>')
    (extension,) = made.extensions
    assert (extension.name, extension.type, extension.value) == ("Software", "Chemistry", "NWChem")
    assert check(written(made)).nodes == (made,)
    assert one('<Extension name="Software">NWChem</Extension>').extensions[0].type == ""
    assert errors(node("<Extension>NWChem</Extension>")) == ["SSS031"]


@pytest.mark.parametrize("category", CATEGORIES)
def test_each_category_holds_consumable_resources_once(category: str) -> None:
    made = one(f"<{category}><Memory>4</Memory></{category}>")
    assert made.category(category)[0].value == 4
    assert errors(node(f"<{category}/><{category}/>")) == ["SSS012"]
    assert errors(node("<Memory>4</Memory>")) == ["SSS020"]


def test_part_of_a_node_may_be_neither_used_nor_available() -> None:
    amounts = {"Configured": 16, "Utilized": 8, "Available": 7}
    inside = "".join(f"<{name}><Processors>{count}</Processors></{name}>" for name, count in amounts.items())
    assert not check(node(inside, "<State>Busy</State>")).findings


def test_configured_decides_what_could_ever_run(tmp_path: Path) -> None:
    text = node(
        "<Configured><Processors>2</Processors></Configured><Available><Processors>1</Processors></Available>"
    )
    (tmp_path / "n.xml").write_text(text)
    (tmp_path / "w.swf").write_text("; MaxProcs: 2\n1 0 -1 10 2 -1 -1 2 20 -1 1 1 1 1 1 1 -1 -1\n")
    run = Simulation(tmp_path / "n.xml", tmp_path / "w.swf", "fcfs").run()
    assert run.jobs["final_state"].to_list() == ["COMPLETED_SUCCESSFULLY"]


@pytest.mark.parametrize("element", ["Memory", "Disk", "Swap", "Network"])
def test_amounts_are_floats(element: str) -> None:
    made = one(f"<Configured><{element}>1.5</{element}></Configured>")
    assert made.configured[0].value == 1.5
    assert check(written(made)).nodes == (made,)
    assert errors(node(f"<Configured><{element}>much</{element}></Configured>")) == ["SSS022"]


def test_processors_are_an_integer() -> None:
    assert one("<Configured><Processors>16</Processors></Configured>").configured[0].value == 16
    assert errors(node("<Configured><Processors>1.5</Processors></Configured>")) == ["SSS021"]


ATTRIBUTES = 'units="GB" metric="Max" wallDuration="PT1234S" consumptionRate="0.63"'


@pytest.mark.parametrize("element", ["Memory", "Disk", "Swap", 'Resource name="License"'])
def test_attributes_of_consumable_resources(element: str) -> None:
    name = element.split(maxsplit=1)[0]
    made = one(f"<Utilized><{element} {ATTRIBUTES}>4</{name}></Utilized>")
    (item,) = made.utilized
    assert (item.units, item.metric, item.wall_duration, item.consumption_rate) == ("GB", "Max", 1234.0, 0.63)
    assert check(written(made)).nodes == (made,)


@pytest.mark.parametrize("metric", ["Total", "Average", "Min", "Max", "Instantaneous", "KX"])
def test_metrics_are_free_text(metric: str) -> None:
    assert one(f'<Utilized><Memory metric="{metric}">4</Memory></Utilized>').utilized[0].metric == metric


def test_a_duration_is_iso_8601_or_seconds_as_in_the_examples() -> None:
    for text in ("PT3576S", "3576", "PT59M36S"):
        made = one(f'<Utilized><Memory wallDuration="{text}">4</Memory></Utilized>')
        assert made.utilized[0].wall_duration == 3576.0
        assert check(written(made)).nodes == (made,)


def test_resources_have_a_name_and_perhaps_a_type_and_may_repeat() -> None:
    made = one(
        '<Configured><Resource name="License" type="MATLAB">1</Resource>'
        '<Resource name="License" type="ABAQUS">2.5</Resource><Resource name="Telescope">10</Resource></Configured>'
    )
    assert [(item.name, item.type, item.value) for item in made.configured] == [
        ("License", "MATLAB", 1),
        ("License", "ABAQUS", 2.5),
        ("Telescope", "", 10),
    ]
    assert check(written(made)).nodes == (made,)
    assert errors(node("<Configured><Resource>1</Resource></Configured>")) == ["SSS031"]


def test_units_are_powers_of_1024_up_to_2_to_the_100() -> None:
    sizes = {
        "B": 0,
        "KB": 10,
        "MB": 20,
        "GB": 30,
        "TB": 40,
        "PB": 50,
        "EB": 60,
        "ZB": 70,
        "YB": 80,
        "NB": 90,
        "DB": 100,
    }
    for unit, power in sizes.items():
        text = "<Nodes>" + "".join(
            f"<Node><Id>{name}</Id><State>Idle</State><Configured><Memory units='{units}'>{value}</Memory></Configured></Node>"
            for name, units, value in (("a", unit, 1), ("b", "B", 2**power))
        )
        first, second = check(f"{text}</Nodes>").nodes
        from windtunnel.entities.sss_units import in_bytes

        assert in_bytes(first.configured[0].value, unit) == in_bytes(second.configured[0].value, "B") == 2**power
    assert errors(node("<Configured><Memory units='QB'>1</Memory></Configured>")) == ["SSS030"]


def test_nodes_of_a_run_say_what_is_configured_available_and_utilized(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "w.swf").write_text("; MaxProcs: 2\n1 0 -1 10 1 -1 -1 1 20 -1 1 1 1 1 1 1 -1 -1\n")
    assert main(["run", "hosts:2x4", "w.swf", "--scheduler", "fcfs", "--out", "out", "--quiet"]) == 0
    capsys.readouterr()
    assert main(["nodes", "out", "--at", "5"]) == 0
    busy, idle = check(capsys.readouterr().out).nodes
    assert (busy.state, idle.state) == ("Busy", "Idle")
    assert [busy.category(name)[0].value for name in CATEGORIES] == [4, 0, 4]
    assert [idle.category(name)[0].value for name in CATEGORIES] == [4, 4, 0]


def test_offline_nodes_are_given_to_nobody(tmp_path: Path) -> None:
    nodes = [
        f"<Node><Id>n{number}</Id><State>{state}</State><Configured><Processors>1</Processors></Configured></Node>"
        for number, state in enumerate(("Offline", "Idle"))
    ]
    (tmp_path / "n.xml").write_text(f"<Data>{''.join(nodes)}</Data>")
    (tmp_path / "w.swf").write_text("; MaxProcs: 2\n1 5 -1 10 1 -1 -1 1 20 -1 1 1 1 1 1 1 -1 -1\n")
    run = Simulation(tmp_path / "n.xml", tmp_path / "w.swf", "fcfs").run()
    assert run.jobs["allocated_resources"].to_list() == ["1"]
