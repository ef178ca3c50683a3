"""A Slurm site is plain data: equal when it says the same, and saved as JSON without loss."""

import msgspec

from windtunnel.model.slurm import GresItem, Partition, SlurmNode, SlurmSite


def site():
    nodes = (SlurmNode(name="n1", cpus=4), SlurmNode(name="n2", gres=(GresItem(name="gpu", count=2),)))
    return SlurmSite(nodes=nodes, partitions=(Partition(name="all"), Partition(name="gpu", nodes=("n2",))))


def test_a_partition_of_all_nodes_holds_each():
    assert [[one.holds(node) for node in site().nodes] for one in site().partitions] == [[True, True], [False, True]]


def test_partitions_are_found_by_name():
    assert site().partition("gpu") == Partition(name="gpu", nodes=("n2",))
    assert site().partition("cpu") is None


def test_nodes_that_are_down_or_drained_take_no_jobs():
    assert SlurmNode(name="n1").usable
    assert not SlurmNode(name="n1", state="DOWN").usable
    assert not SlurmNode(name="n1", state="IDLE", flags=("DRAIN",)).usable


def test_it_is_saved_without_loss():
    assert msgspec.json.decode(msgspec.json.encode(site()), type=SlurmSite) == site()
