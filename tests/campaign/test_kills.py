"""SIGKILL at random instants: a few for every run of the tests, more in the longer group.

``WINDTUNNEL_KILLS=all`` makes them as many as were promised (200 of each kind, 300 of the service of leases), which
takes some twenty minutes: most of it is waiting for programs that start.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.campaign.kills import KINDS

ROOT = Path(__file__).parents[2]


def kills(kind, count):
    """What the kills of one kind have left, if anything is wrong with it."""
    command = [sys.executable, "-m", "tests.campaign.kills", "--only", kind, "--count", str(count), "--seed", "3"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr[-3000:]


@pytest.mark.parametrize("kind", KINDS)
def test_a_few_kills(kind):
    assert kills(kind, 4) == ""


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_many_kills(kind):
    promised = 300 if kind == "lease-services" else 200
    assert kills(kind, promised if os.environ.get("WINDTUNNEL_KILLS") == "all" else promised // 5) == ""
