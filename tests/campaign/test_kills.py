"""SIGKILL at random instants: a few for every run of the tests, all of them in the longer group."""

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
def test_hundreds_of_kills(kind):
    assert kills(kind, 300 if kind == "lease-services" else 200) == ""
