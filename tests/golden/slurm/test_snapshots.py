"""Every recorded pass of the real Slurm, decided again: starts, nodes, CPUs, plans and Reasons are the same."""

import pytest

from shared import cases
from slurm_replay import Replay

pytestmark = pytest.mark.golden

FOLDERS = cases("golden/slurm/snapshots")
COUNTS = ("starts", "cpus", "plans", "reasons")


def differences(folder):
    replay = Replay(folder).run()
    return [*replay.differences, *replay.plans(), *replay.reason_differences()], replay.compared


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_recorded_case_is_decided_as_slurm_did(folder):
    found, compared = differences(folder)
    assert compared["passes"]
    assert found == []
