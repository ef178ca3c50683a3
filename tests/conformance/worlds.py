"""Inputs of every world, each asking for all that it can ask for, small enough to be worked out by hand."""

import json
from pathlib import Path
from typing import Any

import msgspec

import windtunnel as wt
from windtunnel.api import Run
from windtunnel.vocabulary import View

__all__ = ["OWN", "SCHEDULERS", "WORLDS", "World", "simulate"]


def OWN(view: View) -> Any:
    """A function as users write them: first come, first served, on whole hosts."""
    free = view.free
    for job in view.queue:
        if job.request.hosts > len(view.hosts):
            yield wt.Reject(job, "larger than the site")
            continue
        hosts = free.pick(job.request.hosts)
        if hosts is None:
            return
        free -= hosts
        yield wt.Execute(job, hosts)


SCHEDULERS: dict[str, Any] = {
    "easy": "easy",
    "conservative": "conservative",
    "stage-scheduler": "stage-scheduler",
    "datacenters": "datacenters",
    "leases": "leases",
    "own": OWN,
}


class World(msgspec.Struct, frozen=True):
    """A platform (empty: the workload's own) and a workload, as files."""

    platform: str
    workload: str
    options: dict[str, Any] = {}


LWF = """<lease-workload name="day">
  <site>
    <resource-types names="CPU Memory Licence"/>
    <nodes><node-set numnodes="2">
      <res type="CPU" amount="200"/><res type="Memory" amount="1024"/><res type="Licence" amount="2"/>
    </node-set></nodes>
  </site>
  <lease-requests>
    <lease-request arrival="00:00:00">
      <lease id="1" preemptible="true">
        <nodes><node-set numnodes="2"><res type="CPU" amount="100"/><res type="Memory" amount="768"/></node-set></nodes>
        <start/><duration time="01:00:00"/><software><none/></software>
      </lease>
    </lease-request>
    <lease-request arrival="00:00:01">
      <lease id="2" preemptible="false">
        <nodes><node-set numnodes="1"><res type="CPU" amount="100"/><res type="Memory" amount="512"/></node-set></nodes>
        <start/><duration time="00:10:00"/><software><none/></software>
      </lease>
    </lease-request>
    <lease-request arrival="00:00:02">
      <lease id="3" preemptible="false">
        <nodes><node-set numnodes="1"><res type="CPU" amount="100"/><res type="Licence" amount="2"/></node-set></nodes>
        <start><exact time="02:00:00"/></start><duration time="00:10:00"/>
        <deadline time="04:00:00"/><software><none/></software>
      </lease>
    </lease-request>
    <lease-request arrival="00:00:03">
      <lease id="4" preemptible="false">
        <nodes><node-set numnodes="1"><res type="CPU" amount="100"/></node-set></nodes>
        <start><now/></start><duration time="00:10:00"/>
        <software><disk-image id="image.img" size="100"/></software>
      </lease>
    </lease-request>
    <lease-request arrival="00:00:04">
      <lease id="5" preemptible="false">
        <nodes><node-set numnodes="1"><res type="CPU" amount="100"/><res type="Licence" amount="3"/></node-set></nodes>
        <start/><duration time="00:10:00"/><software><none/></software>
      </lease>
    </lease-request>
  </lease-requests>
</lease-workload>
"""

_THIN = {"type": "MACHINE", "cpus": [{"clock-rate": 1e9, "cores": 4}], "memory": [{"capacity": 1000}]}
ENVIRONMENT = {
    "environment": {
        "datacenters": [
            {
                "id": 1,
                "operational": {"scheduler": {"name": "stage-scheduler", "options": {"placement": "WORST-FIT"}}},
                "rooms": [
                    {
                        "type": "SERVER",
                        "objects": [{"type": "RACK", "units": [{**_THIN, "id": 1}, {**_THIN, "id": 2}]}],
                    }
                ],
            }
        ]
    },
    "events": [
        {"time": 500, "type": "MACHINE_STATE_CHANGE", "machine": 2, "state": "MAINTENANCE"},
        {"time": 600, "type": "MACHINE_STATE_CHANGE", "machine": 2, "state": "ACTIVE"},
        {
            "time": 700,
            "type": "DATACENTER_SCHEDULER_CHANGE",
            "datacenter": 1,
            "scheduler": {"name": "stage-scheduler", "options": {"placement": "FIRST-FIT"}},
        },
    ],
}


def _task(name: str, submit: int, runtime: int, cores: int, **more: Any) -> dict[str, Any]:
    seconds = f"2020-01-01T00:{submit // 60:02d}:{submit % 60:02d}"
    return {"id": name, "ts_submit": seconds, "runtime": runtime, "core_count": cores, **more}


TASKS = {
    "date_start": "2020-01-01T00:00:00",
    "workflows": [
        {
            "tasks": [
                _task("a", 0, 100, 3, memory_consumption=600),
                _task("b", 0, 100, 1, memory_consumption=300),
                _task("c", 0, 100, 1, memory_consumption=600),
                _task("d", 10, 50, 2, depends_on=["a"]),
                _task("e", 450, 100, 4),
                _task("f", 451, 100, 4),
                _task("g", 800, 100, 1),
                _task("h", 810, 100, 1),
                _task("huge", 20, 10, 1, memory_consumption=5000),
            ]
        }
    ],
}

SSS = "".join(
    f"<Node><Id>n{number}</Id>{state}<Configured><Processors>4</Processors><Memory units='MB'>1000</Memory>"
    "<Resource name='GPU'>1</Resource><Resource name='License' type='M'>1</Resource></Configured></Node>"
    for number, state in ((1, ""), (2, ""), (3, "<State>Offline</State>"))
)
SSS_JOBS = {
    "nb_res": 3,
    "jobs": [
        {
            "id": "a",
            "subtime": 0,
            "res": 1,
            "profile": "d",
            "walltime": 200,
            "amounts_per_host": {"cores": 1, "memory": 600e6},
        },
        {
            "id": "b",
            "subtime": 0,
            "res": 1,
            "profile": "d",
            "walltime": 200,
            "amounts_per_host": {"cores": 1, "memory": 600e6},
        },
        {
            "id": "c",
            "subtime": 0,
            "res": 1,
            "profile": "d",
            "walltime": 200,
            "amounts_per_host": {"cores": 1, "gpus": 1},
        },
        {
            "id": "d",
            "subtime": 0,
            "res": 1,
            "profile": "d",
            "walltime": 200,
            "amounts_per_host": {"cores": 1, "gpus": 1},
        },
        {
            "id": "e",
            "subtime": 0,
            "res": 1,
            "profile": "d",
            "walltime": 200,
            "amounts_per_host": {"cores": 1, "License:M": 1},
        },
        {"id": "f", "subtime": 0, "res": 1, "profile": "d", "walltime": 200, "amounts_per_host": {"cores": 9}},
        {
            "id": "g",
            "subtime": 0,
            "res": 1,
            "profile": "d",
            "walltime": 200,
            "amounts_per_host": {"cores": 1, "tapes": 2},
        },
    ],
    "profiles": {"d": {"type": "delay", "delay": 100}},
}

SWF = """; MaxProcs: 8
1 0 -1 100 3 -1 -1 3 200 500 1 1 1 -1 1 1 -1 -1
2 5 -1 300 1 -1 -1 1 200 -1 1 1 1 -1 2 2 -1 -1
3 10 -1 50 4 -1 -1 4 60 -1 1 1 1 -1 1 1 1 20
4 12 -1 50 99 -1 -1 99 60 -1 1 1 1 -1 1 1 -1 -1
"""

BATSIM4 = {
    "nb_res": 4,
    "jobs": [
        {"id": "a", "subtime": 0, "walltime": 50, "res": 2, "profile": "long", "queue": "q"},
        {"id": "b", "subtime": 0, "walltime": 50, "res": 9, "profile": "short", "queue": "r"},
        {"id": "c", "subtime": 1, "walltime": 50, "res": 2, "profile": "short", "colour": "red"},
    ],
    "profiles": {"long": {"type": "delay", "delay": 100}, "short": {"type": "delay", "delay": 10}},
}
BATSIM5 = {
    **BATSIM4,
    "profiles": {"long": {"type": "DelayProfile", "delay": 100}, "short": {"type": "DelayProfile", "delay": 10}},
}

SLURM = """ClusterName=tiny
SelectType=select/cons_tres
NodeName=n[1-2] CPUs=4 RealMemory=1000 Gres=gpu:1
NodeName=n3 CPUs=4 State=DOWN
PartitionName=p Nodes=n[1-2] MaxTime=60
PartitionName=q Nodes=n1
"""
SACCT = """JobID|Submit|ElapsedRaw|NCPUS|NNodes|ReqMem|ReqTRES|TimelimitRaw|State|User|Account|Partition
1|2020-01-01T00:00:00|100|3|1|600M|cpu=3,mem=600M|5|COMPLETED|u|g|p
2|2020-01-01T00:00:00|100|1|1|600M|cpu=1,mem=600M,gres/gpu=1|5|COMPLETED|u|g|q
3|2020-01-01T00:00:01|900|4|1|1M|cpu=4|5|TIMEOUT|u|g|p
"""

FILES = {
    "day.lwf": LWF,
    "env.json": json.dumps(ENVIRONMENT),
    "tasks.json": json.dumps(TASKS),
    "nodes.xml": f"<Data>{SSS}</Data>",
    "sss.json": json.dumps(SSS_JOBS),
    "log.swf": SWF,
    "four.json": json.dumps(BATSIM4),
    "five.json": json.dumps(BATSIM5),
    "slurm.conf": SLURM,
    "sacct.txt": SACCT,
}

WORLDS = {
    "LWF": World("", "day.lwf"),
    "environment": World("env.json", "tasks.json"),
    "SSS": World("nodes.xml", "sss.json"),
    "SWF": World("hosts:2x4", "log.swf"),
    "Batsim 4": World("hosts:4", "four.json"),
    "Batsim 5": World("hosts:4", "five.json"),
    "Slurm": World("slurm.conf", "sacct.txt"),
}


def simulate(world: World, scheduler: Any, folder: Path, **options: Any) -> Run:
    """Run a world under a scheduler."""
    for name, text in FILES.items():
        (folder / name).write_text(text)
    place = world.platform if world.platform.startswith("hosts:") else str(folder / world.platform)
    inputs = [place, str(folder / world.workload)] if world.platform else [str(folder / world.workload)]
    return wt.simulate(*inputs, scheduler=scheduler, **{**world.options, **options})
