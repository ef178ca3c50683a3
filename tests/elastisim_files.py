"""A small ElastiSim configuration: two malleable jobs on four nodes."""

import json

PLATFORM = """<?xml version='1.0'?>
<platform version="4.1"><zone id="Site" routing="Full">
  <cluster id="C" prefix="n" radical="0-3" suffix="" speed="1Gf" bw="125MBps" lat="50us"/>
</zone></platform>
"""
IDLE = {"type": "idle", "delay": "8 / num_nodes", "pattern": "uniform", "name": "work"}
FILES = {
    "platform.xml": PLATFORM,
    "app.json": json.dumps({"phases": [{"tasks": [IDLE], "iterations": 3}]}),
    "jobs.json": json.dumps(
        {
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
    ),
    "config.json": json.dumps(
        {
            "jobs_file": "jobs.json",
            "platform_file": "platform.xml",
            "zmq_url": "ipc://elastisim.ipc",
            "job_statistics": "jobs.csv",
            "node_utilization": "nodes.csv",
            "log_task_times": True,
            "task_times": "tasks.csv",
            "schedule_on_job_submit": True,
            "schedule_on_job_finalize": True,
            "schedule_on_scheduling_point": True,
        }
    ),
}
