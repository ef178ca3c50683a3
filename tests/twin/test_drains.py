"""Nodes that a log implies were not there: only waits of jobs that those nodes could have held tell so."""

import pytest

from windtunnel.formats.registry import read_platform, read_workload
from windtunnel.twin.drains import drains_in
from windtunnel.twin.replay import log_of

CONF = """ClusterName=mixed
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
GresTypes=gpu
NodeName=c[1-2] CPUs=4 RealMemory=16000 Feature=old
NodeName=g1 CPUs=4 Gres=gpu:1 RealMemory=64000 Feature=new
PartitionName=main Nodes=ALL Default=YES MaxTime=2-0
"""
HEAD = "JobID|User|Partition|Submit|Eligible|Start|End|ElapsedRaw|TimelimitRaw|NCPUS|ReqMem|ReqTRES|State|NodeList"
HEAD += "|Constraints|Licenses|SubmitLine\n"


def log(tres="cpu=1,node=1", eligible="00:00", memory="1Gn", features="", licences="", line="sbatch x.sh"):
    """One job on the last node until ten o'clock, and one that waits for that since midnight."""
    rows = (("1", "00:00", "00:00", "10:00", "cpu=1,node=1", "", "", ""),)
    rows += (("2", eligible, "10:00", "11:00", tres, features, licences, line),)
    return HEAD + "".join(
        f"{name}|ann|main|2024-03-01T00:00:00|2024-03-01T{ready}:00|2024-03-01T{start}:00|2024-03-01T{end}:00"
        f"|{36000 if name == '1' else 3600}|600|1|{memory if name == '2' else '1Gn'}|{asked}|COMPLETED|g1|{wanted}|{needed}|{line}\n"
        for name, ready, start, end, asked, wanted, needed, line in rows
    )


def found(tmp_path, text):
    (tmp_path / "slurm.conf").write_text(CONF)
    (tmp_path / "log").write_text(text)
    jobs = log_of(read_workload(tmp_path / "log"))
    return {one.node for one in drains_in(jobs, read_platform(tmp_path / "slurm.conf"))}


def test_a_job_that_any_node_holds_tells_of_drains(tmp_path):
    assert found(tmp_path, log()) == {"c1", "c2"}


@pytest.mark.parametrize(
    "given",
    [
        {"tres": "cpu=1,node=1,gres/gpu=1"},
        {"memory": "32Gn"},
        {"features": "new"},
        {"eligible": "10:00"},
        {"licences": "matlab:1"},
        {"line": "sbatch -w g1 x.sh"},
        {"line": "sbatch -x c1,c2 x.sh"},
        {"line": "sbatch --array=1-9%1 x.sh"},
        {"eligible": "10:00", "line": "sbatch -d afterok:1 x.sh"},
    ],
)
def test_a_job_that_waits_for_something_else_does_not(tmp_path, given):
    """For the one GPU, the larger memory, its date, other jobs: nodes that it could not use were free for it."""
    assert found(tmp_path, log(**given)) == set()


def test_a_feature_that_the_nodes_have_tells_of_them(tmp_path):
    assert found(tmp_path, log(features="old|new")) == {"c1", "c2"}
