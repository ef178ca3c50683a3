"""Changes of a slurm.conf that includes further files, with comments and several keys on a line."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.diagnostics import Findings, UsageError
from windtunnel.formats.registry import read_workload
from windtunnel.formats.slurm.conf import read_as
from windtunnel.formats.slurm.lines import lines_of
from windtunnel.twin.changes import changed, pairs_of
from windtunnel.twin.conf_files import ConfFiles, with_pairs
from windtunnel.twin.node_changes import with_nodes
from windtunnel.twin.what_if import what_if

MAIN = """ClusterName=x
Include nodes.conf
Include settings.conf
PartitionName=p Nodes=n[1-4] Default=YES # the only one
"""
NODES = "NodeName=DEFAULT CPUs=4\nNodeName=n[1-4] Weight=3 # since 2020\n"
SETTINGS = """SelectType=select/linear
AccountingStorageType=accounting_storage/slurmdbd
PriorityType=priority/multifactor PriorityWeightAge=1000 # grows
SchedulerParameters=bf_window=60,defer
PriorityWeightAge=10
"""


@pytest.fixture
def files(tmp_path):
    for name, text in (("slurm.conf", MAIN), ("nodes.conf", NODES), ("settings.conf", SETTINGS)):
        (tmp_path / name).write_text(text)
    return ConfFiles.read(tmp_path / "slurm.conf")


def read(files):
    return read_as(files.path, files.texts).site


def test_what_the_files_say_is_read_once(files):
    assert [path.name for path in files.texts] == ["slurm.conf", "nodes.conf", "settings.conf"]
    assert read(files).priority.weight_age == 10


def test_keys_are_changed_in_the_file_and_line_that_hold(files):
    after = changed(files, pairs_of("PriorityWeightAge=77"))
    assert read(after).priority.weight_age == 77
    assert files.difference(after) == (
        "--- settings.conf\n+++ settings.conf (changed)\n@@ -4,2 +4,2 @@\n SchedulerParameters=bf_window=60,defer\n"
        "-PriorityWeightAge=10\n+PriorityWeightAge=77"
    )


def test_other_keys_of_the_line_and_its_comment_stay(files):
    after = changed(files, pairs_of("PriorityType=priority/basic"))
    text = after.texts[files.path.parent / "settings.conf"]
    assert "PriorityType=priority/basic PriorityWeightAge=1000 # grows\n" in text
    after = changed(files, pairs_of("PartitionName=p MaxTime=1-0"))
    assert "Default=YES MaxTime=1-0 # the only one\n" in after.texts[files.path]
    assert read(after).partitions[0].max_time == 1440


def test_words_of_an_included_list_are_set_and_left_out(files):
    after = changed(files, pairs_of("SchedulerParameters=bf_window=90,-defer"))
    site = read(after)
    assert (site.backfill.bf_window, site.main.defer) == (90, False)
    with pytest.raises(UsageError, match="has no word 'bf_continu'"):
        changed(after, pairs_of("SchedulerParameters=-bf_continu"))


def test_nodes_are_added_beside_those_of_an_included_file(files):
    after = with_nodes(with_nodes(files, "p:+2", read(files)), "p:+1", read(files))
    site = read(after)
    assert [(node.name, node.cpus, node.weight) for node in site.nodes[4:]] == [
        ("new-p1", 4, 3),
        ("new-p2", 4, 3),
        ("new-p3", 4, 3),
    ]
    assert len(site.partitions[0].nodes) == 7


def test_the_last_nodes_are_taken_away(files):
    site = read(files)
    after = with_nodes(with_nodes(files, "p:-1", site), "p:-2", site)
    assert after.texts[files.path].startswith("DownNodes=n[2-3] State=DOWN\nDownNodes=n4 State=DOWN\n")
    assert [node.name for node in read(after).nodes] == ["n1"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("p:-5", "5 nodes cannot be taken away: the partition 'p' has 4"),
        ("p:-4", "4 nodes cannot be taken away: the site would have none"),
        ("q:-1", "there is no partition 'q'"),
        ("q:+1", "there is no line PartitionName=q with Nodes="),
        ("p:2", "'p:2' adds no nodes, and takes none away"),
    ],
)
def test_faulty_changes_of_nodes(files, change, message):
    with pytest.raises(UsageError) as caught:
        with_nodes(files, change, read(files))
    assert message in str(caught.value)


def test_nodes_that_are_down_cannot_be_taken_away_where_they_count(files):
    with pytest.raises(UsageError, match="all_states takes nodes that are down"):
        what_if(files.path, [], nodes=["p:-1"], all_states=True)


def test_what_no_file_says_is_said_first(files):
    after = changed(files, pairs_of("PriorityWeightQOS=5"))
    assert after.texts[files.path].startswith("PriorityWeightQOS=5\nClusterName=x\n")


def test_there_is_no_such_file(tmp_path):
    with pytest.raises(UsageError, match=r"slurm\.conf: cannot be read"):
        ConfFiles.read(tmp_path / "slurm.conf")


def test_a_change_of_an_included_file_is_run(files):
    log = files.path.parent / "jobs.txt"
    head = "JobID|User|Account|Partition|Submit|Start|End|ElapsedRaw|TimelimitRaw|ReqCPUS|ReqNodes|State\n"
    rows = (
        f"{k}|u|a|p|2024-01-01T00:00:0{k}|2024-01-01T0{k}:00:00|2024-01-01T0{k}:30:00|1800|60|4|1|COMPLETED\n"
        for k in range(1, 9)
    )
    log.write_text(head + "".join(rows))
    found = what_if(files.path, read_workload(log), nodes=["p:+4"], scheduler="easy")
    assert found.shifts[0].after < found.shifts[0].before
    assert "--- nodes.conf\n" in found.diff


NAMES = st.text(string.ascii_letters, min_size=1, max_size=6)
VALUES = st.text(string.ascii_letters + string.digits + "[]-,:=/", min_size=1, max_size=8)
COMMENTS = st.text(string.ascii_letters + ' =#"', max_size=8)


@given(st.dictionaries(NAMES.map(str.lower), VALUES, min_size=1), VALUES, COMMENTS, st.data())
def test_a_changed_line_says_what_it_said_but_for_the_change(tmp_path_factory, given_pairs, new, comment, data):
    """Whatever stands on a line, and whether or not the key is there already."""
    key = data.draw(st.sampled_from([*given_pairs, "another"]))
    line = " ".join(f"{name}={value}" for name, value in given_pairs.items()) + (f" # {comment}" if comment else "")
    path = tmp_path_factory.getbasetemp() / "slurm.conf"
    (read,) = lines_of(path, Findings("x"), {path: with_pairs(line, [(key, new)])})
    assert read.values == given_pairs | {key: new}


def as_files(tmp_path, text):
    (tmp_path / "slurm.conf").write_text(text)
    return ConfFiles.read(tmp_path / "slurm.conf")


def test_of_words_that_stand_twice_the_first_one_stays(tmp_path):
    """It is the one that holds: a change of another word made it the last."""
    conf = "SchedulerParameters=bf_window=60,bf_window=90,defer\nNodeName=n CPUs=2\nPartitionName=p Nodes=n\n"
    after = changed(as_files(tmp_path, conf), pairs_of("SchedulerParameters=bf_interval=60"))
    assert (read(after).backfill.bf_window, read(after).backfill.bf_interval) == (60, 60)


def test_keys_are_changed_under_the_name_that_they_have(tmp_path):
    files = as_files(tmp_path, "NodeName=n CPUs=2 Features=old\nPartitionName=p Nodes=n Shared=NO\n")
    files = changed(files, pairs_of("NodeName=n Feature=new"))
    files = changed(files, pairs_of("PartitionName=p OverSubscribe=EXCLUSIVE"))
    assert files.texts[files.path] == "NodeName=n CPUs=2 Features=new\nPartitionName=p Nodes=n Shared=EXCLUSIVE\n"
    assert read(files).nodes[0].features == ("new",)
