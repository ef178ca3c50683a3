"""Jobs that change size, and ElastiSim's protocol: our CPU as a part of what ElastiSim's process takes for the same.

ElastiSim was measured once, on the machine where the yardstick's process took 0.70 CPU seconds; its figures are
scaled by what the yardstick takes here, in turn with our runs. The algorithm is a process of its own and is not
counted, on either side. No sensing, no task times; 128 nodes.
"""

import json
import os
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from benchmarks import Figure
from benchmarks.child import Cost, windtunnel
from benchmarks.generate import swf_log
from benchmarks.runs import yardstick

__all__ = ["run"]

NODES = 128
SCALE = 0.70
"""CPU seconds of the yardstick on the machine where ElastiSim was measured."""
PAIRS = int(os.environ.get("PAIRS", "3"))
SCHEDULED, FINALIZE = 0xFFEC4401, 0xFFEC44FF
PLATFORM = f"""<?xml version='1.0'?>
<platform version="4.1"><zone id="Site" routing="Full">
  <cluster id="C" prefix="n" radical="0-{NODES - 1}" suffix="" speed="1Gf" bw="1250MBps" lat="1us"/>
</zone></platform>
"""
IDLE = {"phases": [{"tasks": [{"type": "idle", "delay": 100, "pattern": "uniform"}]}]}
TASK = {
    "type": "cpu",
    "flops": "1e12",
    "computation_pattern": "all_ranks",
    "bytes": "1e10",
    "communication_pattern": "all_to_all",
}
PHASES = {"phases": [{"tasks": [TASK], "iterations": 10}]}


def rigid(count: int) -> list[dict[str, Any]]:
    """Jobs of 1 to 16 nodes that idle for 100 s, at a load of two thirds."""
    random = Random(1)
    return [{"type": "rigid", "submit_time": 10 * rank, "num_nodes": random.randint(1, 16)} for rank in range(count)]


def malleable(count: int, nodes: int) -> list[dict[str, Any]]:
    """Jobs that could change their size at nine points, and are left as they are."""
    sizes = {"num_nodes_min": nodes, "num_nodes_max": nodes}
    return [{"type": "malleable", "submit_time": 100 * rank, **sizes} for rank in range(count)]


CASES = (
    ("10,000 idle rigid jobs over the wire", rigid(10_000), IDLE, 12.6, 1 / 3),
    ("1,000 malleable jobs of 16 nodes, 10 phases", malleable(1_000, 16), PHASES, 11.2, 1 / 2),
    ("100 malleable jobs of 128 nodes, 10 phases", malleable(100, 128), PHASES, 22.4, 1 / 4),
)
"""What, jobs, application, CPU seconds of ElastiSim, and which part of these ours may be."""


def write(folder: Path, jobs: list[dict[str, Any]], application: dict[str, Any]) -> Path:
    """The files of a run; returns its configuration."""
    config = {
        "jobs_file": f"{folder}/jobs.json",
        "platform_file": f"{folder}/platform.xml",
        "zmq_url": f"ipc://{folder}/peer",
        "job_statistics": f"{folder}/jobs.csv",
        "node_utilization": f"{folder}/nodes.csv",
        "schedule_on_job_submit": True,
        "schedule_on_job_finalize": True,
        "schedule_on_scheduling_point": True,
    }
    (folder / "platform.xml").write_text(PLATFORM)
    (folder / "app.json").write_text(json.dumps(application))
    # models are looked for from the working directory
    named = [job | {"application_model": f"{folder}/app.json"} for job in jobs]
    (folder / "jobs.json").write_text(json.dumps({"jobs": named}))
    path = folder / "config.json"
    path.write_text(json.dumps(config))
    return path


def algorithm(url: str, sizes: list[int]) -> int:
    """First come, first served, on any free nodes; how often it was called."""
    import zmq

    socket = zmq.Context.instance().socket(zmq.PAIR)
    socket.connect(url)
    free, on, queue, calls = list(range(NODES)), {}, [], 0
    while True:
        message = json.loads(socket.recv())
        if message["code"] == FINALIZE:
            break
        calls += 1
        number, kind = message.get("job_id", -1), message["invocation_type"]
        if kind == 1:
            queue.append(number)
        elif kind == 2:
            free += on.pop(number)
        said = []
        while queue and sizes[queue[0]] <= len(free):
            job = queue.pop(0)
            on[job], free = free[: sizes[job]], free[sizes[job] :]
            said.append(
                {
                    "id": job,
                    "assigned_node_ids": on[job],
                    "assigned_num_gpus_per_node": 0,
                    "kill_flag": False,
                    "modified_runtime_args": False,
                }
            )
        socket.send(json.dumps({"code": SCHEDULED, "jobs": said}).encode())
    socket.close()
    return calls


def measured(folder: Path, jobs: list[dict[str, Any]], application: dict[str, Any]) -> tuple[float, int]:
    """CPU seconds of our process, and how often it called."""
    config = write(folder, jobs, application)
    costs: list[Cost] = []
    words = ("elastisim", str(config), "--quiet")
    process = threading.Thread(target=lambda: costs.append(windtunnel(*words)), daemon=True)
    process.start()
    calls = algorithm(f"ipc://{folder}/peer", [job.get("num_nodes") or job["num_nodes_min"] for job in jobs])
    process.join()
    return costs[0].cpu, calls


def run() -> Iterator[Figure]:
    """Each case in turn with the yardstick."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        log = swf_log(folder / "log.swf", jobs=100_000, processors=256, load=0.7)
        for what, jobs, application, theirs, goal in CASES:
            ours, scaled = [], []
            for _ in range(PAIRS):
                spent, calls = measured(folder, jobs, application)
                ours.append(spent)
                scaled.append(theirs * yardstick(log, 256) / SCALE)
            yield Figure(f"{what}: ours, {calls:,} calls", median(ours), "CPU-s")
            yield Figure(f"{what}: ElastiSim's, scaled", median(scaled), "CPU-s")
            ratios = [a / b for a, b in zip(ours, scaled, strict=True)]
            yield Figure(f"{what}: ratio", median(ratios), "times", f"at most {goal:.2g}")
