"""Whole recorded workloads of the real Slurm: every pass decided again, and all of it run again on our engine.

When Slurm's loops ran is an input: the sub-second phase of their timers cannot be known from outside, and a run a
quarter of a second after a job's end or before it changes all that follows. Nothing else is: the same jobs have to
start in the same passes on the same nodes, to the last of them. How well our own clocks foresee the dates of the loops
is shown apart.
"""

from functools import cache
from pathlib import Path

import pytest

from shared import cases
from slurm_course import Course
from slurm_timeline import Timeline

pytestmark = pytest.mark.golden

OWN = sorted(one for one in (Path(__file__).parent / "workloads").iterdir() if one.is_dir())
FOLDERS = [*cases("golden/slurm/timelines"), *OWN]


@cache
def replayed(folder):
    return Timeline(folder).run()


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_every_pass_is_decided_as_slurm_did(folder):
    replay = replayed(folder)
    assert replay.difference is None
    assert replay.compared["passes"] > 20
    assert replay.compared["starts"] > 10


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_recorded_workload_takes_its_course_on_the_engine(folder):
    course = Course(replayed(folder))
    recorded, simulated = course.recorded(), course.simulated()
    assert len(recorded) > 10
    assert sorted(simulated) == sorted(recorded)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_our_clocks_run_the_loops_when_slurm_did(folder):
    """Every pass that started something, within one interval of its loop: the phase of the timers is not known."""
    course = Course(replayed(folder))
    course.simulated()
    assert course.waits
    assert course.untimely() == []
