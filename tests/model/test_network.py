"""Zones and routes, built by hand."""

import pickle
from math import sqrt

import pytest
from tests.exchanges import sent_to_all

from windtunnel.diagnostics import UsageError
from windtunnel.model.network import (
    DijkstraZone,
    EmptyZone,
    FloydZone,
    FullZone,
    Leg,
    PointKind,
    StarZone,
    VivaldiZone,
    ZonedNetwork,
)
from windtunnel.model.platform import Link
from work import calls

HOST, ROUTER, ZONE = PointKind.HOST, PointKind.ROUTER, PointKind.ZONE


def one_zone(zone, hosts, links):
    """A network of one zone; its point is 0, its hosts are 1, 2, ..."""
    names = [zone.name, *(f"h{i}" for i in range(1, hosts + 1))]
    return ZonedNetwork(links, names, [ZONE] + [HOST] * hosts, [-1] + [0] * hosts, [zone])


def star(n, trunk=False):
    """A star of n hosts with a link up and one down each, and a trunk."""
    links = [Link(f"{side}{i}", 1e8, 1e-3) for i in range(1, n + 1) for side in ("up", "down")]
    links.append(Link("trunk", 1e9, 5e-3))
    last = (2 * n,) if trunk else ()
    zone = StarZone(
        name="S",
        point=0,
        up={i: (2 * i - 2, *last) for i in range(1, n + 1)},
        down={i: (*last, 2 * i - 1) for i in range(1, n + 1)},
    )
    return one_zone(zone, n, links)


def nested():
    """Two leaves A (hosts 3, 4) and B (hosts 5, 6) in W; the gateways are 4 and 5."""
    links = [Link(name, 1e8, 10.0**-i) for i, name in enumerate(("a", "b", "across", "short", "own"))]
    w = FullZone(name="W", point=0, leaf=False, declared={(1, 2): Leg((2,), 4, 5), (2, 1): Leg((2,), 5, 4)})
    a = FullZone(name="A", point=1, parent=0, loopback=4, declared={(3, 4): Leg((0,)), (4, 3): Leg((0,))})
    b = FullZone(name="B", point=2, parent=0, loopback=4, declared={(5, 6): Leg((1,)), (6, 5): Leg((1,))})
    kinds = [ZONE, ZONE, ZONE, HOST, HOST, HOST, HOST]
    return ZonedNetwork(links, list("WABcdef"), kinds, [-1, 0, 0, 1, 1, 2, 2], [w, a, b])


class TestStar:
    def test_up_and_down(self):
        network = star(3)
        assert network.route(1, 3) == ((0, 5), 2e-3)

    def test_a_link_met_twice_counts_once(self):
        network = star(3, trunk=True)
        links, latency = network.route(1, 3)
        assert links == (0, 6, 5)
        assert latency == pytest.approx(7e-3)

    def test_a_member_reaches_itself_over_the_star(self):
        assert star(3, trunk=True).route(2, 2)[0] == (2, 6, 3)

    def test_an_exchange(self):
        loads, latency = sent_to_all(star(3, trunk=True), [1, 2, 3], 10.0)
        assert loads == {0: 20.0, 1: 20.0, 2: 20.0, 3: 20.0, 4: 20.0, 5: 20.0, 6: 60.0}
        assert latency == pytest.approx(7e-3)

    def test_a_host_listed_twice_also_sends_to_itself(self):
        loads, _ = sent_to_all(star(3, trunk=True), [1, 1], 10.0)
        assert loads == {0: 20.0, 1: 20.0, 6: 20.0}

    def test_alone_it_sends_to_nobody(self):
        assert star(3).all_to_all([2], 10.0) == ([], 0.0)
        assert star(3).all_to_all([], 10.0) == ([], 0.0)

    def test_an_exchange_is_no_walk_over_all_pairs(self):
        network = star(512, trunk=True)
        everybody = list(range(1, 513))
        assert calls(lambda: network.all_to_all(everybody, 1.0)) < 512 * 511 / 4


class TestNested:
    def test_from_host_to_gateway_to_gateway_to_host(self):
        network = nested()
        links, latency = network.route(3, 6)
        assert [network.links[i].id for i in links] == ["a", "across", "b"]
        assert latency == pytest.approx(1 + 0.1 + 0.01)

    def test_gateways_themselves_take_no_detour(self):
        assert nested().route(4, 5)[0] == (2,)

    def test_a_bypass_is_looked_up_first_and_uses_the_loopback_of_gateways(self):
        network = nested()
        network.zones[0].bypasses[1, 2] = Leg((3,), 4, 5)
        assert network.route(3, 6)[0] == (0, 3, 1)
        assert network.route(4, 5)[0] == (4, 3, 4)
        assert network.route(6, 3)[0] == (1, 2, 0), "one direction only"

    def test_a_bypass_between_hosts(self):
        network = nested()
        network.zones[1].bypasses[3, 4] = Leg((3,))
        assert network.route(3, 4) == ((3,), 1e-3)
        assert network.route(4, 3)[0] == (0,)

    def test_a_missing_route_between_zones_is_an_error(self):
        network = nested()
        del network.zones[0].declared[2, 1]
        assert network.route(3, 6)
        with pytest.raises(UsageError, match=r"no route from 'B' to 'A' in zone 'W' \(routing Full\)"):
            network.route(6, 3)

    def test_an_exchange_across_zones(self):
        loads, latency = sent_to_all(nested(), [3, 4, 5, 6], 1.0)
        assert loads == {0: 2.0 + 4.0, 1: 2.0 + 4.0, 2: 8.0}
        assert latency == pytest.approx(1.11)


class TestTables:
    def test_a_missing_route_between_hosts_is_free(self):
        assert one_zone(FullZone(name="F", point=0), 2, []).route(1, 2) == ((), 0.0)

    def test_the_loopback_unless_declared(self):
        zone = FullZone(name="F", point=0, loopback=0, declared={(2, 2): Leg((1,))})
        network = one_zone(zone, 2, [Link("loop", 1e10, 0.0, shared=False), Link("own", 1e9, 1e-6)])
        assert network.route(1, 1) == ((0,), 0.0)
        assert network.route(2, 2) == ((1,), 1e-6)

    @pytest.mark.parametrize("kind", [FloydZone, DijkstraZone])
    def test_the_path_with_the_fewest_links_wins(self, kind):
        links = [Link(str(i), 1e9, 1e-3) for i in range(4)]
        declared = {(1, 3): Leg((0, 1, 2)), (1, 2): Leg((0,)), (2, 3): Leg((3,))}
        network = one_zone(kind(name="P", point=0, members=[1, 2, 3], declared=declared), 3, links)
        assert network.route(1, 3) == ((0, 3), 2e-3)
        with pytest.raises(UsageError, match="no route from 'h3' to 'h1'"):
            network.route(3, 1)

    def test_between_two_gateways_of_a_zone_on_the_way(self):
        """A - B - C in a Floyd zone, where B is entered at one router and left at another."""
        links = [Link(name, 1e9, 0.0) for name in ("ab", "bc", "inside")]
        w = FloydZone(
            name="W",
            point=0,
            leaf=False,
            members=[1, 2, 3],
            declared={(1, 2): Leg((0,), 4, 5), (2, 3): Leg((1,), 6, 7)},
        )
        zones = [w, *(FullZone(name=n, point=i, parent=0) for i, n in enumerate("ABC", 1))]
        zones[2].declared[5, 6] = Leg((2,))
        kinds = [ZONE] * 4 + [HOST, ROUTER, ROUTER, HOST]
        network = ZonedNetwork(links, list("WABCabcd"), kinds, [-1, 0, 0, 0, 1, 2, 2, 3], zones)
        assert network.route(4, 7)[0] == (0, 2, 1)


def test_coordinates_add_to_the_latency():
    zone = VivaldiZone(
        name="V", point=0, up={1: (0,)}, down={2: (1,)}, coordinates={1: (0, 0, 1), 2: (3, 4, -2), 3: (0, 0, 0)}
    )
    network = one_zone(zone, 3, [Link("up", 1e6), Link("down", 1e6)])
    assert network.route(1, 2) == ((0, 1), (sqrt(25) + 1 + 2) / 1000)
    assert network.route(1, 1) == ((0,), 2 / 1000), "also to itself"
    assert sent_to_all(network, [1, 2, 3], 1.0) == ({0: 2.0, 1: 2.0}, 8 / 1000)


def test_in_a_zone_without_routing_whoever_sends_fails():
    with pytest.raises(UsageError, match="routing 'None'"):
        one_zone(EmptyZone(name="N", point=0), 2, []).route(1, 2)


def test_zones_inside_each_other_have_no_route():
    outer, inner = FullZone(name="O", point=0), FullZone(name="I", point=1, parent=0)
    network = ZonedNetwork([], list("OIab"), [ZONE, ZONE, HOST, HOST], [-1, 0, 0, 1], [outer, inner])
    with pytest.raises(UsageError, match="lie in each other"):
        network.route(2, 3)


def test_names_are_looked_up():
    network = nested()
    assert network.endpoint("e") == 5
    with pytest.raises(UsageError, match="no host or router 'A'"):
        network.endpoint("A")


def test_a_network_can_be_pickled_and_leaves_its_memory_behind():
    network = star(50, trunk=True)
    small = len(pickle.dumps(network))
    expected = network.all_to_all(list(range(1, 51)), 1.0), network.route(3, 4)
    assert len(pickle.dumps(network)) == small
    copy = pickle.loads(pickle.dumps(network))
    assert (copy.all_to_all(list(range(1, 51)), 1.0), copy.route(3, 4)) == expected
