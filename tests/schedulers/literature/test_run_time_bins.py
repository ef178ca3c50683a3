"""Run times in bins that double, and the probabilities they give."""

import pytest

from windtunnel.schedulers.literature.run_time_bins import RunTimeBins, rounded_down, rounded_up


def test_powers_of_two():
    assert [rounded_up(seconds) for seconds in (-3, 0, 1, 2, 3, 1024, 1025)] == [1, 1, 1, 2, 4, 1024, 2048]
    assert [rounded_down(seconds) for seconds in (0, 0.5, 1, 3, 1023, 1024)] == [0, 0, 1, 2, 512, 1024]


def test_without_a_limit_there_is_a_longest_run():
    assert rounded_up(float("inf")) == rounded_down(float("inf")) == 1 << 40
    bins = RunTimeBins(window=3)
    bins.reach(8)
    within = [bins.ended_within(seconds, elapsed=0.0, requested=float("inf")) for seconds in (1.0, 4.0, 8.0)]
    assert within == sorted(within)
    assert 0.0 < within[0] < within[-1] < 1.0


def test_every_bin_begins_with_one_job():
    bins = RunTimeBins(window=3)
    bins.reach(8)
    assert bins.jobs == {1: 1, 2: 1, 4: 1, 8: 1}
    assert bins.ending_at(2, requested=4) == pytest.approx(1 / (3 + 0.1))  # the bin of 8 is beyond its request


def test_only_the_latest_count():
    bins = RunTimeBins(window=2)
    for seconds in (3, 3, 100, 1):
        bins.add(seconds)
    assert bins.jobs[4] == 1
    assert bins.jobs[128] == 2
    assert bins.total == sum(bins.jobs.values()) == 8 + 2


def test_what_runs_ends_by_its_request():
    bins = RunTimeBins(window=9)
    bins.reach(64)
    assert bins.ended_within(16, elapsed=0, requested=16) == 1.0
    within = [bins.ended_within(seconds, elapsed=5, requested=64) for seconds in (1, 2, 4, 8, 16, 32)]
    assert within == sorted(within)
    # Of the bins of 8, 16, 32 and 64: that of 8 whole, a half of that of 16.
    assert bins.ended_within(8, elapsed=5, requested=64) == pytest.approx(1.5 / 4.1)
