"""Small Slurm sites and jobs for tests."""

import msgspec

from windtunnel.model import DelayProfile, Host, Job, JobList, Platform, PowerState, Request
from windtunnel.model.slurm import JobAsk, MainLoopSettings, Partition, SlurmNode, SlurmSite


def site(nodes=4, cpus=8, **more):
    made = tuple(
        SlurmNode(name=f"n{k}", cpus=cpus, cores_per_socket=cpus, memory=1000 * cpus, state="IDLE")
        for k in range(1, nodes + 1)
    )
    given = {
        "nodes": made,
        "partitions": (Partition(name="main", default=True),),
        "main": MainLoopSettings(batch_sched_delay=1),
    }
    return SlurmSite(**(given | more))


def platform(described):
    hosts = tuple(
        Host(
            id=i,
            name=node.name,
            cores=node.cpus,
            pstates=(PowerState(1e9),),
            resources={"memory": node.memory * 2.0**20, **gpus(node)},
        )
        for i, node in enumerate(described.nodes)
    )
    return Platform(name="site", hosts=hosts, site=described, shares_nodes=True)


def gpus(node):
    count = sum(item.count for item in node.gres)
    return {"gpus": float(count)} if count else {}


def job(name, seconds, submit=0.0, walltime=None, **ask):
    asked = JobAsk(name=name, **({"user": "ann"} | ask))
    nodes = asked.min_nodes or 1
    return Job(
        id=f"w!{name}",
        request=Request(hosts=nodes, processors=asked.tasks or nodes),
        profile=DelayProfile(id=f"d{seconds}", delay=float(seconds)),
        submission_time=float(submit),
        walltime=float(walltime or max(60, -(-seconds // 60) * 60)),
        user=asked.user,
        ask=asked,
    )


def workload(*jobs):
    return JobList("w", sorted(jobs, key=lambda one: one.submission_time))


__all__ = ["job", "msgspec", "platform", "site", "workload"]
