"""Slack: no promise is left by more than it, none at all is conservative backfilling, and it buys shorter waits."""

from itertools import pairwise

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import windtunnel as wt
from windtunnel.model import EventList, ExternalEvent, HostSet, JobList
from windtunnel.schedulers.literature.kept_reservations import KeptReservations
from windtunnel.schedulers.literature.slack import SlackBased
from windtunnel.schedulers.registry import describe_scheduler
from windtunnel.vocabulary import Ability

HOSTS = 8


def job(rank, submit, size, run, requested=None):
    return wt.Job(
        id=f"w0!{rank:03d}",
        request=wt.Request(hosts=size),
        profile=wt.DelayProfile(id=f"w0!{run}", delay=float(run)),
        submission_time=float(submit),
        walltime=float(requested or run) + 1e-3,
    )


@st.composite
def workloads(draw):
    submit, made = 0, []
    for rank in range(draw(st.integers(1, 20))):
        submit += draw(st.sampled_from([1, 7, 31]))
        run = draw(st.integers(1, 60))
        made.append(job(rank, submit, draw(st.integers(1, HOSTS)), run, run + draw(st.integers(0, 60))))
    return made


class Watched(SlackBased):
    """Keeps what each job was promised."""

    def _reset(self):
        super()._reset()
        self.promised = {}

    def _place(self, job_id):
        super()._place(job_id)
        self.promised.setdefault(job_id, self._limits[job_id])


def starts(jobs, scheduler):
    run = wt.simulate(f"hosts:{HOSTS}", JobList("w0", jobs), scheduler)
    return {f"w0!{row['job_id']}": row["starting_time"] for row in run.jobs.iter_rows(named=True)}


@settings(max_examples=15)
@given(workloads(), st.sampled_from([0.5, 3.0]))
def test_nobody_starts_later_than_the_promise_and_its_slack(jobs, slack):
    watched = Watched(slack=slack)
    found = starts(jobs, watched)
    assert len(found) == len(jobs)
    assert all(start <= watched.promised[one] + 1e-3 for one, start in found.items())


def test_without_slack_a_new_job_goes_where_nobody_is_delayed():
    jobs = [job(0, 0, 6, 100), job(1, 1, 8, 50), job(2, 2, 2, 90), job(3, 3, 2, 200)]
    assert starts(jobs, SlackBased(slack=0.0)) == starts(jobs, KeptReservations())


def test_slack_lets_short_jobs_push_long_ones():
    begin = [job(rank, rank, 8, 100) for rank in range(3)]  # so that there is a mean wait
    jobs = [*begin, job(3, 301, 4, 100), job(4, 302, 8, 1000), job(5, 303, 4, 150)]
    kept, pushed = starts(jobs, SlackBased(slack=0.0)), starts(jobs, SlackBased(slack=1.0))
    assert kept["w0!005"] > kept["w0!004"]
    assert pushed["w0!005"] == 303
    assert kept["w0!004"] < pushed["w0!004"] < kept["w0!004"] + 100
    assert all(a < b for a, b in pairwise([pushed["w0!003"], pushed["w0!005"], pushed["w0!004"]]))


@pytest.mark.parametrize("scheduler", [KeptReservations, SlackBased])
def test_reservations_are_made_anew_when_hosts_fail_and_come_back(scheduler):
    """In vain before: too many jobs were started on what was left, and the run ended."""
    jobs = [job(0, 0, HOSTS, 100), job(1, 1, HOSTS, 100), job(2, 2, 2, 10)]
    failed = [(50.0, "FAILURE"), (400.0, "ACTIVE")]
    events = [
        ExternalEvent(timestamp=at, kind="machine_state", hosts=HostSet.span(1), attributes={"state": state})
        for at, state in failed
    ]
    run = wt.simulate(
        f"hosts:{HOSTS}", JobList("w0", jobs), scheduler(), events=[EventList(name="we0", events=tuple(events))]
    )
    found = {row["job_id"]: (row["starting_time"], row["final_state"]) for row in run.jobs.iter_rows(named=True)}
    assert found == {
        "000": (0.0, "COMPLETED_FAILED"),
        "002": (50.0, "COMPLETED_SUCCESSFULLY"),  # the larger one waits for the host
        "001": (400.0, "COMPLETED_SUCCESSFULLY"),
    }


def test_a_job_that_runs_longer_than_expected_keeps_its_hosts():
    jobs = [job(0, 0, 1, 90, 100), job(1, 0, 1, 60, 140), job(2, 1, 2, 90, 100)]
    run = wt.simulate("hosts:2", JobList("w0", jobs), KeptReservations(factor=0.5))
    assert sorted(run.jobs["starting_time"]) == [0.0, 0.0, 90.0]


@pytest.mark.parametrize("scheduler", [KeptReservations, SlackBased])
def test_times_between_microseconds_are_the_present_of_the_plan(scheduler):
    """An end at 50/3 s is a little before the microsecond of the plan."""
    third = 50 / 3
    jobs = [job(0, 0, 2, 30), job(1, 0, 2, 30)]
    first = msgspec.structs.replace(jobs[0], profile=wt.DelayProfile(id="w0!third", delay=third))
    run = wt.simulate("hosts:2", JobList("w0", [first, jobs[1]]), scheduler())
    assert list(run.jobs["starting_time"]) == [0.0, pytest.approx(third)]


@pytest.mark.parametrize("name", ["literature/sjf", "literature/kept-reservations", "literature/fair-share"])
def test_policies_of_the_literature_do_not_claim_to_plan_around_announced_outages(name):
    assert Ability.ANNOUNCED_UNAVAILABILITY not in describe_scheduler(name).honours
