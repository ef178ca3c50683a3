"""``real_exec_info.json``: what the run cost this process (never reproducible, therefore apart)."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from windtunnel.operating_system import most_memory

__all__ = ["as_json"]


def _memory() -> tuple[int, int]:
    """Peak resident and peak virtual memory of this process in kB; 0 for what nobody can tell."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    except OSError:  # not Linux: the resident peak alone is known
        return most_memory(), 0
    found = {name: int(value) for name, value in re.findall(r"(VmHWM|VmPeak):\s+(\d+) kB", status)}
    return found.get("VmHWM", 0), found.get("VmPeak", 0)


def as_json(totals: Mapping[str, Any]) -> bytes:
    """The file, in Batsim 5's form."""
    resident, virtual = _memory()
    deciding = float(totals.get("scheduling_time", 0.0))
    simulating = max(0.0, float(totals.get("simulation_time", 0.0)) - deciding)
    return (
        f'{{\n  "memory_VmHWM_kB": {resident},\n  "memory_VmPeak_kB": {virtual},\n'
        f'  "time_in_edc_seconds": {deciding:f},\n  "time_in_simu_seconds": {simulating:f}\n}}\n'
    ).encode()
