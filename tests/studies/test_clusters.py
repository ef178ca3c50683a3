"""Studies on a real Dask cluster and a real Ray cluster, two workers each: the same bytes, whatever dies."""

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import pytest

import windtunnel as wt
from shared import missing
from windtunnel.cli.main import main

pytestmark = pytest.mark.slow

STUDY = """\
platforms = "hosts:32"
workloads = "lublin:120?hosts=32&seed={seed}"
seeds = 10
schedulers = ["easy", "mine"]
job_tables = true
"""
MINE = """\
import os, signal
from pathlib import Path
from windtunnel.schedulers.easy import Easy

class Mine(Easy):
    def hello(self, *given, **more):
        mark = Path(__file__).with_name("killed")
        if mark.with_name("deadly").exists() and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().hello(*given, **more)
"""


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


@pytest.fixture
def started(tmp_path):
    """Starts processes of a cluster, each in a session of its own, and ends them all."""
    running = []
    log = (tmp_path / "cluster.log").open("w")

    def start(*words):
        environment = os.environ | {"RAY_ENABLE_AUTO_CONNECT": "0", "RAY_USAGE_STATS_ENABLED": "0"}
        environment["RAY_CLIENT_SERVER_CHECK_CHANNEL_TIMEOUT_S"] = "120"  # two processors, and tests beside it
        running.append(
            subprocess.Popen(
                [str(word) for word in words],
                cwd=tmp_path,
                stdout=log,
                stderr=log,
                start_new_session=True,
                env=environment,
            )
        )
        return running[-1]

    yield start
    for process in reversed(running):
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(process.pid, number)
                process.wait(10)
            except (ProcessLookupError, subprocess.TimeoutExpired):
                continue
    log.close()


@pytest.fixture
def dask(started, tmp_path):
    if find_spec("distributed") is None:
        missing("distributed (Dask)")
    where = tmp_path / "scheduler.json"
    port = free_port()
    tool = [sys.executable, "-m"]
    started(*tool, "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", port, "--no-dashboard",
            "--scheduler-file", where)  # fmt: skip
    started(*tool, "distributed.cli.dask_worker", "--scheduler-file", where, "--nworkers", 2, "--nthreads", 1,
            "--no-dashboard")  # fmt: skip
    return f"dask://127.0.0.1:{port}"


@pytest.fixture
def ray(started):
    if find_spec("ray") is None:
        missing("ray")
    port, client = free_port(), free_port()
    tool = Path(sys.executable).with_name("ray")
    started(tool, "start", "--head", "--block", "--port", port, "--ray-client-server-port", client, "--num-cpus", 2,
            "--include-dashboard=false", "--object-store-memory", 100_000_000, "--min-worker-port", 0,
            "--max-worker-port", 0)  # fmt: skip
    for _ in range(1200):
        with socket.socket() as trial:
            if trial.connect_ex(("127.0.0.1", client)) == 0:
                break
        time.sleep(0.1)
    return f"ray://127.0.0.1:{client}"


def files_of(folder):
    tables = sorted(folder.glob("jobs/*/*/jobs.parquet"))
    return {path.relative_to(folder): path.read_bytes() for path in [folder / "points.parquet", *tables]}


@pytest.mark.parametrize("cluster", ["dask", "ray"])
def test_a_cluster_gives_the_same_bytes_whatever_dies(cluster, request, tmp_path):
    address = request.getfixturevalue(cluster)
    (tmp_path / "study.toml").write_text(STUDY)
    (tmp_path / "mine.py").write_text(MINE)
    bound = f"mine={tmp_path}/mine.py:Mine"
    line = [sys.executable, "-m", "windtunnel", "study", "run", "study.toml", "--scheduler", bound]
    local = subprocess.run([*line, "--out", "local", "--jobs", "1"], cwd=tmp_path, capture_output=True, check=False)
    assert local.returncode == 0, local.stderr

    # Somewhere midway a worker is killed, and soon after the driver.
    (tmp_path / "deadly").touch()
    driver = subprocess.Popen([*line, "--out", "far", "--on", address], cwd=tmp_path, stderr=subprocess.PIPE)
    journal = tmp_path / "far" / "journal.jsonl"
    killed = tmp_path / "killed"
    while driver.poll() is None and not (
        killed.exists() and journal.exists() and journal.read_bytes().count(b"\n") > 2
    ):
        time.sleep(0.02)
    driver.kill()
    _, said = driver.communicate()
    assert journal.exists(), said.decode()[-3000:]
    assert killed.exists()
    before = journal.read_bytes().count(b"\n")
    far = subprocess.run([*line, "--out", "far", "--on", address], cwd=tmp_path, capture_output=True, check=False)
    assert far.returncode == 0, far.stderr.decode()[-3000:] + far.stdout.decode()
    assert 2 < before <= 20 == journal.read_bytes().count(b"\n")
    assert files_of(tmp_path / "far") == files_of(tmp_path / "local")
    assert len(files_of(tmp_path / "far")) == 21


SBATCH = """\
#!/bin/sh
# Slurm's sbatch as far as a client sees it: it keeps a copy of the script, which the client deletes, and says its number.
echo "$@" >> {folder}/sbatch.log
cp "$1" {folder}/script.$$
setsid sh {folder}/script.$$ > {folder}/job.$$.log 2>&1 < /dev/null &
echo $! >> {folder}/numbers
echo "Submitted batch job $!"
"""
SCANCEL = """\
#!/bin/sh
for number in "$@"; do kill -- "-$number"; done
"""


def told(folder):
    """What the study and its workers have printed."""
    return "\n".join(
        f"{one.name}:\n{one.read_text()[-3000:]}" for one in (folder / "said", *folder.glob("job.*.log"))
    )


def test_slurm_jobs_are_workers(tmp_path):
    """Dask's jobqueue asks for jobs with ``sbatch`` and ends them with ``scancel``: here two scripts that do as much."""
    if find_spec("dask_jobqueue") is None:
        missing("dask-jobqueue")
    tools = tmp_path / "bin"
    tools.mkdir()
    for name, text in (("sbatch", SBATCH), ("scancel", SCANCEL)):
        (tools / name).write_text(text.format(folder=tmp_path))
        (tools / name).chmod(0o755)
    (tmp_path / "study.toml").write_text(STUDY.replace('"mine"', '"fcfs"'))
    line = [sys.executable, "-m", "windtunnel", "study", "run", "study.toml"]
    environment = os.environ | {
        "PATH": f"{tools}:{os.environ['PATH']}",
        "DASK_JOBQUEUE__SLURM__WALLTIME": "00:05:00",
        "DASK_DISTRIBUTED__SCHEDULER__DASHBOARD__ENABLED": "false",
    }
    try:
        with (tmp_path / "said").open("w") as said:
            done = subprocess.run(
                [*line, "--on", "slurm", "--jobs", "2", "--out", "far"],
                cwd=tmp_path,
                env=environment,
                stdout=said,
                stderr=said,
                timeout=300,
                check=False,
            )
        assert done.returncode == 0, told(tmp_path)
        subprocess.run([*line, "--jobs", "1", "--out", "local"], cwd=tmp_path, capture_output=True, check=True)
        assert files_of(tmp_path / "far") == files_of(tmp_path / "local")
        assert len((tmp_path / "sbatch.log").read_text().splitlines()) == 2
    except subprocess.TimeoutExpired:
        pytest.fail(f"the workers did not come:\n{told(tmp_path)}")
    finally:
        numbers = tmp_path / "numbers"
        for number in numbers.read_text().split() if numbers.exists() else ():
            with suppress(ProcessLookupError):
                os.killpg(int(number), signal.SIGKILL)


@pytest.mark.parametrize(("cluster", "package"), [("dask", "distributed"), ("ray", "ray")])
def test_a_cluster_that_is_not_there_is_said(cluster, package, tmp_path):
    if find_spec(package) is None:
        missing(package)
    (tmp_path / "study.toml").write_text('workloads = "lublin:9"\nschedulers = "easy"\n')
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "windtunnel",
            "study",
            "run",
            "study.toml",
            "--on",
            f"{cluster}://127.0.0.1:{free_port()}",
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert f"there is no {cluster.title()} cluster at" in done.stderr
    assert "Traceback" not in done.stderr


def test_what_is_missing_is_named(tmp_path, capsys, monkeypatch):
    for package in ("distributed", "ray", "dask_jobqueue", "dask"):
        monkeypatch.setitem(sys.modules, package, None)
    path = tmp_path / "study.toml"
    path.write_text('workloads = "lublin:9"\nschedulers = "easy"\n')
    for on, extra in (("dask://h:1", "dask"), ("ray://h:1", "ray"), ("slurm", "slurm")):
        assert main(["study", "run", str(path), "--on", on, "--out", str(tmp_path / "out")]) == 2
        assert f"windtunnel[{extra}]" in capsys.readouterr().err
    assert wt.load_study(tmp_path / "out").progress.pending == 1
