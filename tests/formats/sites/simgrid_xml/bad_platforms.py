"""Platforms with faults, and every finding they give: (line, code, message, hint)."""

HEAD = (
    '<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n<platform version="4.1">\n'
)


def full(inside, routing="Full"):
    """A platform with one zone; its content starts in line 5."""
    return f'{HEAD}<zone id="Z" routing="{routing}">\n{inside}\n</zone>\n</platform>\n'


def cluster(attributes):
    """A platform with one cluster in line 4, with one attribute replaced or added."""
    plain = {"id": "c", "prefix": "n", "suffix": "", "radical": "0-7", "speed": "1Gf", "bw": "1GBps", "lat": "1us"}
    text = " ".join(f'{k}="{v}"' for k, v in {**plain, **attributes}.items() if v is not None)
    return f"{HEAD}<cluster {text}/>\n</platform>\n"


TWO_ZONES = """<zone id="A" routing="Full"><host id="a0" speed="1Gf"/><router id="ra"/></zone>
<zone id="B" routing="Full"><host id="b0" speed="1Gf"/><router id="rb"/></zone>
<link id="l" bandwidth="1GBps"/>
"""
HOSTS = '<host id="h0" speed="1Gf"/><host id="h1" speed="1Gf"/>\n<link id="l" bandwidth="1GBps"/>\n'
GOOD_ROUTE = '<route src="h0" dst="h1"><link_ctn id="l"/></route>\n'

TEXTS = {
    "not XML": "hosts: 3\n",
    "empty file": "\n\n",
    "tag not closed": f'{HEAD}<zone id="Z" routing="Full">\n</platform>\n',
    "declared entities": '<!DOCTYPE platform [<!ENTITY a "b">]>\n<platform version="4.1"/>\n',
    "another document": "<machines/>\n",
    "no version": "<platform>\n<zone id='Z' routing='Full'><host id='h' speed='1Gf'/></zone></platform>\n",
    "version too old": "<platform version='3'>\n<AS id='Z' routing='Full'><host id='h' power='1Gf'/></AS></platform>\n",
    "version too new": "<platform version='5'>\n<zone id='Z' routing='Full'><host id='h' speed='1Gf'/></zone></platform>\n",
    "no zone": f"{HEAD}</platform>\n",
    "text between elements": full(HOSTS.replace("/>\n", "/>; a comment\n", 1)),
    "text in an element": full('<host id="h0" speed="1Gf">4 cores</host>'),
    "two outermost zones": full('<host id="h" speed="1Gf"/>').replace(
        "</platform>", '<zone id="Y" routing="Full"/></platform>'
    ),
    "unknown routing": full('<host id="h" speed="1Gf"/>', "Fulll"),
    "wifi": full('<host id="h" speed="1Gf"/><link id="l" bandwidth="54Mbps,36Mbps" sharing_policy="WIFI"/>', "Wifi"),
    "unknown element": full('<host id="h" speed="1Gf"/>\n<hosst id="g" speed="1Gf"/>'),
    "unknown attribute": full('<host id="h" speed="1Gf" cores="4"/>'),
    "missing attributes": full('<host id="h"/>\n<link id="l"/>'),
    "misplaced element": full('<host id="h" speed="1Gf"><router id="r"/></host>'),
    "removed elements": full(
        '<host id="h" speed="1Gf"/><storage id="s" typeId="t" attach="h"/>\n<include file="more.xml"/>'
    ),
    "actors": full('<host id="h" speed="1Gf"/>').replace("</platform>", '<actor host="h" function="f"/></platform>'),
    "a deployment": f'{HEAD}<actor host="h" function="f"/>\n<!-- and --><process host="g" function="f"/></platform>\n',
    "hosts and zones mixed": full(
        '<host id="h" speed="1Gf"/>\n<cluster id="c" prefix="n" suffix="" radical="0-1" speed="1Gf" bw="1GBps" lat="0"/>'
    ),
    "duplicate ids": full(
        '<host id="h" speed="1Gf"/>\n<host id="h" speed="2Gf"/>\n<router id="h"/>\n<link id="l" bandwidth="1GBps"/>\n<link id="l" bandwidth="2GBps"/>'
    ),
    "links of two clusters with one name": full(
        '<cluster id="c" prefix="n" suffix="" radical="0" speed="1Gf" bw="1GBps" lat="0"/>\n<link id="c_link_0_UP" bandwidth="1GBps"/>'
    ),
    "bad units": full(
        '<host id="h" speed="1GHz"/><host id="g" speed="fast"/>\n<link id="l" bandwidth="1Gbit" latency="1sec"/>'
    ),
    "negative numbers": full('<host id="h" speed="-1Gf" core="0"/>\n<link id="l" bandwidth="-1Bps" latency="-1s"/>'),
    "numbers out of range": full('<host id="h" speed="1e999f" core="many"/>'),
    "pstate that does not exist": full('<host id="h" speed="2Gf,1Gf" pstate="2"/>'),
    "table of power too short": full(
        '<host id="h" speed="2Gf,1Gf,1f,1f">\n<prop id="wattage_per_state" value="1:2,1:2,1:2"/>\n<prop id="sleep_pstates" value="2:3:4"/></host>'
    ),
    "table of power malformed": full(
        '<host id="h" speed="2Gf"><prop id="watt_per_state" value="95"/><prop id="wattage_off" value="none"/></host>'
    ),
    "sleep states malformed": full(
        '<host id="h" speed="2Gf,1Gf,1Gf"><prop id="sleep_pstates" value="1:2, 1:2:1"/></host>'
    ),
    "compute host without speed": full('<host id="h" speed="0f"/>'),
    "unknown link": full(f'{HOSTS}<route src="h0" dst="h1"><link_ctn id="m"/></route>'),
    "unknown host in a route": full(f'{HOSTS}<route src="h0" dst="h2"><link_ctn id="l"/></route>'),
    "empty route": full(f'{HOSTS}<route src="h0" dst="h1"/>'),
    "route declared twice": full(f'{HOSTS}{GOOD_ROUTE}<route src="h1" dst="h0"><link_ctn id="l"/></route>'),
    "direction on a plain link": full(f'{HOSTS}<route src="h0" dst="h1"><link_ctn id="l" direction="UP"/></route>'),
    "no direction on a split link": full(
        f'{HOSTS}<link id="s" bandwidth="1GBps" sharing_policy="SPLITDUPLEX"/>\n<route src="h0" dst="h1"><link_ctn id="s"/></route>'
    ),
    "bad choices": full(
        f'{HOSTS}<link id="s" bandwidth="1GBps" sharing_policy="DUPLEX"/>\n<route src="h0" dst="h1" symmetrical="perhaps"><link_ctn id="l"/></route>'
    ),
    "route in a cluster zone": full(f"{HOSTS}{GOOD_ROUTE}", "Cluster"),
    "unknown gateway": full(
        f'{TWO_ZONES}<zoneRoute src="A" dst="B" gw_src="rc" gw_dst="rb"><link_ctn id="l"/></zoneRoute>'
    ),
    "swapped gateways": full(
        f'{TWO_ZONES}<zoneRoute src="A" dst="B" gw_src="rb" gw_dst="ra"><link_ctn id="l"/></zoneRoute>'
    ),
    "gateway in another zone": full(
        f'{TWO_ZONES}<zoneRoute src="A" dst="B" gw_src="ra" gw_dst="a0"><link_ctn id="l"/></zoneRoute>'
    ),
    "gateway is a zone": full(
        f'{TWO_ZONES}<zoneRoute src="A" dst="B" gw_src="A" gw_dst="rb"><link_ctn id="l"/></zoneRoute>'
    ),
    "zoneRoute between hosts": full(
        f'{TWO_ZONES}<zoneRoute src="a0" dst="B" gw_src="ra" gw_dst="rb"><link_ctn id="l"/></zoneRoute>'
    ),
    "route between zones": full(
        '<host id="h" speed="1Gf"/><link id="l" bandwidth="1GBps"/>\n<route src="h" dst="Z"><link_ctn id="l"/></route>'
    ),
    "route in the wrong zone": full(
        f'{TWO_ZONES}<zone id="C" routing="Full"><zone id="D" routing="Full"><host id="d0" speed="1Gf"/></zone></zone>\n<zoneRoute src="A" dst="D" gw_src="ra" gw_dst="d0"><link_ctn id="l"/></zoneRoute>'
    ),
    "zone in itself": full(
        '<zone id="Y" routing="Full">\n<zone id="Z" routing="Full"><host id="h" speed="1Gf"/></zone></zone>'
    ),
    "route to the zone around": full(
        f'{TWO_ZONES}<zoneRoute src="A" dst="Z" gw_src="ra" gw_dst="rb"><link_ctn id="l"/></zoneRoute>'
    ),
    "bad radicals": cluster({"radical": "0-3,x,7-5,1-2-3"}),
    "cluster without bandwidth": cluster({"bw": "0", "bb_lat": "1ms"}),
    "empty numbers": cluster({"bw": "", "lat": "", "speed": "", "bb_bw": "", "limiter_link": ""}),
    "torus of another size": cluster({"topology": "TORUS", "topo_parameters": "2,2"}),
    "torus without sizes": cluster({"topology": "TORUS", "topo_parameters": "2,zero"}),
    "fat tree with too few lists": cluster({"topology": "FAT_TREE", "topo_parameters": "2;2,4;1,2"}),
    "fat tree with lists of wrong length": cluster({"topology": "FAT_TREE", "topo_parameters": "2;2,4;1;1,1"}),
    "fat tree with too many limiters": cluster(
        {"topology": "FAT_TREE", "topo_parameters": "3;2,2,2;1,2,2;1,1,1", "limiter_link": "1GBps"}
    ),
    "dragonfly with too few blades": cluster({"topology": "DRAGONFLY", "topo_parameters": "4,1;1,1;2,1;1"}),
    "too large a cluster": cluster({"radical": "0-99999999"}),
    "too large a fat tree": cluster(
        {"topology": "FAT_TREE", "topo_parameters": "1;8;1000000;1"},
    ),
    "too large a dragonfly": cluster(
        {"topology": "DRAGONFLY", "topo_parameters": "1,1;1,1;3000,1;1", "radical": "0-2999"}
    ),
    "too large numbers": cluster({"topology": "TORUS", "topo_parameters": "9" * 1000}),
    "unknown topology": cluster({"topology": "RING"}),
    "cabinet outside a cluster zone": full(
        '<cabinet id="c" prefix="n" suffix="" radical="0" speed="1Gf" bw="1GBps" lat="0"/><host_link id="n0" up="u" down="d"/>'
    ),
    "host_link to nothing": full(
        '<host id="h" speed="1Gf"/>\n<host_link id="h" up="u" down="d"/>\n<host_link id="g" up="u" down="d"/>',
        "Cluster",
    ),
    "peer outside a Vivaldi zone": full(
        '<peer id="p" speed="1Gf" bw_in="1MBps" bw_out="1MBps" coordinates="0 0 0"/>'
    ),
    "Vivaldi without coordinates": full(
        '<host id="h" speed="1Gf"/>\n<host id="g" speed="1Gf" coordinates="1 2"/>', "Vivaldi"
    ),
    "traces": full(
        '<host id="h" speed="1Gf"/>\n<trace id="t" periodicity="1">\n0 1\n2 x\n1 1\n</trace>\n<trace id="t" periodicity="soon">0 1</trace>\n'
        '<trace_connect trace="u" element="h" kind="SPEED"/><trace_connect trace="t" element="g" kind="SPEED"/>'
    ),
    "stochastic trace": full('<host id="h" speed="1Gf"/><trace id="t" periodicity="0">STOCHASTIC</trace>'),
    "missing profile": full('<host id="h" speed="1Gf" speed_file="nowhere.txt"/>'),
    "unknown role": full('<host id="h" speed="1Gf"><prop id="role" value="boss"/></host>'),
    "two masters": full(
        '<host id="h" speed="1Gf"><prop id="role" value="master"/></host>\n<host id="g" speed="1Gf"><prop id="role" value="master"/></host><host id="i" speed="1Gf"/>'
    ),
    "config that is no number": full('<host id="h" speed="1Gf"/>').replace(
        "<zone", '<config><prop id="network/TCP-gamma" value="lots"/></config>\n<zone'
    ),
    "bypass declared twice": full(
        f'{HOSTS}{GOOD_ROUTE}<bypassRoute src="h0" dst="h1"><link_ctn id="l"/></bypassRoute>\n<bypassRoute src="h0" dst="h1"><link_ctn id="l"/></bypassRoute>'
    ),
    "many faults at once": full(
        '<host id="h0" speed="1GHz"/>\n<host id="h0" speed="1Gf"/>\n<link id="l" bandwidth="1"/>\n<route src="h0" dst="nobody"><link_ctn id="k"/></route>\n<rout/>'
    ),
}

TRAPS = {
    "a power state without speed": full('<host id="h" speed="1Gf,0f,2Gf"/>'),
    "missing route in a Full zone is free": full('<host id="h" speed="1Gf"/><host id="g" speed="1Gf"/>'),
    "missing route between zones": full(TWO_ZONES),
    "no way in a Floyd zone": full(f'<host id="x" speed="1Gf"/>{HOSTS}{GOOD_ROUTE}', "Floyd"),
    "one-way in a Dijkstra zone": full(
        f'{HOSTS}<route src="h0" dst="h1" symmetrical="NO"><link_ctn id="l"/></route>', "Dijkstra"
    ),
    "zone without routing": full('<host id="h" speed="1Gf"/><host id="g" speed="1Gf"/>', "None"),
    "cluster zone without host links": full('<host id="h" speed="1Gf"/><host id="g" speed="1Gf"/>', "Cluster"),
    "FATPIPE cluster is shared": cluster({"sharing_policy": "FATPIPE"}),
    "router of a torus": cluster({"topology": "TORUS", "topo_parameters": "8", "router_id": "r"}),
    "numbers without units": cluster({"speed": "1e9", "bw": "1e9", "lat": "0"}),
    "link without bandwidth": full('<host id="h" speed="1Gf"/><link id="l" bandwidth="0"/>'),
    "whole number with a tail": full('<host id="h" speed="1Gf" core="2.5"/>'),
    "property declared twice": full(
        '<host id="h" speed="1Gf"><prop id="a" value="1"/><prop id="a" value="2"/>\n'
        '<prop id="wattage_per_state" value="1:2"/><prop id="watt_per_state" value="1:2"/></host>'
    ),
    "host named like its zone": full('<host id="Z" speed="1Gf"/>'),
    "links after routes": full(f'{HOSTS}{GOOD_ROUTE}<link id="m" bandwidth="1GBps"/>'),
    "trace connected twice": full(
        f'{HOSTS}<trace id="t" periodicity="0">0 1</trace>{GOOD_ROUTE}'
        '<trace_connect trace="t" element="h0" kind="SPEED"/>\n<trace_connect trace="t" element="h1" kind="SPEED"/>'
    ),
    "configuration": full('<host id="h" speed="1Gf"/>').replace(
        "<zone",
        '<config><prop id="network/TCP_gama" value="1"/>\n<prop id="network/model" value="LV08"/>\n'
        '<prop id="smpi/os" value="0:0:0"/>\n<prop id="network/coordinates" value="yes"/></config>\n<zone',
    ),
    "second backbone": full(
        '<host id="h" speed="1Gf"/><link id="u" bandwidth="1GBps"/><backbone id="b" bandwidth="1GBps" latency="0"/>\n'
        '<backbone id="c" bandwidth="1GBps" latency="0"/><host_link id="h" up="u" down="u"/>',
        "Cluster",
    ),
    "latency of a peer": full(
        '<peer id="p" speed="1Gf" bw_in="1MBps" bw_out="1MBps" lat="1s" coordinates="0 0 0"/>', "Vivaldi"
    ),
}
