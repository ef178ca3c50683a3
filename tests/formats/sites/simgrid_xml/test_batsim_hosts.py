"""What Batsim told schedulers about the hosts of its platforms, in recorded dialogues: numbers, names, properties."""

import gzip
import json
import shlex

import pytest
from tests.shared import cases, shared

from windtunnel.formats.sites.simgrid_xml import read_platform

pytestmark = pytest.mark.golden


def dialogues(folder):
    return [path for path in cases(f"golden/{folder}") if list(path.glob("dialogue*.txt*"))]


def begin(case, name):
    """The data of the first event, if it tells of hosts."""
    path = min(case.glob("dialogue*.txt*"))
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    messages = (json.loads(line[2:]) for line in text.decode().splitlines() if line.startswith("B "))
    events = next((message["events"] for message in messages if message.get("events")), [{}])
    return events[0].get(name, {})


def platform_of(case, numbering):
    words = shlex.split(json.loads((case / "case.json").read_text())["batsim_command"])

    def option(*names):
        return next((words[i + 1] for i, word in enumerate(words) if word in names), None)

    path = option("-p", "--platform")
    mmax = int(option("--mmax") or 0)
    if "--mmax-workload" in words:
        file = option("-w", "--workload").removeprefix("inputs/")
        workload = json.loads(shared(f"golden/{case.parent.name}/inputs/{file}").read_text())
        mmax = max(mmax, workload["nb_res"])
    folder = shared(
        f"golden/{case.parent.name}" if path.startswith("inputs") else f"golden/{case.parent.name}/inputs"
    )
    master = option("-m", "--master-host") or "master_host"
    roles = [tuple(role.split(":")) for role in (option("-r") or "").split(",") if role]
    return read_platform(folder / path, numbering=numbering, master=master, mmax=mmax, add_roles=roles)


@pytest.mark.parametrize("case", dialogues("batsim4") or [None], ids=lambda path: path.name if path else "none")
def test_batsim_4(case):
    data = begin(case or shared("golden/batsim4"), "data")
    if "compute_resources" not in data:
        return
    platform = platform_of(case, "lexicographic")
    for told, hosts in ((data["compute_resources"], platform.hosts), (data["storage_resources"], platform.storages)):
        assert [(one["id"], one["name"]) for one in told] == [(host.id, host.name) for host in hosts]
        # Batsim 4 itself adds an empty role.
        assert [one["properties"] for one in told] == [{"role": "", **host.properties} for host in hosts]
        assert [one.get("zone_properties", {}) for one in told] == [host.zone_properties for host in hosts]


def pairs(listed):
    return {pair["key"]: pair["value"] for pair in listed}


@pytest.mark.parametrize("case", dialogues("batsim5") or [None], ids=lambda path: path.name if path else "none")
def test_batsim_5(case):
    data = begin(case or shared("golden/batsim5"), "event")
    if "computation_hosts" not in data:
        return
    platform = platform_of(case, "natural")
    for told, hosts in (
        (data["computation_hosts"], platform.hosts),
        (data.get("storage_hosts", []), platform.storages),
    ):
        assert [(one["id"], one["name"], one["core_count"], one["pstate"]) for one in told] == [
            (host.id, host.name, host.cores, host.pstate) for host in hosts
        ]
        for one, host in zip(told, hosts, strict=True):
            assert one["computation_speed"] == pytest.approx([p.speed for p in host.pstates], rel=1e-12)
        assert [pairs(one["properties"]) for one in told] == [{**host.properties} for host in hosts]
        assert [pairs(one["zone_properties"]) for one in told] == [host.zone_properties for host in hosts]
