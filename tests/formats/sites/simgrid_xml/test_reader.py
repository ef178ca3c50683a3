"""Reading platforms: hosts, numbers and roles, power, profiles, units."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.formats.sites.simgrid_xml.bad_platforms import HEAD, cluster, full

from windtunnel.diagnostics import Findings, InputError
from windtunnel.formats.sites.simgrid_xml import parse_platform, read_platform
from windtunnel.formats.sites.simgrid_xml.units import BANDWIDTH, SPEED, TIME, parse_quantity


def read(text, **options):
    return parse_platform(text.encode(), "p.xml", **options)


def names(hosts):
    return [host.name for host in hosts]


def role(name, value, speed="1Gf"):
    return f'<host id="{name}" speed="{speed}"><prop id="role" value="{value}"/></host>'


class TestNumbers:
    def test_natural_order_is_that_of_batsim_5(self):
        assert names(read(cluster({"radical": "0-11"})).hosts) == [f"n{i}" for i in range(12)]

    def test_lexicographic_order_is_that_of_batsim_4(self):
        hosts = read(cluster({"radical": "0-11"}), numbering="lexicographic").hosts
        assert names(hosts) == ["n0", "n1", "n10", "n11", "n2", "n3", "n4", "n5", "n6", "n7", "n8", "n9"]
        assert [host.id for host in hosts] == list(range(12))

    def test_storages_come_after_compute_hosts_and_the_master_has_no_number(self):
        text = full(role("a", "storage", "0f") + role("b", "master") + role("c", "compute_node") + role("d", ""))
        platform = read(text)
        assert names(platform.hosts) == ["c", "d"]
        assert [(s.name, s.id, s.storage) for s in platform.storages] == [("a", 2, True)]
        assert platform.master == "b"

    def test_mmax_keeps_the_first_hosts(self):
        assert names(read(cluster({}), mmax=3).hosts) == ["n0", "n1", "n2"]
        with pytest.raises(InputError, match="9 hosts are asked for, but the platform has 8"):
            read(cluster({}), mmax=9)


class TestRoles:
    TEXT = full('<host id="master_host" speed="1Gf"/><host id="a" speed="1Gf"/><host id="b" speed="1Gf"/>')

    def test_a_host_called_master_host_is_the_master(self):
        assert read(self.TEXT).master == "master_host"

    def test_another_name_can_be_given(self):
        platform = read(self.TEXT, master="b")
        assert platform.master == "b"
        assert names(platform.hosts) == ["a", "master_host"]

    def test_roles_can_be_added(self):
        platform = read(self.TEXT, add_roles={"a": "storage"})
        assert (names(platform.hosts), names(platform.storages)) == (["b"], ["a"])
        assert names(read(self.TEXT, add_roles=[("a", "storage")]).storages) == ["a"]

    def test_no_master_is_needed_unless_asked_for(self):
        assert read(cluster({})).master == ""
        with pytest.raises(InputError, match="no host has the role master"):
            read(cluster({}), require_master=True)

    @pytest.mark.parametrize(
        ("options", "reason"),
        [
            ({"master": "nobody"}, "the master 'nobody' is not a host"),
            ({"add_roles": {"nobody": "storage"}}, "a role is given to 'nobody', which is not a host"),
            ({"add_roles": {"a": "boss"}}, "unknown role 'boss'"),
            ({"add_roles": {"a": "master"}}, "two hosts are masters: 'a' and 'master_host'"),
            ({"master": "a", "add_roles": {"a": "storage"}}, "named as the master and has the role 'storage'"),
            ({"add_roles": {"a": "storage", "b": "storage"}}, "no host is left to compute on"),
        ],
    )
    def test_contradictions_are_findings(self, options, reason):
        with pytest.raises(InputError, match=reason):
            read(self.TEXT, **options)

    def test_a_role_given_twice_is_an_error_as_in_batsim(self):
        with pytest.raises(InputError, match="has the role 'storage' in the platform and is given 'compute_node'"):
            read(full(role("a", "storage") + role("b", "")), add_roles={"a": "compute_node"})


class TestPower:
    def test_power_states(self):
        text = full(
            '<host id="h" speed="100Mf, 50Mf, 1e-9Mf, 0.5f, 0.05f" pstate="1" core="4">\n'
            '<prop id="wattage_per_state" value="100:120:200, 93:170, 10:10, 120:120, 110:110"/>'
            '<prop id="wattage_off" value="7.5"/><prop id="sleep_pstates" value="2:3:4"/></host>'
        )
        (host,) = read(text, energy=True).hosts
        assert [p.speed for p in host.pstates] == [1e8, 5e7, 1e-3, 0.5, 0.05]
        assert [(p.idle, p.epsilon, p.full) for p in host.pstates[:2]] == [(100, 120, 200), (93, 93, 170)]
        assert (host.pstate, host.speed, host.cores) == (1, 5e7, 4)
        assert host.sleep_pstates == {2: (3, 4)}
        assert host.watts_off == 7.5

    def test_sleep_states_may_share_their_switching_states(self):
        text = full(
            '<host id="h" speed="1f,1f,1f,1f,1f"><prop id="watt_per_state" value="1:2,1:2,1:2,1:2,1:2"/>'
            '<prop id="sleep_pstates" value="1:3:4, 2:3:4"/></host>'
        )
        assert read(text, energy=True).hosts[0].sleep_pstates == {1: (3, 4), 2: (3, 4)}

    def test_an_empty_list_of_sleep_states_is_legal(self):
        text = full('<host id="h" speed="1f"><prop id="sleep_pstates" value=""/></host>')
        assert read(text, energy=True).hosts[0].sleep_pstates == {}

    def test_equal_hosts_share_their_tables(self):
        hosts = read(cluster({"speed": "1Gf,2Gf"})).hosts
        assert all(host.pstates is hosts[0].pstates for host in hosts)


class TestProfiles:
    def test_a_trace_with_a_period(self):
        text = full('<host id="h" speed="1Gf"/>').replace(
            "<zone", '<trace id="t" periodicity="6">0 1.0\n2 0.5\n# why\n4 0.25</trace><zone'
        )
        text = text.replace("</platform>", '<trace_connect kind="SPEED" trace="t" element="h"/></platform>')
        (host,) = read(text).hosts
        assert host.speed_profile == ((0, 1), (2, 0.5), (4, 0.25))
        assert host.speed_period == 6

    def test_files_lie_beside_the_platform(self, tmp_path):
        (tmp_path / "speed.txt").write_text("0 1\n10 0.5\nLOOPAFTER 2\n")
        (tmp_path / "state.txt").write_text("1 0\n2 7\n")
        (tmp_path / "bw.txt").write_text("PERIODICITY 20\n0 1e6\n")
        path = tmp_path / "platform.xml"
        path.write_text(
            full(
                '<host id="h" speed="1Gf" speed_file="speed.txt" state_file="state.txt"/>'
                '<link id="l" bandwidth="1GBps" bandwidth_file="bw.txt" sharing_policy="SPLITDUPLEX"/>'
            )
        )
        platform = read_platform(path)
        (host,) = platform.hosts
        assert (host.speed_profile, host.speed_period) == (((0, 1), (10, 0.5)), 12)
        assert (host.state_profile, host.state_period) == (((1, 0), (2, 1)), 0)
        for link in platform.network.links[:2]:
            assert (link.bandwidth_profile, link.bandwidth_period) == (((0, 1e6),), 20)

    @pytest.mark.parametrize(
        ("kind", "field"),
        [("BANDWIDTH", "bandwidth_profile"), ("LATENCY", "latency_profile"), ("LINK_AVAIL", "state_profile")],
    )
    def test_traces_of_links(self, kind, field):
        text = full(
            '<host id="h" speed="1Gf"/><link id="l" bandwidth="1GBps"/><trace id="t" periodicity="0">1 1</trace>'
        )
        text = text.replace("</platform>", f'<trace_connect kind="{kind}" trace="t" element="l"/></platform>')
        assert getattr(read(text).network.links[0], field) == ((1, 1),)

    @pytest.mark.parametrize(
        "lines",
        [
            "",
            "2 1\n1 1",
            "0 -1",
            "nan 1",
            "0 1\nPERIODICITY 5\nLOOPAFTER 1",
            "0 1\n9 1\nPERIODICITY 5",
            "0 1\nLOOPAFTER 0",
            "0 1\n3 1\nLOOPAFTER -1",
            "0 1\nLOOPAFTER nan",
            "0 1\nPERIODICITY -5",
            "0 1\nPERIODICITY inf",
            "0 1\nPERIODICITY 1e-300",
        ],
    )
    def test_faults_name_the_profile_file(self, tmp_path, lines):
        (tmp_path / "speed.txt").write_text(lines)
        path = tmp_path / "platform.xml"
        path.write_text(full('<host id="h" speed="1Gf" speed_file="speed.txt"/>'))
        with pytest.raises(InputError) as caught:
            read_platform(path)
        assert {(f.file, f.code) for f in caught.value.findings} == {(str(tmp_path / "speed.txt"), "bad-profile")}


    @pytest.mark.parametrize(
        ("period", "said"),
        [("nan", "periodicity is 'nan'"), ("1e-300", "repeats every 1e-300 s: expected at least 1e-06 s")],
    )
    def test_periods_with_which_a_run_would_not_get_on(self, period, said):
        with pytest.raises(InputError, match=said):
            read(full(f'<host id="h" speed="1Gf"/><trace id="t" periodicity="{period}">0 1</trace>'))


class TestProperties:
    def test_zone_properties_the_nearest_wins(self):
        text = f"""{HEAD}<zone id="Z" routing="Full"><prop id="site" value="here"/><prop id="os" value="a"/>
        <zone id="Y" routing="Full"><prop id="os" value="b"/><host id="h" speed="1Gf"><prop id="x" value="1"/></host></zone>
        </zone></platform>"""
        (host,) = read(text).hosts
        assert host.zone_properties == {"site": "here", "os": "b"}
        assert host.properties == {"x": "1"}

    def test_configuration_items_with_underscores_are_those_with_hyphens(self):
        item = '<config><prop id="network/TCP_gamma" value="{}"/><prop id="contexts/stack_size" value="8"/></config><zone'
        platform = read(full('<host id="h" speed="1Gf"/>').replace("<zone", item.format(1)))
        assert platform.config == {"contexts/stack-size": "8", "network/TCP-gamma": "1"}
        said = "the configuration item {!r} is called {!r} now: read as that"
        assert [(found.code, found.message) for found in platform.warnings] == [
            ("renamed", said.format("network/TCP_gamma", "network/TCP-gamma")),
            ("renamed", said.format("contexts/stack_size", "contexts/stack-size")),
        ]
        with pytest.raises(InputError, match="network/TCP-gamma is '-1'"):
            read(full('<host id="h" speed="1Gf"/>').replace("<zone", item.format(-1)))

    def test_numbers_that_are_not_finite(self):
        item = '<config><prop id="network/loopback-bw" value="inf"/></config><zone'
        with pytest.raises(InputError, match="network/loopback-bw is 'inf'"):
            read(full('<host id="h" speed="1Gf"/>').replace("<zone", item))
        for spot in ("nan 1 3", "1 inf 3", "1 2 1e400"):
            with pytest.raises(InputError, match=f"coordinates are '{spot}'"):
                read(full(f'<host id="h" speed="1Gf" coordinates="{spot}"/>', "Vivaldi"))
        text = full('<host id="h" speed="1Gf"><prop id="wattage_per_state" value="1e308:1e308"/></host>')
        with pytest.raises(InputError, match="'1e308' is not a power in watts"):
            read(text, energy=True)

    def test_configuration_items_are_kept(self):
        text = full('<host id="h" speed="1Gf"/>').replace(
            "<zone",
            '<config><prop id="network/loopback-bw" value="5e8"/><prop id="network/TCP-gamma" value="1"/></config><zone',
        )
        platform = read(text)
        assert platform.config == {"network/TCP-gamma": "1", "network/loopback-bw": "5e8"}
        assert platform.network.links[-1].bandwidth == 5e8


def test_old_names_mean_the_new_ones():
    old = f"""{HEAD}<AS id="Z" routing="Full"><AS id="A" routing="Full"><host id="a" speed="1Gf"/></AS>
    <AS id="B" routing="Full"><host id="b" speed="1Gf"/></AS>
    <link id="l" bandwidth="1GBps" latency="1us" sharing_policy="FULLDUPLEX"/>
    <ASroute src="A" dst="B" gw_src="a" gw_dst="b"><link_ctn id="l" direction="UP"/></ASroute></AS></platform>"""
    network = read(old.replace("4.1", "4.0")).network
    links, latency = network.route(network.endpoint("b"), network.endpoint("a"))
    assert [network.links[i].id for i in links] == ["l_DOWN"]
    assert latency == 1e-6


def test_a_bare_cluster_may_be_outermost_in_every_topology():
    for shape in (
        {},
        {"topology": "TORUS", "topo_parameters": "2,2,2"},
        {"topology": "FAT_TREE", "topo_parameters": "2;4,2;1,2;1,2"},
        {"topology": "DRAGONFLY", "topo_parameters": "2,1;1,1;2,1;2"},
    ):
        platform = read(cluster(shape))
        assert len(platform.hosts) == 8
        network = platform.network
        for a in platform.hosts:
            for b in platform.hosts:
                links, latency = network.route(a.endpoint, b.endpoint)
                assert latency == pytest.approx(sum(network.links[i].latency for i in links))
                assert links or a is b


def test_a_platform_is_a_value():
    platform = read(cluster({"bb_bw": "1GBps"}))
    a, b = platform.hosts[0].endpoint, platform.hosts[3].endpoint
    before = platform.network.route(a, b)
    copy = pickle.loads(pickle.dumps(platform))
    assert copy.network.route(a, b) == before
    assert copy.network.all_to_all([a, b], 1.0) == platform.network.all_to_all([a, b], 1.0)
    assert copy.hosts == platform.hosts


def test_blank_lines_before_the_declaration_count():
    findings = Findings()
    with pytest.raises(InputError):
        parse_platform(b"\n\n" + full('<host id="h"/>').encode(), findings=findings)
    assert [f.line for f in findings] == [7]


class TestUnits:
    @pytest.mark.parametrize(
        ("text", "kind", "value"),
        [
            ("1Gbps", BANDWIDTH, 125e6),
            ("1GiBps", BANDWIDTH, 1073741824),
            ("8Mibps", BANDWIDTH, 1048576),
            ("1.25E8Bps", BANDWIDTH, 1.25e8),
            ("1EBps", BANDWIDTH, 1e18),
            ("50us", TIME, 50 * 1e-6),
            ("1.5h", TIME, 5400),
            ("3kiloflops", SPEED, 3000),
            (".5Gf", SPEED, 5e8),
            (" 5.f", SPEED, 5),
            ("0", TIME, 0),
        ],
    )
    def test_examples(self, text, kind, value):
        assert parse_quantity(text, kind)[0] == value

    @pytest.mark.parametrize("text", ["", "f", "1 f", "1GF", "0x10f", "nanf", "inff", "1gf", "1e400f", "--1f"])
    def test_others_are_refused(self, text):
        with pytest.raises(ValueError, match=r"."):
            parse_quantity(text, SPEED)

    @given(st.floats(0, 1e15), st.sampled_from([SPEED, BANDWIDTH, TIME]), st.data())
    def test_every_unit_multiplies(self, number, kind, data):
        unit = data.draw(st.sampled_from(sorted(kind.units)))
        assert parse_quantity(f"{number!r}{unit}", kind) == (number * kind.units[unit], unit)
