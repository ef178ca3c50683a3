"""Whole sockets (CR_Socket), of which jobs with GPUs leave cores to others."""

import sys
from pathlib import Path

import windtunnel as wt
from windtunnel.model.slurm import GresAsk, GresItem, Partition, SelectSettings, SlurmNode

sys.path.insert(0, str(Path(__file__).parent))
from sites import job, msgspec, platform, site, workload


def test_cores_of_sockets_that_a_job_with_gpus_leaves_are_taken_once():
    """It is told to have all CPUs of both sockets, but has some of their cores; the engine knows those."""
    nodes = tuple(
        SlurmNode(
            name=f"n{k}", cpus=16, sockets=2, cores_per_socket=8, memory=8000, state="IDLE",
            gres=(GresItem(name="gpu", count=4),),
        )
        for k in (1, 2)
    )  # fmt: skip
    parts = (Partition(name="batch", default=True), Partition(name="gpu"))
    described = msgspec.structs.replace(
        site(partitions=parts, select=SelectSettings(counts="SOCKET")), nodes=nodes
    )
    run = wt.simulate(
        platform(described),
        workload(
            job("first", 100, tasks=16, nodes=("n1",)),
            job("gpus", 100, submit=10, gres_per_job=(GresAsk(name="gpu", count=3),), tasks_per_gpu=1, partitions=("gpu",)),
            job("rest", 50, submit=20, tasks=4),
        ),
        "slurm",
    )
    found = {row["job_id"]: row for row in run.jobs.to_dicts()}
    assert {row["final_state"] for row in found.values()} == {"COMPLETED_SUCCESSFULLY"}
    assert found["rest"]["allocated_resources"] == found["gpus"]["allocated_resources"]
    assert found["rest"]["starting_time"] < 30


def test_no_whole_socket_is_given_without_memory_for_its_cpus_of_named_nodes_either():
    nodes = tuple(
        SlurmNode(
            name=name, cpus=16, sockets=2, cores_per_socket=4, threads_per_core=2, memory=16000, state="IDLE"
        )
        for name in ("n1", "n2")
    )
    select = SelectSettings(counts="SOCKET", memory=True)
    described = msgspec.structs.replace(
        site(partitions=(Partition(name="batch", default=True),), select=select), nodes=nodes
    )
    run = wt.simulate(
        platform(described),
        workload(
            job("first", 100, tasks=1, memory_per_node=8000),
            job("named", 50, submit=10, tasks=1, threads_per_core=1, memory_per_cpu=2500, nodes=("n1",)),
        ),
        "slurm",
    )
    found = {row["job_id"]: row for row in run.jobs.to_dicts()}
    assert {row["final_state"] for row in found.values()} == {"COMPLETED_SUCCESSFULLY"}
    assert found["named"]["starting_time"] >= 100
