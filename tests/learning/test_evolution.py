"""Learning by evolution: deterministic by its seed, better than it began, and its intervals are what they say."""

import pytest

from windtunnel.diagnostics import UsageError
from windtunnel.formats.registry import read_workload
from windtunnel.learning.episode import Sequences
from windtunnel.learning.evolution import evolve, paired, slowdowns
from windtunnel.model import Platform
from windtunnel.schedulers.learned.linear import LinearPolicy
from windtunnel.schedulers.literature.rlscheduler import RLScheduler

MACHINE = Platform.uniform(32)


@pytest.fixture(scope="module")
def sequences():
    return Sequences(read_workload("lublin:400?hosts=32&load=1.3&estimates=exact&seed=3"), 64)


def test_a_few_generations_beat_first_come_first_served(sequences):
    last = list(evolve(MACHINE, sequences, range(0, 200, 20), seed=2, generations=4, pairs=4, per_generation=2))[-1]
    again = list(evolve(MACHINE, sequences, range(0, 200, 20), seed=2, generations=4, pairs=4, per_generation=2))[-1]
    assert last == again
    held_out = range(264, 330, 11)
    policy = LinearPolicy(weights=last.weights, longest=sequences.longest())
    learned = slowdowns(MACHINE, sequences, held_out, policy)
    first = slowdowns(MACHINE, sequences, held_out, RLScheduler())
    assert paired(learned, first).high < 0


def test_there_must_be_something_to_learn_from(sequences):
    with pytest.raises(UsageError, match="no sequence"):
        next(evolve(MACHINE, sequences, [], seed=1, generations=1))


def test_the_interval_of_paired_differences():
    found = paired([1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 2.0, 3.0])
    assert found == (1.0, 1.0, 1.0)
    found = paired([0.0, 4.0] * 20, [1.0] * 40)
    assert found.low < 1.0 == found.mean < found.high
    assert found.high - found.low == pytest.approx(2 * 1.96 * 2 / 40**0.5, rel=0.1)
