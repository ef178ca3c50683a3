"""Recordings of our own of the real Slurm (see recorded/README.md): every pass is decided again as Slurm did."""

from pathlib import Path

import pytest

from slurm_replay import Replay

pytestmark = pytest.mark.golden

FOLDERS = sorted(one for one in (Path(__file__).parent / "recorded").iterdir() if one.is_dir())


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_recorded_case_is_decided_as_slurm_did(folder):
    replay = Replay(folder).run()
    assert [*replay.differences, *replay.plans(), *replay.reason_differences()] == []
    assert replay.compared["passes"]
    waits = any(job["JobState"] == "PENDING" for job in replay.outcome["jobs"])
    assert bool(replay.compared["reasons"]) is waits
