"""An environment as a platform: numbers by hand."""

import json

import pytest
from tests.exchanges import sent_to_all

from environments import document, machine
from shared import shared
from windtunnel.diagnostics import UsageError
from windtunnel.formats.sites.environment import read, read_text
from windtunnel.formats.sites.environment.platform import Mapping, datacenter_hosts, site_platform
from windtunnel.model import HostSet
from windtunnel.model.tree_network import TreeNetwork

RICH = machine(
    "a",
    name="n1",
    cpus=[
        {"clock-rate": 2e9, "cores": 4, "energy-consumption": 80, "manufacturer": "Intel", "model": "X"},
        {"clock-rate": 4e9, "cores": 12, "energy-consumption": 120},
    ],
    gpus=[{"clock-rate": 1e9, "cores": 2000, "energy-consumption": 200, "model": "1080"}] * 2,
    memory=[{"capacity": 8000, "energy-consumption": 10}] * 2,
    storage=[{"capacity": 4000000, "read-speed": 500, "write-speed": 250}],
)


def test_a_machine_becomes_a_host() -> None:
    site, _ = read_text(json.dumps(document(RICH)))
    mapped = site_platform(site, Mapping(flops_per_cycle=2))
    (host,) = mapped.platform.hosts
    assert (host.name, host.cores, host.speed) == ("n1", 16, 2 * (2e9 * 4 + 4e9 * 12) / 16)
    assert host.resources == {"memory": 16e9, "gpus": 2.0, "disk": 4e12}
    state = host.pstates[0]
    assert (state.idle, state.epsilon, state.full) == (20 + 0.5 * 600, 320, 620)
    assert host.properties["gpu_model"] == "1080"
    assert host.properties["cpu_model"] == "Intel X"
    assert host.properties["disk_read_speed"] == "500000000"
    assert host.place == ("datacenter 1", "room #1", "rack #1")
    assert [n.message for n in mapped.notes] == [
        "a machine has CPUs of different clock rates: their mean, weighted by cores, counts",
        "jobs ask for numbers of GPUs: their clock rates and cores are not simulated",
    ]


def test_speeds_of_memory_are_told_to_have_no_effect() -> None:
    fast = machine(1, memory=[{"capacity": 8000, "read-speed": 25000}])
    site, _ = read_text(json.dumps(document(fast, {**fast, "id": 2})))
    told = [note.message for note in site_platform(site).notes]
    assert told == ["the read and write speeds of memory are not simulated (2 times)"]


def test_without_figures_there_are_no_watts() -> None:
    site, _ = read_text(json.dumps(document(machine(1))))
    state = site_platform(site).platform.hosts[0].pstates[0]
    assert (state.idle, state.full) == (None, None)


def test_events_in_order_of_time_and_states_at_the_start() -> None:
    events = [
        {"type": "MACHINE_STATE_CHANGE", "time": 9, "machine": 2, "state": "FAILURE", "cause": "disk"},
        {"type": "DATACENTER_SCHEDULER_CHANGE", "time": 3, "datacenter": 1, "scheduler": {"name": "stage-scheduler"}},
        {"type": "MACHINE_STATE_CHANGE", "time": 3, "machine": 1, "state": "ACTIVE"},
    ]
    site, _ = read_text(json.dumps(document(machine(1, state="HALT"), machine(2), events=events)))
    made = site_platform(site).events.events
    assert [(e.timestamp, e.kind, str(e.hosts), e.attributes.get("state")) for e in made] == [
        (0.0, "machine_state", "0", "HALT"),
        (3, "scheduler_change", "", None),
        (3, "machine_state", "0", "ACTIVE"),
        (9, "machine_state", "1", "FAILURE"),
    ]
    facts = {"datacenter": 0, "name": "datacenter 1", "scheduler": "stage-scheduler", "options": {}}
    assert made[1].attributes == facts
    assert made[3].attributes["cause"] == "disk"


def test_names_are_made_unique() -> None:
    site, _ = read_text(json.dumps(document(machine(name="x"), machine(name="x"), machine(5), machine())))
    mapped = site_platform(site)
    assert [h.name for h in mapped.platform.hosts] == ["x", "x#2", "machine-5", "host3"]


def test_racks_without_names_are_told_apart() -> None:
    doc = document(machine())
    room = doc["environment"]["datacenters"][0]["rooms"][0]
    room["objects"] = [room["objects"][0], json.loads(json.dumps(room["objects"][0]))]
    site, _ = read_text(json.dumps(doc))
    assert [host.place[2] for host in site_platform(site).platform.hosts] == ["rack #1", "rack #2"]


def test_hosts_of_datacenters() -> None:
    doc = document(machine(), machine())
    doc["environment"]["datacenters"] *= 2
    doc["environment"]["datacenters"].append({"rooms": []})
    doc["environment"]["datacenters"][1] = {"rooms": doc["environment"]["datacenters"][0]["rooms"]}
    site, _ = read_text(json.dumps(doc))
    assert datacenter_hosts(site) == (HostSet([0, 1]), HostSet([2, 3]), HostSet())


def test_the_shipped_example() -> None:
    site, _ = read(shared("traces/jsspp-osp/environment.json"))
    mapped = site_platform(site)
    assert [h.cores for h in mapped.platform.hosts] == [13, 8, 8]
    assert {h.speed for h in mapped.platform.hosts} == {38e6}
    assert [h.resources["memory"] for h in mapped.platform.hosts] == [1.6e9] * 3


def test_networks() -> None:
    doc = document(machine(), machine())
    room = doc["environment"]["datacenters"][0]["rooms"][0]
    room["objects"] = [room["objects"][0], json.loads(json.dumps(room["objects"][0]))]
    site, _ = read_text(json.dumps(doc))
    star = site_platform(site, Mapping(network="star:100,0.5")).platform.network
    assert star is not None
    assert star.route(0, 3) == ((0, 7), 1.0)
    assert star.route(2, 2) == ((), 0.0)
    racks = site_platform(site, Mapping(network="rack:100,0.5,1000")).platform
    assert [h.endpoint for h in racks.hosts] == [0, 1, 2, 3]
    assert racks.network is not None
    assert racks.network.route(0, 1) == ((0, 3), 1.0)
    links, _ = racks.network.route(0, 3)
    assert [racks.network.links[i].id for i in links] == ["host0_up", "switch0_up", "switch1_down", "host3_down"]
    assert [racks.network.links[i].bandwidth for i in links] == [100, 1000, 1000, 100]
    for bad in ("ring:1,2", "star:1", "star:1,2,3", "rack:a,b,c", "star:-1,0"):
        with pytest.raises(UsageError, match="is not a network"):
            site_platform(site, Mapping(network=bad))


@pytest.mark.parametrize("endpoints", [[0, 1, 2, 3], [0, 0, 1], [2], [1, 1], [0, 2, 2, 3, 3, 3], [0, 4], [4, 1, 2]])
def test_all_to_all_is_the_sum_of_all_routes(endpoints: list[int]) -> None:
    networks = [
        TreeNetwork([0, 0, 1, 1], 100, 0.5, 1000, storages=[(7, 8)]),
        TreeNetwork([0, 0, 0, 0], 100, 0.5, storages=[(7, 8)]),
        TreeNetwork([0, 0, 0, 0], None, storages=[(7, 8)]),
    ]
    for network in networks:
        check_all_to_all(network, endpoints)


def check_all_to_all(network: TreeNetwork, endpoints: list[int]) -> None:
    loads: dict[int, float] = {}
    latency = 0.0
    for i, source in enumerate(endpoints):
        for j, target in enumerate(endpoints):
            if i != j:
                links, delay = network.route(source, target)
                latency = max(latency, delay)
                for link in links:
                    loads[link] = loads.get(link, 0.0) + 8.0
    assert sent_to_all(network, endpoints, 8.0) == (loads, latency)


def test_storages_read_and_write_as_fast_as_their_parts(tmp_path) -> None:
    """Two machines with disks of 100 MB/s (read) and 50 MB/s (write) each make a storage of 200 and 100 MB/s."""
    from windtunnel import api

    disk = [{"capacity": 1000, "read-speed": 100, "write-speed": 50}]
    doc = document(machine(1, storage=disk), machine(2, storage=disk))
    doc["environment"]["datacenters"][0]["name"] = "here"
    (tmp_path / "e.json").write_text(json.dumps(doc))
    kinds = {
        "read": {"type": "parallel_homogeneous_pfs", "bytes_to_read": 4e8, "bytes_to_write": 0, "storage": "pfs"},
        "write": {"type": "parallel_homogeneous_pfs", "bytes_to_read": 0, "bytes_to_write": 4e8, "storage": "pfs"},
        "talk": {"type": "parallel_homogeneous", "cpu": 2e9, "com": 1e12},
    }
    jobs = [
        {"id": name, "subtime": at, "res": 2 if name == "talk" else 1, "walltime": 1000, "profile": name}
        for name, at in (("read", 0), ("write", 10), ("talk", 30))
    ]
    (tmp_path / "w.json").write_text(json.dumps({"nb_res": 2, "jobs": jobs, "profiles": kinds}))
    times = {}
    for network in ("", "star:25e6,0"):
        options = {"network": network} if network else {}
        run = api.simulate(tmp_path / "e.json", tmp_path / "w.json", "fcfs", platform_options=options)
        times[network] = {r["job_id"]: r["execution_time"] for r in run.jobs.iter_rows(named=True)}
    assert times[""] == {"read": 2.0, "write": 4.0, "talk": 1.0}, "hosts talk to each other for free"
    assert times["star:25e6,0"]["read"] == 16.0, "the host's own link is slower than the storage"
    site, _ = read_text(json.dumps(doc))
    platform = site_platform(site).platform
    assert [(s.name, s.id, s.storage) for s in platform.storages] == [("here-storage", 2, True)]
