"""Time limits without an end: one of its own, in place of the default of a partition; and defaults beyond MaxTime."""

import json
from math import inf

import pytest

from windtunnel.api import simulate
from windtunnel.formats.registry import read_platform, read_workload
from windtunnel.formats.slurm.sacct import read_sacct
from windtunnel.model.slurm.cluster import FOR_EVER

CONF = """ClusterName=c
SelectType=select/cons_tres
NodeName=n[1-2] CPUs=4
PartitionName=DEFAULT DefaultTime=60
PartitionName=p Nodes=ALL Default=YES {more}
"""
HEAD = "JobID|Partition|Submit|Start|ElapsedRaw|NCPUS|State"
ROW = "7|p|2024-01-01T00:00:00|2024-01-01T00:00:00|10800|4|COMPLETED"


def ran(tmp_path, head, row, more=""):
    (tmp_path / "slurm.conf").write_text(CONF.format(more=more))
    (tmp_path / "jobs").write_text(f"{HEAD}{head}\n{ROW}{row}\n")
    run = simulate(read_platform(tmp_path / "slurm.conf"), read_workload(tmp_path / "jobs"))
    return run.jobs["execution_time"].to_list()


@pytest.mark.parametrize(
    ("head", "row"),
    [
        ("|Timelimit", "|UNLIMITED"),
        ("|TimelimitRaw", "|UNLIMITED"),
        ("|SubmitLine", "|sbatch -t 0 x.sh"),
        ("|SubmitLine", "|sbatch --time=UNLIMITED x.sh"),
    ],
)
def test_a_limit_without_end_is_no_missing_one(tmp_path, head, row):
    """It was: the job ended with the partition's DefaultTime, an hour, of the three that it ran."""
    assert ran(tmp_path, head, row) == [10800.0]
    (job,) = read_sacct(tmp_path / "jobs")
    assert (job.ask.time_limit, job.walltime) == (FOR_EVER, inf)


def test_a_limit_without_end_in_json(tmp_path):
    time = {"submission": 1704067200, "start": 1704067200, "elapsed": 10800}
    time["limit"] = {"set": False, "infinite": True, "number": 0}
    job = {"job_id": 7, "time": time, "state": {"current": ["COMPLETED"]}, "required": {"CPUs": 4}}
    (tmp_path / "jobs.json").write_text(json.dumps({"jobs": [job]}))
    (found,) = read_sacct(tmp_path / "jobs.json")
    assert found.ask.time_limit == FOR_EVER


@pytest.mark.parametrize("most", ["MaxTime=30", "MaxTime=0:59"])
def test_a_default_beyond_the_longest_time_has_no_effect(tmp_path, most):
    (tmp_path / "slurm.conf").write_text(CONF.format(more=most))
    platform = read_platform(tmp_path / "slurm.conf")
    assert platform.site.partitions[0].default_time is None
    (told,) = platform.warnings
    assert (told.line, told.code) == (5, "ignored")
    assert f"DefaultTime=60 exceeds {most}: it has no effect" in told.message


@pytest.mark.parametrize(
    ("more", "minutes"),
    [("MaxTime=1-0", 60), ("MaxTime=60", 60), ("MaxTime=UNLIMITED", 60), ("MaxTime=30 DefaultTime=NONE", None)],
)
def test_a_default_within_it_holds(tmp_path, more, minutes):
    (tmp_path / "slurm.conf").write_text(CONF.format(more=more))
    platform = read_platform(tmp_path / "slurm.conf")
    assert (platform.site.partitions[0].default_time, tuple(platform.warnings)) == (minutes, ())
