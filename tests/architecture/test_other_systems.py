"""The program with all taken away that Windows lacks, or macOS; what types tell of it, ``make lint`` checks."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

LACKING = """
import asyncio, concurrent.futures.process, errno, fcntl, multiprocessing.forkserver, os, select, selectors
import signal, socket, socketserver, subprocess, sys, tempfile, types, zoneinfo
import polars  # it looks for itself what system this is

flock, LOCKED = fcntl.flock, fcntl.LOCK_EX | fcntl.LOCK_NB


def locking(file, mode, count):
    try:
        flock(file, LOCKED)
    except BlockingIOError:
        raise PermissionError(errno.EACCES, "Permission denied") from None


sys.modules["msvcrt"] = types.SimpleNamespace(locking=locking, LK_NBLCK=2)
for name in ("fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty"):
    sys.modules[name] = None
FLAGS = ("O_CLOEXEC", "O_NOCTTY", "O_NOFOLLOW", "O_NONBLOCK", "RTLD_DEEPBIND", "RTLD_LOCAL", "RTLD_NOW")
CALLS = ("fork", "geteuid", "getuid", "kill", "pread", "pwrite", "sched_getaffinity", "setsid", "statvfs", "uname")
for name in FLAGS + CALLS:
    delattr(os, name)
os.O_BINARY = 0
del select.epoll, select.poll, socket.AF_UNIX, signal.SIGHUP
sys.platform = "win32"  # other packages go on with what they are made for
import windtunnel.operating_system
import windtunnel.wires.sockets
windtunnel.operating_system.sys = windtunnel.wires.sockets.sys = types.SimpleNamespace(platform="win32")
sys.platform = "linux"
"""


def without_posix(program: str, where: Path, *words: object, first: str = "") -> "subprocess.CompletedProcess[str]":
    """Run a program where there is nothing that only POSIX has; ``first`` imports packages made for this system."""
    return subprocess.run(
        [sys.executable, "-c", first + LACKING + program, *map(str, words)],
        cwd=where,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


COMMAND = """
from windtunnel.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.slow
def test_every_module_is_imported(tmp_path: Path) -> None:
    found = without_posix(
        """
import importlib, pkgutil, windtunnel
missing = {}
for one in pkgutil.walk_packages(windtunnel.__path__, "windtunnel."):
    if not one.name.endswith("__main__"):
        try:
            importlib.import_module(one.name)
        except ImportError as fault:
            missing[one.name] = str(fault)
import json
print(json.dumps(missing))
""",
        tmp_path,
        first="import gymnasium, matplotlib.pyplot, numpy, polars, redis, scipy.stats, starlette, uvicorn\n",
    )
    assert found.returncode == 0, found.stderr
    ours = {name: why for name, why in json.loads(found.stdout).items() if "dask" not in why and "ray" not in why}
    assert ours == {}


def test_a_run_is_written_and_looked_at(tmp_path: Path) -> None:
    command = ("run", "example:small", "--scheduler", "easy", "--quiet", "--out")
    usual = subprocess.run(
        [sys.executable, "-m", "windtunnel", *command, "usual"], cwd=tmp_path, check=True, capture_output=True
    )
    assert usual.returncode == 0
    for words in (
        (*command, "out"),
        (*command, "out"),  # in place of the first
        ("report", "out"),
        ("compare", "out", "usual"),
        ("inspect", "hosts:64x8"),
    ):
        done = without_posix(COMMAND, tmp_path, *words)
        assert (done.returncode, done.stderr) == (0, ""), words
    for name in ("jobs.csv", "machine_states.csv"):
        assert (tmp_path / "out" / name).read_bytes() == (tmp_path / "usual" / name).read_bytes()
    assert not (tmp_path / "out" / ".windtunnel.lock").exists()
    assert json.loads((tmp_path / "out" / "run.json").read_text())["status"] == "complete"


def test_a_place_that_another_run_writes_to_is_left_alone(tmp_path: Path) -> None:
    done = without_posix(
        """
import os
from windtunnel.operating_system import AS_BYTES, lock
os.mkdir("out")
held = os.open("out/.windtunnel.lock", os.O_RDWR | os.O_CREAT | AS_BYTES)
os.write(held, b"process 1 on another")
lock(held)
"""
        + COMMAND,
        tmp_path,
        "run",
        "example:small",
        "--quiet",
        "--out",
        "out",
    )
    assert done.returncode == 2
    assert "is being written by process 1 on another" in done.stderr


def test_all_cores_are_used_where_nobody_tells_which(tmp_path: Path) -> None:
    done = without_posix("from windtunnel.operating_system import usable_cores\nprint(usable_cores())", tmp_path)
    assert int(done.stdout) == os.cpu_count()


@pytest.mark.parametrize("words", [("scheduler", "easy", "--endpoint"), ("run", "example:small", "--scheduler")])
def test_sockets_at_paths_are_refused_by_name(tmp_path: Path, words: tuple[str, ...]) -> None:
    done = without_posix(COMMAND, tmp_path, *words, "ipc:///tmp/windtunnel-socket")
    assert done.returncode == 2
    assert "is a socket at a path, and this system has none" in done.stderr
    assert "Traceback" not in done.stderr


def test_nobody_is_trusted_where_owners_are_unknown(tmp_path: Path) -> None:
    done = without_posix(
        """
import windtunnel as wt
from windtunnel.examples import find
small = find("small")
simulation = wt.Simulation(small.platform, small.workloads, "easy")
simulation.save("state")
print(wt.Simulation.restore("state", trust=True).now)
wt.Simulation.restore("state")
""",
        tmp_path,
    )
    assert done.stdout.strip() == "0.0"
    assert "may be another user's" in done.stderr
