"""A decision component in C against one in process: CPU of the same run (issue 5: at most 3 times)."""

import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from benchmarks import Figure
from windtunnel import model as m
from windtunnel.engine.simulation import Simulation
from windtunnel.schedulers import make_scheduler
from windtunnel.vocabulary import Component
from windtunnel.wires.batprotocol.session import BatprotocolComponent
from windtunnel.wires.isolated import IsolatedTransport
from windtunnel.wires.library import LibraryTransport

SOURCE = Path(__file__).parents[1] / "examples" / "edc" / "one_by_one.c"
JOBS = 20_000


def workload() -> m.JobList:
    """Jobs that never overlap, so that any scheduler decides the same."""
    profiles = [m.DelayProfile(id=f"w0!p{length}", delay=float(length)) for length in range(1, 9)]
    jobs = [
        m.Job(
            id=f"w0!{i}",
            request=m.Request(1 + i % 4),
            profile=profiles[i % 8],
            submission_time=10.0 * i,
            walltime=100.0,
        )
        for i in range(JOBS)
    ]
    return m.JobList("w0", jobs, {profile.id: profile for profile in profiles})


def cpu(component: Component, work: m.JobList) -> float:
    """CPU seconds of this process for one run (a child's are not in it)."""
    simulation = Simulation(m.Platform.uniform(8), [work], [component])
    start = time.process_time()
    while simulation.step():
        pass
    spent = time.process_time() - start
    component.stop()
    return spent


def run() -> list[Figure]:
    work = workload()
    own = min(cpu(make_scheduler("easy"), work) for _ in range(3))
    figures = [Figure(f"{JOBS:,} delay jobs, easy in process", own, "CPU-s")]
    compiler = shutil.which("cc")
    if compiler is None:
        return [*figures, Figure("a component in C: no C compiler here", float("nan"), "")]
    with tempfile.TemporaryDirectory() as folder:
        library = f"{folder}/libone_by_one.so"
        subprocess.run([compiler, "-O2", "-shared", "-fPIC", SOURCE, "-o", library], check=True)
        for what, kind in (("in process", LibraryTransport), ("isolated", IsolatedTransport)):
            spent = min(cpu(BatprotocolComponent(kind(library)), work) for _ in range(3))
            figures.append(Figure(f"the same, a component in C (JSON), {what}", spent, "CPU-s"))
            figures.append(
                Figure(f"    ratio, {what}", spent / own, "times", "3" if kind is LibraryTransport else "")
            )
    return figures
