"""Programs run as children, and what they cost."""

import os
import subprocess
import sys
import time
from typing import NamedTuple

__all__ = ["Cost", "python", "windtunnel"]


class Cost(NamedTuple):
    """What one process took."""

    cpu: float
    """User and system seconds."""
    wall: float
    """Seconds."""
    memory: float
    """The most it held at a time (MB)."""


def python(*arguments: str) -> Cost:
    """Run this Python with these arguments to its end; its output is not shown."""
    began = time.perf_counter()
    process = subprocess.Popen([sys.executable, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    told = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"python {' '.join(arguments)} failed:\n{told.decode()}")
    return Cost(used.ru_utime + used.ru_stime, time.perf_counter() - began, used.ru_maxrss / 1000)


def windtunnel(*arguments: str) -> Cost:
    """Run a command of ours."""
    return python("-m", "windtunnel", *arguments)
