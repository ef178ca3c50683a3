"""What other systems computed of power, carbon and cost (shared/golden/power), and the machines of OpenDC's cases."""

import gzip
import json
from math import exp

from shared import cases
from windtunnel.model import Host, PowerState
from windtunnel.model.signals import Signal

ALL = cases("golden/power", "*/*.json.gz")


def named(path) -> str:
    """The system and the case."""
    return f"{path.parent.name}/{path.name.removesuffix('.json.gz')}"


def read(path):
    """The content of a case."""
    return json.loads(gzip.decompress(path.read_bytes()))


def share_of_range(model: str, use: float, shape: float) -> float:
    """How much of the watts between idle and full OpenDC's power models draw at a utilisation."""
    return {
        "constant": 1.0,
        "sqrt": use**0.5,
        "linear": use,
        "square": use**2,
        "cubic": use**3,
        "mse": 2 * use - use**shape if shape else use,
        "asymptotic": (1 + use - exp(-use / shape)) / 2 if shape else use,
    }[model]


def levels(case):
    """Of each host of OpenDC's: from which date (s) on it draws how many watts."""
    found = []
    for number, host in enumerate(case["hosts"]):
        spans, edges = [], {0.0}
        for task in case["tasks"]:
            date = task["submit_s"]
            for length, *demands in task["fragments"] if task["host"] == number else ():
                spans.append((date, date + round(length) / 1000, demands))
                date += round(length) / 1000
                edges |= {spans[-1][0], date}
        steps = []
        for edge in sorted(edges):
            at = [demands for since, until, demands in spans if since <= edge < until]
            use = min(1.0, sum(d[0] for d in at) / (host["cores"] * host["core_MHz"]))
            share = share_of_range(host["model"], use, host["c"])
            watts = host["idle_W"] + (host["max_W"] - host["idle_W"]) * share
            if gpus := host.get("gpus"):
                each = sum(d[1] for d in at if len(d) > 1) / gpus / (host["gpu_cores"] * host["gpu_MHz"])
                share = share_of_range(host["gpu_model"], min(1.0, each), host["gpu_c"])
                watts += gpus * (host["gpu_idle_W"] + (host["gpu_max_W"] - host["gpu_idle_W"]) * share)
            steps.append((edge, watts))
        found.append(steps)
    return found


def machines(case):
    """Hosts whose power states are the watts that they draw, and when (s) each goes over to which."""
    steps = levels(case)
    hosts = tuple(
        Host(
            id=number,
            name=f"h{number}",
            pstates=tuple(PowerState(speed=1e9, idle=watts, epsilon=watts, full=watts) for _, watts in mine),
        )
        for number, mine in enumerate(steps)
    )
    changes = sorted(
        (date, number, rank) for number, mine in enumerate(steps) for rank, (date, _) in enumerate(mine) if rank
    )
    return hosts, changes


def carbon_of(case) -> Signal | None:
    """The carbon intensity of a case of OpenDC's, from its second 0 on."""
    rows = [(ms / 1000, value) for ms, value in case["carbon"]]
    if not rows:
        return None
    dates, values = [row[0] for row in rows], [row[1] for row in rows]
    return Signal("trace", "g/kWh", dates, values, outside="hold", dated=True).from_zero(case["start_ms"] / 1000)
