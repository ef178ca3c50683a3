"""Building decision components in C, and running them under the engine."""

import shutil
import subprocess
from pathlib import Path

from tests.shared import missing

from windtunnel import model as m
from windtunnel import vocabulary as v
from windtunnel.engine.simulation import Simulation

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "edc"


def build(source: Path, folder: Path) -> str:
    """Compile a C file into a shared library; its path."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        missing("a C compiler")
    library = folder / f"lib{source.stem}.so"
    strict = ["-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", "-Wno-implicit-fallthrough"]
    subprocess.run([compiler, *strict, "-O1", "-shared", "-fPIC", f"-I{EXAMPLES}", source, "-o", library], check=True)
    return str(library)


class Starts(v.Observer):
    """When and where each job ran, and which were rejected."""

    def __init__(self) -> None:
        self.ran: dict[str, tuple[float, float, str]] = {}
        self.rejected: list[str] = []

    def on_job_ended(self, now, record) -> None:
        self.ran[record.job.id] = (record.starting_time, now, str(record.hosts))

    def on_job_rejected(self, now, record) -> None:
        self.rejected.append(record.job.id)


def jobs(*rows: tuple[float, int, float]) -> m.JobList:
    """Delay jobs: submission time, hosts, length."""
    made = []
    for rank, (submission_time, hosts, length) in enumerate(rows):
        profile = m.DelayProfile(id=f"w0!p{rank}", delay=length)
        made.append(
            m.Job(
                id=f"w0!{rank}",
                request=m.Request(hosts),
                profile=profile,
                submission_time=submission_time,
                walltime=length + 1.0,
            )
        )
    return m.JobList("w0", made, {job.profile.id: job.profile for job in made})


def simulate(component: v.Component, workload: m.JobList, hosts: int = 4) -> Starts:
    """Run to the end; where jobs were."""
    starts = Starts()
    simulation = Simulation(m.Platform.uniform(hosts), [workload], [component], observers=[starts])
    while simulation.step():
        pass
    return starts
