"""Recordings of our own of the real Slurm (see recorded/README.md): every pass is decided again as Slurm did."""

import gzip
import re
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


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_recording_names_no_folder_of_the_machine_that_made_it(folder):
    for file in folder.rglob("*.*"):
        text = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
        assert not re.search(rb"/(tmp|root|home|work)/", text), file
