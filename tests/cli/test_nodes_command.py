"""``windtunnel nodes``: the platform is read again as the run had it."""

import json

import pytest

from windtunnel.cli.main import main
from windtunnel.formats.sites.sss import check, read


def nodes(capsys, *arguments):
    capsys.readouterr()
    assert main(["nodes", *arguments]) == 0
    found = check(capsys.readouterr().out)
    assert not found.findings
    return {node.id: node for node in found.nodes}


def speed(node):
    return next(extension.value for extension in node.extensions if extension.name == "Speed")


def test_speeds_are_those_of_the_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    unit = {"type": "MACHINE", "id": 1, "cpus": [{"clock-rate": 2e9, "cores": 4}]}
    rooms = [{"type": "SERVER", "objects": [{"type": "RACK", "units": [unit]}]}]
    (tmp_path / "e.json").write_text(json.dumps({"environment": {"datacenters": [{"rooms": rooms}]}}))
    fields = [1, 0, 0, 100, 2, *[-1] * 2, 2, 100, -1, 1, *[-1] * 7]
    (tmp_path / "jobs.swf").write_text(" ".join(map(str, fields)) + "\n")
    given = ["e.json", "jobs.swf", "--quiet", "--out", "out", "-s", "stage-scheduler"]
    assert main(["run", *given, "--platform-option", "flops_per_cycle=8"]) == 0
    assert json.loads((tmp_path / "out/run.json").read_text())["platform"]["options"] == {"flops_per_cycle": 8.0}
    assert float(speed(nodes(capsys, "out", "--at", "50")["machine-1"])) == 16e9
    monkeypatch.chdir("/")
    assert float(speed(nodes(capsys, str(tmp_path / "out"), "--at", "50")["machine-1"])) == 16e9


def test_descriptions_in_several_files_are_found_again(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    unit = {"$base": "thin.json#/thin", "id": 1}
    rooms = [{"type": "SERVER", "objects": [{"type": "RACK", "units": [unit]}]}]
    (tmp_path / "e.json").write_text(json.dumps({"environment": {"datacenters": [{"rooms": rooms}]}}))
    thin = {"type": "MACHINE", "cpus": [{"clock-rate": 3e9, "cores": 2}]}
    (tmp_path / "thin.json").write_text(json.dumps({"thin": thin}))
    (tmp_path / "jobs.swf").write_text(" ".join(map(str, [1, 0, 0, 100, 2, -1, -1, 2, 100, *[-1] * 9])) + "\n")
    given = ["e.json", "jobs.swf", "--quiet", "--out", "out", "-s", "stage-scheduler"]
    assert main(["run", *given, "--platform-option", "allow_files=."]) == 0
    monkeypatch.chdir("/")
    assert float(speed(nodes(capsys, str(tmp_path / "out"), "--at", "50")["machine-1"])) == 3e9


PLATFORM = """<?xml version='1.0'?>
<platform version="4.1"><zone id="z" routing="Full">
<host id="h10" speed="1Gf"/><host id="h9" speed="1Gf"/>
</zone></platform>"""


def test_hosts_are_numbered_as_in_the_run(tmp_path, monkeypatch, capsys):
    """One job on host 0: h9 in natural order, h10 in Batsim 4's."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.xml").write_text(PLATFORM)
    jobs = {
        "nb_res": 2,
        "jobs": [{"id": "1", "subtime": 0, "res": 1, "walltime": 100, "profile": "d"}],
        "profiles": {"d": {"type": "delay", "delay": 50}},
    }
    (tmp_path / "w.json").write_text(json.dumps(jobs))
    for numbering, busy in (("natural", "h9"), ("lexicographic", "h10")):
        out = f"out-{numbering}"
        assert main(["run", "p.xml", "w.json", "--quiet", "--out", out, "--numbering", numbering]) == 0
        states = {name: node.state for name, node in nodes(capsys, out, "--at", "20").items()}
        assert [name for name, state in states.items() if state == "Busy"] == [busy]


def processors(node, category):
    return next(one.value for one in node.category(category) if one.element == "Processors")


LEASES = """<lease-workload name="day"><site><resource-types names="CPU Memory"/><nodes>
<node-set numnodes="2"><res type="CPU" amount="200"/><res type="Memory" amount="4096"/></node-set>
<node-set numnodes="1"><res type="CPU" amount="100"/><res type="Memory" amount="1024"/></node-set></nodes></site>
<lease-requests><lease-request arrival="00:00:00.00"><lease preemptible="true"><nodes><node-set numnodes="2">
<res type="CPU" amount="100"/><res type="Memory" amount="1024"/></node-set></nodes><start></start>
<duration time="01:00:00.00"/><software><none/></software></lease></lease-request></lease-requests></lease-workload>"""


def test_a_run_of_leases_knows_its_site(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "day.lwf").write_text(LEASES)
    assert main(["lease", "run", "day.lwf", "--out", "out"]) == 0
    monkeypatch.chdir("/")
    found = nodes(capsys, str(tmp_path / "out"), "--at", "100")
    assert {name: processors(node, "configured") for name, node in found.items()} == {
        "node1": 2, "node2": 2, "node3": 1
    }  # fmt: skip
    assert sum(processors(node, "utilized") for node in found.values()) == 2
    found = nodes(capsys, str(tmp_path / "out"), "--at", "4000")
    assert sum(processors(node, "utilized") for node in found.values()) == 0


def amounts(node, category):
    return {one.name or one.element: (one.value, one.units) for one in node.category(category)}


PARTS = """<lease-workload name="p"><site><resource-types names="CPU Memory Ponies"/><nodes>
<node-set numnodes="2"><res type="CPU" amount="400"/><res type="Memory" amount="1024"/><res type="Ponies" amount="4"/>
</node-set></nodes></site><lease-requests>{}</lease-requests></lease-workload>"""
LEASE = """<lease-request arrival="00:00:00"><lease preemptible="true"><nodes>{}</nodes><start/>
<duration time="01:00:00"/><software><none/></software></lease></lease-request>"""
SET = """<node-set numnodes="{}"><res type="CPU" amount="{}"/><res type="Memory" amount="{}"/>
<res type="Ponies" amount="1"/></node-set>"""


@pytest.mark.parametrize("command", [("lease", "run"), ("run",)])
def test_nodes_of_leases_count_what_leases_have_of_them_in_the_units_of_the_site(
    tmp_path, monkeypatch, capsys, command
):
    monkeypatch.chdir(tmp_path)
    shares = LEASE.format(SET.format(1, 150, 512)) + LEASE.format(SET.format(1, 100, 256) + SET.format(1, 200, 128))
    (tmp_path / "p.lwf").write_text(PARTS.format(shares))
    assert main([*command, "p.lwf", "--out", "out"]) == 0
    found = nodes(capsys, "out", "--at", "100")
    used = [amounts(node, "utilized") for node in found.values()]
    left = [amounts(node, "available") for node in found.values()]
    whole = {"Processors": 4, "Memory": 1024, "Ponies": 4}
    for node, taken, free in zip(found.values(), used, left, strict=True):
        assert amounts(node, "configured") == {
            "Processors": (4, ""), "Memory": (1024, "MB"), "Ponies": (4, "")
        }  # fmt: skip
        assert all(taken[name][0] + free[name][0] <= has for name, has in whole.items())
    assert sum(taken["Memory"][0] for taken in used) == 512 + 256 + 128
    assert sum(taken["Ponies"][0] for taken in used) == 3
    assert sum(free["Memory"][0] for free in left) == 2 * 1024 - 896
    assert sum(taken["Processors"][0] for taken in used) in {5, 6}  # 4.5, rounded up machine by machine


def test_snapshots_of_leases_count_the_same(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.lwf").write_text(PARTS.format(LEASE.format(SET.format(1, 100, 512))))
    assert main(["run", "p.lwf", "--out", "out", "--nodes-every", "1800", "--quiet"]) == 0
    (snapshot,) = list((tmp_path / "out").rglob("nodes-1800.xml"))
    shown = {node.id: amounts(node, "utilized") for node in read(snapshot)[0]}
    assert {name: amount["Memory"] for name, amount in shown.items()} == {"node1": (512, "MB"), "node2": (0, "MB")}
    assert shown == {name: amounts(node, "utilized") for name, node in nodes(capsys, "out", "--at", "1800").items()}


def test_a_run_of_jobs_keeps_nothing_of_leases(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "day.lwf").write_text(LEASES)
    (tmp_path / "jobs.swf").write_text(" ".join(map(str, [1, 0, 0, 100, 2, -1, -1, 2, 100, *[-1] * 9])) + "\n")
    assert main(["lease", "run", "day.lwf", "--out", "out"]) == 0
    assert main(["run", "hosts:4", "jobs.swf", "--quiet", "--out", "out"]) == 0
    assert not {"site.xml", "leases.csv", "reservations.csv"} & {path.name for path in (tmp_path / "out").iterdir()}
    assert len(nodes(capsys, "out")) == 4


def test_what_the_nodes_of_a_run_do_not_show_is_told(tmp_path, capsys):
    """After the last end all were idle, and so were those of jobs that were not over when the run stopped."""
    assert main(["run", "example:small", "--quiet", "--until", "1h", "--out", str(tmp_path / "part")]) == 0
    nodes(capsys, str(tmp_path / "part"))
    assert main(["nodes", str(tmp_path / "part")]) == 0
    assert "note: the run did not come to its end: jobs that were not over are not shown" in capsys.readouterr().err
    assert main(["run", "example:small", "--quiet", "--out", str(tmp_path / "whole")]) == 0
    assert main(["nodes", str(tmp_path / "whole"), "--at", "50h"]) == 0
    assert "note: the last job of the run ended at 48,356.62 s (13 h 26 min)" in capsys.readouterr().err
    assert main(["nodes", str(tmp_path / "whole"), "--at", "1h"]) == 0
    assert not capsys.readouterr().err


def test_nothing_is_known_of_what_follows_the_stop_of_a_run(tmp_path, capsys):
    rows = [[1, 0, 0, 1000, 1, -1, -1, 1, 2000], [2, 0, 0, 10, 1, -1, -1, 1, 20]]
    (tmp_path / "jobs.swf").write_text("".join(" ".join(map(str, [*row, *[-1] * 9])) + "\n" for row in rows))
    part = str(tmp_path / "part")
    assert main(["run", "hosts:2", str(tmp_path / "jobs.swf"), "--quiet", "--until", "500", "--out", part]) == 0
    capsys.readouterr()
    assert main(["nodes", part, "--at", "500"]) == 0
    capsys.readouterr()
    for asked in (["--at", "501"], ["--from", "0", "--to", "501"]):
        assert main(["nodes", part, *asked]) == 2
        shown = capsys.readouterr()
        assert not shown.out
        assert "part stopped at 500 s (8 min 20 s), so nothing is known of its machines at 501 s (8 min 21 s)" in shown.err
    query = tmp_path / "query.xml"
    get = '<Request action="Query"><Object>Node</Object><Get name="State"/><Option name="time">501</Option></Request>'
    query.write_text(f"<Envelope><Body>{get}</Body></Envelope>")
    assert main(["nodes", part, "--query", str(query)]) == 1
    assert "so nothing is known of its machines" in capsys.readouterr().out


def test_an_instant_of_a_file_of_nodes_is_told_to_have_no_effect(tmp_path, capsys):
    (tmp_path / "nodes.xml").write_text("<Node><Id>n1</Id><State>Idle</State></Node>")
    request = tmp_path / "request.xml"
    request.write_text(
        '<Request action="Query"><Object>Node</Object><Get name="Id"/><Option name="time">5</Option></Request>'
    )
    assert main(["nodes", str(tmp_path / "nodes.xml"), "--query", str(request)]) == 0
    said = capsys.readouterr().out
    assert "<Code>100</Code><Message>options without effect: time</Message>" in "".join(said.split("\n"))
    assert "<Id>n1</Id>" in said
