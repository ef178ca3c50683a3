"""Programs run as children, and what they cost."""

import os
import subprocess
import sys
import time
from pathlib import Path
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


def python(*arguments: str, source: Path | None = None) -> Cost:
    """Run this Python with these arguments to its end; its output is not shown.

    With ``source`` it finds packages there before those that are installed.
    """
    environment = os.environ if source is None else os.environ | {"PYTHONPATH": str(source)}
    words = [sys.executable, *arguments]
    began = time.perf_counter()
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment)
    told = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"python {' '.join(arguments)} failed:\n{told.decode()}")
    return Cost(used.ru_utime + used.ru_stime, time.perf_counter() - began, used.ru_maxrss / 1000)


def windtunnel(*arguments: str, source: Path | None = None) -> Cost:
    """Run a command of ours, or of the package in a folder."""
    return python("-m", "windtunnel", *arguments, source=source)
