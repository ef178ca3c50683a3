"""Parallel tasks that communicate, from files to files: whole processes, read with easy in process.

512 hosts of 1 Gf behind links of 125 MB/s and 50 us, a backbone of 2.25 GB/s and 500 us (Batsim's cluster512). Jobs
of 2 to 32 hosts arrive half as fast again as the site can serve them; each computes 1e9 to 1e12 flop per host and
sends 1e5 to 1e8 bytes per pair.
"""

import json
import os
import random
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks import Figure

HOSTS = 512
LOAD = 1.5
PROFILES = 100
SIZES = 5
"""2, 4, ... 32 hosts."""

CLUSTER = 'speed="1Gf" bw="125MBps" lat="50us" bb_bw="2.25GBps" bb_lat="500us"'
PLATFORM = f"""<?xml version='1.0'?>
<platform version="4.1">
  <zone id="site" routing="Full">
    <cluster id="nodes" prefix="a" suffix="" radical="0-{HOSTS - 1}" {CLUSTER}/>
    <cluster id="front" prefix="master_host" suffix="" radical="0-0" {CLUSTER}>
      <prop id="role" value="master"/>
    </cluster>
    <link id="between" bandwidth="1.25GBps" latency="500us"/>
    <zoneRoute src="nodes" dst="front" gw_src="anodes_router" gw_dst="master_hostfront_router">
      <link_ctn id="between"/>
    </zoneRoute>
  </zone>
</platform>
"""


def workload(jobs: int, seed: int = 1) -> dict[str, Any]:
    """The workload as Batsim's JSON."""
    rng = random.Random(seed)
    profiles: dict[str, dict[str, Any]] = {}
    seconds = 0.0
    for k in range(PROFILES):
        flops = round(10 ** rng.uniform(9, 12))
        amount = round(10 ** rng.uniform(5, 8))
        profiles[f"p{k}"] = {"type": "parallel_homogeneous", "cpu": float(flops), "com": float(amount)}
        seconds += flops / 1e9
    size = sum(2**k for k in range(1, SIZES + 1)) / SIZES
    gap = size * 1.5 * seconds / PROFILES / (HOSTS * LOAD)
    date = 0.0
    made = []
    for k in range(jobs):
        date += rng.expovariate(1 / gap)
        made.append(
            {
                "id": k,
                "subtime": round(date, 3),
                "walltime": 1_000_000,
                "res": 2 ** rng.randint(1, SIZES),
                "profile": f"p{rng.randrange(PROFILES)}",
            }
        )
    return {"nb_res": HOSTS, "jobs": made, "profiles": profiles}


def cpu(folder: Path, jobs: int) -> float:
    """CPU seconds of one whole process, start of the interpreter included: the best of three."""
    (folder / "site.xml").write_text(PLATFORM, encoding="utf-8")
    work = folder / f"{jobs}.json"
    work.write_text(json.dumps(workload(jobs)), encoding="utf-8")
    command = [sys.executable, "-m", "windtunnel", "run", str(folder / "site.xml"), str(work), "--quiet"]
    best = float("inf")
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([*command, "--out", str(folder / "out")], check=True, env=_environment(folder))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return best


def _environment(folder: Path) -> dict[str, str]:
    """Ours, but with compiled modules kept, as an installed program has them."""
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": str(folder / "compiled")}


def run() -> Iterator[Figure]:
    """The figures of issue "execution model"."""
    with tempfile.TemporaryDirectory() as name:
        for jobs, goal in ((1000, "0.8; Batsim 5 1.0"), (3000, "2.4; Batsim 5 3.7")):
            yield Figure(
                f"{jobs:,} parallel tasks saturated, easy, whole process", cpu(Path(name), jobs), "CPU-s", goal
            )
