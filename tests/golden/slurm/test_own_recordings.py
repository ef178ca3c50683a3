"""Recordings of our own of the real Slurm (see recorded/README.md): every pass is decided again as Slurm did."""

from pathlib import Path

import pytest

from slurm_replay import Replay

pytestmark = pytest.mark.golden

FOLDERS = sorted(one for one in (Path(__file__).parent / "recorded").iterdir() if one.is_dir())

DIFFERENT = {
    "least-loaded-gpus": (
        "which cores (their number is right) jobs with GPUs get under CR_LLN on nodes in use",
        {"cores": {"12804", "12816"}},
    ),
}
"""Cases that we decide otherwise: what is not understood yet, and the jobs that it concerns."""


def differing(replay):
    """The jobs of which something differs, for each kind of difference."""
    found = {}
    for one in replay.differences:
        if one[0] in ("cores", "gres"):
            found.setdefault(one[0], set()).add(one[1])
        else:
            jobs = {job for part in one if isinstance(part, dict) for job, *_ in part}
            found.setdefault("passes", set()).update(jobs)
    for kind, those in (("plans", replay.plans()), ("reasons", replay.reason_differences())):
        if those:
            found[kind] = {one[0] for one in those}
    return found


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_recorded_case_is_decided_as_slurm_did(folder):
    replay = Replay(folder).run()
    if folder.name in DIFFERENT:
        assert differing(replay) == DIFFERENT[folder.name][1]
    else:
        assert [*replay.differences, *replay.plans(), *replay.reason_differences()] == []
    assert replay.compared["passes"]
    waits = any(job["JobState"] == "PENDING" for job in replay.outcome["jobs"])
    assert bool(replay.compared["reasons"]) is waits


def test_what_is_decided_otherwise_is_recorded():
    assert {*DIFFERENT} <= {folder.name for folder in FOLDERS}
