"""Which priority jobs get: by the order of submission, and by factors."""

import sys
from pathlib import Path

import pytest

from windtunnel.model.slurm import PrioritySettings
from windtunnel.schedulers.slurm.admission import Admission
from windtunnel.schedulers.slurm.state import State

sys.path.insert(0, str(Path(__file__).parent))
from sites import job, site

FIRST = 4294901759


def ranked(described, *jobs):
    desk = Admission(State(described))
    made = [desk.submit(one)[0] for one in jobs]
    return [[record.priority for record in parts[0].records] for parts in made]


def basic(*asks):
    described = site(priority=PrioritySettings(multifactor=False))
    found = ranked(described, *(job(f"j{k}", 60, tasks=1, **ask) for k, ask in enumerate(asks)))
    return [priorities[0] for priorities in found]


def test_under_priority_basic_each_job_is_one_behind_the_one_before_it():
    assert basic({}, {}, {}) == [FIRST, FIRST - 1, FIRST - 2]


def test_under_priority_basic_a_nice_value_counts_for_its_job_alone():
    assert basic({"nice": 100}, {"nice": -10}, {}) == [FIRST - 100, FIRST - 1 + 10, FIRST - 2]


def test_under_priority_basic_a_priority_that_is_set_is_kept_and_takes_no_place():
    assert basic({}, {"priority": 7, "nice": 3}, {}) == [FIRST, 7, FIRST - 1]
    assert basic({"priority": 0}, {}) == [0, FIRST]


def test_under_priority_basic_a_job_raised_beyond_32_bits_comes_last():
    assert basic({"nice": -100_000}, {}) == [FIRST + 100_000 - 2**32, FIRST - 1]


@pytest.mark.parametrize("multifactor", [False, True])
def test_a_nice_job_gives_way_under_both_plugins(multifactor):
    settings = PrioritySettings(multifactor=multifactor, weight_job_size=1000)
    found = ranked(site(priority=settings), job("a", 60, tasks=1, nice=200), job("b", 60, tasks=1))
    assert found[0] < found[1]
