"""What a study costs beyond its simulations, and what a second worker saves: 1,000 points of about 1,000 jobs.

The simulations alone are the same points in a plain loop of this process, each workload made once for its two
schedulers. Overhead is processor time per point: of this process and its workers, less that of the loop. Wall times
are those of whole studies, start of the workers included; on a busy machine they mean little.
"""

import resource
import tempfile
import time
import warnings
from pathlib import Path

import windtunnel as wt
from benchmarks import Figure

__all__ = ["run"]

SEEDS, SCHEDULERS, JOBS = 500, ("easy", "fcfs"), 1000
WORKLOAD = f"poisson:{JOBS}?hosts=64&load=0.7&seed={{seed}}"


def cpu() -> float:
    """Seconds of processor time of this process and its children that have ended."""
    return sum(
        used.ru_utime + used.ru_stime
        for used in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


def alone(seeds: int) -> float:
    """Seconds of processor time of the simulations in a loop."""
    begun = cpu()
    for seed in range(1, seeds + 1):
        workload = wt.arrange(WORKLOAD.format(seed=seed))
        for scheduler in SCHEDULERS:
            assert wt.simulate("hosts:64", workload, scheduler).metrics.jobs == JOBS
    return cpu() - begun


def study(seeds: int, jobs: int) -> tuple[float, float]:
    """Wall time, and processor time of this process, of a study in so many processes."""
    made = wt.study(platforms="hosts:64", workloads=WORKLOAD, seeds=seeds, schedulers=list(SCHEDULERS))
    with tempfile.TemporaryDirectory() as folder:
        begun, wall = cpu(), time.perf_counter()
        results = made.run(Path(folder) / "out", jobs=jobs)
        spent = cpu() - begun
        assert results.progress.done == seeds * len(SCHEDULERS)
        return time.perf_counter() - wall, spent


def run(seeds: int = SEEDS) -> list[Figure]:
    """Overhead and speed-up."""
    warnings.simplefilter("ignore")
    points = seeds * len(SCHEDULERS)
    alone(2)  # what is loaded once
    plain = alone(seeds)
    one, spent = study(seeds, 1)
    two, driver = study(seeds, 2)
    size = f"{points:,} points of {JOBS:,} jobs"
    return [
        Figure(f"{size}: simulation alone", plain / points * 1e3, "ms a point"),
        Figure(f"{size}: overhead of a study, one worker", (spent - plain) / points * 1e3, "ms a point", "< 10"),
        Figure(f"{size}: the driver of two workers", driver / points * 1e3, "ms a point", "< 10"),
        Figure(f"{size}: two workers against one", two / one, "of the wall time", "<= 0.6"),
    ]
