"""What the ``slurm`` scheduler costs: beside ``easy`` in the same build, a month of a site, and with a long queue.

Whole runs from the command line, outputs written, CPU seconds of user and system. The month is measured at a part of
its jobs (and of its days), and told for all of them.
"""

import gzip
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks import Figure
from benchmarks.child import windtunnel
from benchmarks.generate import swf_log
from benchmarks.runs import CURIE
from benchmarks.slurm_sites import curie_site, month_log, month_site, packed_log

__all__ = ["run"]

CURIE_JOBS = 10_000
"""Of the log: all of it takes a quarter of an hour and more."""
MONTH_JOBS, MONTH_OF = 10_000, 200_000
WAITING = (2_000, 10_000)
"""Jobs that wait at once: beyond bf_max_job_test (500), what more of them cost is sorting."""
LOOKED_AT = 1800
"""Simulated seconds of the long queue."""


def _cost(*words: str) -> float:
    return windtunnel("run", *words, "--quiet").cpu


def _beside_easy(folder: Path) -> Iterator[Figure]:
    log = folder / "curie.swf"
    if CURIE.exists():
        what = f"CEA-Curie, first {CURIE_JOBS:,} jobs"
        with gzip.open(CURIE, "rt") as whole, log.open("w") as part:
            jobs = 0
            for line in whole:
                jobs += not line.startswith(";")
                if jobs <= CURIE_JOBS:
                    part.write(line)
    else:
        what = f"{CURIE_JOBS:,} generated jobs on 93,312 processors"
        swf_log(log, jobs=CURIE_JOBS, processors=93312, load=0.63)
    out = str(folder / "out")
    site = str(curie_site(folder / "site"))
    ours = _cost(site, str(log), "--scheduler", "slurm", "--out", out)
    kept = _cost(site, str(log), "--scheduler", "easy", "--out", out)
    easy = _cost("hosts:93312", str(log), "--scheduler", "easy", "--out", out)
    packed = _cost("hosts:5832x16", str(log), "--scheduler", "easy", "--share-hosts", "--out", out)
    yield Figure(f"{what}: slurm", ours, "CPU-s")
    yield Figure(f"{what}: easy", easy, "CPU-s")
    yield Figure(f"{what}: easy on the site, kept to its partitions and limits", kept, "CPU-s")
    yield Figure(f"{what}: easy that packs 5,832 nodes by cores", packed, "CPU-s")
    yield Figure(f"{what}: ratio", ours / easy, "times", "at most 10")
    shutil.rmtree(out)


def _month(folder: Path) -> Iterator[Figure]:
    site, out = str(month_site(folder / "month")), str(folder / "out")
    logs = [str(month_log(folder / f"{jobs}.txt", jobs=jobs)) for jobs in (MONTH_JOBS // 10, MONTH_JOBS)]
    costs = [_cost(site, log, "--scheduler", "slurm", "--out", out) for log in logs]
    slope = (costs[1] - costs[0]) / (MONTH_JOBS * 0.9)
    yield Figure(f"1,500 nodes, {MONTH_JOBS:,} jobs of {MONTH_OF:,}", costs[1], "CPU-s")
    yield Figure("    its slope, for a month of them", slope * MONTH_OF, "CPU-s", "under 120, compiled")
    yield Figure("    the same jobs under easy", _cost(site, logs[1], "--scheduler", "easy", "--out", out), "CPU-s")
    spent = _cost(site, logs[0], "--scheduler", "conservative", "--out", out)
    yield Figure(f"    the first {MONTH_JOBS // 10:,} of them under conservative", spent, "CPU-s")


def _long_queue(folder: Path) -> Iterator[Figure]:
    site, out = str(curie_site(folder / "queue", users=200)), str(folder / "out")
    for waiting in WAITING:
        log = packed_log(folder / f"{waiting}.swf", waiting=waiting)
        spent = _cost(site, str(log), "--scheduler", "slurm", "--until", str(LOOKED_AT), "--out", out)
        yield Figure(f"{waiting:,} jobs in half an hour, most of them waiting", spent, "CPU-s")


def run() -> Iterator[Figure]:
    """All three."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        yield from _beside_easy(folder)
        yield from _month(folder)
        yield from _long_queue(folder)
