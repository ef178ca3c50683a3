"""Descriptions of platforms and routes."""

import pytest
from tests.formats.sites.simgrid_xml.bad_platforms import cluster, full

from windtunnel.diagnostics import UsageError
from windtunnel.formats.sites.simgrid_xml import parse_platform
from windtunnel.model import Platform
from windtunnel.model.description import LinkGroup, RouteLink, describe, describe_route


def read(text):
    return parse_platform(text.encode(), energy=True)


def test_equal_hosts_and_links_stand_together():
    found = describe(read(cluster({"core": "4", "bb_bw": "2GBps"})))
    assert (found.hosts, found.cores, found.speed) == (8, 32, 32e9)
    (group,) = found.compute
    assert (group.count, group.first, group.last, group.cores, group.speeds) == (8, "n0", "n7", 4, (1e9,))
    assert found.links == (
        LinkGroup(1, "c_backbone", 2e9, 0.0, True),
        LinkGroup(16, "c_link_0_UP", 1e9, 1e-6, True),
        LinkGroup(1, "__loopback__", 1e10, 0.0, False),
    )
    assert [(z.name, z.routing, z.depth, z.hosts, z.routers) for z in found.zones] == [("c", "Cluster", 0, 8, 1)]


def test_power_and_profiles():
    text = full(
        '<host id="h" speed="2f,1f,1f"><prop id="wattage_per_state" value="1:2,3:4:5,6:6"/>'
        '<prop id="sleep_pstates" value="2:1:1"/></host>\n<trace id="t" periodicity="0">1 1</trace>'
    ).replace("</platform>", '<trace_connect trace="t" element="h" kind="SPEED"/></platform>')
    (group,) = describe(read(text)).compute
    assert group.watts == ((1, 1, 2), (3, 4, 5), (6, 6, 6))
    assert (group.sleep_pstates, group.profiles) == ((2,), ("speed",))


def test_a_route_its_latency_and_its_bottleneck():
    found = describe_route(read(cluster({"lat": "1ms", "limiter_link": "500MBps"})), "n0", "n5")
    assert [link.id for link in found.links] == [
        "c_link_0_limiter",
        "c_link_0_UP",
        "c_link_5_DOWN",
        "c_link_5_limiter",
    ]
    assert found.links[1] == RouteLink("c_link_0_UP", 1e9, 1e-3, True)
    assert (found.latency, found.bottleneck, found.bandwidth) == (2e-3, "c_link_0_limiter", 5e8)
    assert found.window == 4194304 / (2 * 2e-3)
    assert found.rate == 5e8


def test_the_window_of_the_configuration_counts():
    text = cluster({}).replace("<cluster", '<config><prop id="network/TCP-gamma" value="10"/></config><cluster')
    found = describe_route(read(text), "n0", "n5")
    assert found.rate == found.window == 10 / 4e-6


def test_a_route_without_links():
    found = describe_route(read(full('<host id="h" speed="1Gf"/><host id="g" speed="1Gf"/>')), "h", "g")
    assert (found.links, found.bottleneck, found.bandwidth, found.window, found.rate) == ((), "", None, None, None)


def test_unknown_hosts_and_platforms_without_network():
    with pytest.raises(UsageError, match="no host or router 'n9'"):
        describe_route(read(cluster({})), "n0", "n9")
    with pytest.raises(UsageError, match="no host 'n9'"):
        describe_route(Platform.uniform(3), "host0", "n9")
    assert describe_route(Platform.uniform(3), "host0", "host2").links == ()
    assert describe(Platform.uniform(3)).zones == ()
