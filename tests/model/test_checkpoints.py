"""Checkpoints take time."""

import pickle
from math import inf, nextafter

import pytest

from windtunnel.model.checkpoints import CheckpointedWorkload, with_checkpoints
from windtunnel.testing import delays, job, sequence, workload


@pytest.mark.parametrize(("run", "longer"), [(10.0, 13.0), (9.0, 11.0), (3.0, 3.0), (0.0, 0.0)])
def test_jobs_last_longer(run, longer):
    """A checkpoint after each 3 s of work takes 1 s; none at the end."""
    made = with_checkpoints(job(1, run=run, walltime=20.0), 3.0, 1.0)
    assert made.profile.delay == longer
    assert made.walltime == 20.0 + longer - run


@pytest.mark.parametrize("run", [32_700.0, 8_150.0, 1e7, 0.1, 3.0])
def test_who_would_have_ended_in_time_still_does(run):
    """Logs whose jobs took all they asked for have walltimes that are longer by the least that there is."""
    made = with_checkpoints(job(1, run=run, walltime=nextafter(run, inf)), 3600.0, 60.0)
    assert made.walltime > made.profile.delay
    late = with_checkpoints(job(1, run=run, walltime=run), 3600.0, 60.0)
    assert late.walltime == late.profile.delay


def test_compositions_stay_as_they_are():
    whole = job(1, run=sequence("s", delays(5.0)))
    assert with_checkpoints(whole, 3.0, 1.0) is whole


def test_a_workload_with_checkpoints():
    plain = workload(job(1, run=10.0), job(2, run=2.0))
    plain.start_date = 1e9
    made = CheckpointedWorkload(plain, 3.0, 1.0)
    assert [j.profile.delay for j in made] == [made[0].profile.delay, made[1].profile.delay] == [13.0, 2.0]
    assert (len(made), made.name, made.hosts, made.start_date) == (2, "w0", 0, 1e9)
    assert pickle.loads(pickle.dumps(made))[0] == made[0]
    with pytest.raises(AttributeError):
        made.nothing  # noqa: B018 -- looking is the test


def test_named_profiles_are_those_that_jobs_have():
    """A scheduler to which profiles are forwarded at the start was told delays without checkpoints."""
    first, part = job(1, run=10.0), delays(20.0)[0]
    whole = sequence("s", [part])
    made = CheckpointedWorkload(workload(first, job(2, run=whole), profiles=[part]), 3.0, 1.0)
    assert made.profiles[first.profile.id] == made[0].profile
    assert made.profiles[part.id] == part  # compositions write no checkpoints
    assert made.profiles[whole.id] == whole
