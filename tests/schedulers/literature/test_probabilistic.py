"""Backfilling by probabilities: what a risk of 0, of 1 and in between lets overtake."""

import pytest

import windtunnel as wt
from windtunnel.model import JobList
from windtunnel.schedulers.literature.probabilistic import Probabilistic
from windtunnel.schedulers.registry import make_scheduler


def job(rank, submit, size, run, requested, user="u"):
    return wt.Job(
        id=f"w0!{rank:03d}",
        request=wt.Request(hosts=size),
        profile=wt.DelayProfile(id=f"w0!{run}", delay=float(run)),
        submission_time=float(submit),
        walltime=float(requested) + 1e-3,
        user=user,
    )


def starts(jobs, **options):
    run = wt.simulate("hosts:4", JobList("w0", jobs), make_scheduler("literature/probabilistic", **options))
    return [row["starting_time"] for row in run.jobs.sort("job_id").iter_rows(named=True)]


SHORT = [job(rank, rank * 10, 1, 2, 1000) for rank in range(40)]
"""Forty jobs of 2 s whose user asked for 1,000: after them, what that user asks for is not believed."""


def test_no_risk_is_fcfs_and_all_risk_is_first_fit():
    jobs = [job(0, 0, 3, 100, 100), job(1, 1, 4, 10, 10), job(2, 2, 1, 500, 500)]
    assert starts(jobs, threshold=0.0) == [0, 100, 110]
    assert starts(jobs, threshold=1.0) == [0, 502, 2]


def test_who_is_known_for_short_jobs_overtakes():
    late = [job(90, 1000, 3, 100, 100, "v"), job(91, 1001, 4, 10, 10, "v")]
    known = starts([*SHORT, *late, job(92, 1002, 1, 2, 1000)])
    stranger = starts([*SHORT, *late, job(92, 1002, 1, 2, 1000, "w")])
    assert known[-2:] == [1100, 1002]  # EASY would not let it: it asks for more time than there is
    assert stranger[-2:] == [1100, 1110]


def test_the_probability_of_what_is_given_back():
    """One job of 3 hosts runs; half of what its user runs ends in the first second."""
    policy = Probabilistic()
    jobs = [job(0, 0, 3, 100, 100), job(1, 1, 4, 10, 10), job(2, 2, 1, 1, 1)]
    simulation = wt.Simulation("hosts:4", JobList("w0", jobs), policy)
    simulation.run_until(1)
    policy._most = 4
    released = policy._within(1.0, 1)
    share = policy._users["u"].ended_within(1, elapsed=1.0, requested=100.0)
    assert 0 < share < 1
    assert released == pytest.approx([1.0, share, share, share, share**2])  # the last: as pyss' table has it


@pytest.mark.parametrize("threshold", [0.0, 0.2, 1.0])
def test_jobs_without_a_limit_are_planned_too(threshold):
    unlimited = float("inf")
    jobs = [job(0, 0, 3, 100, unlimited), job(1, 1, 4, 10, unlimited), job(2, 2, 1, 50, unlimited)]
    first, second, _ = starts(jobs, threshold=threshold)
    assert (first, second) in ((0, 100), (0, 110))
