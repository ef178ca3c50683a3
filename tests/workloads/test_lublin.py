"""The model of Lublin and Feitelson; tests/golden/literature compares it with the authors' program row by row."""

from itertools import islice, pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.diagnostics import UsageError
from windtunnel.workloads import lublin
from windtunnel.workloads.gamma_distribution import gamma_cdf
from windtunnel.workloads.random_sources import Drand48, gamma, random_source


@given(st.integers(0, 14), st.booleans(), st.integers(0, 1 << 40), st.integers(0, 23))
def test_jobs_fit_the_machine_and_come_in_order(power, typed, seed, hour):
    hosts = 1 << power
    jobs = list(islice(lublin.jobs_of(lublin.types_for(hosts, typed=typed), Random(seed), start_hour=hour), 60))
    assert all(1 <= job.processors <= max(hosts, 4) for job in jobs)
    assert all(0 <= job.run_time <= 162_755 for job in jobs)  # e^12 s
    assert all(before.arrival <= after.arrival for before, after in pairwise(jobs))


def test_arrivals_follow_the_day():
    jobs = islice(lublin.jobs_of(lublin.types_for(128), Random(1)), 20_000)
    by_hour = [0] * 24
    for job in jobs:
        by_hour[job.arrival // 3600 % 24] += 1
    assert max(by_hour[11:16]) > 5 * min(by_hour[2:7])


def test_the_hour_at_which_it_starts():
    assert next(lublin.jobs_of(lublin.types_for(128), Drand48(1), start_hour=12)).arrival < 5362


def test_another_source_of_random_numbers_gives_jobs_of_the_same_kind():
    def mean_size(source):
        jobs = list(islice(lublin.jobs_of(lublin.types_for(128), random_source(source, 3)), 20_000))
        return sum(job.processors for job in jobs) / len(jobs)

    assert mean_size("python") == pytest.approx(mean_size("drand48"), rel=0.05)


def test_a_source_that_there_is_not():
    with pytest.raises(UsageError, match="no source of random numbers 'drand'") as refused:
        random_source("drand", 1)
    assert "drand48" in str(refused.value)


@pytest.mark.parametrize(
    ("value", "shape", "probability"),
    # Sums of exponentials: 1 - e^-x (1 + x + x^2/2 + ...); and the square of a normal number: erf(sqrt(x)).
    [
        (1.0, 1, 0.6321205588285577),
        (2.0, 3, 0.3233235838169366),
        (9.0, 3, 0.9937678048936227),
        (0.25, 0.5, 0.5204998778130465),
    ],
)
def test_gamma_cdf(value, shape, probability):
    assert gamma_cdf(value, shape, 1.0) == pytest.approx(probability, rel=1e-13)
    assert gamma_cdf(value * 7, shape, 7.0) == pytest.approx(probability, rel=1e-13)
    assert gamma_cdf(0.0, shape, 1.0) == 0.0


@pytest.mark.parametrize("shape", [0.4, 3.0, 6.355])
def test_gamma_numbers_are_distributed_as_they_should(shape):
    source = Random(2)
    numbers = sorted(gamma(source, shape, 2.0) for _ in range(20_000))
    gaps = [abs(gamma_cdf(number, shape, 2.0) - rank / 20_000) for rank, number in enumerate(numbers)]
    assert max(gaps) < 1.63 / 20_000**0.5  # Kolmogorov and Smirnov, 1 %
