"""pybatsim as it is on PyPI, run against ``windtunnel batsim4``: it decides as it did for Batsim.

It is found in the folder that WINDTUNNEL_PYBATSIM names (``.ci/run`` makes it), or where Python finds packages.
"""

import importlib.util
import os
import socket
import subprocess
import sys

import pytest
from tests.wires.batsim4_cases import arguments

from golden_outputs import differences
from shared import missing, shared

pytestmark = pytest.mark.golden

CASES = [
    "fillerSched--small--delays",
    "fillerSched--small--sequence",
    "easyBackfill--small--delays",
    "easyBackfill--cluster512--hpc1",
    "schedFcfs--small--delays",
    "schedFcfs--small--sequence",
]
TIMES = {"starting_time", "execution_time", "finish_time", "waiting_time", "turnaround_time", "stretch"}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="module")
def pybatsim():
    """The environment in which pybatsim can be run."""
    folder = os.environ.get("WINDTUNNEL_PYBATSIM", "")
    if not folder and importlib.util.find_spec("batsim") is None:
        missing("pybatsim (a folder named by WINDTUNNEL_PYBATSIM)")
    paths = [folder] if folder else sys.path
    return os.environ | {"PYTHONPATH": os.pathsep.join(paths), "PYTHONWARNINGS": "ignore"}


@pytest.mark.parametrize("name", CASES)
def test_pybatsim_runs(name, pybatsim, tmp_path):
    case = shared(f"golden/batsim4/py-{name}")
    endpoint = f"tcp://127.0.0.1:{free_port()}"
    words = arguments(case, tmp_path / "out", "-q", "--timeout", "60")
    words[words.index("-s") + 1] = endpoint
    if name.startswith("schedFcfs"):  # it asserts that jobs start after 0, which Batsim's latency brings about
        words += ["--first-submission", "0.001"]
    command = [sys.executable, "-m", "batsim.cmds.launcher", name.split("--")[0], "-s", endpoint]
    with (
        (tmp_path / "pybatsim.log").open("w") as log,
        subprocess.Popen(command, env=pybatsim, stdout=log, stderr=log, cwd=tmp_path) as scheduler,
    ):
        try:
            run = subprocess.run(
                [sys.executable, "-m", "windtunnel", "batsim4", *map(str, words)],
                cwd=shared("golden/batsim4/inputs"),
                env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
                capture_output=True,
                text=True,
                check=False,
            )
            assert run.returncode == 0, run.stderr + (tmp_path / "pybatsim.log").read_text()[-2000:]
            assert scheduler.wait(30) == 0
        finally:
            scheduler.kill()
    ours, theirs = tmp_path / "out_jobs.csv", case / "jobs.csv"
    assert not differences(ours, theirs, key=["job_id"], ignore=TIMES)  # the same hosts and ends
    assert not differences(ours, theirs, key=["job_id"], ignore={"waiting_time", "stretch"}, tolerance=0.05)
