"""What SimGrid itself made of platforms: every recorded host, link and route."""

from collections import Counter

import pytest
from tests.shared import cases, shared
from tests.simgrid_cases import names, platform_of, scenario

from windtunnel.diagnostics import Findings
from windtunnel.formats.sites.simgrid_xml import read_platform

pytestmark = pytest.mark.golden
PLATFORMS = [
    "/".join(path.parts[path.parts.index("golden") :])
    for pattern in ("batsim[45]/inputs/*/*.xml", "batsim[45]/inputs/*/*/*.xml", "generated/*/platform.xml")
    for path in cases("golden", pattern)
]


@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize("version", ["3.32.0", "4.0.0"])
def test_hosts_links_and_routes_are_simgrids(name, version):
    case = scenario(name)
    platform, hosts = platform_of(case)
    network = platform.network
    for observation in case["results"][version]["observations"]:
        if observation["type"] == "route":
            ends = (network.endpoint(observation[end]) for end in ("src", "dst"))
            links, latency = network.route(*ends)
            # Where routings insert links in the middle of others SimGrid's own order says nothing.
            assert Counter(network.links[i].id for i in links) == Counter(observation["links"])
            assert latency == pytest.approx(observation["latency"], rel=1e-15)
        elif "hosts" in observation:
            assert [
                {"name": h.name, "cores": h.cores, "pstate": h.pstate, "speeds": [p.speed for p in h.pstates]}
                for h in sorted(hosts, key=lambda host: host.name)
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
