"""The end of a log, and the partitions that a site has no more: neither changes a job silently."""

import pytest

from windtunnel.api import simulate
from windtunnel.formats.registry import read_platform, read_workload
from windtunnel.formats.slurm.sacct import read_sacct

HEAD = "JobID|Partition|Submit|Start|ElapsedRaw|NCPUS|State|TimelimitRaw"


def row(number, partition="p"):
    return f"{number}|{partition}|2024-01-01T00:00:00|2024-01-01T00:00:00|60|1|COMPLETED|10"


@pytest.mark.parametrize("column", ["Reservation", "Constraints", "JobName", "SubmitLine"])
@pytest.mark.parametrize("end", ["", "\n", "\r\n", "\n\n"])
def test_the_end_of_a_file_is_no_part_of_its_last_row(tmp_path, column, end):
    """It was the end of the last text of a user: a reservation that no site has, so that the job was rejected."""
    (tmp_path / "jobs").write_bytes(f"{HEAD}|{column}\n{row(1)}|\n\n{row(2)}|{end}".encode())
    first, second = (job.ask for job in read_sacct(tmp_path / "jobs"))
    assert first == second
    assert (first.reservation, first.features, first.name) == ("", "", "")


@pytest.mark.parametrize("scheduler", ["slurm", "easy"])
def test_partitions_that_the_site_has_not_are_told(tmp_path, scheduler):
    conf = "ClusterName=c\nNodeName=n CPUs=4\nPartitionName=p Nodes=n Default=YES\n"
    (tmp_path / "slurm.conf").write_text(conf)
    (tmp_path / "jobs").write_text("\n".join((HEAD, row(1), row(2, "old"), row(3, "old,p"), row(4, "old"))))
    run = simulate(read_platform(tmp_path / "slurm.conf"), read_workload(tmp_path / "jobs"), scheduler)
    (told,) = (line for line in run.account if "partition" in line.reason and line.kind == "not-described")
    assert (told.count, told.place) == (3, "w0!2")
    assert told.reason.startswith("jobs name the partition 'old', which the site has not")
