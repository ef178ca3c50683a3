"""A decision component in C against one in process: CPU of the same run, whole processes (at most 3 times)."""

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import windtunnel
from benchmarks import Figure

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples" / "edc"
JOBS = 100_000


def workload(path: Path) -> None:
    """Delay jobs that never overlap, so that any scheduler decides the same."""
    profiles = {f"p{k}": {"type": "DelayProfile", "delay": float(k)} for k in range(1, 9)}
    jobs = [
        {"id": str(i), "subtime": 10.0 * i, "res": 1 + i % 4, "profile": f"p{1 + i % 8}", "walltime": 100.0}
        for i in range(JOBS)
    ]
    path.write_text(json.dumps({"nb_res": 8, "jobs": jobs, "profiles": profiles}))


def cpu(folder: Path, scheduler: str) -> float:
    """CPU seconds of ``windtunnel run``, from its first to its last instruction, its children included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    words = ["run", "hosts:8", folder / "jobs.json", "--scheduler", scheduler, "--out", folder / "out", "--quiet"]
    environment = os.environ | {"PYTHONPATH": str(Path(windtunnel.__file__).parents[1])}
    subprocess.run([sys.executable, "-m", "windtunnel", *words], check=True, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def libraries(folder: Path) -> dict[str, Path]:
    """The examples that can be built here, by what they are."""
    made = {}
    if compiler := shutil.which("cc"):
        made["in C (JSON)"] = folder / "libone_by_one.so"
        source = EXAMPLES / "one_by_one.c"
        subprocess.run([compiler, "-O2", "-shared", "-fPIC", source, "-o", made["in C (JSON)"]], check=True)
    flatc, compiler = shutil.which("flatc"), shutil.which("g++")
    if flatc and compiler:
        made["in C++ (binary)"] = folder / "libfcfs.so"
        schema = ROOT / "src" / "windtunnel" / "wires" / "batprotocol" / "batprotocol.fbs"
        subprocess.run([flatc, "--cpp", "-o", folder, schema], check=True)
        options = ["-O2", "-shared", "-fPIC", f"-I{folder}", f"-I{EXAMPLES}"]
        subprocess.run([compiler, *options, EXAMPLES / "fcfs.cpp", "-o", made["in C++ (binary)"]], check=True)
    return made


def run() -> list[Figure]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        workload(folder / "jobs.json")
        own = min(cpu(folder, "easy") for _ in range(3))
        figures = [Figure(f"{JOBS:,} delay jobs, easy in process, whole process", own, "CPU-s")]
        expected = (folder / "out" / "jobs.csv").read_bytes()
        for what, library in libraries(folder).items():
            for where, settings, goal in (("in process", "", "3"), ("isolated", "?isolated", "")):
                times = 3 if goal else 1
                spent = min(cpu(folder, f"lib:{library}{settings}") for _ in range(times))
                assert (folder / "out" / "jobs.csv").read_bytes() == expected, "it decided differently"
                figures.append(Figure(f"the same, a component {what}, {where}", spent, "CPU-s"))
                figures.append(Figure(f"    ratio, {what}, {where}", spent / own, "times", goal))
    return figures
