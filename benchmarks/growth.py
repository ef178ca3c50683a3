"""How the cost of a job grows with the number of jobs and of hosts: CPU seconds of whole runs, all files written.

What a run of twelve jobs on the same hosts takes (the best of three) is taken off, so that starting Python and
making the hosts do not count. The goal is a curve that is flat for jobs of up to ten intervals of hosts, which are
counted in ``jobs.csv``.
"""

import csv
import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean

from benchmarks import Figure
from benchmarks.child import python, windtunnel

__all__ = ["figures", "run"]

JOBS = (10_000, 30_000, 100_000, 300_000, 1_000_000)
"""On 256 hosts."""
HOSTS = (100, 1_000, 10_000, 100_000, 1_000_000)
MANY = 30_000
"""Jobs on each of these."""


def run() -> Iterator[Figure]:
    """Both curves."""
    yield from figures(JOBS, HOSTS, MANY)


def figures(jobs: Sequence[int], hosts: Sequence[int], many: int) -> Iterator[Figure]:
    """A curve over these numbers of jobs, and one over these numbers of hosts for so many jobs each."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for count in jobs:
            cost, memory, _ = _cost(folder, count, 256)
            yield Figure(f"{count:,} jobs, 256 hosts", cost, "µs a job")
            yield Figure("    its memory", memory, "MB")
        for size in hosts:
            cost, memory, intervals = _cost(folder, many, size)
            yield Figure(f"{many:,} jobs, {size:,} hosts, {intervals:.1f} intervals a job", cost, "µs a job")
            yield Figure("    its memory", memory, "MB")


def _cost(folder: Path, jobs: int, hosts: int) -> tuple[float, float, float]:
    """Microseconds of CPU for each job, MB of the whole run, and intervals of hosts a job has on average."""
    out = folder / "out"
    options = ("--scheduler", "easy", "--quiet", "--out", str(out))
    logs = [_log(folder, count, hosts) for count in (12, jobs)]
    *short, many = [windtunnel("run", f"hosts:{hosts}", log, *options) for log in (*[logs[0]] * 3, logs[1])]
    few = min(one.cpu for one in short)
    with (out / "jobs.csv").open() as file:
        intervals = mean(row["allocated_resources"].count(" ") + 1 for row in csv.DictReader(file))
    return (many.cpu - few) / (jobs - 12) * 1e6, many.memory, intervals


def _log(folder: Path, jobs: int, hosts: int) -> str:
    """A log made by another process: a child is said to have held what its parent held when it was started."""
    path = folder / f"{jobs}-{hosts}.swf"
    if not path.exists():
        words = f"Path({os.fspath(path)!r}), jobs={jobs}, processors={hosts}, load=0.7"
        python("-c", f"from pathlib import Path; from benchmarks.generate import swf_log; swf_log({words})")
    return str(path)
