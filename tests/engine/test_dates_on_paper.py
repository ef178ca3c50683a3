"""Dates that are equal in exact decimals are one instant, whatever floating point makes of the sums."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.runs import kinds, simulate, start_all

from windtunnel.engine.state.calendar import on_paper
from windtunnel.model import HostSet
from windtunnel.testing import job, workload
from windtunnel.vocabulary import Execute, JobCompleted, JobSubmitted, Observer

LATEST = 10**13
"""Microseconds: 10^7 s."""


def seconds(microseconds):
    return float(Fraction(microseconds, 10**6))


@given(st.lists(st.integers(1, LATEST // 50), min_size=2, max_size=50))
def test_sums_one_after_the_other_are_what_they_are_on_paper(lengths):
    date, paper = 0.0, 0
    for length in lengths:
        paper += length
        date = on_paper(date + seconds(length))
        assert date == seconds(paper)


@given(st.floats(0, 1e7) | st.floats(0, 1e300) | st.just(float("inf")))
def test_other_dates_are_left_alone(date):
    assert on_paper(date) == pytest.approx(date, rel=1e-15)


class Ends(Observer):
    def __init__(self):
        self.at = {}

    def on_job_ended(self, now, record):
        self.at[record.job.id] = now


def in_turn(now, notices):
    """Two chains of jobs, a and b, each on a host of its own: the next starts when the one before has ended."""
    waiting = in_turn.waiting
    waiting += [n.job.id for n in notices if isinstance(n, JobSubmitted)]
    begun = []
    for chain, host in (("a", 0), ("b", 1)):
        ended = any(n.job.id.startswith(f"w0!{chain}") for n in notices if isinstance(n, JobCompleted))
        mine = [name for name in waiting if name.startswith(f"w0!{chain}")]
        if mine and (ended or now == 0.0):
            waiting.remove(mine[0])
            begun.append(Execute(mine[0], HostSet([host])))
    return begun


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(1, LATEST // 40), min_size=2, max_size=20), st.randoms(use_true_random=False))
def test_ends_that_are_equal_in_decimals_fall_into_one_round(lengths, random):
    """The same lengths in two orders end together: in one message, at the date that paper says."""
    shuffled = random.sample(lengths, len(lengths))
    jobs = [job(f"a{k:02}", run=seconds(length)) for k, length in enumerate(lengths)]
    jobs += [job(f"b{k:02}", run=seconds(length)) for k, length in enumerate(shuffled)]
    in_turn.waiting = []
    component, _, simulation = simulate(in_turn, workload(*jobs))
    now, last = kinds(component)[-2]
    assert last == ["JobCompleted", "JobCompleted"]
    assert now == simulation.now == seconds(sum(lengths))


def test_the_end_of_a_long_saturated_run():
    """1455623.085 came twice, 2.6e-9 s apart."""
    lengths = [14556.23085] * 100
    in_turn.waiting = []
    jobs = [job(f"a{k:02}", run=length) for k, length in enumerate(lengths)]
    component, _, _ = simulate(in_turn, workload(*jobs, job("b00", run=1455623.085)))
    now, last = kinds(component)[-2]
    assert (now, last) == (1455623.085, ["JobCompleted", "JobCompleted"])


@pytest.mark.parametrize("apart", [True, False])
def test_that_there_are_no_more_jobs_may_be_told_apart(apart):
    """Both Batsims tell it in a message of its own, after that with the last submissions (decisions.md 28)."""
    component, _, _ = simulate(start_all, workload(job(1, at=5.0)), no_more_jobs_apart=apart)
    last, no_more = "JobSubmitted", "AllStaticJobsHaveBeenSubmitted"
    expected = [(5.0, [last]), (5.0, [no_more])] if apart else [(5.0, [last, no_more])]
    assert kinds(component)[1:-2] == expected


def test_a_component_that_is_busy_hears_both_at_once():
    """As Batsim does: what has been waiting for it comes in one message."""
    from windtunnel.vocabulary import Reply

    def script(now, notices):
        return Reply(9.0, []) if now == 0.0 else start_all(now, notices)

    component, _, _ = simulate(script, workload(job(1, at=5.0)), no_more_jobs_apart=True)
    assert kinds(component)[1] == (9.0, ["JobSubmitted", "AllStaticJobsHaveBeenSubmitted"])
