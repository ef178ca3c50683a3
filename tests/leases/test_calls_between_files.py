"""The lease manager is cut where little goes to and fro: how often one of its files calls another for one lease."""

import sys
from collections import Counter
from pathlib import Path

import pytest
from benchmarks.leases import NODE, OPTIONS, calls_between_files, workload

from windtunnel import leases as package
from windtunnel.model.lease import CPU, MEMORY, LeaseSite, LeaseWorkload, NodeSet
from windtunnel.services.lease_run import simulate_leases
from windtunnel.version import build

pytestmark = pytest.mark.skipif(build() == "compiled", reason="calls of compiled code are not seen")

MOST = 90
"""Calls a lease; they were 333 of this mix when leases had a simulator of their own."""


@pytest.mark.parametrize("count", [300, pytest.param(5000, marks=pytest.mark.slow)])
def test_calls_between_files(count):
    between = calls_between_files(count, 64)
    assert sum(between.values()) <= MOST, sorted(between.items(), key=lambda pair: -pair[1])[:10]


def test_the_measure_counts_what_is_called():
    """Beside a count of another making: of calls into one file, whoever calls."""
    root = str(Path(package.__file__).parent)
    work = LeaseWorkload(leases=workload(40, 64), site=LeaseSite((CPU, MEMORY), (NodeSet(64, NODE),)))
    seen = Counter()

    def watch(frame, event, _):
        code = frame.f_code
        if event == "call" and code.co_filename == f"{root}/planner/planner.py" and code.co_name == "advance":
            seen[frame.f_back.f_code.co_filename] += 1

    sys.setprofile(watch)
    try:
        run = simulate_leases(work, options=OPTIONS)
    finally:
        sys.setprofile(None)
    assert len(run.leases) == 40
    between = calls_between_files(40, 64)
    assert between["component.py", "planner/planner.py", "advance"] * 40 == seen[f"{root}/component.py"] > 40
