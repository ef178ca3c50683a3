"""The hosts of a partition as its scheduler sees them, and the sums kept of them."""

from windtunnel.formats.registry import read_platform
from windtunnel.schedulers.partitioned.table_hosts import TableHosts
from windtunnel.schedulers.slurm.state import State

CONF = """ClusterName=mixed
SelectType=select/cons_tres
NodeName=s[1-3] CPUs=4 RealMemory=4000
NodeName=l[1-2] CPUs=16 RealMemory=64000
PartitionName=all Nodes=ALL Default=YES
PartitionName=small Nodes=s[1-2]
PartitionName=part Nodes=s3,l[1-2] MaxCPUsPerNode=6
"""


def hosts_of(tmp_path):
    (tmp_path / "slurm.conf").write_text(CONF)
    platform = read_platform(tmp_path / "slurm.conf", format="slurm")
    tables = State(platform.site, 0).cluster.partitions
    return {name: TableHosts(table, platform.hosts) for name, table in tables.items()}


def test_sums_are_of_what_jobs_of_the_partition_may_use(tmp_path):
    hosts = hosts_of(tmp_path)
    assert [(hosts[name].most_cores, hosts[name].all_cores) for name in ("all", "small", "part")] == [
        (16, 44),
        (4, 8),
        (6, 16),
    ]
    assert [host.id for host in hosts["part"].demands.hosts] == [0, 1, 2]


def test_whole_hosts_are_charged_with_all_their_cores_the_largest_first(tmp_path):
    hosts = hosts_of(tmp_path)
    assert [hosts["all"].cores_of_largest(count) for count in range(6)] == [0.0, 16.0, 32.0, 36.0, 40.0, 44.0]
    assert hosts["part"].cores_of_largest(2) == 32.0  # whatever MaxCPUsPerNode says
    assert hosts["small"].cores_of_largest(9) == 8.0
