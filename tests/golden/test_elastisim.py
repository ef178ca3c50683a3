"""What ElastiSim was recorded to say: the same messages, in the same order, when its answers are fed back."""

import json

import pytest

from elastic_cases import Differs, replay
from shared import cases

OTHERWISE = {
    "gpu-link-stale": "kernels and transfers of killed jobs are cancelled",
    "refuse-expected-start": "a node that is kept for another job is refused",
    "refuse-gpu-one-gpu-bytes": "one GPU exchanges nothing within its node, in no time",
    "refuse-never-started": "a deadlock is an error",
    "refuse-shrink-root-only": "new nodes prepare themselves only if there are any",
    "refuse-walltime-tie-two": "a job ends once",
    "refuse-zero-iterations": "phases of no iterations are refused when read",
    "refuse-zero-iterations-later": "phases of no iterations are refused when read",
    "trigger-min-interval-point": "a job whose call is dropped goes on",
    "trigger-min-interval-request": "a job whose call is dropped goes on",
    "walltime-before-point": "a job ends once, by its walltime",
    "walltime-tie": "a job ends once, by its walltime",
    "walltime-tie-busy": "a job ends once, by its walltime",
}
"""Faults of ElastiSim that are mended: what happens instead."""


def name_of(path) -> str:
    return f"{path.parent.name}/{path.name}"


CASES = [path.parent for path in cases("golden/elastisim", "*/*/case.json")]


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_the_recorded_dialogue(case):
    about = json.loads((case / "case.json").read_text())
    if OTHERWISE.get(case.name):
        mended(case, about)
        return
    peer, _, error = replay(case)
    if about["exit"] == 0 and error is None:
        assert peer.finished
        assert peer.at == len(peer.lines)
    else:
        assert about["exit"] != 0 or about["name"].startswith("refuse"), error
        assert error is not None, "nothing was refused"
        assert peer.at == len(peer.lines), error


def mended(case, about) -> None:
    """A fault that is mended: it shows in what is said, or in a refusal where there was none."""
    try:
        peer, _, error = replay(case)
    except Differs:
        return
    assert error is not None or peer.at < len(peer.lines) or about["exit"] != 0
