"""Leases: mixed workloads (85 % best-effort with early ends, 15 % reservations) scheduled as Haizea would.

The workloads are those of a seeded generator whose figures for Haizea 1.1 are known: 12 CPU-s for 1,000 leases on 64
nodes, 138 for 5,000 on 64, 248 for 1,000 on 512. ``WINDTUNNEL_BENCH_LARGE=1`` adds 100,000 leases on 1,000 nodes.
"""

import math
import os
import random
import sys
import time
from collections import Counter
from pathlib import Path

from benchmarks import Figure
from windtunnel.engine.simulation import Simulation
from windtunnel.leases.component import LeaseManager
from windtunnel.model.lease import CPU, MEMORY, Lease, LeaseSite, LeaseWorkload, NodeSet, When
from windtunnel.model.lease_jobs import LeaseJobs
from windtunnel.model.lease_options import LeaseOptions, MigrationMode, SuspensionMode
from windtunnel.model.lease_platform import platform_of_site

NODE = {CPU: (100,), MEMORY: (1024,)}
HAIZEA = {(1000, 64): 12.0, (5000, 64): 138.0, (1000, 512): 248.0}
"""CPU seconds of Haizea, by leases and nodes."""


def workload(count, nodes, *, load=0.8, reserved=0.15, seed=1):
    """Leases of log-uniform size and length, arriving so that they load the site as asked; times in whole seconds."""
    rng = random.Random(seed)
    sizes = []
    for _ in range(count):
        size = max(1, round(math.exp(rng.uniform(0, math.log(nodes / 4.0)))))
        sizes.append((size, int(math.exp(rng.uniform(math.log(300), math.log(14400))))))
    span = sum(size * length for size, length in sizes) / (nodes * load)
    now, leases = 0.0, []
    for number, (size, length) in enumerate(sizes, 1):
        now += rng.expovariate(count / span)
        is_reserved = rng.random() < reserved
        real = None if is_reserved else int(max(60, length * rng.uniform(0.5, 1.0)))
        leases.append(
            Lease(
                id=number,
                submit=int(now),
                nodes=(NodeSet(size, NODE),),
                start=int(now + rng.uniform(3600, 86400)) if is_reserved else When.UNSPECIFIED,
                duration=length,
                real_duration=real if real is not None and real < length else None,
                preemptible=not is_reserved,
            )
        )
    return leases


OPTIONS = LeaseOptions(
    haizea_compat=True,
    policy_preemption="ar-preempts-everything",
    suspension=SuspensionMode.ALL,
    migration=MigrationMode.YES,
)


def measure(count, nodes, **shape):
    site = LeaseSite((CPU, MEMORY), (NodeSet(nodes, NODE),))
    leases = workload(count, nodes, **shape)
    began = time.process_time()
    Simulation(platform_of_site(site), [LeaseJobs(leases)], [LeaseManager(OPTIONS)]).run()
    return time.process_time() - began


def calls_between_files(count, nodes):
    """How often a file of ``leases`` calls another one for each lease, under ``lease run``; by caller and callee."""
    from windtunnel import leases as package
    from windtunnel.services.lease_run import simulate_leases

    site = LeaseSite((CPU, MEMORY), (NodeSet(nodes, NODE),))
    work = LeaseWorkload(leases=workload(count, nodes), site=site)
    root = str(Path(package.__file__).parent)
    calls = Counter()

    def profile(frame, event, _):
        if event == "call" and frame.f_back is not None:
            caller, callee = frame.f_back.f_code.co_filename, frame.f_code.co_filename
            if callee != caller and callee.startswith(root) and caller.startswith(root):
                calls[caller[len(root) + 1 :], callee[len(root) + 1 :], frame.f_code.co_name] += 1

    sys.setprofile(profile)
    try:
        simulate_leases(work, options=OPTIONS)
    finally:
        sys.setprofile(None)
    return {pair: number / count for pair, number in calls.items()}


def run():
    figures = []
    for (count, nodes), theirs in HAIZEA.items():
        seconds = measure(count, nodes)
        what = f"leases: {count:,} on {nodes} nodes"
        figures.append(Figure(what, seconds, "CPU-s"))
        goal = "50" if theirs > 100 else ""
        figures.append(Figure(f"{what}, Haizea's time / ours", theirs / seconds, "times", goal))
    between = sum(calls_between_files(1000, 64).values())
    figures.append(Figure("leases: calls from one file of leases/ into another", between, "a lease", "90"))
    figures.append(Figure("leases: 20,000 best-effort on 1,000 nodes", measure(20000, 1000, reserved=0.0), "CPU-s"))
    if os.environ.get("WINDTUNNEL_BENCH_LARGE"):
        figures.append(
            Figure("leases: 100,000 best-effort on 1,000 nodes", measure(100000, 1000, reserved=0.0), "CPU-s")
        )
    return figures
