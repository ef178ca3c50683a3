"""What was read of a node is written back, in its units; and nothing that it says is dropped without a word."""

import pytest

import windtunnel as wt
from windtunnel.diagnostics import InputError
from windtunnel.entities.sss_host import HostUse, IntervalUse, host_node
from windtunnel.formats.registry import read_platform
from windtunnel.formats.sites.sss import check
from windtunnel.results.run_nodes import RunNodes
from windtunnel.services.nodes import respond
from windtunnel.testing import job, workload

FULL = """<Node><Id>n1</Id><Name>first</Name><Description>in the corner</Description><State>Idle</State>
<Extension name="Rack" type="place">R7</Extension>
<Configured><Processors units="processors">8</Processors><Memory units="MB">1024</Memory>
<Network units="Mb/s">1000</Network><Resource name="GPU" type="A">2</Resource><Resource name="GPU" type="B">1</Resource>
<Resource name="License" type="MATLAB">4</Resource></Configured></Node>"""


@pytest.fixture
def nodes(tmp_path):
    def write(text):
        path = tmp_path / "nodes.xml"
        path.write_text(text)
        return path

    return write


def amounts(items):
    return [(one.element, one.name, one.type, one.value, one.units) for one in items]


def test_a_node_comes_back_from_a_run_as_it_was(nodes):
    platform = read_platform(nodes(FULL))
    (given,) = check(FULL).nodes
    run = wt.simulate(platform, workload(job(1, hosts=1)))
    (after,) = RunNodes(platform.hosts, run.file, site=platform.site).at(run.metrics.makespan + 1)
    assert (after.name, after.description, after.extensions) == (given.name, given.description, given.extensions)
    assert after.configured == given.configured
    assert amounts(after.available) == amounts(given.configured)
    assert [item.value for item in after.utilized] == [0, 0, 0, 0, 0, 0]


def test_what_is_used_is_counted_from_the_first_kind_on(nodes):
    platform = read_platform(nodes(FULL))
    host = platform.hosts[0]
    assert host.resources["gpus"] == 3
    use = HostUse({"cores": 3.0, "gpus": 2.0, "memory": 2.0**29})
    node = host_node(host, use, platform.site.nodes[0])
    assert [item.value for item in node.utilized] == [3, 512, 0, 2, 0, 0]
    assert [item.value for item in node.available] == [5, 512, 1000, 0, 1, 4]
    assert node.state == "Busy"
    half = HostUse({}, "ACTIVE", IntervalUse({"gpus": 2.5}, {"gpus": 3.0}, 60.0))
    rates = [item.consumption_rate for item in host_node(host, half, platform.site.nodes[0]).utilized]
    assert rates[3:5] == [1.0, 0.5]


def test_a_node_that_fails_says_so_and_a_mended_one_no_more(nodes):
    off = FULL.replace("Idle", "Offline").replace(
        "<Configured>", '<Extension name="MachineState">HALT</Extension><Configured>'
    )
    platform = read_platform(nodes(off))
    given = platform.site.nodes[0]
    assert "MachineState" not in {one.name for one in host_node(platform.hosts[0], HostUse(), given).extensions}
    failed = host_node(platform.hosts[0], HostUse(state="FAILURE"), given)
    assert {one.name: one.value for one in failed.extensions} == {"Rack": "R7", "MachineState": "FAILURE"}
    assert failed.state == "Offline"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("<State>Idle", "<State>Busy", "the State Busy has no effect"),
        (
            "</Configured>",
            "</Configured><Available><Processors>4</Processors></Available>",
            "Available has no effect",
        ),
        ("</Configured>", "</Configured><Utilized><Processors>4</Processors></Utilized>", "Utilized has no effect"),
        ('<Memory units="MB">', '<Memory units="MB" metric="Average">', "a metric has no effect"),
        ('<Memory units="MB">', '<Memory units="MB" wallDuration="5">', "have no effect"),
    ],
)
def test_what_a_node_says_of_its_use_is_told(nodes, old, new, said):
    run = wt.simulate(nodes(FULL.replace(old, new)), workload(job(1)))
    (line,) = [line for line in run.account if line.kind == "SSS055"]
    assert said in line.reason


def test_nothing_is_told_of_a_plain_node(nodes):
    assert not wt.simulate(nodes(FULL), workload(job(1))).account
    assert not wt.simulate(nodes(FULL.replace("<State>Idle</State>", "")), workload(job(1))).account


def test_references_are_no_platform(nodes):
    with pytest.raises(InputError, match="SSS054"):
        read_platform(nodes("<Node>node1</Node>"))
    both = read_platform(nodes(f"<Nodes>{FULL}<Node>node7</Node></Nodes>"))
    assert [finding.code for finding in both.warnings] == ["SSS054"]


def test_a_count_that_disagrees_says_how_to_mend_it():
    (finding,) = check('<Node aggregation="Range" count="4">n[1-3]</Node>').findings
    assert (finding.code, finding.hint) == (
        "SSS053",
        "count must be the number of nodes named: write 3, or leave it out",
    )


QUERY = """<Request action="Query"><Object>Node</Object><Get name="Id"/>{}</Request>"""
USED = """<Nodes><Node><Id>n1</Id><Utilized><Processors wallDuration="PT3600S">4</Processors></Utilized></Node>
<Node><Id>n2</Id><Utilized><Processors wallDuration="60">4</Processors></Utilized></Node></Nodes>"""


@pytest.mark.parametrize(
    ("op", "value", "found"),
    [("EQ", "PT3600S", "n1"), ("EQ", "PT1H", "n1"), ("LT", "PT1H", "n2"), ("EQ", "3600", "n1"), ("EQ", "PT1M", "n2")],
)
def test_durations_compare_as_durations(op, value, found):
    where = f'<Where name="Utilized/Processors/@wallDuration" op="{op}">{value}</Where>'
    answer = respond(QUERY.format(where).encode(), lambda time: check(USED).nodes).decode()
    assert f"<Id>{found}</Id>" in answer
    assert "<Count>1</Count>" in answer


NINES = ["9" * 400, f"P{'9' * 400}Y", f"P{'9' * 5000}D", f"PT{'9' * 400}.5S", "1000000000000000000"]


@pytest.mark.parametrize("text", NINES, ids=["seconds", "years", "days", "fraction", "age"])
def test_a_duration_longer_than_the_world_is_none(text):
    """Some were infinite, and written as PTInfinityS; others ended in an internal error."""
    found = check(USED.replace('"60"', f'"{text}"'))
    assert [finding.code for finding in found.findings if finding.code == "SSS060"] == ["SSS060"]
    where = f'<Where name="Utilized/Processors/@wallDuration" op="LT">{text}</Where>'
    said = respond(QUERY.format(where).encode(), lambda time: check(USED).nodes).decode()
    assert ("<Code>318</Code>" in said) is (text != NINES[-1])  # which is a number like others


@pytest.mark.parametrize(("said", "asked"), [("10", 10.0), ("1e1", 10.0), ("1_0", None), ("1e999", None), ("-1", None)])
def test_the_instant_that_is_asked_about_is_a_number(said, asked):
    seen = []
    request = QUERY.format(f'<Option name="time">{said}</Option>').encode()
    text = respond(request, lambda time: seen.append(time) or check(USED).nodes).decode()
    assert seen == ([] if asked is None else [asked])
    assert ("time must be a number of seconds from 0" in text) is (asked is None)


def test_a_number_that_is_too_large_is_said_to_be():
    found = check(USED.replace("<Utilized>", "<Utilized><Memory>1e300</Memory>", 1)).findings
    (message,) = (finding.message for finding in found if finding.code == "SSS022")
    assert message == "Memory must be at most 1e+200, not '1e300'"


@pytest.mark.parametrize(
    "where",
    ['<Where name="Id" opp="NE">n1</Where>', '<Where name="Id" Op="NE">n1</Where>', '<Where nam="Id">n1</Where>'],
)
def test_a_misspelt_attribute_of_a_query_is_refused(where):
    answer = respond(QUERY.format(where).encode(), lambda time: check(USED).nodes).decode()
    assert "<Code>310</Code>" in answer
    assert "Where has no attribute" in answer
