"""Environments and nodes: read and checked, resolved, shown."""

import json
import time
from collections.abc import Callable
from typing import Any

from benchmarks import Figure
from windtunnel.entities.sss_host import host_node
from windtunnel.entities.sss_node import nodes_xml
from windtunnel.formats.sites.environment import check, read_text
from windtunnel.formats.sites.environment.platform import site_platform
from windtunnel.formats.sites.sss import check as check_nodes
from windtunnel.model import HostSet
from windtunnel.results.node_use import Stay, use_at

__all__ = ["run"]

CPU = {"manufacturer": "Intel", "clock-rate": 2_400_000_000, "cores": 8, "energy-consumption": 95}


def document(machines: int, *, inherited: bool) -> bytes:
    """So many machines in racks of 40; about 280 bytes each, or with a base instead."""

    def machine(number: int) -> dict[str, Any]:
        named = {"id": number, "name": f"node-{number}"}
        if inherited:
            return {**named, "$base": "#/definitions/machine"}
        parts = {"memory": [{"capacity": 64000, "read-speed": 25000}], "storage": [{"capacity": 1_000_000}]}
        return {"type": "MACHINE", **named, "cpus": [CPU, CPU], **parts}

    racks = [
        {"type": "RACK", "capacity": 42, "units": [machine(n) for n in range(first, min(first + 40, machines))]}
        for first in range(0, machines, 40)
    ]
    rooms = [{"type": "SERVER", "objects": racks}]
    base = {"type": "MACHINE", "cpus": [CPU, CPU], "memory": [{"capacity": 64000}]}
    definitions = {"definitions": {"machine": base}} if inherited else {}
    return json.dumps({"environment": {"datacenters": [{"id": 1, "rooms": rooms}]}, **definitions}).encode()


def seconds(call: Callable[[], Any], repeat: int = 3) -> float:
    """CPU seconds of the best of some calls."""
    best = float("inf")
    for _ in range(repeat):
        start = time.process_time()
        call()
        best = min(best, time.process_time() - start)
    return best


def run() -> list[Figure]:
    """All figures, in CPU seconds."""
    plain = document(10_000, inherited=False)
    based = document(10_000, inherited=True)
    large = document(100_000, inherited=False)
    broken = plain.replace(b'"cores": 8', b'"cores": "8"', 2)
    site, _ = read_text(plain)
    hosts = site_platform(site).platform.hosts
    stays = [Stay(HostSet.span(100, first), 0.0, 10.0) for first in range(0, len(hosts), 100)]

    def snapshot() -> str:
        return "".join(nodes_xml(map(host_node, hosts, use_at(hosts, stays, [], 5.0))))

    text = snapshot()
    return [
        Figure(
            f"read and check 10,000 machines ({len(plain) / 1e6:.1f} MB)",
            seconds(lambda: read_text(plain)),
            "s",
            "< 0.5",
        ),
        Figure(f"the same, inherited ({len(based) / 1e6:.1f} MB)", seconds(lambda: read_text(based)), "s"),
        Figure("the same, with two faults to place", seconds(lambda: check(broken)), "s"),
        Figure(
            f"read and check 100,000 machines ({len(large) / 1e6:.0f} MB)",
            seconds(lambda: read_text(large), 1),
            "s",
            "< 6",
        ),
        Figure("10,000 machines as a platform", seconds(lambda: site_platform(site)), "s"),
        Figure(f"write a snapshot of 10,000 machines ({len(text) / 1e6:.1f} MB)", seconds(snapshot), "s", "< 0.5"),
        Figure("read and check that snapshot", seconds(lambda: check_nodes(text), 1), "s"),
    ]
