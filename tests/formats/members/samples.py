"""A file of each format that says all that the format can say, none of it what would be taken anyway.

``quiet`` are changes (``MEMBER left out``) that leave everything as it was for a good reason, which is given.
"""

import json
from collections.abc import Mapping
from typing import Any

import msgspec

__all__ = ["SAMPLES", "Sample"]


class Sample(msgspec.Struct, frozen=True):
    """A valid file: its text, how it is written, and what else its reader needs."""

    text: str
    syntax: str
    """``json``, ``json lines``, ``xml``, ``rows`` (a head names the columns), ``fields`` (they have places only),
    ``settings`` (KEY=value)."""
    options: Mapping[str, Any] = {}
    files: Mapping[str, str] = {}
    """Further files beside it."""
    quiet: Mapping[str, str] = {}
    """What was done to which member -> why nothing comes of it."""


AS_IT_WAS = "it tells how it was, which is compared and not simulated"

ELASTISIM = {
    "jobs": [
        {
            "type": "malleable",
            "submit_time": date,
            "num_nodes_min": 1,
            "num_nodes_max": 4,
            "application_model": "app.json",
        }
        for date in (0, 1)
    ]
}
ELASTISIM_MODEL = json.dumps(
    {"phases": [{"tasks": [{"type": "idle", "delay": "8 / num_nodes", "pattern": "uniform"}], "iterations": 3}]}
)

ENVIRONMENT = {
    "name": "a site",
    "description": "of one rack",
    "environment": {
        "datacenters": [
            {
                "id": 1,
                "name": "north",
                "location": "Bergen",
                "operational": {
                    "scheduler": {"name": "stage-scheduler", "options": {"selection": "SJF", "placement": "BEST-FIT"}}
                },
                "rooms": [
                    {
                        "id": 4,
                        "name": "hall",
                        "type": "SERVER",
                        "objects": [
                            {
                                "id": 3,
                                "name": "rack 3",
                                "type": "RACK",
                                "capacity": 2,
                                "power-capacity": 2000,
                                "units": [
                                    {"type": "MACHINE", "id": 7, "name": "m7", "$base": "#/definitions/thin"},
                                    {
                                        "type": "MACHINE",
                                        "id": 8,
                                        "$base": "#/definitions/thin",
                                        "$merge": ["memory"],
                                        "memory": [{"capacity": 500}],
                                    },
                                ],
                            }
                        ],
                    }
                ],
            }
        ]
    },
    "definitions": {
        "thin": {
            "cpus": [
                {
                    "model": "c",
                    "clock-rate": 2e9,
                    "cores": 4,
                    "energy-consumption": 90,
                }
            ],
            "gpus": [{"model": "g", "clock-rate": 1e9, "cores": 100, "energy-consumption": 50}],
            "memory": [{"model": "r", "capacity": 8000, "energy-consumption": 5}],
            "storage": [
                {"model": "d", "capacity": 1e6, "read-speed": 100, "write-speed": 50, "energy-consumption": 4}
            ],
        }
    },
    "events": [
        {"time": 10, "type": "MACHINE_STATE_CHANGE", "machine": 7, "state": "FAILURE"},
        {
            "time": 20,
            "type": "DATACENTER_SCHEDULER_CHANGE",
            "datacenter": 1,
            "scheduler": {"name": "stage-scheduler", "options": {"selection": "LJF"}},
        },
    ],
}

OSP = {
    "id": "w",
    "date_start": "2020-01-01T00:00:00",
    "date_end": "2020-01-02T00:00:00",
    "workflows": [
        {
            "id": "1",
            "task_count": 3,
            "critical_path_task_count": 3,
            "critical_path_length": 35,
            "tasks": [
                {
                    "id": "a",
                    "ts_submit": "2020-01-01T00:00:10",
                    "runtime": 10,
                    "core_count": 2,
                    "memory_consumption": 100,
                    "user_id": "u",
                    "group_id": "g",
                },
                {
                    "id": "b",
                    "ts_submit": "2020-01-01T00:00:20",
                    "depends_on": ["a"],
                    "memory_usage": "200MB",
                    "resources_used": [
                        {
                            "time_assigned": "2020-01-01T00:00:30",
                            "time_released": "2020-01-01T00:00:50",
                            "ncpu": 3,
                        }
                    ],
                    "enables": ["c"],
                },
                {"id": "c", "ts_submit": "2020-01-01T00:00:30", "runtime": 5, "core_count": 1},
            ],
        }
    ],
}

WFCOMMONS = {
    "name": "flow",
    "schemaVersion": "1.5",
    "workflow": {
        "specification": {
            "tasks": [
                {"name": "one", "id": "t1", "children": ["t2"], "inputFiles": ["f1"]},
                {"name": "two", "id": "t2", "parents": ["t3"], "outputFiles": ["f1"]},
                {"name": "three", "id": "t3"},
            ],
            "files": [{"id": "f1", "sizeInBytes": 10}],
        },
        "execution": {
            "makespanInSeconds": 30,
            "executedAt": "2020-01-01T00:00:00Z",
            "tasks": [
                {"id": "t1", "runtimeInSeconds": 10, "coreCount": 2, "machines": ["m"], "avgCPU": 50},
                {"id": "t3", "runtimeInSeconds": 5},
                {"id": "t2", "runtimeInSeconds": 20, "coreCount": 3, "memoryInBytes": 9, "priority": 1},
            ],
            "machines": [{"nodeName": "m"}],
        },
    },
}

WFCOMMONS_OLD = {
    "name": "flow",
    "schemaVersion": "1.3",
    "workflow": {
        "makespan": 30,
        "tasks": [
            {"name": "t1", "type": "compute", "runtime": 10, "cores": 2, "files": [], "children": ["t3"]},
            {"name": "t3", "runtime": 3},
            {"name": "t2", "type": "compute", "runtime": 20, "cores": 3, "parents": ["t1"]},
        ],
    },
}

DAX = """<adag xmlns="http://pegasus.isi.edu/schema/DAX" name="x" version="2.1">
  <job id="A" runtime="10" num_procs="4" name="a"><uses file="f" size="3"/></job>
  <job id="B" runtime="2.5" num_procs="2"/>
  <child ref="B"><parent ref="A"/></child>
</adag>
"""

LWF = """<lease-workload name="day" starttime="2010-01-01 00:00:00">
  <description>A day.</description>
  <site>
    <resource-types names="CPU Memory Licence"/>
    <nodes>
      <node-set numnodes="2">
        <res type="CPU" amount="200"/><res type="Memory" amount="2048"/><res type="Licence" amount="3"/>
      </node-set>
    </nodes>
  </site>
  <lease-requests>
    <lease-request arrival="00:00:05">
      <realduration time="00:20:00"/>
      <lease id="1" preemptible="true" user="7">
        <nodes>
          <node-set numnodes="2"><res type="CPU" amount="100"/><res type="Memory" amount="1024"/></node-set>
        </nodes>
        <start/>
        <duration time="01:00:00"/>
        <software><disk-image id="image.img" size="512"/></software>
      </lease>
    </lease-request>
    <lease-request arrival="00:00:10">
      <lease id="2" preemptible="false">
        <nodes>
          <node-set numnodes="1"><res type="CPU" amount="50"/><res type="Licence" amount="2"/></node-set>
        </nodes>
        <start><exact time="10:00:00"/></start>
        <duration time="02:00:00"/>
        <deadline time="18:00:00"/>
        <software><none/></software>
      </lease>
    </lease-request>
    <lease-request arrival="00:00:20">
      <lease id="3" preemptible="false">
        <nodes><node-set numnodes="1"><res type="CPU" amount="100"/></node-set></nodes>
        <start><now/></start>
        <duration time="00:30:00"/>
        <software><none/></software>
      </lease>
    </lease-request>
  </lease-requests>
</lease-workload>
"""

SITE = """<site>
  <resource-types names="CPU Memory Licence"/>
  <nodes>
    <node-set numnodes="2">
      <res type="CPU"><instance amount="100"/><instance amount="50"/></res>
      <res type="Memory" amount="2048"/>
      <res type="Licence" amount="3"/>
    </node-set>
    <node-set numnodes="1"><res type="CPU" amount="300"/><res type="Memory" amount="1024"/></node-set>
  </nodes>
</site>
"""

SSS = """<Data>
  <Node>
    <Id>n1</Id>
    <Name>one</Name>
    <Description>The first.</Description>
    <State>Idle</State>
    <Feature>BigMem</Feature>
    <Opsys>Linux</Opsys>
    <Arch>x86_64</Arch>
    <Configured>
      <Processors>16</Processors>
      <Memory units="GB">32</Memory>
      <Swap units="GB">4</Swap>
      <Disk units="GB">100</Disk>
      <Network units="Mb/s">1000</Network>
      <Resource name="GPU" type="A100">2</Resource>
      <Resource name="License" type="MATLAB">3</Resource>
    </Configured>
    <Available>
      <Processors>16</Processors>
      <Memory units="GB" metric="Instantaneous">30</Memory>
    </Available>
    <Utilized>
      <Processors metric="Average" wallDuration="PT1H">4</Processors>
    </Utilized>
    <Extension name="Speed">2.5</Extension>
  </Node>
  <Node><Id>n2</Id><Configured><Processors>8</Processors></Configured></Node>
</Data>
"""

SIMGRID = """<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <config id="general"><prop id="network/TCP-gamma" value="1000"/></config>
  <zone id="z" routing="Full">
    <prop id="owner" value="me"/>
    <host id="master" speed="2Gf"/>
    <host id="h1" speed="1Gf,0.5Gf" core="4" pstate="1">
      <prop id="wattage_per_state" value="95:100:190,90:95:150"/>
      <prop id="wattage_off" value="5"/>
    </host>
    <host id="h2" speed="3Gf" core="2"><prop id="memory" value="8"/></host>
    <link id="l1" bandwidth="100MBps" latency="1ms" sharing_policy="FATPIPE"><prop id="p" value="q"/></link>
    <link id="l2" bandwidth="50MBps" latency="2ms"/>
    <route src="master" dst="h1" symmetrical="NO"><link_ctn id="l1"/></route>
    <route src="h1" dst="master" symmetrical="NO"><link_ctn id="l2"/></route>
    <route src="h1" dst="h2"><link_ctn id="l1"/><link_ctn id="l2"/></route>
    <route src="master" dst="h2"><link_ctn id="l2"/></route>
  </zone>
</platform>
"""

SIMGRID_CLUSTER = """<?xml version="1.0"?>
<platform version="4.1">
  <zone id="z" routing="Full">
    <cluster id="c" prefix="n" radical="0-2" suffix=".x" speed="1Gf" core="2" bw="10MBps" lat="1ms"
      bb_bw="20MBps" bb_lat="2ms" limiter_link="5MBps" loopback_bw="50MBps" loopback_lat="3ms"
      sharing_policy="FATPIPE" bb_sharing_policy="FATPIPE" router_id="r">
      <prop id="wattage_per_state" value="95:100:190"/>
    </cluster>
    <cluster id="d" prefix="m" radical="0-1" suffix=".y" speed="1Gf" bw="10MBps" lat="1ms" router_id="s"/>
    <link id="between" bandwidth="1MBps" latency="5ms"/>
    <zoneRoute src="c" dst="d" gw_src="r" gw_dst="s"><link_ctn id="between"/></zoneRoute>
  </zone>
</platform>
"""

SACCT = (
    "JobID|Submit|ElapsedRaw|NCPUS|NNodes|ReqMem|ReqTRES|TimelimitRaw|State|User|Account|Partition|"
    "NodeList|Priority|QOS|JobName\n"
    "1|2020-01-01T00:00:00|100|8|2|4Gn|cpu=8,gres/gpu=2|10|COMPLETED|u|g|p|"
    "n[1-2]|10|normal|a\n"
    "2|2020-01-01T00:00:10|50|3|1|2Gn|cpu=3|5|FAILED|v|h|q|n1|20|low|b\n"
)

SACCT_TIMES = (
    "JobID|Submit|Start|End|AllocTRES|Timelimit|State|User|Account|Partition\n"
    "1|2020-01-01T00:00:00|2020-01-01T00:00:05|2020-01-01T00:01:45|cpu=8,mem=4G|00:10:00|COMPLETED|u|g|p\n"
    "2|2020-01-01T00:00:10|2020-01-01T00:02:00|2020-01-01T00:02:50|cpu=3|00:05:00|FAILED|v|h|q\n"
)

SACCT_JSON = {
    "jobs": [
        {
            "job_id": 7,
            "array": {"job_id": 5, "task_id": {"number": 2}},
            "time": {"submission": 1000, "elapsed": 100, "limit": {"number": 10}, "start": 1005},
            "state": {"current": ["FAILED"], "reason": "None"},
            "tres": {"allocated": [{"type": "cpu", "count": 8}, {"type": "gres", "name": "gpu", "count": 2}]},
            "user": "u",
            "account": "g",
            "partition": "p",
            "priority": 3,
            "nodes": "n1",
        },
        {
            "job_id": 9,
            "het": {"job_id": 8, "job_offset": {"number": 1}},
            "time": {"submission": 1010, "elapsed": 50},
            "state": {"current": ["CANCELLED"]},
            "required": {"CPUs": 3, "memory": 100},
            "user": "v",
        },
    ]
}

SCONTROL = (
    "NodeName=n1 CoresPerSocket=4\n   CPUTot=14\n   AvailableFeatures=a,b\n   Gres=gpu:a100:2\n"
    "   RealMemory=1000 Sockets=2\n   State=MIXED ThreadsPerCore=2 TmpDisk=5 Weight=2\n   Partitions=p\n\n"
    "NodeName=n2 CPUTot=8\n   Partitions=p,q\n"
)
SQUEUE_JSON = {
    "jobs": [
        {
            "job_id": 3, "name": "one", "user_name": "ann", "user_id": 5, "account": "phys", "qos": "high",
            "job_state": ["COMPLETED"], "state_reason": "None", "nice": 7,
            "time_limit": 5, "submit_time": 1704067210,
            "eligible_time": 1704067220, "start_time": 1704067230, "end_time": 1704067290, "suspend_time": 1704067270,
            "pre_sus_time": 7, "partition": "p", "required_nodes": "n1", "excluded_nodes": "n2", "nodes": "n1",
            "node_count": 2, "cpus": 8, "tasks": 4, "cpus_per_task": 2,
            "tres_req_str": "cpu=8,mem=9G,node=2,gres/gpu=2,license/x=1", "features": "big", "resv_name": "r",
            "shared": ["none"], "memory_per_cpu": 1000, "dependency": "afterok:4", "prefer": "fast",
            "sockets_per_node": 2, "priority": 77,
        },
        {
            "job_id": 4, "name": "two", "user_name": "bob", "job_state": "COMPLETED", "time_limit": 5, "cpus": 2,
            "submit_time": 1704067250, "start_time": 1704067260, "end_time": 1704067280, "array_job_id": 9,
            "array_task_string": "1", "array_max_tasks": 2, "memory_per_node": 2000, "exclusive": ["true"],
            "deadline": 1704153600, "time_minimum": 2, "contiguous": True,
        },
    ]
}  # fmt: skip
SINFO_JSON = {
    "sinfo": [
        {
            "node": {"state": ["DOWN"]}, "nodes": {"nodes": ["n1"]}, "cpus": {"minimum": 16, "maximum": 16},
            "sockets": {"minimum": 2, "maximum": 2}, "cores": {"minimum": 4, "maximum": 4},
            "threads": {"minimum": 2, "maximum": 2}, "memory": {"minimum": 900, "maximum": 900},
            "weight": {"minimum": 3, "maximum": 3}, "features": {"total": "big"}, "gres": {"total": "gpu:2"},
            "reason": "x",
            "partition": {
                "name": "p", "nodes": {"configured": "n1"}, "accounts": {"allowed": "a", "deny": "b"},
                "qos": {"allowed": "q", "deny": "r", "assigned": "s"},
                "defaults": {"time": 5, "memory_per_cpu": 70, "job": "DefCpuPerGPU=3"},
                "maximums": {"time": 60, "nodes": 4, "cpus_per_node": 7, "memory_per_cpu": 800, "shares": 0,
                             "over_time_limit": 9, "cpus_per_socket": 3},
                "minimums": {"nodes": 2}, "priority": {"tier": 5, "job_factor": 6},
                "tres": {"billing_weights": "CPU=2"}, "grace_time": 30, "partition": {"state": ["DRAIN"]},
                "suspend_time": 4,
            },
        }
    ]
}  # fmt: skip
SCONTROL_JOB = (
    "JobId=3 JobName=one\n   UserId=ann(5) Account=phys QOS=high JobState=RUNNING\n   Nice=7 RunTime=00:00:20 "
    "TimeLimit=00:05:00 SubmitTime=2024-01-01T00:00:10 EligibleTime=2024-01-01T00:00:20\n   "
    "StartTime=2024-01-01T00:00:30 Partition=p ReqNodeList=n1 ExcNodeList=n2 NodeList=n1 NumNodes=2 NumCPUs=8 "
    "NumTasks=4 CPUs/Task=2\n   ReqTRES=cpu=8,mem=9G,node=2,gres/gpu=2,license/x=1 Features=big Reservation=r "
    "OverSubscribe=NO MinMemoryCPU=1G\n\n"
    "JobId=4 JobName=two UserId=bob(6) JobState=COMPLETED RunTime=00:00:20 TimeLimit=00:05:00 NumCPUs=2 TRES=node=2 "
    "SubmitTime=2024-01-01T00:00:50 ArrayJobId=9 ArrayTaskId=1 ArrayTaskThrottle=2 Dependency=afterok:3 "
    "MinMemoryNode=2G\n\n"
    "JobId=5 JobName=x JobState=PENDING Reason=JobHeldUser SubmitTime=2024-01-01T00:00:50\n\n"
    "JobId=6 JobName=x JobState=COMPLETED RunTime=00:00:20 NumCPUs=1 SubmitTime=2024-01-01T00:00:50 HetJobId=6 "
    "HetJobOffset=0\n\n"
    "JobId=7 JobName=x JobState=COMPLETED RunTime=00:00:20 NumCPUs=1 SubmitTime=2024-01-01T00:00:50 HetJobId=6 "
    "HetJobOffset=1 Deadline=2024-01-02T00:00:00\n"
)
SLURM = r"""ClusterName=tiny
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerType=sched/backfill
NodeName=DEFAULT RealMemory=4096
NodeName=n[1-2] Sockets=2 CoresPerSocket=4 ThreadsPerCore=2 TmpDisk=1000 Gres=gpu:a100:2 Feature=fast Weight=3
NodeName=n3 CPUs=6 RealMemory=2048 State=IDLE
NodeName=n4 State=DOWN
PartitionName=p Nodes=n[1-2] Default=YES MaxTime=60 OverSubscribe=NO
PartitionName=q Nodes=n3 PriorityTier=5
"""

SWF_HEAD = """; Version: 2.2
; Computer: a computer
; UnixStartTime: 1000
; MaxNodes: 4
; MaxProcs: 16
"""
SWF_ROWS = """1 0 5 100 4 50 7 4 200 100 1 3 4 5 6 7 -1 -1
2 10 6 100 8 60 8 8 300 200 0 4 5 6 7 8 1 9
"""

GWF = """# a comment
1 0 5 100 4 50 7 4 200 100 1 U3 G4 E5 Q6 P7 S1 S2 UNITARY X 10 20 R PL 30 40 RR V PR
2 10 6 100 8 60 8 8 300 200 0 U4 G5 E6 Q7 P8 S3 S4 BOT Y 11 21 S PM 31 41 RS W PS
"""
GWF_WORKFLOWS = """WorkflowID, JobID , SubmitTime, RunTime, NProcs, ReqNProcs, Dependencies
0, 0, 0, 10, 2, 3,
0, 1, 5, 20, 4, 4, 0
1, 0, 7, 30, 1, 1,
"""

CSV = """job_id,submit,start,end,cores,limit,who,team,where,how,after,colour
a,100,110,150,4,2,u,g,q,COMPLETED,,red
b,120,150,190,8,3,v,h,r,FAILED,a,blue
"""
MAPPING = """delimiter = ","
[columns]
id = "job_id"
submit = "submit"
start = "start"
end = "end"
processors = "cores"
walltime = "limit"
user = "who"
group = "team"
queue = "where"
status = "how"
parents = "after"
[units]
walltime = "minutes"
"""

BATSIM4 = {
    "nb_res": 4,
    "description": "two jobs",
    "jobs": [
        {
            "id": "1",
            "subtime": 5.0,
            "walltime": 100,
            "res": 2,
            "profile": "p",
            "user": "u",
            "group": "g",
            "queue": "q",
            "amounts_per_host": {"cores": 2},
        },
        {"id": "2", "subtime": 6.0, "walltime": 100, "res": 1, "profile": "d", "dependencies": ["1"]},
        {"id": "3", "subtime": 7.0, "res": 2, "profile": "s", "queue": "r"},
    ],
    "profiles": {
        "p": {"type": "parallel", "cpu": [1e9, 2e9], "com": [0, 1e6, 2e6, 0]},
        "h": {"type": "parallel_homogeneous", "cpu": 1e9, "com": 1e6},
        "d": {"type": "delay", "delay": 20, "ret": 1},
        "s": {"type": "composed", "repeat": 2, "seq": ["p", "h"]},
    },
}

BATSIM5 = {
    "nb_res": 4,
    "description": "three jobs",
    "jobs": [
        {"id": "1", "subtime": 5.0, "walltime": 100, "res": 2, "profile": "p", "extra_data": {"a": 1}, "colour": 3},
        {"id": "2", "subtime": 6.0, "walltime": 100, "res": 1, "profile": "d"},
        {"id": "3", "subtime": 7.0, "res": 2, "profile": "s", "amounts_per_host": {"gpus": 1}},
    ],
    "profiles": {
        "p": {"type": "ParallelTaskProfile", "cpu": [1e9, 2e9], "com": [0, 1e6, 2e6, 0]},
        "h": {"type": "ParallelTaskHomogeneousProfile", "cpu": 1e9, "com": 1e6},
        "d": {"type": "DelayProfile", "delay": 20, "ret": 1},
        "s": {"type": "SequentialCompositionProfile", "repeat": 2, "seq": ["p", "h"]},
    },
}

EVENTS = """{"timestamp": 5, "type": "machine_unavailable", "resources": "0-1"}
{"timestamp": 6, "type": "machine_state", "resources": "2", "state": "FAILURE", "cause": "dust"}
{"timestamp": 8, "type": "machine_available", "resources": "0-1"}
"""

_INSIDE = "it stands in something of which the account says that it is not simulated"
_NAME = "a name for people, to which nothing refers"
_CHECKED = "a bound, which the rest of the file keeps"
_LWF = {"lease@id left out": "leases without an id are numbered, and these were numbered so"}

SAMPLES: dict[tuple[str, str], list[Sample]] = {
    ("platform", "environment"): [
        Sample(
            json.dumps(ENVIRONMENT, indent=1),
            "json",
            quiet={
                "/description left out": _NAME,
                "/environment/datacenters/*/location left out": _NAME,
                "/environment/datacenters/*/rooms/*/id left out": _NAME,
                "/environment/datacenters/*/rooms/*/objects/*/id left out": _NAME,
                "/environment/datacenters/*/rooms/*/objects/*/name left out": _NAME,
                "/environment/datacenters/*/rooms/*/objects/*/capacity left out": _CHECKED,
                "/definitions/thin/memory/*/model left out": _NAME,
                "/definitions/thin/storage/*/model left out": _NAME,
            },
        )
    ],
    ("workload", "jsspp-osp"): [Sample(json.dumps(OSP, indent=1), "json", quiet={"/date_end left out": _CHECKED})],
    ("workload", "wfcommons"): [
        Sample(
            json.dumps(WFCOMMONS, indent=1),
            "json",
            quiet={
                "/schemaVersion left out": "the members tell which version it is",
                "/workflow/specification/tasks/*/name left out": "tasks are known by their ids",
                **{
                    f"/workflow/{member} {what}": _INSIDE
                    for member in (
                        "specification/files/*/id",
                        "specification/files/*/sizeInBytes",
                        "execution/machines/*/nodeName",
                    )
                    for what in ("misspelt", "left out")
                },
            },
        ),
        Sample(
            json.dumps(WFCOMMONS_OLD, indent=1),
            "json",
            quiet={"/schemaVersion left out": "the members tell which version it is"},
        ),
    ],
    ("workload", "dax"): [
        Sample(
            DAX,
            "xml",
            quiet={f"uses@{name} {what}": _INSIDE for name in ("file", "size") for what in ("misspelt", "left out")},
        )
    ],
    ("workload", "lwf"): [Sample(LWF, "xml", quiet=_LWF)],
    ("leases", "lwf"): [Sample(LWF, "xml", quiet=_LWF)],
    ("platform", "lwf"): [Sample(SITE, "xml")],
    ("platform", "sss"): [Sample(SSS, "xml")],
    ("platform", "simgrid"): [
        Sample(SIMGRID, "xml", quiet={"config@id left out": _NAME}),
        Sample(SIMGRID_CLUSTER, "xml"),
    ],
    ("workload", "sacct"): [
        Sample(SACCT, "rows", {"delimiter": "|"}),
        Sample(SACCT_TIMES, "rows", {"delimiter": "|"}),
        Sample(
            json.dumps(SACCT_JSON, indent=1),
            "json",
            quiet={
                "/jobs/*/job_id left out": "a task of an array, or a part of a job, is named after the whole",
            },
        ),
    ],
    ("platform", "scontrol"): [Sample(SCONTROL, "settings")],
    ("platform", "sinfo-json"): [Sample(json.dumps(SINFO_JSON, indent=1), "json", options={"all_states": True})],
    ("workload", "squeue-json"): [
        Sample(
            json.dumps(SQUEUE_JSON, indent=1),
            "json",
            quiet={
                "/jobs/*/cpus left out": "tres_req_str says the same",
                "/jobs/*/cpus_per_task left out": "it follows from the CPUs that were requested, and the tasks",
                "/jobs/*/job_id left out": "a task of an array is named after the whole",
                "/jobs/*/node_count left out": "tres_req_str says the same",
                "/jobs/*/nodes left out": AS_IT_WAS,
                "/jobs/*/state_reason left out": "of jobs that are not held it is a history",
                "/jobs/*/user_id left out": "the name says who it is",
            },
        )
    ],
    ("workload", "scontrol-job"): [
        Sample(
            SCONTROL_JOB,
            "settings",
            quiet={
                "HetJobOffset left out": "it is the first part then",
                "JobName left out": "of a held job, which is left out",
                "JobState left out": "of a held job, and of a part of a job",
                "NodeList left out": AS_IT_WAS,
                "NumNodes left out": "TRES says the same",
                "RunTime left out": "what runs lasts as long as its limit; and of a part of a job",
                "StartTime left out": AS_IT_WAS,
                "SubmitTime left out": "of a held job, which is left out",
            },
        )
    ],
    ("platform", "slurm"): [
        Sample(
            SLURM,
            "settings",
            quiet=dict.fromkeys(
                ("OverSubscribe left out", "SchedulerType left out", "SelectType left out"),
                "it is what holds without it, too",
            ),
        )
    ],
    ("workload", "elastisim"): [Sample(json.dumps(ELASTISIM, indent=1), "json", {}, {"app.json": ELASTISIM_MODEL})],
    ("workload", "swf"): [Sample(SWF_HEAD + SWF_ROWS, "fields")],
    ("workload", "gwf"): [
        Sample(
            GWF, "fields", quiet={"field 5 left out": "the processors that were requested count, not those allocated"}
        ),
        Sample(GWF_WORKFLOWS, "rows"),
    ],
    ("workload", "csv"): [Sample(CSV, "rows", {"mapping": "map.toml"}, {"map.toml": MAPPING})],
    ("workload", "batsim"): [Sample(json.dumps(BATSIM5, indent=1), "json")],
    ("workload", "batsim4"): [Sample(json.dumps(BATSIM4, indent=1), "json")],
    ("workload", "batsim5"): [Sample(json.dumps(BATSIM5, indent=1), "json")],
    ("events", "events"): [Sample(EVENTS, "json lines")],
}
"""By kind and name of the format."""
