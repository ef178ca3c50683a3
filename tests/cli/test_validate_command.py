"""``windtunnel validate`` and ``windtunnel resolve``."""

import io
import json

import pytest
from tests.formats.signals.sources import SOURCES, SUPPLY

from environments import MACHINE, document, machine
from shared import shared
from windtunnel.cli.main import main


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.json").write_text(json.dumps(document(machine(1))))
    (tmp_path / "odd.json").write_text(json.dumps(document({**MACHINE, "clockrate": 1}), indent=1))
    (tmp_path / "bad.json").write_text(json.dumps(document(machine(1), machine(1, state="x"))))
    (tmp_path / "nodes.xml").write_text("<Node><Processors>1</Processors></Node>")
    (tmp_path / "w.json").write_text('{"workflows": [{"tasks": [{}]}]}')
    (tmp_path / "batsim.json").write_text('{"nb_res": 1, "jobs": [{"id": 3}], "profiles": {}}')
    (tmp_path / "platform.xml").write_text("<platform/>")
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "code", "shown"),
    [
        (["good.json"], 0, "no findings"),
        (["odd.json"], 0, "1 warning"),
        (["--strict", "odd.json"], 1, "1 error"),
        (["bad.json"], 1, "2 errors"),
        (["bad.json", "--schema-only"], 1, "1 error, 1 warning"),
        (["nodes.xml"], 1, "SSS010"),
        (["w.json"], 1, "OSP005"),
        (["batsim.json"], 1, "batsim.json"),
        (["platform.xml"], 1, "platform.xml"),
        (["good.json", "bad.json"], 1, "bad.json:1:"),
        (["missing.json"], 2, ""),
        (["good.json", "--format", "yaml"], 2, ""),
        (["good.json", "--merge-order", "odd"], 2, ""),
    ],
)
def test_validate(files, capsys, arguments, code, shown):
    assert main(["validate", *arguments]) == code
    assert shown in capsys.readouterr().out


def test_forms_for_machines(files, capsys):
    main(["validate", "bad.json", "--format", "json"])
    plain = json.loads(capsys.readouterr().out)
    assert [(f["code"], f["severity"], f["line"]) for f in plain] == [("ENV022", "error", 1), ("ENV030", "error", 1)]
    main(["validate", "bad.json", "--format", "sarif"])
    log = json.loads(capsys.readouterr().out)
    (run,) = log["runs"]
    assert {rule["id"] for rule in run["tool"]["driver"]["rules"]} == {"ENV022", "ENV030"}
    assert run["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] == 1
    main(["validate", "odd.json", "--format", "github"])
    line = capsys.readouterr().out
    assert line.startswith("::warning file=odd.json,line=")
    assert "title=ENV040::" in line


def test_standard_input(monkeypatch, capsys):
    class Input:
        buffer = io.BytesIO(b"{}")

    monkeypatch.setattr("sys.stdin", Input)
    assert main(["validate", "-"]) == 1
    assert "standard input:1:1" in capsys.readouterr().out


def test_resolve(files, capsys):
    doc = document({"$base": "#/definitions/m", "id": 7}, definitions={"m": MACHINE})
    (files / "e.json").write_text(json.dumps(doc))
    assert main(["resolve", "e.json", "--no-definitions"]) == 0
    shown = capsys.readouterr()
    tree = json.loads(shown.out)
    assert tree["environment"]["datacenters"][0]["rooms"][0]["objects"][0]["units"] == [{**MACHINE, "id": 7}]
    assert "definitions" not in tree
    assert "document order" in shown.err
    assert main(["resolve", "bad.json"]) == 1
    assert json.loads(capsys.readouterr().out)["environment"]


def test_the_examples_of_the_format(capsys):
    folder = shared("traces/jsspp-osp")
    assert main(["validate", str(folder / "environment.json"), str(folder / "workload.json")]) == 0
    assert "5 warnings" in capsys.readouterr().out


def test_a_file_that_cannot_be_read_hides_nothing_of_the_others(files, capsys):
    assert main(["validate", "missing.json", "bad.json", "nowhere.xml"]) == 2
    shown = capsys.readouterr()
    assert "bad.json:" in shown.out
    assert "missing.json cannot be read: No such file or directory" in shown.err
    assert "nowhere.xml cannot be read: No such file or directory" in shown.err


def test_carbon_prices_and_supplies(files, capsys):
    for name, (_, content) in (SOURCES | {"supply": ("", SUPPLY)}).items():
        (files / name).write_bytes(content)
        assert main(["validate", name]) == 0, capsys.readouterr().out
        assert "error" not in capsys.readouterr().out
    (files / "c.csv").write_text("time,g/kWh\n0,x\n5,1\n5,2\n")
    assert main(["validate", "c.csv"]) == 1
    said = capsys.readouterr().out
    assert "c.csv:2: error [not-a-number]" in said
    assert "c.csv:4: error [row-order]" in said
    (files / "s.json").write_text('{"levels": [{"hosts": 0}]}')
    assert main(["validate", "s.json"]) == 1
    assert "s.json:1:" in capsys.readouterr().out
    assert main(["validate", "c.csv", "--kind", "price"]) == 1


def test_options_behind_a_file(files, capsys):
    """As behind those of ``--carbon``: which zone, which column, what holds outside."""
    rows = SOURCES["portal"][1].decode()
    (files / "two.csv").write_text(rows + "2024-01-01 00:00:00,Yland,Yland,YY,1,2,10,20,x.example,false,\n")
    (files / "bare.csv").write_text("time,value\n0,1\n5,2\n")
    assert main(["validate", "two.csv"]) == 1
    assert main(["validate", "two.csv?zone=YY&outside=hold"]) == 0
    assert main(["validate", "two.csv?zone=ZZ"]) == 1
    assert "two.csv: error [zone]: has no zone 'ZZ'" in capsys.readouterr().out
    assert main(["validate", "bare.csv?unit=g/kWh", "--kind", "carbon"]) == 0
    assert main(["validate", "bare.csv?unit=g/kWh", "two.csv?zon=YY", "two.csv?zone=ZZ"]) == 2
    shown = capsys.readouterr()
    assert "bare.csv?unit=g/kWh: only signals have options" in shown.err
    assert "no option 'zon' (did you mean 'zone'?)" in shown.err
    assert "has no zone 'ZZ'" in shown.out
    (files / "two.csv?zone=YY").write_text(rows)
    assert main(["validate", "two.csv?zone=YY"]) == 0, "the name of a file"
