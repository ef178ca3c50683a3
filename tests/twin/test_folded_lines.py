r"""Changes of a slurm.conf whose lines go on behind a ``\``."""

from pathlib import Path

import pytest

from windtunnel.formats.slurm.conf import read_slurm_conf
from windtunnel.model.slurm import SlurmSite
from windtunnel.twin.changes import changed, pairs_of
from windtunnel.twin.conf_files import ConfFiles
from windtunnel.twin.node_changes import with_nodes

FOLDED = r"""ClusterName=x
SchedulerParameters=bf_window=1440,\
bf_interval=60,\
default_queue_depth=50
SlurmctldDebug=info,\
more
NodeName=n[1-4] CPUs=4 \
    Weight=3
PartitionName=p Nodes=n[1-4] \ # a remark
    Default=YES MaxTime=1-0
"""
FOLDED_FILES = ConfFiles(Path("/slurm.conf"), {Path("/slurm.conf"): FOLDED})


@pytest.fixture
def site(tmp_path):
    def read(files):
        (tmp_path / "slurm.conf").write_text(files.texts[files.path])
        return read_slurm_conf(tmp_path / "slurm.conf").site

    return read


def test_words_of_folded_lists_are_changed_in_place(site):
    files = changed(FOLDED_FILES, pairs_of("SchedulerParameters=bf_interval=30"))
    text = files.texts[files.path]
    assert "SchedulerParameters=bf_window=1440,bf_interval=30,default_queue_depth=50\n" in text
    assert "SlurmctldDebug=info,\\\nmore\n" in text
    found = site(files)
    assert (found.backfill.bf_window, found.backfill.bf_interval, found.main.default_queue_depth) == (1440, 30, 50)


@pytest.mark.parametrize("change", ["PartitionName=p MaxTime=2-0", "PartitionName=p MaxTime=2-0 State=UP"])
def test_folded_partitions_are_changed(site, change):
    (part,) = site(changed(FOLDED_FILES, pairs_of(change))).partitions
    assert (part.max_time, part.default, len(part.nodes)) == (2 * 1440, True, 4)


def test_folded_nodes_are_changed(site):
    found = site(changed(FOLDED_FILES, pairs_of("NodeName=n[1-4] Weight=7")))
    assert {(node.cpus, node.weight) for node in found.nodes} == {(4, 7)}


def test_nodes_are_added_to_folded_lines(site):
    found = site(with_nodes(FOLDED_FILES, "p:+2", SlurmSite()))
    assert [(node.name, node.cpus, node.weight) for node in found.nodes[4:]] == [("new-p1", 4, 3), ("new-p2", 4, 3)]
    (part,) = found.partitions
    assert (len(part.nodes), part.default) == (6, True)
