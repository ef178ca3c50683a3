"""A study on a real Slurm of one node (Debian's slurm-wlm), whose daemons the test starts on the loopback device.

It needs to be root, as slurmd does. Where a container lets these daemons not work, a notice says what they said;
``test_clusters.py`` has scripts that stand in for Slurm's commands, and needs none of this.
"""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from importlib.util import find_spec

import pytest

from shared import missing

pytestmark = pytest.mark.slow

STUDY = """\
platforms = "hosts:32"
workloads = "lublin:120?hosts=32&seed={seed}"
seeds = 10
schedulers = ["easy", "fcfs"]
job_tables = true
"""
CONFIGURATION = """\
ClusterName=tunnel
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmUser=root
SlurmdUser=root
AuthType=auth/none
CredType=cred/none
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0
NodeName=node1 NodeHostname={host} NodeAddr=127.0.0.1 Port={node} CPUs=2 RealMemory=8000
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def free_ports(number):
    sockets = [socket.socket() for _ in range(number)]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()


def asked(words, environment):
    """What one of Slurm's commands says; "" when it fails or hangs."""
    try:
        done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=20, check=False)
    except subprocess.TimeoutExpired:
        return ""
    return done.stdout if done.returncode == 0 else ""


def works(environment, folder):
    """Whether a job that does nothing is run, in half a minute."""
    mark = folder / "ran"
    (folder / "trial.sh").write_text(f"#!/bin/sh\ntouch {mark}\n")
    until = time.monotonic() + 30
    submitted = False
    while time.monotonic() < until and not mark.exists():
        submitted = submitted or bool(
            asked(["sbatch", "--chdir", str(folder), str(folder / "trial.sh")], environment)
        )
        time.sleep(0.5)
    return mark.exists()


@pytest.fixture
def slurm(tmp_path):
    """The environment in which Slurm's commands find a cluster of one node with two processors."""
    if find_spec("dask_jobqueue") is None:
        missing("dask-jobqueue")
    if not all(map(shutil.which, ("slurmctld", "slurmd", "sbatch", "scancel"))) or os.getuid() != 0:
        pytest.skip("not run: Slurm's daemons (Debian's slurm-wlm) are not here, or may not be started")
    folder = tmp_path / "slurm"
    (folder / "state").mkdir(parents=True)
    (folder / "spool").mkdir()
    host = socket.gethostname().partition(".")[0]
    controller, node = free_ports(2)
    (folder / "slurm.conf").write_text(
        CONFIGURATION.format(folder=folder, host=host, controller=controller, node=node)
    )
    environment = os.environ | {"SLURM_CONF": str(folder / "slurm.conf")}
    daemons = []
    for words in (["slurmctld", "-D"], ["slurmd", "-D", "-N", "node1"]):
        with (folder / f"{words[0]}.log").open("w") as log:
            daemons.append(
                subprocess.Popen(words, cwd=folder, env=environment, stdout=log, stderr=log, start_new_session=True)
            )
    try:
        if not works(environment, folder):
            logs = "\n".join((folder / f"{name}.log").read_text()[-800:] for name in ("slurmctld", "slurmd"))
            pytest.skip(f"not run: Slurm does not work here:\n{logs}")
        yield environment
    finally:
        asked(["scancel", "--user", "root"], environment)
        until = time.monotonic() + 20
        while time.monotonic() < until and asked(["squeue", "--noheader"], environment).strip():
            time.sleep(0.3)
        for daemon in reversed(daemons):
            for number in (signal.SIGTERM, signal.SIGKILL):
                with suppress(ProcessLookupError, subprocess.TimeoutExpired):
                    os.killpg(daemon.pid, number)
                    daemon.wait(10)


def files_of(folder):
    tables = sorted(folder.glob("jobs/*/*/jobs.parquet"))
    return {path.relative_to(folder): path.read_bytes() for path in [folder / "points.parquet", *tables]}


def test_a_real_slurm_gives_the_same_bytes(slurm, tmp_path):
    (tmp_path / "study.toml").write_text(STUDY)
    line = [sys.executable, "-m", "windtunnel", "study", "run", "study.toml"]
    environment = slurm | {
        "DASK_JOBQUEUE__SLURM__WALLTIME": "00:10:00",
        "DASK_DISTRIBUTED__SCHEDULER__DASHBOARD__ENABLED": "false",
    }
    with (tmp_path / "said").open("w") as said:
        try:
            done = subprocess.run(
                [*line, "--on", "slurm", "--jobs", "2", "--out", "far"],
                cwd=tmp_path,
                env=environment,
                stdout=said,
                stderr=said,
                timeout=240,
                check=False,
            )
        except subprocess.TimeoutExpired:
            outputs = "\n".join(one.read_text()[-2000:] for one in tmp_path.glob("slurm-*.out"))
            told = f"{(tmp_path / 'said').read_text()[-2000:]}\n{asked(['squeue'], slurm)}\n{outputs}"
            pytest.skip(f"not run: Slurm gave no workers in four minutes: {told}")
    assert done.returncode == 0, (tmp_path / "said").read_text()[-3000:]
    subprocess.run([*line, "--jobs", "1", "--out", "local"], cwd=tmp_path, capture_output=True, check=True)
    assert files_of(tmp_path / "far") == files_of(tmp_path / "local")
    assert len(files_of(tmp_path / "far")) == 21
