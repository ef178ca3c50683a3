"""Tsafrir's model of estimates; tests/golden/literature compares it with the authors' program."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.diagnostics import UsageError
from windtunnel.workloads.estimates import (
    Estimate,
    assign_estimates,
    estimate_distribution,
    number_of_estimates,
)


@given(st.integers(200, 40_000), st.integers(3600, 2_000_000), st.integers())
def test_every_job_has_an_estimate_up_to_the_longest(jobs, longest, seed):
    made = estimate_distribution(jobs, longest, Random(seed))
    assert sum(estimate.jobs for estimate in made) == jobs
    assert all(estimate.jobs >= 1 for estimate in made)
    assert [estimate.seconds for estimate in made] == sorted({estimate.seconds for estimate in made})
    assert made[0].seconds > 0
    assert made[-1].seconds == longest


@pytest.mark.parametrize(
    ("jobs", "number"), [(20, 10), (200, 20), (600, 28), (10_000, 90), (40_000, 215), (10**6, 565)]
)
def test_how_many_different_estimates_there_are(jobs, number):
    assert number_of_estimates(jobs) == number


@given(st.lists(st.integers(0, 3600), min_size=200, max_size=300), st.integers())
def test_no_estimate_is_below_the_run_time(runs, seed):
    made = estimate_distribution(len(runs), 20 * 3600, Random(seed))
    needed = sorted(runs, reverse=True)
    longest_first = [estimate.seconds for estimate in reversed(made) for _ in range(estimate.jobs)]
    if all(run <= estimate for run, estimate in zip(needed, longest_first, strict=True)):
        given_estimates = assign_estimates(runs, made, Random(seed))
        assert all(run <= estimate for run, estimate in zip(runs, given_estimates, strict=True))
        assert sorted(given_estimates, reverse=True) == longest_first


def test_too_many_long_jobs():
    with pytest.raises(UsageError, match="2 jobs run longer than 60 s"):
        assign_estimates([100, 100, 10], [Estimate(60, 2), Estimate(120, 1)], Random(1))


@pytest.mark.parametrize(("jobs", "longest", "said"), [(199, 7200, "at least 200"), (200, 3599, "at least one hour")])
def test_what_the_model_cannot_do(jobs, longest, said):
    with pytest.raises(UsageError, match=said):
        estimate_distribution(jobs, longest, Random(1))
