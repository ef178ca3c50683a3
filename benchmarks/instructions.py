"""Instructions for each job, counted by valgrind: the same on a busy machine as on a calm one.

Whole runs from the command line, outputs written, of the same seeded workload in two sizes; the slope between them is
what a job costs, and what is left is what starting, reading and ending cost whatever the size. With ``--against DIR``
(a checkout of another commit) each workload is run by that one too, and the ratios are told. Runs with the live view
that nobody watches are told beside the same runs without it.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from re import search
from shutil import which
from typing import NamedTuple

import windtunnel
from benchmarks import AGAINST, Figure
from benchmarks.generate import delay_jobs, swf_log

__all__ = ["run"]

OURS = Path(windtunnel.__file__).parents[1]
"""Where the package lies that is installed: compiled after ``make fast``."""


class Case(NamedTuple):
    """One kind of run: its words for a workload file, and how such a file of a size is written."""

    what: str
    unit: str
    sizes: tuple[int, int]
    write: Callable[[Path, int], Path]
    words: Callable[[Path], Sequence[str]]
    beside: str = ""
    """The case that it is to cost no more than two per cent more than."""
    ours_alone: bool = False
    """Other commits may not know it."""


def _log(load: float) -> Callable[[Path, int], Path]:
    return lambda folder, jobs: swf_log(folder / f"{load}-{jobs}.swf", jobs=jobs, processors=256, load=load)


def _delays(folder: Path, jobs: int) -> Path:
    return delay_jobs(folder / f"{jobs}.json", jobs=jobs, hosts=128, load=1.0)


def _leases(folder: Path, leases: int) -> Path:
    from benchmarks.leases import NODE, workload
    from windtunnel.formats.haizea.lwf_write import write_lwf
    from windtunnel.model.lease import CPU, MEMORY, LeaseSite, LeaseWorkload, NodeSet

    path = folder / f"{leases}.lwf"
    site = LeaseSite((CPU, MEMORY), (NodeSet(64, NODE),))
    write_lwf(LeaseWorkload(leases=workload(leases, 64), site=site), path)
    return path


def _run(hosts: int, scheduler: str, *more: str) -> Callable[[Path], Sequence[str]]:
    return lambda file: ("run", f"hosts:{hosts}", str(file), "--scheduler", scheduler, "--quiet", *more)


def _lease_run(file: Path) -> Sequence[str]:
    settings = ("suspension=all", "migration=yes", "policy-preemption=ar-preempts-everything")
    return ("lease", "run", str(file), *(word for one in settings for word in ("-o", one)))


PLAIN = "easy, 256 hosts, load 0.7"
ELASTIC = ("--apply", "with_elasticity(0.5, cost=10, seed=1)")
CASES = (
    Case(PLAIN, "job", (2_000, 10_000), _log(0.7), _run(256, "easy")),
    Case(f"{PLAIN}, live and unwatched", "job", (2_000, 10_000), _log(0.7), _run(256, "easy", "--live"), PLAIN, True),
    Case("easy, 256 hosts, load 1.5", "job", (2_000, 10_000), _log(1.5), _run(256, "easy")),
    Case("conservative, 128 hosts, load 1", "job", (500, 2_500), _delays, _run(128, "conservative")),
    Case(
        "half of the jobs malleable, expand-into-idle, 256 hosts, load 0.7",
        "job",
        (500, 2_500),
        _log(0.7),
        _run(256, "elastic/expand-into-idle", *ELASTIC),
        ours_alone=True,
    ),
    Case("leases, 64 nodes, load 0.8", "lease", (300, 1_500), _leases, _lease_run),
)


def _started(source: Path, words: Sequence[str], folder: Path, before: Sequence[str] = ()) -> str:
    """Run the package in a folder; what stands on standard error."""
    folder.mkdir(parents=True)
    command = [*before, sys.executable, "-m", "windtunnel", *words, "--out", str(folder / "out")]
    environment = os.environ | {
        "PYTHONPATH": str(source),
        "PYTHONHASHSEED": "0",
        "PYTHONPYCACHEPREFIX": str(folder.parent / "compiled"),
    }
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stderr}")
    return done.stderr


def counted(source: Path, words: Sequence[str], folder: Path) -> int:
    """Instructions of one run of the package in a folder."""
    valgrind = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    said = _started(source, words, folder, valgrind)
    found = search(r"I +refs: +([\d,]+)", said)
    if found is None:
        raise RuntimeError(f"valgrind counts nothing:\n{said}")
    return int(found[1].replace(",", ""))


def _cost(source: Path, case: Case, files: Sequence[Path], folder: Path) -> tuple[float, float]:
    """Instructions of each job, and those of a run of none."""
    # Modules are compiled beforehand, as in any installed package.
    _started(source, case.words(files[0]), folder / f"{case.what}-first")
    small, large = (
        counted(source, case.words(file), folder / f"{case.what}-{size}")
        for size, file in zip(case.sizes, files, strict=True)
    )
    slope = (large - small) / (case.sizes[1] - case.sizes[0])
    return slope, small - slope * case.sizes[0]


def _figures(
    case: Case, sources: Sequence[Path], folder: Path, pool: ThreadPoolExecutor, slopes: dict[str, float]
) -> Iterator[Figure]:
    sources = sources[:1] if case.ours_alone else sources
    files = [case.write(folder, size) for size in case.sizes]
    asked = [
        pool.submit(_cost, source, case, files, folder / f"source-{rank}") for rank, source in enumerate(sources)
    ]
    costs = [one.result() for one in asked]
    what = f"instructions: {case.what} ({windtunnel.build()})"
    for (slope, fixed), whose in zip(costs, ("", ", the other"), strict=False):
        yield Figure(f"{what}{whose}", slope / 1000, f"k a {case.unit}")
        yield Figure(f"{what}{whose}: fixed", fixed / 1e9, "G")
    slopes[case.what] = costs[0][0]
    if case.beside:
        yield Figure(f"{what}: against without", costs[0][0] / slopes[case.beside], "times", "at most 1.02")
    if len(costs) > 1:
        yield Figure(f"{what}: ratio", costs[0][0] / costs[1][0], "times", "at most 1")


def run() -> Iterator[Figure]:
    """The figures, case by case."""
    if which("valgrind") is None:
        yield Figure("instructions: not counted, valgrind is not installed", float("nan"), "")
        return
    against = os.environ.get(AGAINST)
    sources = [OURS, *([Path(against).resolve() / "src"] if against else [])]
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(os.cpu_count()) as pool:
        slopes: dict[str, float] = {}
        for case in CASES:
            yield from _figures(case, sources, Path(name), pool, slopes)
