"""The campaign in small, for every run of the tests; what it once found, indefinitely; and in full (``make campaign``)."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.campaign import run, seeds
from tests.campaign.run import KEPT, case, fault, names

from windtunnel.formats.registry import read_platform, read_workload

ROOT = Path(__file__).parents[2]
ROUNDS = os.environ.get("WINDTUNNEL_CAMPAIGN", "100")
"""Cases of each generator in the full campaign: a count, so that a faster machine does not try others."""


@pytest.mark.parametrize("name", names())
def test_the_first_cases_are_met(name, monkeypatch):
    count = 3 if name in {"damaged-runs", "damaged-files", "damaged-stores", "simulations", "lease-requests"} else 12
    found = {number: said for number in range(count) if (said := fault(name, case(name, number), number))}
    assert found == {}


@pytest.mark.parametrize("name", run.READERS)
def test_what_a_reader_begins_with_is_accepted(name, tmp_path):
    """Changes of a file that is refused anyway would show next to nothing."""
    data, _ = run.READERS[name]
    if name.startswith("workload-"):
        path = tmp_path / name.removeprefix("workload-")
        path.write_bytes(data)
        assert list(read_workload(path))
    elif name.startswith("platform-"):
        path = tmp_path / name.removeprefix("platform-")
        path.write_bytes(data)
        assert read_platform(path).hosts
    elif name.startswith("slurm-"):
        (tmp_path / name.removeprefix("slurm-")).write_bytes(data)
        (tmp_path / "slurm.conf").write_bytes(b"TopologyPlugin=topology/tree\n" + seeds.SLURM)
        site = read_platform(tmp_path / "slurm.conf").site
        assert site.associations or site.qos or site.reservations or site.switches or site.nodes[0].gres[0].cores


KEPT_CASES = sorted(KEPT.glob("*-*"))


@pytest.mark.parametrize("path", KEPT_CASES, ids=lambda path: path.name)
def test_what_was_once_found_is_mended(path):
    name = path.name.rpartition("-")[0]
    seed = int(path.read_text()) if name in run.SYSTEMS else 0
    assert fault(name, path.read_bytes(), seed) == ""


@pytest.mark.slow
def test_the_campaign_finds_nothing():
    command = [sys.executable, "-m", "tests.campaign.run", "--rounds", ROUNDS, "--seed", "7"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
