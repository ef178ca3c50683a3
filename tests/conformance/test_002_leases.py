"""Clauses of Haizea's lease formats that no other test shows by itself (docs/conformance/002.md)."""

import csv
import re
from datetime import datetime
from pathlib import Path

import pytest

from windtunnel.cli.main import main
from windtunnel.diagnostics import InputError
from windtunnel.formats.haizea.lwf import read_lease_text, read_lwf, read_nodes, read_site
from windtunnel.model.lease import DiskImage, LeaseKind, LeaseWorkload, NodeSet, When

EPOCH = datetime.fromisoformat("2006-11-25T13:00")
NODES = (
    '<nodes><node-set numnodes="{count}"><res type="CPU" amount="100"/><res type="Memory" amount="512"/>'
    "</node-set></nodes>"
)
SITE = f'<site><resource-types names="CPU Memory"/>{NODES.format(count=4)}</site>'
LEASE = """<lease id="{id}" preemptible="true">{nodes}<start>{start}</start><duration time="{duration}"/>
<software><none/></software></lease>"""


def lease(start: str = "", *, number: int = 1, hosts: int = 1, duration: str = "01:00:00") -> str:
    return LEASE.format(id=number, nodes=NODES.format(count=hosts), start=start, duration=duration)


def request(inside: str, arrival: str = "00:00:00", real: str = "") -> str:
    extra = f'<realduration time="{real}"/>' if real else ""
    return f'<lease-request arrival="{arrival}">{extra}{inside}</lease-request>'


def workload(*requests: str, site: str = SITE, name: str = "clause") -> str:
    return (
        f'<lease-workload name="{name}"><description>for a clause</description>{site}'
        f"<lease-requests>{''.join(requests)}</lease-requests></lease-workload>"
    )


def read(tmp_path: Path, text: str) -> LeaseWorkload:
    (tmp_path / "w.lwf").write_text(text)
    return read_lwf(tmp_path / "w.lwf")


def codes(tmp_path: Path, text: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        read(tmp_path, text)
    return [found.code for found in caught.value.findings]


def simulated(tmp_path: Path, text: str) -> list[dict[str, str]]:
    (tmp_path / "w.lwf").write_text(text)
    assert main(["lease", "run", str(tmp_path / "w.lwf"), "--out", str(tmp_path / "out")]) == 0
    with (tmp_path / "out" / "leases.csv").open() as file:
        return list(csv.DictReader(file))


# --- nodes ------------------------------------------------------------------------------------------------------------


def test_nodes_are_sets_of_equal_nodes(tmp_path: Path) -> None:
    (tmp_path / "n.xml").write_text(NODES.format(count=5))
    assert read_nodes(tmp_path / "n.xml") == (NodeSet(5, {"CPU": (100,), "Memory": (512,)}),)


def test_nodes_need_a_set(tmp_path: Path) -> None:
    (tmp_path / "n.xml").write_text("<nodes/>")
    with pytest.raises(InputError, match="node-set"):
        read_nodes(tmp_path / "n.xml")


@pytest.mark.parametrize("count", ["", "0", "-1", "many", "1.5"])
def test_numnodes_is_a_positive_number(tmp_path: Path, count: str) -> None:
    (tmp_path / "n.xml").write_text(NODES.format(count=count))
    with pytest.raises(InputError):
        read_nodes(tmp_path / "n.xml")


@pytest.mark.parametrize("amount", ["-5", "1.5", "much", ""])
def test_amounts_are_whole_numbers(tmp_path: Path, amount: str) -> None:
    assert codes(tmp_path, workload(request(lease().replace('"512"', f'"{amount}"', 1)))) == ["bad-value"]


def test_any_resource_type_can_be_asked_for(tmp_path: Path) -> None:
    pony = lease().replace('<res type="CPU"', '<res type="Ponies" amount="2"/><res type="CPU"')
    site = SITE.replace("CPU Memory", "CPU Memory Ponies").replace(
        '<res type="CPU"', '<res type="Ponies" amount="3"/><res type="CPU"'
    )
    text = workload(
        request(pony), request(pony.replace('id="1"', 'id="2"'), "00:00:01"), site=site.replace('"4"', '"1"')
    )
    first, second = simulated(tmp_path, text)
    assert (float(first["started"]), float(second["started"])) == (0.0, 3600.0)


# --- leases -----------------------------------------------------------------------------------------------------------


def test_ids_are_unique_integers(tmp_path: Path) -> None:
    assert [one.id for one in read(tmp_path, workload(request(lease(number=7)))).leases] == [7]
    assert codes(tmp_path, workload(request(lease()), request(lease()))) == ["repeated-id"]
    assert codes(tmp_path, workload(request(lease().replace('id="1"', 'id="x"')))) == ["bad-value"]


@pytest.mark.parametrize(("text", "meant"), [("yes", True), ("no", False), ("true", True), ("false", False)])
def test_preemptible_is_yes_or_no(tmp_path: Path, text: str, meant: bool) -> None:
    found = read(tmp_path, workload(request(lease().replace('preemptible="true"', f'preemptible="{text}"'))))
    assert found.leases[0].preemptible is meant
    assert codes(tmp_path, workload(request(lease().replace('"true"', '"perhaps"')))) == ["bad-value"]


@pytest.mark.parametrize("element", ["nodes", "start", "duration", "software"])
def test_the_four_children_are_required(tmp_path: Path, element: str) -> None:
    from lxml import etree

    root = etree.fromstring(lease())
    for child in root.findall(element):
        root.remove(child)
    assert codes(tmp_path, workload(request(etree.tostring(root).decode()))) == ["missing-element"]


def test_an_empty_start_is_best_effort(tmp_path: Path) -> None:
    assert read(tmp_path, workload(request(lease()))).leases[0].kind is LeaseKind.BEST_EFFORT
    blocked = workload(request(lease(hosts=4)), request(lease(number=2), "00:00:01"))
    assert [float(row["started"]) for row in simulated(tmp_path, blocked)] == [0.0, 3600.0]


def test_an_exact_start_is_kept_to_the_second(tmp_path: Path) -> None:
    text = workload(request(lease('<exact time="00:10:00"/>')), request(lease(number=2, hosts=4), "00:00:01"))
    assert read(tmp_path, text).leases[0].kind is LeaseKind.RESERVATION
    rows = {row["lease_id"]: float(row["started"]) for row in simulated(tmp_path, text)}
    assert rows["1"] == 600.0


def test_an_immediate_start_is_at_once_or_never(tmp_path: Path) -> None:
    text = workload(request(lease("<now/>", hosts=3)), request(lease("<now/>", number=2, hosts=3), "00:00:10"))
    assert read(tmp_path, text).leases[0].start is When.NOW
    states = {row["lease_id"]: row["state"] for row in simulated(tmp_path, text)}
    assert states == {"1": "Done", "2": "Rejected"}


def test_alone_an_exact_start_is_a_timestamp() -> None:
    made = read_lease_text(lease('<exact time="2006-11-25 14:00:00"/>').encode(), epoch=EPOCH)
    assert made.start == 3600.0


def test_a_disk_image_has_an_id_and_a_size_in_megabytes(tmp_path: Path) -> None:
    image = lease().replace("<none/>", '<disk-image id="foobar1.img" size="1024"/>')
    assert read(tmp_path, workload(request(image))).leases[0].software == DiskImage("foobar1.img", 1024)
    wrong = image.replace('"1024"', '"big"')
    assert codes(tmp_path, workload(request(wrong))) == ["bad-value"]


def test_software_may_be_left_to_others(tmp_path: Path) -> None:
    assert read(tmp_path, workload(request(lease()))).leases[0].software is None
    assert codes(tmp_path, workload(request(lease().replace("<none/>", "")))) == ["ambiguous-software"]


# --- sites ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", ["CPU", "Memory"])
def test_a_site_has_cpu_and_memory(tmp_path: Path, missing: str) -> None:
    (tmp_path / "s.xml").write_text(SITE.replace("CPU Memory", "CPU Memory".replace(missing, "").strip()))
    with pytest.raises(InputError, match=missing):
        read_site(tmp_path / "s.xml")


def test_nodes_have_only_the_resource_types_of_their_site(tmp_path: Path) -> None:
    (tmp_path / "s.xml").write_text(SITE.replace('type="CPU"', 'type="Ponies"'))
    with pytest.raises(InputError, match="Ponies"):
        read_site(tmp_path / "s.xml")


def test_what_a_node_does_not_say_it_does_not_have(tmp_path: Path) -> None:
    pony = lease().replace('<res type="CPU"', '<res type="Ponies" amount="1"/><res type="CPU"')
    site = SITE.replace("CPU Memory", "CPU Memory Ponies")
    (row,) = simulated(tmp_path, workload(request(pony), site=site))
    assert row["state"] == "Rejected"


# --- workloads --------------------------------------------------------------------------------------------------------


def test_a_workload_has_a_name_a_description_a_site_and_requests(tmp_path: Path) -> None:
    found = read(tmp_path, workload(request(lease())))
    assert (found.name, found.description, len(found.leases)) == ("clause", "for a clause", 1)
    assert found.site is not None
    assert sum(group.count for group in found.site.nodes) == 4


def test_times_count_from_the_start_of_the_workload(tmp_path: Path) -> None:
    text = workload(request(lease('<exact time="00:01:00:00"/>'), "00:00:30:00"))
    made = read(tmp_path, text).leases[0]
    assert (made.submit, made.start) == (1800.0, 3600.0)


def test_an_arrival_is_required(tmp_path: Path) -> None:
    text = workload(request(lease())).replace(' arrival="00:00:00"', "")
    assert codes(tmp_path, text) == ["missing-attribute"]


def test_a_lease_ends_with_its_real_duration_and_is_planned_with_the_requested_one(tmp_path: Path) -> None:
    early = request(lease(hosts=4), real="00:30:00")
    after, amidst = lease(number=2, hosts=4), lease('<exact time="00:40:00"/>', number=3, hosts=4)
    rows = simulated(tmp_path, workload(early, request(after, "00:00:01"), request(amidst, "00:00:02")))
    ends = {row["lease_id"]: (row["state"], row["started"] and float(row["started"])) for row in rows}
    assert ends["2"] == ("Done", 1800.0)  # as soon as the first has ended, half an hour before it was to
    assert ends["3"][0] == "Rejected"  # when it was asked for, the first was to last until then


def test_a_real_duration_of_zero_ends_a_lease_at_once(tmp_path: Path) -> None:
    (row,) = simulated(tmp_path, workload(request(lease(duration="01:00:00"), real="00:00:00")))
    assert (row["state"], row["ran"], row["requested_duration"]) == ("Done", "0", "3600")


@pytest.mark.parametrize("element", ["node-set", "res", "lease", "duration", "site", "lease-request"])
def test_attributes_that_nobody_knows_stand_in_the_account(tmp_path: Path, element: str) -> None:
    text = re.sub(rf"<{element}(?=[ >])", f'<{element} colour="red"', workload(request(lease())), count=1)
    simulated(tmp_path, text)
    assert "'colour'" in (tmp_path / "out" / "run.json").read_text()
