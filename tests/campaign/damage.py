"""Directories of runs that have files of every kind, one of them damaged, under the commands that read runs."""

import contextlib
import functools
import io
import os
import shutil
import tempfile
from pathlib import Path
from random import Random

from tests.campaign import seeds
from tests.campaign.mutations import mutated

from windtunnel.cli.main import main

SWF = "".join(f"{k} {k * 9} 0 {50 + k} 2 -1 -1 2 200 -1 1 1 1 1 {k % 2} 1 -1 -1\n" for k in range(1, 12))
FAILURES = "between=constant:200;repair=constant:20;until=600"
RUNS = {
    "failing": [
        *["run", "hosts:4x2", "jobs.swf", "--share-hosts", "--on-failure", "requeue", "--failures"],
        FAILURES,
    ],
    "datacenters": ["run", "example:datacenters"],
    "leases": ["lease", "run", "w.lwf"],
}
COMMANDS = (
    ["metrics", "hurt"],
    ["why", "hurt", "JOB"],
    ["report", "hurt", "--to", "page.html"],
    ["compare", "hurt", "WHOLE", "--jobs", "3"],
    ["compare", "WHOLE", "hurt"],
    ["plot", "hurt", "gantt", "a.svg"],
    ["plot", "hurt", "utilisation", "b.svg"],
    ["plot", "hurt", "queue", "c.svg"],
    ["nodes", "hurt"],
    ["nodes", "hurt", "--from", "0"],
    ["nodes", "hurt", "--at", "100", "--platform", "hosts:4"],
)


def _told(line: list[str]) -> tuple[int, str]:
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        return main(line), said.getvalue()


@functools.cache
def _whole() -> tuple[tempfile.TemporaryDirectory[str], dict[str, Path]]:
    """One run of each kind; the folder goes with the process."""
    folder = tempfile.TemporaryDirectory(prefix="campaign-runs-")
    base = Path(folder.name)
    (base / "jobs.swf").write_text(SWF)
    (base / "w.lwf").write_bytes(seeds.LWF)
    made = {}
    for name, line in RUNS.items():
        made[name] = base / name
        with contextlib.chdir(base):
            code, said = _told([*line, "--out", name])
        assert code == 0, said
    return folder, made


def damaged_files(data: bytes, folder: Path, random: Random) -> None:
    """Any file of any run, under three of the commands: an answer, or which file is damaged."""
    del data
    whole = _whole()[1][random.choice(sorted(RUNS))]
    hurt = folder / "hurt"
    shutil.copytree(whole, hurt)
    path = hurt / random.choice(sorted(name for name in os.listdir(hurt) if name[0] != "."))
    path.write_bytes(mutated(path.read_bytes(), random))
    job = (whole / "jobs.csv").read_text().splitlines()[1].partition(",")[0]
    names = {"JOB": job, "WHOLE": str(whole)}
    for line in random.sample(COMMANDS, 3):
        with contextlib.chdir(folder):
            code, said = _told([names.get(word, word) for word in line])
        assert code in (0, 1, 2), (line, path.name)
        assert said or not code, (line, path.name)
        assert "an internal error of windtunnel" not in said, (line, path.name, said[:800])
