"""Two datacenters, a failure, a maintenance and a change of scheduler: every date, kill and joule by hand.

Machines 1 and 2 (datacenter a): two cores of 1 Gflop/s, 100 W, and a memory of 10 W: idle they draw 10 + 50 = 60 W,
under full load 110 W, with one core busy 85 W. Machine 3 (datacenter b): four cores, 100 W: 50 W idle, 62.5 W with
one core busy. Each job takes a whole machine and computes on one core.
"""

import json

from environments import machine
from windtunnel import api
from windtunnel.engine import Options
from windtunnel.results.run_nodes import RunNodes

CPU = {"clock-rate": 1e9, "energy-consumption": 100}


def datacenter(name, *machines, **options):
    rooms = [{"type": "SERVER", "objects": [{"type": "RACK", "units": list(machines)}]}]
    return {"id": name, "rooms": rooms, "operational": {"scheduler": {"name": "stage-scheduler", "options": options}}}


def two_cores(number):
    memory = [{"capacity": 1000, "energy-consumption": 10}]
    return machine(number, name=f"m{number}", cpus=[{**CPU, "cores": 2}], memory=memory)


ENVIRONMENT = {
    "environment": {
        "datacenters": [
            datacenter("a", two_cores(1), two_cores(2), selection="FIFO"),
            datacenter("b", machine(3, name="m3", cpus=[{**CPU, "cores": 4}]), placement="BEST-FIT"),
        ]
    },
    "events": [
        {"type": "MACHINE_STATE_CHANGE", "time": 20, "machine": 1, "state": "FAILURE", "cause": "power supply"},
        {"type": "MACHINE_STATE_CHANGE", "time": 40, "machine": 1, "state": "ACTIVE"},
        {
            "type": "DATACENTER_SCHEDULER_CHANGE",
            "time": 50,
            "datacenter": "a",
            "scheduler": {"name": "stage-scheduler", "options": {"selection": "SJF"}},
        },
        {"type": "MACHINE_STATE_CHANGE", "time": 60, "machine": 3, "state": "MAINTENANCE"},
        {"type": "MACHINE_STATE_CHANGE", "time": 70, "machine": 3, "state": "ACTIVE"},
    ],
}

# id, submission (s), seconds of work, requested time (s); -1: none, so that nobody knows of a job that it will be
# running when the maintenance of machine 3 begins
JOBS = [
    (1, 0, 30, -1),
    (2, 0, 10, -1),
    (3, 5, 20, 100),
    (4, 45, 30, 100),
    (5, 46, 10, 100),
    (6, 47, 5, 100),
    (7, 48, 3, -1),
    (8, 49, 2, 50),
    (9, 55, 20, -1),
]

EXPECTED = {
    # A tie goes to a; lost at 20 s when machine 1 fails, and sent to b, which has the smaller load then.
    "1": (0, 20, "0", "COMPLETED_FAILED"),
    "1#1": (20, 50, "2", "COMPLETED_SUCCESSFULLY"),
    "2": (0, 10, "2", "COMPLETED_SUCCESSFULLY"),
    "3": (5, 25, "1", "COMPLETED_SUCCESSFULLY"),
    "4": (45, 75, "0", "COMPLETED_SUCCESSFULLY"),
    "5": (46, 56, "1", "COMPLETED_SUCCESSFULLY"),
    # 6 and 8 wait in a; from 50 s on the one that asks for less time goes first.
    "8": (56, 58, "1", "COMPLETED_SUCCESSFULLY"),
    "6": (58, 63, "1", "COMPLETED_SUCCESSFULLY"),
    "7": (50, 53, "2", "COMPLETED_SUCCESSFULLY"),
    # Stopped by the maintenance, sent to b again (its load is 0), where it waits for the machine.
    "9": (55, 60, "2", "COMPLETED_KILLED"),
    "9#1": (70, 90, "2", "COMPLETED_SUCCESSFULLY"),
}

JOULES = {
    "m1": 20 * 85 + 20 * 0 + 5 * 60 + 30 * 85 + 15 * 60,  # off while it has failed
    "m2": 37 * 85 + 53 * 60,
    "m3": 68 * 62.5 + 22 * 50,  # in maintenance it is on
}


def test_the_scenario(tmp_path):
    (tmp_path / "e.json").write_text(json.dumps(ENVIRONMENT))
    profiles = {f"{work}s": {"type": "parallel_homogeneous", "cpu": work * 1e9, "com": 0} for _, _, work, _ in JOBS}
    jobs = [
        {"id": str(name), "subtime": at, "res": 1, "walltime": limit, "profile": f"{work}s"}
        for name, at, work, limit in JOBS
    ]
    (tmp_path / "w.json").write_text(json.dumps({"nb_res": 3, "jobs": jobs, "profiles": profiles}))
    simulation = api.Simulation(
        tmp_path / "e.json",
        tmp_path / "w.json",
        "datacenters",
        options=Options(energy=True, on_failure="requeue"),
        record=api.RecordingOptions(energy=True),
    )
    run = simulation.run()
    rows = {
        row["job_id"]: (row["starting_time"], row["finish_time"], row["allocated_resources"], row["final_state"])
        for row in run.jobs.iter_rows(named=True)
    }
    assert rows == EXPECTED
    meters = simulation.engine.world.energy.meters
    assert [meters.read(90.0, host) for host in range(3)] == list(JOULES.values())
    assert sum(JOULES.values()) == 17125
    assert run.metrics.consumed_joules == 17125
    nodes = RunNodes(simulation.engine.world.platform.hosts, run.file)
    assert [node.state for node in nodes.at(19.0)] == ["Busy", "Busy", "Idle"]
    assert [node.state for node in nodes.at(21.0)] == ["Offline", "Busy", "Busy"]
    assert [node.state for node in nodes.at(65.0)] == ["Busy", "Idle", "Offline"]
