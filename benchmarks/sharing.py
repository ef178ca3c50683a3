"""Parallel tasks that share hosts and links; SimGrid's own figures stand in spec performance notes (same machine).

The platform is Batsim's cluster512: 512 hosts of 1 Gf, 125 MBps and 50 us to each, a backbone of 2.25 GBps, 500 us.
"""

import math
import random
import time
from collections.abc import Callable, Iterator

from benchmarks import Figure
from windtunnel.engine.sharing import Builder, System
from windtunnel.formats.sites.simgrid_xml import parse_platform
from windtunnel.model.platform import Platform

HOSTS = 512
CLUSTER512 = b"""<?xml version='1.0'?>
<platform version="4.1">
  <cluster id="c" prefix="a" suffix="" radical="0-511" speed="1Gf" bw="125MBps" lat="50us" bb_bw="2.25GBps"
           bb_lat="500us"/>
</platform>"""


def systems() -> tuple[Builder, System]:
    platform: Platform = parse_platform(CLUSTER512, master="")
    assert platform.network is not None
    builder = Builder([host.endpoint for host in platform.hosts], platform.network)
    return builder, System([host.speed for host in platform.hosts], [1] * HOSTS, platform.network.links)


def concurrent(tasks: int, hosts: int, step: int = 0, *, varied: bool = False) -> float:
    """Tasks that all start at once on consecutive hosts, rotating over all: CPU seconds from first start to last end.

    1e9 flop per host and 1e5 bytes per pair, or between half and one and a half times that, so that no two end
    together. ``step``: how far the first host moves from task to task (0: by the hosts of a task).
    """
    rng = random.Random(1)
    builder, system = systems()
    begin = time.process_time()
    for k in range(tasks):
        factor = rng.uniform(0.5, 1.5) if varied else 1.0
        first = k * (step or hosts)
        task = builder.homogeneous([(first + i) % HOSTS for i in range(hosts)], 1e9 * factor, 1e5 * factor)
        system.start(0.0, task)
    drain(system)
    return time.process_time() - begin


def drain(system: System) -> None:
    while (date := system.next_event()) < math.inf:
        system.advance(date)


def creation(hosts: int) -> float:
    """Make and start one homogeneous task: best of 5, in ms."""

    def once() -> float:
        builder, system = systems()
        begin = time.perf_counter()
        system.start(0.0, builder.homogeneous(range(hosts), 1e9, 1e5))
        system.next_event()
        return time.perf_counter() - begin

    return 1e3 * min(once() for _ in range(5))


def exclusive(tasks: int) -> float:
    """Tasks of 2 to 32 hosts, first come first served on hosts of their own; only the backbone is shared."""
    rng = random.Random(3)
    builder, system = systems()
    free = list(range(HOSTS))
    queue = [(2 ** rng.randint(1, 5), 10 ** rng.uniform(9, 12), 10 ** rng.uniform(5, 8)) for _ in range(tasks)]
    begin = time.process_time()
    date = 0.0
    while date < math.inf:
        while queue and len(free) >= queue[-1][0]:
            hosts, flops, amount = queue.pop()
            mine, free = free[:hosts], free[hosts:]
            system.start(date, builder.homogeneous(mine, flops, amount), mine)
        date = system.next_event()
        if date < math.inf:
            for action in system.advance(date):
                free = sorted(free + action.tag)
    return time.process_time() - begin


def singles(tasks: int, start: Callable[[Builder, System, int], object]) -> float:
    builder, system = systems()
    begin = time.process_time()
    for k in range(tasks):
        start(builder, system, k)
    drain(system)
    return time.process_time() - begin


def run() -> Iterator[Figure]:
    """The figures of issue "execution model", and harder variants of them."""
    yield Figure("1,000 equal tasks at once on 64 hosts each", concurrent(1000, 64), "CPU-s", "3; SimGrid 60")
    yield Figure("the same, moving by one host", concurrent(1000, 64, 1), "CPU-s")
    yield Figure("the same, all different, moving by 64", concurrent(1000, 64, varied=True), "CPU-s")
    yield Figure("100 all different, moving by one host", concurrent(100, 64, 1, varied=True), "CPU-s")
    yield Figure(
        "1,000 different tasks at once on 16 hosts each", concurrent(1000, 16, varied=True), "CPU-s", "SimGrid 3.9"
    )
    yield Figure("one homogeneous task on 512 hosts: create and start", creation(512), "ms", "20; SimGrid 640")
    yield Figure("1,000 tasks on hosts of their own, one backbone", exclusive(1000), "CPU-s")
    yield Figure(
        "10,000 delays at once",
        singles(10_000, lambda _, system, k: system.sleep(0.0, 1.0 + k)),
        "CPU-s",
        "SimGrid 4.6",
    )
    yield Figure(
        "10,000 different one-host tasks at once",
        singles(10_000, lambda b, system, k: system.start(0.0, b.homogeneous([k % HOSTS], 1e9 + 1e5 * k, 0.0))),
        "CPU-s",
        "SimGrid 10.1",
    )
