"""Seeded workloads for the benchmarks: logs in the manner of Lublin and Feitelson, and delay jobs for Batsim.

The distributions, the order of the draws and the seeds are those with which the figures of other systems in
docs/reference/performance.md were measured, so that the same numbers give the same files.
"""

import json
import math
import random
from pathlib import Path

__all__ = ["delay_jobs", "swf_log"]

ESTIMATES = [60, 120, 300, 600, 900, 1200, 1800, 2700, 3600, 5400, 7200, 10800]
ESTIMATES += [14400, 18000, 21600, 28800, 36000, 43200, 64800, 86400, 129600, 172800, 259200]
"""The walltimes people ask for (s)."""


def _sizes(np, rng, count, processors):
    """Log-uniform in two stages; about a quarter are serial, more than half of the others powers of two."""
    most = np.log2(processors)
    middle = max(0.8, most - 2.5)
    is_low = rng.random(count) < 0.86
    exponent = np.where(is_low, rng.uniform(0.8, middle, count), rng.uniform(middle, most, count))
    is_power = rng.random(count) < 0.576
    size = np.where(is_power, 2.0 ** np.rint(exponent), np.rint(2.0**exponent))
    size[rng.random(count) < 0.244] = 1
    return np.clip(size, 1, processors).astype(np.int64)


def _run_times(np, rng, size):
    """The exponential of one of two gamma variates; larger jobs draw more often from the longer one (s)."""
    count = len(size)
    is_short = rng.random(count) < np.clip(-0.0054 * size + 0.78, 0.05, 1)
    logarithm = np.where(is_short, rng.gamma(4.2, 0.94, count), rng.gamma(312.0, 0.03, count))
    return np.clip(np.exp(logarithm), 1, 172800).astype(np.int64)


def _arrivals(np, rng, count, work, processors, load):
    """Heavy-tailed gaps, stretched to the load asked for, then crowded into the busy hours of each day (s)."""
    gaps = np.exp(rng.gamma(10.23, 0.4871, count)) ** 0.6
    date = np.concatenate([[0.0], np.cumsum(gaps[:-1])])
    date *= work / (processors * load) / max(date[-1], 1.0)
    slots = np.arange(48) / 48.0
    weight = 0.35 + 0.65 * np.clip(np.sin((slots - 0.29) * 2 * np.pi) * 0.9 + 0.5, 0, 1.3) / 1.3
    passed = np.concatenate([[0.0], np.cumsum(weight / weight.sum())]) * 86400.0
    hour = np.interp(date % 86400, passed, np.arange(49) * 1800.0)
    return np.sort((date // 86400 * 86400 + hour).astype(np.int64))


def _walltimes(np, rng, run):
    """Run times over an accuracy uniform in [0.05, 1], rounded up to what people ask for; a tenth is exact (s)."""
    count = len(run)
    accuracy = np.clip(rng.random(count), 0.05, 1)
    accuracy[rng.random(count) < 0.10] = 1.0
    known = np.array(ESTIMATES)
    wanted = run / accuracy
    place = np.searchsorted(known, wanted)
    rounded = np.where(place < len(known), known[np.minimum(place, len(known) - 1)], known[-1])
    return np.maximum(np.where(accuracy == 1.0, run, rounded), run).astype(np.int64)


def swf_log(path: Path, *, jobs: int, processors: int, load: float, seed: int = 1) -> Path:
    """Write a log of rigid jobs in the Standard Workload Format."""
    import numpy as np

    rng = np.random.default_rng(seed)
    size = _sizes(np, rng, jobs, processors)
    run = _run_times(np, rng, size)
    submit = _arrivals(np, rng, jobs, float((size * run).sum()), processors, load)
    walltime = _walltimes(np, rng, run)
    user = rng.zipf(1.7, jobs) % 200 + 1
    columns = (column.tolist() for column in (submit, run, size, walltime, user))
    with path.open("w") as file:
        file.write(f"; Version: 2.2\n; UnixStartTime: 0\n; MaxJobs: {jobs}\n; MaxRecords: {jobs}\n")
        file.write(f"; MaxNodes: {processors}\n; MaxProcs: {processors}\n; Note: seed {seed}, load {load}\n")
        for number, (date, seconds, count, limit, who) in enumerate(zip(*columns, strict=True), 1):
            file.write(f"{number} {date} -1 {seconds} {count} -1 -1 {count} {limit} -1 1 {who} 1 -1 1 -1 -1 -1\n")
    return path


def delay_jobs(path: Path, *, jobs: int, hosts: int, load: float, seed: int = 1) -> Path:
    """Write a Batsim workload of delay jobs: sizes 2^k up to a quarter of the hosts, 200 different lengths."""
    rng = random.Random(seed)
    delays = [round(min(36000, max(10, rng.lognormvariate(math.log(600), 1))), 2) for _ in range(200)]
    largest = int(math.log2(hosts / 4))
    mean_size = sum(2**k for k in range(largest + 1)) / (largest + 1)
    gap = mean_size * sum(delays) / len(delays) / (hosts * load)
    now, made = 0.0, []
    for number in range(jobs):
        now += rng.expovariate(1 / gap)
        which = rng.randrange(200)
        walltime = math.ceil(delays[which] * rng.uniform(1.1, 3))
        size = 2 ** rng.randint(0, largest)
        made.append(
            {"id": number, "subtime": round(now, 3), "walltime": walltime, "res": size, "profile": f"d{which}"}
        )
    profiles = {f"d{k}": {"type": "delay", "delay": delay} for k, delay in enumerate(delays)}
    path.write_text(json.dumps({"nb_res": hosts, "jobs": made, "profiles": profiles}))
    return path
