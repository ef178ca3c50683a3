"""Whole runs from the command line, outputs written, as multiples of a yardstick's CPU seconds on the same log.

Both are run in turn, so that what else the machine does weighs on both; the ratio told is the median. The yardstick
is the script that the goals are set by, where it is there; elsewhere :mod:`benchmarks.yardstick`, which does the same
at a seventh less cost, so that ratios come out higher. With ``--against DIR`` (a checkout of another commit) that one
runs too, in turn with both: machines and interpreters differ, and by how much a commit is faster than another depends
on them less than by how much either is slower than a small loop.
"""

import compileall
import gzip
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

import windtunnel
from benchmarks import AGAINST, Figure
from benchmarks.child import python
from benchmarks.child import windtunnel as measured
from benchmarks.generate import delay_jobs, swf_log

__all__ = ["run", "yardstick"]

SHARED = Path(os.environ.get("WINDTUNNEL_SHARED", Path(__file__).resolve().parents[2] / "shared"))
CURIE = SHARED / "traces" / "CEA-Curie-2011-2.1-cln.swf.gz"
GIVEN = SHARED / "benchmarks" / "yardstick.py"
"""What the goals are set by."""
GOALS = {
    "pure Python": ("at most 3.3, aim 2.8", "at most 1, aim 0.25", "at most 4"),
    "compiled": ("at most 1.5, aim 1.1", "at most 0.08, aim 0.05", "at most 1.6, aim 1.2"),
}
"""By build: load 0.7, load 1.5, CEA-Curie."""


def _simulated(platform, workload, out, *more, scheduler="easy", source=None):
    words = ("run", platform, str(workload), "--scheduler", scheduler, "--out", str(out), "--quiet", *more)
    return measured(*words, source=source)


def _against():
    """Where the package of another commit lies, compiled to bytecode as ours is; None if none was named."""
    folder = os.environ.get(AGAINST)
    if not folder:
        return None
    source = Path(folder) / "src"
    compileall.compile_dir(str(source), quiet=1)
    return source


def _paired(what, log, hosts, out, goal, times):
    """Figures of one log: our CPU seconds, the yardstick's, and how often the one holds the other.

    Where another commit was named also its CPU seconds, and what share of them ours are.
    """
    ours, bare, others = [], [], []
    other = _against()
    for _ in range(times):
        ours.append(_simulated(f"hosts:{hosts}", log, out).cpu)
        bare.append(yardstick(log, hosts))
        if other is not None:
            others.append(_simulated(f"hosts:{hosts}", log, out, source=other).cpu)
    yield Figure(f"{what}: whole run, easy", median(ours), "CPU-s")
    yield Figure(f"{what}: yardstick", median(bare), "CPU-s")
    ratios = sorted(a / b for a, b in zip(ours, bare, strict=True))
    yield Figure(f"{what}: ratio", median(ratios), "times", goal)
    yield Figure(f"    its extremes: {ratios[0]:.2f} and {ratios[-1]:.2f}; pairs", times, "")
    yield Figure("    of the least CPU seconds of each", min(ours) / min(bare), "times")
    if others:
        yield Figure(f"{what}: the other commit", median(others), "CPU-s")
        yield Figure("    its ratio", median([a / b for a, b in zip(others, bare, strict=True)]), "times")
        yield Figure("    ours to it", median([a / b for a, b in zip(ours, others, strict=True)]), "times")


def yardstick(log, hosts):
    """CPU seconds of loading and simulating under EASY, without those of starting Python."""
    if GIVEN.exists():
        command = [sys.executable, str(GIVEN), str(log), str(hosts)]
        said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        (easy,) = re.findall(r"easy .* load ([\d.]+)s sim ([\d.]+)s", said)
        return sum(map(float, easy))
    began = python("-c", "import benchmarks.yardstick").cpu
    return python("-m", "benchmarks.yardstick", str(log), str(hosts)).cpu - began


def _made_apart(path, jobs):
    """A log written by another process: a child is said to have held what its parent held when it was started."""
    words = f"{str(path)!r}), jobs={jobs}, processors=256, load=0.7)"
    python("-c", f"from pathlib import Path; from benchmarks.generate import swf_log; swf_log(Path({words}")
    return path


def run():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        light, heavy, curie = GOALS[windtunnel.build()]
        for load, goal, times in ((0.7, light, 9), (1.5, heavy, 1)):
            log = swf_log(folder / "log.swf", jobs=100_000, processors=256, load=load)
            yield from _paired(f"100,000 jobs, 256 hosts, load {load}", log, 256, folder / "out", goal, times)
        if CURIE.exists():
            with gzip.open(CURIE) as zipped, (folder / "curie.swf").open("wb") as plain:
                shutil.copyfileobj(zipped, plain)
            yield from _paired("CEA-Curie", plain.name, 93312, folder / "out", curie, 5)
        else:
            yield Figure(f"CEA-Curie: not run, {CURIE.name} is not in {CURIE.parent}", float("nan"), "")
        jobs = delay_jobs(folder / "jobs.json", jobs=10_000, hosts=128, load=1.5)
        spent = _simulated("hosts:128", jobs, folder / "out", scheduler="conservative").cpu
        yield Figure("10,000 delay jobs, 128 hosts, load 1.5: conservative", spent, "CPU-s", "at most 60")
        log = _made_apart(folder / "log.swf", 1_000_000)
        cost = _simulated("hosts:256", log, folder / "out")
        yield Figure("1,000,000 jobs, 256 hosts, load 0.7: whole run, easy", cost.cpu, "CPU-s")
        yield Figure("1,000,000 jobs, 256 hosts, load 0.7: memory", cost.memory, "MB", "at most 130")
        streamed = _simulated("hosts:256", log, folder / "out", "--stream").memory
        yield Figure("1,000,000 jobs, 256 hosts, load 0.7, --stream: memory", streamed, "MB")
        log = _made_apart(folder / "log.swf", 2_000_000)
        more = _simulated("hosts:256", log, folder / "out", "--stream").memory
        yield Figure("2,000,000 jobs, 256 hosts, load 0.7, --stream: memory", more, "MB")
        # Ten million in 500 MB, if the first million may take 130.
        yield Figure("    more for the second million", more - streamed, "MB", f"at most {(500 - 130) / 9:.0f}")
