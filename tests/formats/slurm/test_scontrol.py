"""``scontrol show node``, ``partition`` and ``config`` as a site: the recorded samples say what slurm.conf says."""

import shutil

import msgspec
import pytest

from shared import shared
from windtunnel.diagnostics import InputError, Severity, UsageError
from windtunnel.formats.recognition import find_format
from windtunnel.formats.registry import read_platform
from windtunnel.formats.slurm.conf import read_slurm_conf
from windtunnel.formats.slurm.scontrol import read_scontrol

MOMENTS = ["clean/during", "clean/after", "during", "after"]
OF_NODES = ("name", "cpus", "sockets", "cores_per_socket", "threads_per_core", "memory", "weight", "features", "gres")
OF_PARTITIONS = (
    "name", "default", "default_time", "max_time", "max_nodes", "min_nodes", "priority_tier", "priority_job_factor",
    "over_subscribe", "share_count", "allow_accounts", "billing_weights", "state", "lln", "exclusive_user", "qos",
)  # fmt: skip


def facts(things, names):
    return [tuple(getattr(one, name) for name in names) for one in things]


@pytest.fixture
def folder(tmp_path):
    def made(moment, oneline=False, files=("node", "partition", "config")):
        mark = "-oneline" if oneline else ""
        for what in files:
            name = f"scontrol-{what}{'' if what == 'config' else mark}.txt"
            shutil.copy(shared(f"golden/slurm/formats/{moment}") / name, tmp_path / f"scontrol-{what}.txt")
        return tmp_path / "scontrol-node.txt"

    return made


def without_gres_conf(node):
    """What slurmctld does not tell: whether gres.conf names device files."""
    return msgspec.structs.replace(
        node, gres=tuple(msgspec.structs.replace(item, counted=False) for item in node.gres)
    )


@pytest.mark.parametrize("oneline", [False, True])
@pytest.mark.parametrize("moment", MOMENTS)
def test_the_recorded_samples_are_the_site_of_slurm_conf(folder, moment, oneline):
    path = folder(moment, oneline)
    assert find_format(path, "platform").name == "scontrol"
    conf = read_slurm_conf(shared(f"golden/slurm/formats/{'clean/' if 'clean' in moment else ''}slurm.conf")).site
    made = read_scontrol(path, all_states=True).site
    known = ("name", "cpus", "features", "gres") if oneline else OF_NODES  # those samples end after OS=Linux
    assert facts(made.nodes, known) == facts([without_gres_conf(node) for node in conf.nodes], known)
    assert facts(made.partitions, OF_PARTITIONS) == facts(conf.partitions, OF_PARTITIONS)
    for one, other in zip(made.partitions, conf.partitions, strict=True):
        assert {node.name for node in made.nodes if one.holds(node)} == {
            node.name for node in conf.nodes if other.holds(node)
        }
    assert (made.name, made.priority, made.select, made.backfill) == (
        conf.name,
        conf.priority,
        conf.select,
        conf.backfill,
    )
    main = msgspec.structs.replace(conf.main, message_timeout=60)  # it was set in what slurm.conf leaves out
    assert (made.licences, made.enforce, made.main) == (conf.licences, conf.enforce, main)
    assert (made.preempt.type, made.preempt.mode) == (conf.preempt.type, conf.preempt.mode)
    assert made.default_memory_per_cpu == conf.default_memory_per_cpu


@pytest.mark.parametrize("moment", MOMENTS)
def test_nodes_that_are_drained_are_left_out_and_told(folder, moment):
    platform = read_platform(folder(moment))
    gone = [node for node in read_scontrol(folder(moment), all_states=True).site.nodes if not node.usable]
    assert {host.name for host in platform.hosts}.isdisjoint(node.name for node in gone)
    assert sum(f.code == "left-out" for f in platform.warnings) == len(gone)
    assert {f.code for f in platform.warnings} <= {"left-out", "reference"}
    if gone:
        assert [(node.name, node.reason.partition(" [")[0]) for node in gone] == [("n6", "disk check")]


def test_without_partitions_the_nodes_say_where_they_are(folder):
    made = read_scontrol(folder("clean/after", files=("node",)), all_states=True).site
    assert {one.name: one.nodes for one in made.partitions} == {
        "main": ("n1", "n2", "n3", "n4", "n5", "n6"),
        "all": ("n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8"),
        "ex": ("n1", "n2"),
        "gpu": ("n7", "n8"),
    }


NODE = "NodeName=a Arch=x86_64 CoresPerSocket=4\n   CPUAlloc=0 CPUTot=8 CPULoad=0.1\n   Sockets=2 ThreadsPerCore=1\n"
FAULTS = [
    ("CPUs", NODE.replace("CPUTot=8", "CPUTot=eight"), "", 1, "CPUs is 'eight', an integer >= 1"),
    ("GPUs", NODE + "   Gres=gpu:x:many\n", "", 1, "gres is 'gpu:x:many'"),
    ("twice", NODE + "\n" + NODE, "", 5, "node 'a' is given more than once"),
    ("nothing", "CPUTot=8\n", "", 0, "there is no node"),
    ("time", NODE, "PartitionName=p\n   MaxTime=soon Nodes=a\n", 1, "MaxTime is 'soon', a time"),
    ("nodes", NODE, "PartitionName=p\n   Nodes=a[1-\n", 1, "'a[1-': brackets do not match"),
    ("sharing", NODE, "\n\nPartitionName=p\n   OverSubscribe=SOME Nodes=a\n", 3, "OverSubscribe is 'SOME'"),
]


@pytest.mark.parametrize(
    ("nodes", "partitions", "line", "message"), [f[1:] for f in FAULTS], ids=[f[0] for f in FAULTS]
)
def test_faulty_records(tmp_path, nodes, partitions, line, message):
    path = tmp_path / "scontrol-node.txt"
    path.write_text(nodes)
    if partitions:
        (tmp_path / "scontrol-partition.txt").write_text(partitions)
    with pytest.raises(InputError) as caught:
        read_scontrol(path)
    (one,) = (f for f in caught.value.findings if f.severity is Severity.ERROR)
    assert (one.line, one.message[: len(message)]) == (line, message)


def test_a_field_nobody_knows_is_told(tmp_path):
    path = tmp_path / "scontrol-node.txt"
    path.write_text(NODE + "   Wieght=5\n")
    (found,) = read_scontrol(path).warnings
    assert (found.code, found.hint) == ("unknown-key", "did you mean 'Weight'?")
    with pytest.raises(UsageError, match="speed of a core"):
        read_scontrol(path, speed=0.0)
