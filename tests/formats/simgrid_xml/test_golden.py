"""What SimGrid itself made of platforms: every recorded host, link and route."""

import gzip
import json
from collections import Counter

import pytest
from tests.shared import cases, shared

from windtunnel.diagnostics import Findings
from windtunnel.formats.simgrid_xml import parse_platform, read_platform

pytestmark = pytest.mark.golden
SCENARIOS = [path.name for path in cases("golden/simgrid", "*.json*")]
PLATFORMS = [
    "/".join(path.parts[path.parts.index("golden") :])
    for pattern in ("batsim[45]/inputs/*/*.xml", "batsim[45]/inputs/*/*/*.xml", "generated/*/platform.xml")
    for path in cases("golden", pattern)
]


def load(name):
    path = shared(f"golden/simgrid/{name}")
    return json.loads(gzip.decompress(path.read_bytes()) if name.endswith(".gz") else path.read_bytes())


@pytest.mark.parametrize("name", SCENARIOS or ["all_zero_multi.json"])
def test_hosts_links_and_routes_are_simgrids(name):
    scenario = load(name)
    platform = parse_platform(scenario["platform_xml"].encode(), numbering="lexicographic", master="")
    network = platform.network
    for observation in scenario["results"]["3.32.0"]["observations"]:
        if observation["type"] == "route":
            ends = (network.endpoint(observation[end]) for end in ("src", "dst"))
            links, latency = network.route(*ends)
            # Where routings insert links in the middle of others SimGrid's own order says nothing.
            assert Counter(network.links[i].id for i in links) == Counter(observation["links"])
            assert latency == pytest.approx(observation["latency"], rel=1e-15)
        elif "hosts" in observation:
            assert [
                {"name": h.name, "cores": h.cores, "pstate": h.pstate, "speeds": [p.speed for p in h.pstates]}
                for h in platform.hosts
            ] == observation["hosts"]
            found = [(k.id, k.bandwidth, k.latency, "SHARED" if k.shared else "FATPIPE") for k in network.links]
            told = [(k["name"], k["bandwidth"], k["latency"], k["sharing"]) for k in observation["links"]]
            assert sorted(found) == sorted(told)


@pytest.mark.parametrize("path", PLATFORMS or ["golden/batsim4"])
def test_the_platforms_of_batsim_are_read(path):
    findings = Findings()
    platform = read_platform(shared(path), findings=findings)
    assert platform.hosts
    assert [host.id for host in (*platform.hosts, *platform.storages)] == list(
        range(len(platform.hosts) + len(platform.storages))
    )
