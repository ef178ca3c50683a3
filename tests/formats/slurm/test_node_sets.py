"""NodeSet, DownNodes and FrontendName lines of slurm.conf."""

import pytest

from windtunnel.diagnostics import Severity
from windtunnel.formats.slurm.conf import read_slurm_conf

NODES = """ClusterName=x
NodeName=n[1-4] CPUs=4 Feature=fast,new
NodeName=n[5-8] CPUs=4 Feature=slow
"""


def read(tmp_path, text, **more):
    path = tmp_path / "slurm.conf"
    path.write_text(NODES + text)
    return read_slurm_conf(path, **more)


def told(platform, code):
    return [one.message for one in platform.warnings if one.code == code]


@pytest.mark.parametrize(
    ("given", "nodes"),
    [
        ("NodeSet=quick Feature=fast", ("n1", "n2", "n3", "n4")),
        ("NodeSet=quick Nodes=n[7-8]", ("n7", "n8")),
        ("NodeSet=quick Feature=slow Nodes=n1", ("n1", "n5", "n6", "n7", "n8")),
        ("NodeSet=quick Nodes=ALL", tuple(f"n{k}" for k in range(1, 9))),
        ("NodeSet=quick Feature=none", ()),
    ],
)
def test_a_partition_has_the_nodes_of_the_sets_that_it_names(tmp_path, given, nodes):
    site = read(tmp_path, f"PartitionName=main Nodes=quick Default=YES\n{given}\n").site
    assert site.partitions[0].nodes == nodes


def test_sets_and_nodes_may_be_named_together(tmp_path):
    site = read(tmp_path, "NodeSet=a Feature=new\nPartitionName=main Nodes=n8,a,n[6-7]\n").site
    assert site.partitions[0].nodes == ("n1", "n2", "n3", "n4", "n6", "n7", "n8")


def test_a_set_of_nodes_that_are_not_there_is_told(tmp_path):
    platform = read(tmp_path, "NodeSet=a Nodes=n1,m9\nPartitionName=main Nodes=a\n")
    assert told(platform, "reference") == ["node set 'a': there is no node 'm9'"]
    assert platform.site.partitions[0].nodes == ("n1",)


def test_a_set_that_is_given_twice_is_told_and_the_last_one_holds(tmp_path):
    platform = read(tmp_path, "NodeSet=a Nodes=n1\nNodeSet=a Nodes=n2\nPartitionName=main Nodes=a\n")
    assert told(platform, "duplicate") == ["node set 'a' is given more than once"]
    assert platform.site.partitions[0].nodes == ("n2",)


def test_nodes_that_are_down_are_left_out_and_told(tmp_path):
    platform = read(tmp_path, 'DownNodes=n[2-3] State=DRAIN Reason="new disks"\nPartitionName=main Nodes=ALL\n')
    assert [node.name for node in platform.site.nodes] == ["n1", "n4", "n5", "n6", "n7", "n8"]
    assert told(platform, "left-out") == ["nodes 'n2' and 'n3' are left out: their State is DRAIN"]
    everything = read(tmp_path, "DownNodes=n2 Reason=disks\nPartitionName=main Nodes=ALL\n", all_states=True)
    node = everything.site.nodes[1]
    assert (node.name, node.state, node.reason) == ("n2", "DOWN", "disks")


def test_front_ends_change_nothing(tmp_path):
    platform = read(
        tmp_path, "FrontendName=f1 FrontendAddr=x AllowUsers=ann State=UNKNOWN\nPartitionName=a Nodes=ALL\n"
    )
    assert [one for one in platform.warnings if one.severity is Severity.WARNING] == []


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("NodeSet=a Featur=fast", "NodeSet has no Featur: it has no effect"),
        ("DownNodes=n1 Stat=DOWN", "DownNodes has no Stat: it has no effect"),
        ("SchedulerParameters=bf_windw=5", "SchedulerParameters has no bf_windw: it has no effect"),
        ("FrontendName=f Addr=x", "FrontendName has no Addr: it has no effect"),
    ],
)
def test_misspelt_keys_of_such_lines_are_told(tmp_path, given, expected):
    platform = read(tmp_path, f"{given}\nPartitionName=main Nodes=ALL\n")
    assert told(platform, "unknown-key") == [expected]


def test_limits_of_the_daemon_are_told_where_they_are_not_the_defaults(tmp_path):
    usual = read(tmp_path, "MaxJobCount=10000\nMaxArraySize=1001\nPartitionName=main Nodes=ALL\n")
    assert told(usual, "ignored") == []
    other = read(tmp_path, "MaxJobCount=99\nMaxArraySize=5\nPartitionName=main Nodes=ALL\n")
    assert sorted(told(other, "ignored")) == ["MaxArraySize is not simulated", "MaxJobCount is not simulated"]
