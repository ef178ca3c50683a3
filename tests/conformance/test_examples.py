"""Every example of the documents on environments, leases and nodes runs as it is printed, or says why it cannot."""

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest

from documents import json_blocks, listings, xml_pieces
from environments import resolved
from windtunnel.cli.main import main
from windtunnel.formats.sites.environment import Options, check

LOG = "; MaxProcs: 1\n1 0 -1 10 1 -1 -1 1 20 -1 1 1 1 1 1 1 -1 -1\n"
LATER = "; MaxProcs: 1\n1 1 -1 900 1 -1 -1 1 1000 -1 1 1 1 1 1 1 -1 -1\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("log.swf").write_text(LOG)
    Path("later.swf").write_text(LATER)


def validated(name: str, text: str, *more: str) -> int:
    Path(name).write_text(text)
    return main(["validate", name, *more])


def ran(*given: str) -> int:
    return main([*given, "--out", "out", "--force", "--quiet"])


def states() -> list[str]:
    with Path("out/jobs.csv").open() as file:
        return [row["final_state"] for row in csv.DictReader(file)]


# --- environments -----------------------------------------------------------------------------------------------------

WHOLE = {26: "REJECTED", 219: "REJECTED", 278: "REJECTED", 315: "REJECTED", 362: "COMPLETED_SUCCESSFULLY"}
"""By line, whole environments, and what comes of a job: only the last of them has a machine that can hold work."""


@pytest.mark.parametrize("line", WHOLE)
def test_whole_environments_validate_and_run(line: int) -> None:
    assert validated("e.json", json_blocks()[line]) == 0
    assert main(["resolve", "e.json"]) == 0
    assert ran("run", "e.json", "log.swf") == 0
    assert states() == [WHOLE[line]]


@pytest.mark.parametrize(
    ("line", "said", "printed", "meant"),
    [
        (146, "did you mean '#/definitions/machines/default'", "definitions/machine/default", "definitions/machines/default"),
        (471, "not JSON", "...", '"datacenters": []'),
    ],
)  # fmt: skip
def test_environments_with_a_slip_say_so_and_run_without_it(
    line: int, said: str, printed: str, meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = json_blocks()[line]
    assert validated("e.json", text) == 1
    assert said in capsys.readouterr().out
    assert ran("run", "e.json", "log.swf") == 2
    mended: dict[str, Any] = json.loads(text.replace(printed, meant))
    if line == 471:  # its events are about two machines of a datacenter that it does not show
        units = [{"type": "MACHINE", "id": number, "cpus": [{"clock-rate": 1e9, "cores": 1}]} for number in (1, 2)]
        rooms = [{"type": "SERVER", "objects": [{"type": "RACK", "units": units}]}]
        mended["environment"]["datacenters"] = [{"id": 1, "rooms": rooms}]
    assert validated("e.json", json.dumps(mended)) == 0
    assert ran("run", "e.json", "log.swf" if line == 146 else "later.swf", "--keep-epoch") == 0
    if line == 471:
        with Path("out/events.csv").open() as file:
            happened = [(float(row["time"]), row["event"]) for row in csv.DictReader(file)]
        assert happened == [(1.0, "unavailable"), (100.0, "unavailable"), (300.0, "scheduler_change")]


@pytest.mark.parametrize(("example", "result"), [(49, 62), (78, 95), (116, 131)])
def test_inheritance_resolves_as_printed(example: int, result: int) -> None:
    blocks = json_blocks()
    text = blocks[example]
    if example == 78:  # which misspells a base
        assert any("definition-b" in found.hint for found in check(text.encode(), "e.json", Options()).findings)
        text = text.replace("#/defintion-b", "#/definition-b")
    assert resolved(json.loads(text)) == json.loads(blocks[result])


@pytest.mark.parametrize("line", [309, 516, 538])
def test_parts_of_environments_run_in_their_place(line: int) -> None:
    part = json.loads(json_blocks()[line])
    units = [{"type": "MACHINE", "id": 1, "cpus": [{"clock-rate": 1e9, "cores": 1}]}]
    events = []
    if line == 309:
        units.append(part)
    else:
        events.append({**part, "time": 5})
    rooms = [{"type": "SERVER", "objects": [{"type": "RACK", "units": units}]}]
    whole = {"environment": {"datacenters": [{"id": 1, "rooms": rooms}]}, "events": events}
    assert validated("e.json", json.dumps(whole)) == 0
    assert ran("run", "e.json", "log.swf", "--scheduler", "datacenters") == 0
    assert len(states()) == 1
    assert Path("out/events.csv").exists() is (line != 309)


def test_these_are_all_blocks_of_environments() -> None:
    shown = {*WHOLE, 146, 471, 49, 62, 78, 95, 116, 131, 309, 516, 538}
    assert set(json_blocks()) == shown


# --- leases -----------------------------------------------------------------------------------------------------------


def listing(start: str, *, whole: bool = True) -> str:
    return next(one for one in listings() if one.startswith(start) and ("..." not in one) is whole)


def test_the_examples_of_leases_validate_and_run() -> None:
    for name, start in (("nodes.xml", "<nodes>"), ("lease.xml", "<lease "), ("site.xml", "<site>")):
        assert validated(name, listing(start)) == 0
    assert ran("run", "nodes.xml", "log.swf") == 0
    assert states() == ["COMPLETED_SUCCESSFULLY"]
    assert ran("run", "site.xml", "lease.xml") == 0
    assert states() == ["COMPLETED_SUCCESSFULLY"]
    assert ran("lease", "run", "lease.xml", "--site", "site.xml") == 0
    with Path("out/leases.csv").open() as file:
        (row,) = csv.DictReader(file)
    assert (row["state"], row["type"], row["requested_duration"]) == ("Done", "Best-effort", "3600")


def test_the_forms_of_leases_run_with_their_dots_filled_in() -> None:
    """All forms together make one workload: each dot is replaced by what the document says belongs there."""
    nodes = listing("<nodes>", whole=False).replace(
        "...",
        listing("<node-set", whole=False)
        .replace('numnodes="..."', 'numnodes="1"')
        .replace(
            "...",
            "".join(
                listing("<res ", whole=False).replace('type="..." amount="..."', f'type="{kind}" amount="{amount}"')
                for kind, amount in (("CPU", 100), ("Memory", 512))
            ),
        ),
    )
    software = {
        "image": listing("<software>", whole=False).replace('id="..." size="..."', 'id="a" size="10"'),
        "none": listing("<software>"),
    }
    starts = {
        "empty": listing("<start/>"),
        "exact": listing("<start>", whole=False).replace('"..."', '"+00:00:30:00"').replace("</exact>", "</start>"),
        "now": listing("<start>").replace("</exact>", "</start>"),
    }
    requests = ""
    for number, (start, image) in enumerate((("empty", "image"), ("exact", "none"), ("now", "none")), 1):
        inside = nodes + '<duration time="00:20:00"/>' + starts[start] + software[image]
        lease = listing("<lease ", whole=False).replace(
            'id="..." preemptible="..."', f'id="{number}" preemptible="yes"'
        )
        request = re.sub(
            r"<lease \.\.\.>.*</lease>",
            lambda _, made=lease.replace("...", inside): made,
            listing("<lease-request ", whole=False),
            flags=re.DOTALL,
        )
        requests += request.replace('arrival="..."', f'arrival="00:0{number}:00"').replace(
            '<realduration time="..."/>', '<realduration time="00:10:00"/>'
        )
    four = nodes.replace('numnodes="1"', 'numnodes="4"')
    site = listing("<site>", whole=False).replace('names="..."', 'names="CPU Memory"')
    site = re.sub(r"<nodes>.*</nodes>", lambda _: four, site, flags=re.DOTALL)
    work = listing("<lease-workload", whole=False).replace('name="..."', 'name="forms"')
    for tag, inside in (("description", "all forms"), ("lease-requests", requests)):
        work = re.sub(rf"<{tag}>.*</{tag}>", lambda _, t=tag, i=inside: f"<{t}>{i}</{t}>", work, flags=re.DOTALL)
    work = re.sub(r"<site>.*</site>", lambda _: site, work, flags=re.DOTALL)
    assert "..." not in work
    assert validated("w.lwf", work) == 0
    assert ran("run", "w.lwf") == 0
    with Path("out/leases.csv").open() as file:
        rows = {row["lease_id"]: row for row in csv.DictReader(file)}
    assert {number: (row["type"], row["state"], row["ran"]) for number, row in rows.items()} == {
        "1": ("Best-effort", "Done", "600"),
        "2": ("AR", "Done", "600"),
        "3": ("Immediate", "Done", "600"),
    }
    assert (rows["2"]["started"], rows["3"]["started"]) == ("1920", "180")


def test_starts_that_are_closed_as_printed_are_no_xml(capsys: pytest.CaptureFixture[str]) -> None:
    for printed in (one for one in listings() if one.startswith("<start>")):
        assert validated("start.xml", printed.replace("...", "1"), "--kind", "leases") != 0
        assert "mismatch" in capsys.readouterr().out


def test_these_are_all_listings_of_leases() -> None:
    assert len(listings()) == 15


# --- nodes ------------------------------------------------------------------------------------------------------------


def test_the_nodes_of_the_specification_validate_and_run() -> None:
    whole = [piece for piece in xml_pieces() if piece.startswith("<Node>\n")]
    assert len(whole) == 2
    for text in whole:
        assert validated("n.xml", text) == 0
        assert ran("run", "n.xml", "log.swf") == 0
        assert states() == ["COMPLETED_SUCCESSFULLY"]


def test_parts_of_nodes_run_in_their_place() -> None:
    parts = [piece for piece in xml_pieces() if not piece.startswith("<Node")]
    assert len(parts) == 6
    for part in parts:
        element = part[1:].split()[0].split(">")[0]
        if element in {"Memory", "Resource"}:
            part = f"<Configured>{part}</Configured>"
        if element in {"Available", "Utilized"}:
            part = "<Configured><Processors>16</Processors><Memory>512</Memory></Configured>" + part
        text = f"<Node><Id>n</Id><State>Idle</State>{part}</Node>"
        assert validated("n.xml", text) == 0, part
        assert ran("run", "n.xml", "log.swf") == 0, part
        assert states() == ["COMPLETED_SUCCESSFULLY"], part


def test_references_are_read_and_are_no_platform(capsys: pytest.CaptureFixture[str]) -> None:
    references = [piece for piece in xml_pieces() if re.match(r"<Node( [^>]*)?>\w", piece)]
    assert len(references) == 2
    for text in references:
        assert validated("n.xml", text) == 0
        capsys.readouterr()
        assert ran("run", "n.xml", "log.swf") == 2
        assert "SSS054" in capsys.readouterr().err


def test_these_are_all_pieces_of_the_specification() -> None:
    assert len(xml_pieces()) == 10
