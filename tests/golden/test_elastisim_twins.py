"""Recorded schedulers that are among ours: in process they say what was recorded, answer by answer."""

import json

import pytest
from tests.golden.test_elastisim import OTHERWISE as MENDED

from elastic_cases import Recorded, replay
from shared import cases
from windtunnel.schedulers.elastic.base import ElasticPolicy
from windtunnel.schedulers.elastic.moldable_easy import MoldableEasy
from windtunnel.schedulers.fcfs import Fcfs
from windtunnel.wires.elastisim.driving import ElastisimScheduler

TWINS = {
    "fcfs (minimum size)": Fcfs,
    "evolving deny": Fcfs,
    "evolving grant": ElasticPolicy,
    "easy": MoldableEasy,
}
"""On rigid jobs a moldable EASY has no choice of sizes, and is EASY by walltimes."""
OTHERWISE = {
    "gpu-flops-root_only": "the recorded one gives another number of GPUs than the least",
    "gpu-flops-uniform": "the recorded one gives another number of GPUs than the least",
    "evolving-grant-crossbar16": "the recorded one names nodes in the order of a set of Python's",
}


class Twin(Recorded):
    """A scheduler of ours answers, and what it is told is compared with what was recorded."""

    def __init__(self, case, tolerance, scheduler) -> None:
        super().__init__(case, tolerance)
        self.wire = ElastisimScheduler(scheduler)

    def ask(self, message: bytes, now: float) -> bytes:
        self._compare(message)
        self.at += 1
        return self.wire.answer(message)

    def tell(self, message: bytes) -> None:
        self.wire.answer(message)
        super().tell(message)


def recorded(scheduler):
    for path in cases("golden/elastisim", "*/*/case.json"):
        about = json.loads(path.read_text())
        if about["exit"] == 0 and about["scheduler"] == scheduler and path.parent.name not in MENDED | OTHERWISE:
            yield path.parent


@pytest.mark.parametrize("scheduler", TWINS)
def test_the_same_is_said_as_was_recorded(scheduler):
    played = 0
    for case in recorded(scheduler):
        buffers = any(b"node_local_bb" in path.read_bytes() for path in case.glob("*.xml"))
        peer, _, error = replay(case, peer=Twin(case, 1e-6 if buffers else 1e-9, TWINS[scheduler]()))
        assert error is None, case.name
        assert (peer.finished, peer.at) == (True, len(peer.lines)), case.name
        played += 1
    assert played > 1 or not any(recorded(scheduler))
