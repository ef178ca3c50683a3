"""Random platforms: what must hold for every route, whatever the zones; and broken files give findings only."""

import contextlib
import random
from collections import Counter
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.exchanges import sent_to_all
from tests.formats.sites.simgrid_xml.bad_platforms import HEAD, cluster, full

from windtunnel.diagnostics import Findings, InputError, UsageError
from windtunnel.formats.sites.simgrid_xml import parse_platform
from windtunnel.model.network.exchange import pairwise

SETTINGS = settings(max_examples=60)


class Writer:
    """Writes a random tree of zones in which every pair of hosts has a symmetrical route."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.count = 0

    def name(self, prefix):
        self.count += 1
        return f"{prefix}{self.count}"

    def link(self):
        name, split = self.name("l"), self.random.random() < 0.5
        policy = "SPLITDUPLEX" if split else self.random.choice(["SHARED", "FATPIPE"])
        latency = self.random.choice(["0", "1us", "50us", "2ms"])
        text = f'<link id="{name}" bandwidth="1GBps" latency="{latency}" sharing_policy="{policy}"/>'
        return text, f'<link_ctn id="{name}"' + (
            f' direction="{self.random.choice(("UP", "DOWN"))}"/>' if split else "/>"
        )

    def links(self):
        made = [self.link() for _ in range(self.random.randint(1, 3))]
        return "".join(text for text, _ in made), "".join(step for _, step in made)

    def zone(self, depth):
        """(text, name, possible gateways)"""
        if depth == 0:
            return self.random.choice([self.cluster, self.leaf])()
        inner = [self.zone(depth - 1) for _ in range(self.random.randint(1, 3))]
        name = self.name("Z")
        content, routes = "".join(text for text, _, _ in inner), ""
        for i, (_, a, ends) in enumerate(inner):
            for _, b, other_ends in inner[:i]:
                text, steps = self.links()
                content += text
                gateways = f'gw_src="{self.random.choice(ends)}" gw_dst="{self.random.choice(other_ends)}"'
                routes += f'<zoneRoute src="{a}" dst="{b}" {gateways}>{steps}</zoneRoute>'
        gateways = [end for _, _, ends in inner for end in ends]
        return f'<zone id="{name}" routing="Full">{content}{routes}</zone>', name, gateways

    def leaf(self):
        name, routing = self.name("Z"), self.random.choice(["Full", "Floyd", "Dijkstra", "DijkstraCache"])
        hosts = [self.name("h") for _ in range(self.random.randint(1, 4))]
        content, routes = "".join(f'<host id="{h}" speed="1Gf"/>' for h in hosts), ""
        router = self.name("r")
        content += f'<router id="{router}"/>'
        points = [*hosts, router]
        for i, a in enumerate(points):
            # A tree where paths are searched for: then there is one path, the same in both directions.
            for b in points[:i] if routing == "Full" else points[max(i - 1, 0) : i]:
                text, steps = self.links()
                content += text
                routes += f'<route src="{a}" dst="{b}">{steps}</route>'
        return f'<zone id="{name}" routing="{routing}">{content}{routes}</zone>', name, points

    def cluster(self):
        name = self.name("C")
        n = self.random.randint(1, 4)
        more = {
            "sharing_policy": self.random.choice(["SHARED", "SPLITDUPLEX"]),
            "bb_bw": self.random.choice([None, "2GBps"]),
            "bb_lat": "20us",
            "bb_sharing_policy": self.random.choice(["SHARED", "FATPIPE"]),
            "limiter_link": self.random.choice([None, "1GBps"]),
            "loopback_bw": self.random.choice([None, "5GBps"]),
        }
        if more["bb_bw"] is None:
            del more["bb_lat"]
        text = " ".join(f'{k}="{v}"' for k, v in more.items() if v)
        hosts = [f"{name}n{i}x" for i in range(n)]
        return (
            f'<cluster id="{name}" prefix="{name}n" suffix="x" radical="0-{n - 1}" speed="1Gf" bw="1GBps" lat="5us" {text}/>',
            name,
            [*hosts, f"{name}n{name}_routerx"],
        )


def platform_of(seed, depth=2):
    return parse_platform(f"{HEAD}{Writer(seed).zone(depth)[0]}</platform>".encode())


def backwards(name):
    for one, other in (("_UP", "_DOWN"), ("_DOWN", "_UP")):
        if name.endswith(one):
            return name.removesuffix(one) + other
    return name


seeds = st.integers(0, 1 << 30)


@given(seeds)
@SETTINGS
def test_routes_are_symmetric_and_latency_is_the_sum_of_the_links(seed):
    network = (platform := platform_of(seed)).network
    ends = [host.endpoint for host in platform.hosts]
    for a, b in permutations(ends, 2):
        links, latency = network.route(a, b)
        assert latency == pytest.approx(sum(network.links[i].latency for i in links))
        back, latency_back = network.route(b, a)
        assert latency_back == pytest.approx(latency)
        there = Counter(network.links[i].id for i in links)
        assert there == Counter(backwards(network.links[i].id) for i in back)
        assert all(n in there or backwards(n) in there for n in there)


@given(seeds, st.data())
@SETTINGS
def test_an_exchange_counts_what_all_pairs_count(seed, data):
    platform = platform_of(seed)
    network, ends = platform.network, [host.endpoint for host in platform.hosts]
    chosen = data.draw(st.lists(st.sampled_from(ends), max_size=9))
    check_exchange(network, chosen)


def check_exchange(network, chosen):
    counts = {}
    latency = pairwise(network, Counter(chosen), counts)
    found, delay = sent_to_all(network, chosen, 2.0)
    assert found == {i: 2.0 * n if network.links[i].shared else 2.0 for i, n in counts.items()}
    assert delay == pytest.approx(latency, rel=1e-14)


FABRICS = [
    {"topology": "TORUS", "topo_parameters": "5,3,2", "radical": "0-29"},
    {
        "topology": "TORUS",
        "topo_parameters": "4,4",
        "radical": "0-15",
        "limiter_link": "1GBps",
        "loopback_bw": "1GBps",
    },
    {"topology": "FAT_TREE", "topo_parameters": "2;4,3;2,2;1,2", "radical": "0-11"},
    {"topology": "FAT_TREE", "topo_parameters": "3;2,2,2;1,1,2;1,2,2", "radical": "3-10", "limiter_link": "1GBps"},
    {"topology": "DRAGONFLY", "topo_parameters": "3,4;2,2;3,1;2", "radical": "0-35", "sharing_policy": "SHARED"},
    {"topology": "DRAGONFLY", "topo_parameters": "2,1;3,1;2,1;3", "radical": "0-35", "limiter_link": "1GBps"},
]


@given(st.sampled_from(FABRICS), st.data())
@SETTINGS
def test_exchanges_inside_fabrics(shape, data):
    platform = parse_platform(cluster(shape).encode())
    ends = [host.endpoint for host in platform.hosts]
    check_exchange(platform.network, data.draw(st.lists(st.sampled_from(ends), max_size=20)))


@given(st.integers(2, 9), seeds)
@SETTINGS
def test_floyd_and_dijkstra_find_paths_of_the_same_length(size, seed):
    chance = random.Random(seed)
    content = "".join(f'<host id="h{i}" speed="1Gf"/>' for i in range(size))
    routes = ""
    for a, b in permutations(range(size), 2):
        if chance.random() < 0.4:
            n = chance.randint(1, 3)
            names = [f"l{a}_{b}_{i}" for i in range(n)]
            content += "".join(f'<link id="{name}" bandwidth="1GBps"/>' for name in names)
            steps = "".join(f'<link_ctn id="{name}"/>' for name in names)
            routes += f'<route src="h{a}" dst="h{b}" symmetrical="NO">{steps}</route>'

    def lengths(routing):
        platform = parse_platform(full(content + routes, routing).encode())
        found = {}
        for a, b in permutations(platform.hosts, 2):
            try:
                found[a.name, b.name] = len(platform.network.route(a.endpoint, b.endpoint)[0])
            except UsageError:
                found[a.name, b.name] = None
        return found

    assert lengths("Floyd") == lengths("Dijkstra")


RICH = f"""{HEAD}<config id="General"><prop id="network/TCP-gamma" value="4194304"/></config>
<trace id="t" periodicity="10">0 1.0
5 0.5</trace>
<zone id="W" routing="Floyd"><prop id="site" value="x"/>
 <zone id="A" routing="Full"><host id="a0" speed="1Gf,500Mf,1f" core="2" pstate="0">
  <prop id="wattage_per_state" value="1:2:3,1:2,5:5"/><prop id="sleep_pstates" value=""/></host><router id="ra"/>
  <link id="la" bandwidth="1Gbps" latency="1ms" sharing_policy="SPLITDUPLEX"/>
  <route src="a0" dst="ra" symmetrical="YES"><link_ctn id="la" direction="UP"/></route></zone>
 <cluster id="B" prefix="b" suffix="" radical="0-3,7" speed="2Gf" bw="1GBps" lat="5us" bb_bw="2GBps" bb_lat="1us"/>
 <cluster id="T" prefix="t" suffix="" radical="0-7" speed="2Gf" bw="1GBps" lat="5us" topology="TORUS" topo_parameters="2,4"/>
 <cluster id="F" prefix="f" suffix="" radical="0-7" speed="1f" bw="1GBps" lat="5us" topology="FAT_TREE" topo_parameters="2;4,2;1,2;1,2"/>
 <cluster id="D" prefix="d" suffix="" radical="0-7" speed="1f" bw="1GBps" lat="5us" topology="DRAGONFLY" topo_parameters="2,1;1,1;2,1;2"/>
 <zone id="V" routing="Vivaldi"><peer id="p0" speed="1Gf" bw_in="1MBps" bw_out="2MBps" coordinates="1 2 3"/></zone>
 <zone id="K" routing="Cluster"><host id="k0" speed="1Gf"/><link id="u" bandwidth="1GBps"/><router id="rk"/>
  <host_link id="k0" up="u" down="u"/><backbone id="bk" bandwidth="1GBps" latency="1us"/>
  <cabinet id="c" prefix="c" suffix="" radical="0-1" speed="1f" bw="1GBps" lat="1us"/></zone>
 <link id="ab" bandwidth="1GiBps" latency="3ns"/>
 <zoneRoute src="A" dst="B" gw_src="ra" gw_dst="bB_router"><link_ctn id="ab"/></zoneRoute>
 <zoneRoute src="B" dst="K" gw_src="bB_router" gw_dst="rk"><link_ctn id="ab"/></zoneRoute>
 <bypassZoneRoute src="A" dst="K" gw_src="ra" gw_dst="rk"><link_ctn id="ab"/></bypassZoneRoute>
</zone>
<trace_connect trace="t" element="a0" kind="SPEED"/>
</platform>
"""
WORDS = [
    "",
    "0",
    "-1",
    "1e999",
    "x",
    "id",
    '"',
    "<",
    "/>",
    "&amp;",
    "&x;",
    "A",
    "0-99",
    "1,2",
    ";",
    "YES",
    "Full",
    "\0",
    "é",
    "<!--",
]


def test_the_rich_platform_is_good():
    platform = parse_platform(RICH.encode())
    network = platform.network
    route = [network.links[i].id for i in network.route(network.endpoint("a0"), network.endpoint("c1"))[0]]
    assert route == ["la_UP", "ab", "bk", "link_c1_DOWN"]


@given(st.data())
@settings(max_examples=250)
def test_a_mutated_platform_gives_a_platform_or_findings(data):
    text = RICH
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = min(len(text), start + data.draw(st.integers(0, 12)))
        text = text[:start] + data.draw(st.sampled_from(WORDS)) + text[end:]
    findings = Findings()
    hosts = None
    with contextlib.suppress(InputError):
        hosts = parse_platform(text.encode(), energy=True, findings=findings).hosts
    assert bool(hosts) != findings.has_errors


@given(st.binary(max_size=200))
@SETTINGS
def test_any_bytes_give_findings(data):
    with pytest.raises(InputError):
        parse_platform(data)
