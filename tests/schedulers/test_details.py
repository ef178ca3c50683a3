"""Details that recorded runs do not show: questions, options, files, availability."""

import pytest

import windtunnel as wt
from scheduler_harness import job, play
from windtunnel.diagnostics import ComponentError, UsageError
from windtunnel.model import DelayProfile, HostSet, Job, JobList, Platform, Request
from windtunnel.schedulers import make_scheduler
from windtunnel.schedulers.batsched.liquid import horizon
from windtunnel.schedulers.batsched.profile import AvailabilityProfile
from windtunnel.schedulers.batsched.rationals import exact, nearest
from windtunnel.vocabulary import (
    FinishRegistration,
    HostsBecameUnavailable,
    JobSubmitted,
    RegisterJob,
    RegisterProfile,
    SimulationBegins,
    WaitingTimeQueried,
)

ENERGY = {
    "power_compute": 190.0,
    "power_idle": 95.0,
    "power_sleep": 9.75,
    "pstate_compute": 0,
    "pstate_sleep": 13,
    "time_switch_on": 152.0,
    "time_switch_off": 6.1,
    "energy_switch_on": 19030.0,
    "energy_switch_off": 620.0,
}


def begun(name, hosts=4, **options):
    scheduler = make_scheduler(name, **options)
    scheduler.hello()
    scheduler.decide(0.0, [SimulationBegins(0.0, Platform.uniform(hosts))])
    return scheduler


def test_conservative_of_batsched_answers_with_the_date_of_the_start():
    scheduler = begun("batsched/conservative_bf")
    scheduler.decide(0.0, [JobSubmitted(0.0, job(1, 0.0, 4, 10.0), 0.0)])
    reply = scheduler.decide(2.0, [WaitingTimeQueried(2.0, job(2, 2.0, 1, 5.0))])
    assert [(d.job_id, d.estimated_waiting_time) for d in reply.decisions] == [("w0!2", 15.0)]
    reply = scheduler.decide(2.0, [WaitingTimeQueried(2.0, job(3, 2.0, 5, 5.0))])
    assert reply.decisions[0].estimated_waiting_time == -1.0


def test_the_estimator_does_not_know():
    reply = begun("waiting_time_estimator").decide(1.0, [WaitingTimeQueried(1.0, job(2, 1.0, 1, 5.0))])
    assert reply.decisions[0].estimated_waiting_time == -1.0


def test_the_margin_is_an_option():
    """A job that ends within the margin before the head's start overtakes only without it."""
    jobs = [(job(0, 0.0, 3, 100.0), 100.0), (job(1, 1.0, 4, 50.0), 50.0), (job(2, 2.0, 1, 98.0), 98.0)]
    with_margin = play(make_scheduler("batsched/easy_bf_fast"), jobs, 4)
    assert with_margin.start["w0!2"] == 2.0  # the margin is on both sides
    jobs[2] = (job(2, 2.0, 1, 99.0), 99.0)
    assert play(make_scheduler("batsched/easy_bf_fast"), jobs, 4).start["w0!2"] > 2.0
    shorter = play(make_scheduler("batsched/conservative_bf", rjms_delay=0), jobs, 4)
    assert shorter.start == {"w0!0": 0.0, "w0!1": 100.0, "w0!2": 150.0}


def test_filler_of_batsched_leaves_unavailable_hosts_alone():
    scheduler = begun("batsched/filler")
    reply = scheduler.decide(
        1.0, [HostsBecameUnavailable(1.0, HostSet.span(2)), JobSubmitted(1.0, job(1, 1.0, 2, 5.0), 1.0)]
    )
    assert str(reply.decisions[0].hosts) == "2-3"


def test_a_walltime_of_zero_is_an_error_as_upstream():
    with pytest.raises(ComponentError, match=r"w0!1 has a walltime of 0 s"):
        begun("batsched/easy_bf").decide(1.0, [JobSubmitted(1.0, job(1, 1.0, 1, 0.0), 1.0)])


def test_sleeping_must_be_worth_it():
    with pytest.raises(UsageError, match="power_idle must be more than power_sleep"):
        make_scheduler("energy_bf", **ENERGY | {"power_idle": 9.0})


def test_energy_schedulers_want_walltimes_where_batsched_does(tmp_path):
    options = ENERGY | {"monitoring_period": 300, "trace_output_filename": str(tmp_path / "t.csv")}
    with pytest.raises(ComponentError, match=r"w0!1 has no walltime"):
        begun("energy_bf_idle_sleeper", **options).decide(1.0, [JobSubmitted(1.0, job(1, 1.0, 1), 1.0)])


def test_submitter_registers_and_finishes():
    scheduler = make_scheduler("submitter", nb_jobs_to_submit=1)
    features = scheduler.hello().features
    assert features.dynamic_registration
    assert features.acknowledge_dynamic_jobs
    reply = scheduler.decide(0.0, [SimulationBegins(0.0, Platform.uniform(2))])
    assert [type(d) for d in reply.decisions] == [RegisterProfile, RegisterJob, FinishRegistration]
    refused = make_scheduler("submitter")
    refused.hello()
    with pytest.raises(ComponentError, match="does not allow that"):
        refused.decide(0.0, [SimulationBegins(0.0, Platform.uniform(2), options={"dynamic-jobs-enabled": False})])


def test_the_liquid_load_horizon():
    plan = AvailabilityProfile(4, exact(0.0))
    plan.add("a", 3, exact(10.0))  # one host free until 10, then four
    load = exact(10.0 + 8.0)
    assert nearest(int(horizon(plan, load, exact(0.0)))) == 12.0
    assert nearest(int(horizon(plan, load, exact(4.0)))) == 9.0  # 6 until 10, then 12 on four hosts
    assert horizon(plan, 0, exact(0.0)) == 0


def test_the_load_of_the_queue_is_written(tmp_path):
    path = tmp_path / "load.csv"
    scheduler = begun("easy_bf_plot_liquid_load_horizon", trace_output_filename=str(path))
    scheduler.decide(1.0, [JobSubmitted(1.0, job(1, 1.0, 4, 15.0), 1.0)])
    scheduler.decide(2.0, [JobSubmitted(2.0, job(2, 2.0, 2, 15.0), 2.0)])
    scheduler.stop()
    # Job 2 is reserved from 21 to 41 on two hosts, and poured into the other two besides.
    assert path.read_text().splitlines() == [
        "date,nb_jobs_in_queue,load_in_queue,liquid_load_horizon",
        "0,0,0,0",
        "1,0,0,0",
        "2,1,40,39",
    ]


@pytest.mark.parametrize("head", [4, 0])
def test_jobs_of_no_hosts_hold_nothing_up(head):
    """One of them runs while another job waits; or is itself the first to wait."""
    jobs = [(job(0, 0.0, 0, 10.0), 10.0), (job(1, 0.0, 4, 30.0), 30.0)]
    jobs += [(job(2, 1.0, head, 20.0), 20.0), (job(3, 2.0, 1, 5.0), 5.0)]
    run = play(make_scheduler("pybatsim/easyBackfill"), jobs, 4)
    assert run.start == {"w0!0": 0.0, "w0!1": 0.0, "w0!2": 30.0, "w0!3": 50.0 if head else 30.0}


@pytest.mark.parametrize("policy", ["conservative", "easy"])
def test_a_job_that_takes_no_time_is_not_planned_across(policy):
    """It asks for all hosts at 100; a later job of 200 s took one of them at 2, as its reservation held nothing."""
    lengths = {"1": (0.0, 1, 100.0, 100.5), "2": (1.0, 4, 0.0, 1e-9), "3": (2.0, 1, 150.0, 200.0), "4": (3.0, 1, 50.0, 60.0)}
    jobs = [
        Job(
            id=f"w0!{name}",
            submission_time=at,
            request=Request(size),
            profile=DelayProfile(id=f"w0!p{name}", delay=run),
            walltime=limit,
        )
        for name, (at, size, run, limit) in lengths.items()
    ]
    starts = wt.simulate("hosts:4", JobList("w0", jobs), policy).jobs.select("id", "starting_time").sort("id").rows()
    assert [start for _, start in starts] == [0.0, 100.0, 100.0, 3.0]
