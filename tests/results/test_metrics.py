"""Metrics, against formulas written out the slow way."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.diagnostics import UsageError
from windtunnel.model import JobState
from windtunnel.results.columns import Columns
from windtunnel.results.computing import compute
from windtunnel.results.distribution import distribution, percentile

DONE, KILLED, REJECTED = (
    int(s) for s in (JobState.COMPLETED_SUCCESSFULLY, JobState.COMPLETED_KILLED, JobState.REJECTED)
)


def columns(*jobs, hosts=10) -> Columns:
    """Jobs as (submitted, start, finish, hosts[, state[, user, queue]])."""
    made = Columns(hosts)
    for submitted, start, finish, used, *more in jobs:
        made.submitted.append(submitted)
        made.start.append(start)
        made.finish.append(finish)
        made.used.append(used)
        owner = tuple(more[1:]) or ("", "")
        if owner not in made.owners:
            made.owners.append(owner)
        made.codes.append((more[0] if more else DONE) + 16 * made.owners.index(owner))
    return made


def test_by_hand():
    m = compute(
        columns(
            (0.0, 0.0, 100.0, 4),
            (10.0, 100.0, 105.0, 10),
            (20.0, 105.0, 125.0, 2, KILLED),
            (30.0, -1.0, -1.0, 0, REJECTED),
        )
    )
    assert (m.jobs, m.states) == (4, {"COMPLETED_SUCCESSFULLY": 2, "COMPLETED_KILLED": 1, "REJECTED": 1})
    assert m.success_rate == 0.5
    assert (m.window, m.makespan) == ((0.0, 125.0), 125.0)
    assert (m.waiting_time.mean, m.waiting_time.max, m.waiting_time.p50) == (175 / 3, 90.0, 85.0)
    assert (m.turnaround_time.min, m.turnaround_time.max) == (95.0, 105.0)
    assert m.slowdown.max == 95 / 5
    assert m.bounded_slowdown.max == 95 / 10
    assert m.allocated_host_seconds == 400 + 50 + 40
    assert m.available_host_seconds == 1250
    assert m.utilisation == 490 / 1250
    assert m.throughput == 3 * 3600 / 125
    assert m.users == m.queues == {}


def test_the_bounded_slowdown_is_never_below_one():
    m = compute(columns((0.0, 1.0, 3.0, 1)))
    assert m.bounded_slowdown.mean == 1.0
    assert m.slowdown.mean == 1.5


def test_an_execution_without_duration_counts_as_a_hundred_thousandth():
    assert compute(columns((0.0, 1.0, 1.0, 1))).slowdown.max == pytest.approx(1.00001 / 1e-5)


def test_no_job_at_all():
    m = compute(columns())
    assert (m.jobs, m.makespan, m.utilisation, m.throughput, m.waiting_time.max) == (0, 0.0, 0.0, 0.0, 0.0)
    assert "makespan" in str(m)


def test_users_and_queues():
    m = compute(
        columns(
            (0.0, 0.0, 10.0, 2, DONE, "ann", "q"),
            (0.0, 5.0, 10.0, 1, DONE, "bob", "q"),
            (0.0, 15.0, 20.0, 1, DONE, "ann", "r"),
            (0.0, 1.0, 2.0, 1),
        )
    )
    assert {user: group.jobs for user, group in m.users.items()} == {"": 1, "ann": 2, "bob": 1}
    assert m.users["ann"].mean_waiting_time == 7.5
    assert m.users["ann"].max_waiting_time == 15.0
    assert m.users["ann"].host_seconds == 25.0
    assert {queue: group.jobs for queue, group in m.queues.items()} == {"": 1, "q": 2, "r": 1}


def test_trimming_counts_jobs_by_submission_and_clips_what_is_allocated():
    jobs = columns((0.0, 0.0, 100.0, 2), (50.0, 60.0, 90.0, 5), (95.0, 100.0, 200.0, 1))
    m = compute(jobs, warm_up="25%", cool_down=100.0)  # leaves [50, 100]
    assert m.window == (50.0, 100.0)
    assert m.jobs == 2
    assert m.waiting_time.max == 10.0
    assert m.allocated_host_seconds == 2 * 50 + 5 * 30
    assert m.utilisation == (2 * 50 + 5 * 30) / 500
    assert m.throughput == 2 * 3600 / 50
    assert m.makespan == 200.0


@pytest.mark.parametrize("trim", ["soon", "-1", "nan", "inf", -3.0, "%", ""])
def test_malformed_trims(trim):
    with pytest.raises(UsageError, match="warm-up"):
        compute(columns((0.0, 0.0, 1.0, 1)), warm_up=trim)


def test_trims_that_leave_nothing():
    with pytest.raises(UsageError, match="leave nothing of 100 s"):
        compute(columns((0.0, 0.0, 100.0, 1)), warm_up="60%", cool_down=50.0)


def test_hosts_that_are_away_are_not_available():
    jobs = columns((0.0, 0.0, 100.0, 2))
    jobs.unavailable = [(50.0, 4), (75.0, 0), (90.0, 10)]
    assert compute(jobs).available_host_seconds == 1000 - 4 * 25 - 10 * 10


def test_suspended_jobs_hold_nothing():
    jobs = columns((0.0, 0.0, 100.0, 2))
    jobs.pauses = [(20.0, 50.0, 2.0)]
    assert compute(jobs).allocated_host_seconds == 140.0
    assert compute(jobs, warm_up=40.0).allocated_host_seconds == 2 * 60 - 2 * 10


@given(st.lists(st.floats(0, 1e9), min_size=1, max_size=40), st.floats(0, 1))
def test_percentiles_lie_between_ranks(values, share):
    ordered = sorted(values)
    found = percentile(ordered, share)
    rank = int(share * (len(ordered) - 1))
    assert ordered[rank] <= found * (1 + 1e-12)
    assert found <= ordered[min(rank + 1, len(ordered) - 1)] * (1 + 1e-12)
    d = distribution(values)
    assert d.min <= d.p50 <= d.p75 <= d.p90 <= d.p95 <= d.p99 <= d.max
    assert d.mean == pytest.approx(float(sum(map(Fraction, values)) / len(values)))


jobs_strategy = st.lists(
    st.tuples(
        st.integers(0, 1000),
        st.integers(0, 500),
        st.integers(0, 500),
        st.integers(1, 10),
        st.sampled_from([DONE, KILLED, REJECTED]),
        st.sampled_from(["", "ann", "bob"]),
        st.sampled_from(["", "q"]),
    ),
    max_size=30,
)


@given(jobs_strategy)
def test_against_the_slow_way(rows):
    jobs = [
        (float(s), -1.0, -1.0, 0, state, user, queue)
        if state == REJECTED
        else (float(s), float(s + wait), float(s + wait + run), hosts, state, user, queue)
        for s, wait, run, hosts, state, user, queue in rows
    ]
    m = compute(columns(*jobs))
    ran = [job for job in jobs if job[1] >= 0]
    assert m.allocated_host_seconds == pytest.approx(sum(h * (f - s) for _, s, f, h, *_ in ran))
    if ran:
        slow = [(s - q) / ((f - s) or 1e-5) + 1.0 for q, s, f, *_ in ran]
        bound = [max(1.0, (f - q) / max(f - s, 10.0)) for q, s, f, *_ in ran]
        assert m.slowdown.mean == pytest.approx(sum(slow) / len(slow))
        assert m.bounded_slowdown.mean == pytest.approx(sum(bound) / len(bound))
        for user, group in m.users.items():
            mine = [job for job in ran if job[5] == user]
            assert group.jobs == len(mine)
            assert group.mean_waiting_time == pytest.approx(sum(s - q for q, s, *_ in mine) / len(mine))
            assert group.host_seconds == pytest.approx(sum(h * ((f - s) or 1e-5) for _, s, f, h, *_ in mine))
    assert sum(m.states.values()) == m.jobs == len(jobs)
