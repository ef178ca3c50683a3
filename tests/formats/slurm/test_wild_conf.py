"""What slurm.conf and gres.conf look like at sites: folded lines, included files, templates, old and new keys."""

import pytest

from windtunnel.diagnostics import InputError, Severity
from windtunnel.formats.slurm.conf import read_slurm_conf
from windtunnel.formats.slurm.keys import TABLES
from windtunnel.model.slurm import OverSubscribe, Switch


@pytest.fixture
def site(tmp_path):
    def read(text, **more):
        (tmp_path / "slurm.conf").write_text(text)
        return read_slurm_conf(tmp_path / "slurm.conf", **more)

    return read


def told(platform):
    return [(one.line, one.message) for one in platform.warnings]


def test_nothing_stands_between_a_folded_line_and_the_next(site):
    text = "SchedulerParameters=bf_window=10080,\\\nbf_resolution=120,\\\n# a remark\nNodeName=n[1-2] \\\nCPUs=4\n"
    found = site(text)
    assert (found.site.backfill.bf_window, found.site.backfill.bf_resolution) == (10080, 120)
    assert [host.cores for host in found.hosts] == [4, 4]
    assert found.warnings == ()


@pytest.mark.parametrize("name", ["nodes.conf", "sub/nodes.conf"])
def test_files_are_included_from_the_folder_of_the_file(site, tmp_path, name):
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("NodeName=a CPUs=3\n")
    found = site(f"include\t{name}\n")
    assert [host.cores for host in found.hosts] == [3]
    assert found.warnings == ()


def test_files_that_are_included_by_their_path_on_the_cluster_are_read_beside(site, tmp_path):
    (tmp_path / "nodes.conf").write_text("NodeName=a CPUs=3\n")
    found = site("ClusterName=x\nInclude /nowhere/at/all/nodes.conf\n")
    assert [host.cores for host in found.hosts] == [3]
    assert told(found) == [(2, "Include /nowhere/at/all/nodes.conf: the file nodes.conf beside this one is read")]


def test_included_files_may_be_named_after_the_cluster(site, tmp_path):
    (tmp_path / "tiny.nodes").write_text("NodeName=a CPUs=3\n")
    found = site("ClusterName=Tiny\nInclude %c.nodes\n")
    assert [host.cores for host in found.hosts] == [3]


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("/etc/none.conf", "Include /etc/none.conf: there is no such file"),
        ("conf.d/*.conf", "Include conf.d/*.conf: Slurm does not look for several files, and passes over it"),
    ],
)
def test_files_that_cannot_be_included_are_named_with_the_line(site, written, message):
    with pytest.raises(InputError) as caught:
        site(f"NodeName=a\nInclude {written}\n")
    assert [(one.line, one.message) for one in caught.value.findings] == [(2, message)]


@pytest.mark.parametrize("line", ["{% for n in nodes %}", "ClusterName={{ name }}", "<% if @a -%>"])
def test_a_template_is_named_as_one(site, line):
    with pytest.raises(InputError) as caught:
        site(f"NodeName=a\n# {{{{ a remark }}}}\n{line}\n{line}\n")
    (one,) = caught.value.findings
    assert (one.line, one.code) == (3, "template")
    assert "this is a template" in one.message


def test_what_is_said_of_many_nodes_is_said_once(site, tmp_path):
    (tmp_path / "gres.conf").write_text("Name=gpu File=/dev/nvidia0\n")
    found = site(
        "NodeName=n[1-40] State=DOWN\nNodeName=m[1-3] Gres=gpu:2\nNodeName=k\nPartitionName=p Nodes=x[1-30],y,k\n"
    )
    assert sorted(told(found)) == [
        (0, "partition 'p': there are no nodes 'x1', 'x2' and 29 others"),
        (1, "nodes 'm1', 'm2' and 'm3' have 2 gpu in slurm.conf and 1 here: the former is used"),
        (1, "nodes 'n1', 'n2' and 38 others are left out: their State is DOWN"),
    ]


def test_nodes_that_are_given_twice_are_named_together(site):
    with pytest.raises(InputError, match="nodes 'a2' and 'a3' are given more than once"):
        site("NodeName=a[1-3]\nNodeName=a[2-4]\n")


def test_where_no_node_is_there_the_option_is_named(site):
    with pytest.raises(InputError, match="all_states=true"):
        site("NodeName=a State=DOWN\n")
    assert len(site("NodeName=a State=DOWN\n", all_states=True).hosts) == 1


@pytest.mark.parametrize(
    ("table", "keys"),
    [
        ("", "AccountingStorageLoc DefaultStorageHost DefaultStorageLoc DefaultStoragePass DefaultStoragePort"),
        ("", "DefaultStorageType DefaultStorageUser JobCheckpointDir MemLimitEnforce SchedulerAuth SbcastParameters"),
        ("", "BurstBufferParameters LicenseParameters MsgAggregationParams HealthCheckTimeout SlurmdPlugstack"),
        ("NodeName", "TRESWeights SuspendTime"),
        ("SchedulerParameters", "permit_job_expansion enable_hetero_steps inventory_interval"),
        ("gres.conf", "Files Link"),
    ],
)
def test_keys_of_old_and_new_releases_are_known(table, keys):
    assert set(keys.split()) <= set(TABLES[table].known())


@pytest.mark.parametrize(
    ("written", "sharing", "by_user"),
    [("NODE", OverSubscribe.EXCLUSIVE, False), ("USER", OverSubscribe.NO, True), ("NO", OverSubscribe.NO, False)],
)
def test_partitions_are_exclusive_under_the_new_key_too(site, written, sharing, by_user):
    (part,) = site(f"NodeName=a\nPartitionName=p Nodes=a Exclusive={written}\n").site.partitions
    assert (part.over_subscribe, part.exclusive_user) == (sharing, by_user)


def test_exclusive_parts_of_a_topology_are_told(site):
    found = site("NodeName=a\nPartitionName=p Nodes=a Exclusive=TOPO\n")
    assert told(found) == [(2, "Exclusive=TOPO is not simulated")]


def test_weights_may_be_negative(site):
    text = "PriorityType=priority/multifactor\nAccountingStorageTRES=gres/gpu\nNodeName=a\n"
    found = site(f"{text}PriorityWeightTRES=cpu=80,mem=-2,gres/gpu=-1000\n")
    assert found.site.priority.weight_tres == {"cpu": 80.0, "mem": -2.0, "gres/gpu": -1000.0}


def test_a_second_equals_sign_does_no_harm(site):
    found = site("NodeName=a\nSchedulerParameters==bf_window=60,bf_interval=20\n")
    assert (found.site.backfill.bf_window, found.site.backfill.bf_interval) == (60, 20)
    assert found.warnings == ()


@pytest.mark.parametrize("key", ["Cores", "CPUs"])
def test_cores_of_devices_may_stand_in_brackets(site, tmp_path, key):
    devices = tmp_path / "gres.conf"
    devices.write_text(f"Name=gpu File=/dev/nvidia[0-1] {key}=[0-3]\nName=gpu Files=/dev/nvidia[2-3] {key}=4,5-7\n")
    text = "NodeName=a Sockets=2 CoresPerSocket=4 Gres=gpu:4\n"
    found = site(text)
    (node,) = found.site.nodes
    assert [(one.count, one.cores) for one in node.gres] == [(2, (0, 1, 2, 3)), (2, (4, 5, 6, 7))]
    devices.write_text(f"Name=gpu File=/dev/nvidia[0-3] {key}=all\n")
    with pytest.raises(InputError) as caught:
        site(text)
    (one,) = (one for one in caught.value.findings if one.severity is Severity.ERROR)
    assert one.message == f"{key} is 'all', numbers of cores such as 0-15 are expected"


@pytest.mark.parametrize(("written", "expected"), [("0", [(2, "FastSchedule=0 is not simulated")]), ("1", []), ("2", [])])
def test_nodes_that_are_not_as_written_are_told(site, written, expected):
    assert told(site(f"NodeName=a\nFastSchedule={written}\n")) == expected


@pytest.mark.parametrize("line", ["BlockName=b1 Nodes=a", "BlockSizes=4,8"])
def test_blocks_of_nodes_are_told_once(site, tmp_path, line):
    (tmp_path / "topology.conf").write_text(f"{line}\n{line}\n")
    found = site("NodeName=a\nTopologyPlugin=topology/tree\n")
    assert told(found) == [(1, "blocks of nodes (TopologyPlugin=topology/block) are not simulated")]
    assert found.site.switches == ()


TREE = "- topology: t\n  cluster_default: true\n  tree:\n    switches:\n      - switch: s\n        nodes: a\n"
BLOCK = "- topology: b\n  block:  # of GPUs\n    block_sizes: [4]\n    blocks:\n      - block: b1\n        nodes: a\n"
FLAT = "- topology: f\n  flat: true\n"


@pytest.mark.parametrize(
    ("text", "kinds", "hint"),
    [
        ("---\n", "", True),
        (TREE.replace("true", "false"), " (tree)", True),
        (TREE + TREE.replace("- topology: t", "- topology: u"), " (tree)", True),
        (TREE.replace("nodes: a", "nodes: [a]"), " (tree)", True),
        (TREE.replace("nodes: a", "nodes:\n          - a"), " (tree)", True),
        (TREE + "        speed: 5\n", " (tree)", True),
        (BLOCK, " (block)", False),
        (FLAT + BLOCK + TREE, " (block and tree)", True),
        ("[{topology: t, tree: {switches: []}}]", "", True),
    ],
)
def test_a_topology_of_new_releases_is_told(site, tmp_path, text, kinds, hint):
    (tmp_path / "topology.yaml").write_text(text)
    (one,) = site("NodeName=a\n").warnings
    assert one.message == f"topology.yaml{kinds} is not simulated"
    assert one.file == str(tmp_path / "topology.yaml")
    assert one.hint.startswith("a tree is simulated where") is hint


def test_a_tree_that_is_the_only_topology_is_read(site, tmp_path):
    """As Slurm's documentation writes it, and as it comes out of generators; it was told as not simulated."""
    (tmp_path / "topology.yaml").write_text(
        "# fabric\n---\n- topology: default # of all\n  cluster_default: True\n  tree:\n    switches:\n"
        '        - switch: root\n          children: s[1-2]\n        - switch: s1\n          nodes: "n[1-2]"\n'
        "        - switch: s2\n          nodes: n3,n4 # new\n"
    )
    found = site("NodeName=n[1-4]\n")
    assert not found.warnings
    assert found.site.select.tree
    assert found.site.switches == (
        Switch(name="root", switches=("s1", "s2")),
        Switch(name="s1", nodes=("n1", "n2")),
        Switch(name="s2", nodes=("n3", "n4")),
    )
    (tmp_path / "topology.yaml").write_text(TREE.replace("nodes: a", "children: up"))
    (one,) = site("NodeName=a\n").warnings
    assert one.message == "switch 's': there is no switch 'up'"


def test_a_flat_topology_is_none(site, tmp_path):
    (tmp_path / "topology.yaml").write_text(FLAT)
    assert not site("NodeName=a\nTopologyPlugin=topology/tree\n").warnings


def test_topology_conf_counts_for_nothing_beside_topology_yaml(site, tmp_path):
    """Slurm does not read it there; its switches were simulated."""
    (tmp_path / "topology.conf").write_text("SwitchName=s Nodes=a\n")
    text = "NodeName=a\nTopologyPlugin=topology/tree\n"
    assert len(site(text).site.switches) == 1
    for topologies in (FLAT, BLOCK):
        (tmp_path / "topology.yaml").write_text(topologies)
        found = site(text)
        assert found.site.switches == ()
        *others, one = found.warnings
        assert one.message == "topology.conf is not read: beside topology.yaml Slurm does not read it either"
        assert [other.message for other in others] == ["topology.yaml (block) is not simulated"] * (topologies == BLOCK)


def test_words_about_topologies_are_told(site):
    """All of them were taken in silence."""
    text = "NodeName=a Topology=t:s\nTopologyParam=Dragonfly,RouteTree,TopoOptional,SwitchAsNodeRank,Foo\n"
    assert told(site(text)) == [
        (1, "Topology is not simulated"),
        (2, "Dragonfly in TopologyParam is not simulated"),
        (2, "SwitchAsNodeRank in TopologyParam is not simulated"),
        (2, "TopologyParam has no Foo: it has no effect"),
    ]


def test_a_line_is_what_its_first_key_says(site):
    found = site("NodeName=a\nPartitionName=p NodeName=x Nodes=a\n")
    assert [host.name for host in found.hosts] == ["a"]
    assert [part.name for part in found.site.partitions] == ["p"]
    assert told(found) == [(2, "PartitionName has no NodeName: it has no effect")]


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("TRESBillingWeights=CPU=1", "it belongs to PartitionName"),
        ("bf_window=60", "it belongs to SchedulerParameters"),
        ("ConstrainCores=yes", "it belongs to cgroup.conf"),
        ("NodeName=b File=/dev/nvidia0", "it belongs to gres.conf"),
        ("PartitionName=p Nodes=a ClusterName=x", "it belongs to the cluster as a whole"),
        ("SlurmctldPrt=1", "did you mean 'SlurmctldPort'?"),
        ("Quarks=1", ""),
    ],
)
def test_keys_in_the_wrong_place_are_told_where_they_belong(site, text, hint):
    (one,) = site(f"NodeName=a\n{text}\n").warnings
    assert (one.line, one.code, one.hint) == (2, "unknown-key", hint)


def test_keys_that_stand_twice_in_a_line_are_told(site):
    """The last one holds, as slurmctld has it; nothing was said of the first."""
    platform = site("NodeName=a CPUs=2 gres=gpu:1 Gres=gpu:2 RealMemory=10 RealMemory=20\nPartitionName=p Nodes=ALL\n")
    assert (platform.site.nodes[0].memory, platform.site.nodes[0].gres[0].count) == (20, 2)
    assert [one.message for one in platform.warnings if one.code == "duplicate"] == [
        "Gres stands more than once in this line: the last one holds",
        "RealMemory stands more than once in this line: the last one holds",
    ]


@pytest.mark.parametrize("pair", [("Features=old", "Feature=new"), ("Feature=old", "Features=new")])
def test_what_a_line_says_comes_before_a_default_of_the_other_name(site, pair):
    platform = site(f"NodeName=DEFAULT {pair[0]} CPUs=2\nNodeName=a {pair[1]}\nNodeName=b\nPartitionName=p Nodes=ALL\n")
    assert [node.features for node in platform.site.nodes] == [("new",), ("old",)]


def test_sharing_of_a_line_comes_before_a_default_of_the_other_name(site):
    lines = "PartitionName=DEFAULT OverSubscribe=FORCE:2\nPartitionName=p Nodes=ALL Shared=EXCLUSIVE\n"
    (found,) = site(f"NodeName=a CPUs=2\n{lines}").site.partitions
    assert found.over_subscribe.value == "EXCLUSIVE"


def test_qos_and_accounts_that_there_are_not_are_told(site, tmp_path):
    (tmp_path / "sacctmgr-qos.txt").write_text("Name|Preempt\nnormal|\nhigh|normal,lwo\n")
    table = "Account|User|ParentName\nroot||\nphysics||root\nphysics|ann|\nbiology|bob|\n"
    (tmp_path / "sacctmgr-assoc.txt").write_text(table)
    platform = site("NodeName=a CPUs=2\nPartitionName=p Nodes=ALL\n")
    assert [one.message for one in platform.warnings if one.code == "reference"] == [
        "there is no account 'biology', in which users are",
        "there is no QOS 'lwo', which Preempt of QOS names",
    ]
