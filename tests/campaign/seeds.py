"""Small documents of every format, for the generators to begin with."""

import json
from pathlib import Path
from typing import Final

import windtunnel.examples

_EXAMPLES: Final = Path(windtunnel.examples.__file__).parent

BATSIM4 = {
    "nb_res": 4,
    "jobs": [
        {"id": "1", "subtime": 0, "walltime": 100, "res": 2, "profile": "d"},
        {"id": "2", "subtime": 1.5, "res": 1, "profile": "h"},
        {"id": "3", "subtime": 2, "walltime": 10, "res": 4, "profile": "s"},
        {"id": "4", "subtime": 2, "walltime": 10, "res": 2, "profile": "p"},
    ],
    "profiles": {
        "d": {"type": "delay", "delay": 10},
        "h": {"type": "parallel_homogeneous", "cpu": 1e9, "com": 1e6},
        "p": {"type": "parallel", "cpu": [1e9, 1e9], "com": [0, 5e6, 5e6, 0]},
        "s": {"type": "composed", "repeat": 2, "seq": ["d", "h"]},
    },
}
BATSIM5 = {
    "nb_res": 4,
    "jobs": [
        {"id": "1", "subtime": 0, "walltime": 100, "res": 2, "profile": "d", "amounts_per_host": {"cores": 1}},
        {"id": "2", "subtime": 1.5, "res": 1, "profile": "f"},
    ],
    "profiles": {
        "d": {"type": "DelayProfile", "delay": 10},
        "e": {"type": "ParallelTaskHomogeneousProfile", "cpu": 1e9, "com": 1e6},
        "f": {"type": "SequentialCompositionProfile", "repeat": 2, "seq": ["d", "e"]},
        "g": {
            "type": "ParallelTaskOnStorageHomogeneousProfile",
            "storage": "pfs",
            "bytes_to_read": 1,
            "bytes_to_write": 2,
        },
    },
}
EVENTS = (
    b'{"timestamp": 1, "type": "machine_unavailable", "resources": "0-1"}\n'
    b'{"timestamp": 5, "type": "machine_available", "resources": "0-1"}\n'
    b'{"timestamp": 9, "type": "generic", "data": {"a": [1, 2]}}\n'
)
SWF = (
    b"; Version: 2.2\n; MaxProcs: 8\n; UnixStartTime: 1000000000\n"
    b"1 0 5 100 2 -1 -1 2 200 -1 1 3 1 -1 1 -1 -1 -1\n"
    b"2 10 0 50.5 4 -1 -1 4 60 -1 0 3 1 -1 1 -1 1 5\n"
    b"3 20 0 50 1 -1 -1 -1 -1 -1 5 4 1 -1 2 -1 -1 -1\n"
)
GWF = b"# Version: 1\n" + b"".join(
    b" ".join([b"%d" % number, b"%d" % (10 * number), b"5", b"100", b"2", *[b"-1"] * 24]) + b"\n"
    for number in range(3)
)
SACCT = (
    b"JobID|User|Group|Partition|Submit|Start|End|ElapsedRaw|NCPUS|TimelimitRaw|State\n"
    b"1|ann|a|p|2024-01-01T00:00:00|2024-01-01T00:00:05|2024-01-01T00:01:00|55|4|10|COMPLETED\n"
    b"2_[1-3]|bob|b|p|2024-01-01T00:00:10|2024-01-01T00:00:15|Unknown|55|4|UNLIMITED|RUNNING\n"
)
SACCT_JSON = {
    "jobs": [
        {
            "job_id": 1,
            "user": "ann",
            "group": "a",
            "partition": "p",
            "state": {"current": ["COMPLETED"]},
            "time": {
                "submission": 100,
                "start": 110,
                "end": 200,
                "elapsed": 90,
                "limit": {"set": True, "number": 10},
            },
            "tres": {"allocated": [{"type": "cpu", "count": 4}], "requested": [{"type": "cpu", "count": 4}]},
            "required": {"CPUs": 4},
        }
    ]
}
SLURM = (
    b"ClusterName=c\nNodeName=DEFAULT CPUs=8 RealMemory=1000\nNodeName=n[1-4] Sockets=2 CoresPerSocket=4 \\\n"
    b" ThreadsPerCore=2 Gres=gpu:a100:2 State=UNKNOWN\nPartitionName=p Nodes=n[1-2] Default=YES MaxTime=1-00:00:00\n"
)
SCONTROL = (
    b"NodeName=n1 Arch=x86_64 CoresPerSocket=4 \n   CPUAlloc=0 CPUTot=8 CPULoad=0.1\n   AvailableFeatures=a,b\n"
    b"   Gres=gpu:a100:2(S:0-1)\n   RealMemory=1000 Sockets=2 Boards=1\n   State=IDLE+DRAIN ThreadsPerCore=1 Weight=2\n"
    b"   Partitions=p,q \n   Reason=disk check [root@2026-01-01]\n\nNodeName=n2 CPUTot=8\n   State=MIXED Partitions=p\n"
)
BESIDE_SLURM = {
    "sacctmgr-dump.cfg": b"Cluster - 'c':Fairshare=1:QOS='normal'\nParent - 'root'\nUser - 'root':DefaultAccount='root'\n"
    b"Account - 'a':Fairshare=parent:GrpTRES=cpu=8:MaxJobs=3\nParent - 'a'\nUser - 'u':DefaultAccount='a':Fairshare=2\n",
    "sacctmgr-assoc.txt": b"Cluster|Account|User|ParentName|Share|GrpTRES|MaxWall|QOS\nc|root||||||normal\n"
    b"c|a||root|5|cpu=8|1-00:00:00|low,normal\nc|a|u||parent|||\n",
    "sacctmgr-qos.txt": b"Name|Priority|Preempt|UsageFactor|GrpTRES|MaxWall\nnormal|0||1.0||\nhigh|10|normal|2.0|cpu=4|60\n",
    "scontrol-reservation.txt": b"ReservationName=r StartTime=2026-01-01T10:00:00 EndTime=2026-01-01T11:00:00\n"
    b"   Nodes=n[1-2] Flags=MAINT,DAILY Users=u,-v Licenses=m:2 TRES=cpu=4\n",
    "topology.conf": b"SwitchName=s1 Nodes=n[1-2]\nSwitchName=s2 Nodes=n[3-4]\nSwitchName=top Switches=s[1-2]\n",
    "gres.conf": b"NodeName=n[1-4] Name=gpu Type=a100 File=/dev/nvidia[0-1] Cores=0-7\n",
}
"""Files that a slurm.conf is read with."""
SIMGRID = (_EXAMPLES / "small.xml").read_bytes()
SIMGRID_ZONES = b"""<?xml version='1.0' encoding='utf-8'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="Full">
<host id="a" speed="1Gf,0.5Gf" core="2" pstate="0"><prop id="wattage_per_state" value="10:20:30, 5:6:7"/></host>
<host id="b" speed="2Gf"/><host id="master_host" speed="1Gf"/>
<link id="l" bandwidth="1GBps" latency="1us" sharing_policy="FATPIPE"/>
<route src="a" dst="b"><link_ctn id="l"/></route>
<trace id="t" periodicity="10">0 1.0
5 0.5</trace><trace_connect kind="SPEED" trace="t" element="a"/>
</zone></platform>"""
SIMGRID_CLUSTER = (
    b"<platform version='4.1'><zone id='w' routing='Full'><cluster id='c' prefix='n' suffix='.x' radical='0-2,7' speed='1Gf'"
    b" bw='1GBps' lat='1us' topology='TORUS' topo_parameters='2,2,1' core='2'/></zone></platform>"
)
ENVIRONMENT = (_EXAMPLES / "datacenters.json").read_bytes()
ENVIRONMENT_SMALL = {
    "definitions": {"cpu": {"id": 1, "clock-rate": 2e9, "cores": 4, "energy-consumption": 50}},
    "environment": {
        "datacenters": [
            {
                "id": 1,
                "operational": {"scheduler": {"name": "stage-scheduler", "options": {"selection": "FIFO"}}},
                "rooms": [
                    {
                        "type": "SERVER",
                        "objects": [
                            {
                                "type": "RACK",
                                "capacity": 4,
                                "power-capacity": 1000,
                                "units": [
                                    {"type": "MACHINE", "id": 1, "cpus": [{"$base": "#/definitions/cpu"}]},
                                    {"type": "MACHINE", "id": 2, "cpus": [{"$base": "#/definitions/cpu", "id": 5}]},
                                ],
                            }
                        ],
                    }
                ],
            }
        ]
    },
    "events": [
        {"type": "MACHINE_STATE_CHANGE", "time": 3, "machine": 1, "state": "FAILURE"},
        {"type": "DATACENTER_SCHEDULER_CHANGE", "time": 5, "datacenter": 1, "scheduler": {"name": "stage-scheduler"}},
    ],
}
OSP = {
    "workflows": [
        {
            "id": 1,
            "tasks": [
                {"id": "1", "ts_submit": "2018-12-11T01:02:03", "runtime": 10, "core_count": 1, "depends_on": []},
                {
                    "id": "2",
                    "ts_submit": "2018-12-11T01:02:06",
                    "runtime": 5,
                    "core_count": 2,
                    "depends_on": ["1"],
                    "user_id": "ann",
                },
            ],
        }
    ]
}
SSS = (
    b"<Nodes><Node><Id>n1</Id><State>Idle</State><Configured><Processors>4</Processors><Memory units='GB'>8</Memory>"
    b"</Configured><Available><Processors>2</Processors></Available></Node><Node aggregation='Range'>n[2-5]</Node></Nodes>"
)
DAX = (
    b"<adag xmlns='http://pegasus.isi.edu/schema/DAX' name='w'><job id='A' name='x' runtime='5'/>"
    b"<job id='B' name='y' runtime='7.5' numcores='2'/><child ref='B'><parent ref='A'/></child></adag>"
)
WFCOMMONS = {
    "name": "w",
    "schemaVersion": "1.4",
    "workflow": {
        "tasks": [
            {"name": "a", "id": "a", "runtime": 5, "cores": 1, "parents": [], "children": ["b"]},
            {"name": "b", "id": "b", "runtimeInSeconds": 7, "coreCount": 2, "parents": ["a"], "children": []},
        ]
    },
}
LWF = b"""<lease-workload name="w"><site><resource-types names="CPU Memory"/><nodes><node-set numnodes="4">
<res type="CPU" amount="100"/><res type="Memory" amount="1024"/></node-set></nodes></site><lease-requests>
<lease-request arrival="00:00:10"><lease id="1" preemptible="true"><nodes><node-set numnodes="2">
<res type="CPU" amount="50"/><res type="Memory" amount="512"/></node-set></nodes><start/><duration time="01:00:00"/>
<software><disk-image id="i.img" size="1024"/></software></lease></lease-request>
<lease-request arrival="00:05:00"><realduration time="00:10:00"/><lease id="2" preemptible="false"><nodes><node-set numnodes="1">
<res type="CPU" amount="100"/></node-set></nodes><start><exact time="01:00:00"/></start><duration time="00:30:00"/>
<software><none/></software></lease></lease-request></lease-requests></lease-workload>"""
OLD_LWF = b"# leases\n0 -1 3600 1800 2 1 512 0 image 100\n600 7200 1800 1800 1 0.5 256 0 image 100\n"
HAIZEA = b"""[general]
mode: simulated
lease-preparation: imagetransfer
[scheduling]
backfilling: intermediate
backfilling-reservations: 3
suspension: all
suspend-rate: 32
resume-rate: 32
[simulation]
clock: simulated
starttime: 2006-11-25 13:00:00
resources: 4 CPU:100 Memory:1024
stop-when: exact
stop-when-time: 01:00:00:00
[deploy-imagetransfer]
transfer-mechanism: unicast
[tracefile]
tracefile: w.lwf
"""
MULTI = b"""[multi]
tracedir: .
tracefiles: a.lwf b.lwf
[common:general]
mode: simulated
[common:scheduling]
suspension: none
[common:simulation]
clock: simulated
resources: in-tracefile
[slow:scheduling]
backfilling: off
"""
CSV = b"submit,run,procs,user\n0,10,2,ann\n5,20.5,1,bob\n"
MAPPING = (
    b'[columns]\nsubmit = "submit"\nrun = "run"\nprocessors = "procs"\nuser = "user"\n[units]\nrun = "seconds"\n'
)
BATSIM5_TOML = b'platform = "p.xml"\nworkload = ["w.json"]\nedc-socket-str = ["ipc:///tmp/none", "init"]\nmmax = 4\n'
BATSIM5_INI = b"platform = p.xml\nworkload = w.json\nedc-socket-str = ipc:///tmp/none ''\nquiet = true\n"
TRACE = b"0 init\n0 compute 1e9\n0 send 1 0 1e6\n0 finalize\n"


def _json(document: object) -> bytes:
    return json.dumps(document, indent=1).encode()


WORKLOADS: Final[dict[str, bytes]] = {
    "batsim4": _json(BATSIM4),
    "batsim5": _json(BATSIM5),
    "small": (_EXAMPLES / "small.json").read_bytes(),
    "swf": SWF,
    "gwf": GWF,
    "sacct": SACCT,
    "sacct.json": _json(SACCT_JSON),
    "osp": _json(OSP),
    "dax": DAX,
    "wfcommons": _json(WFCOMMONS),
    "lwf": LWF,
}
PLATFORMS: Final[dict[str, bytes]] = {
    "simgrid": SIMGRID,
    "zones": SIMGRID_ZONES,
    "cluster": SIMGRID_CLUSTER,
    "environment": _json(ENVIRONMENT_SMALL),
    "datacenters": ENVIRONMENT,
    "slurm": SLURM,
    "scontrol": SCONTROL,
    "sss": SSS,
    "site": LWF,
}
