"""Policies of the literature: orders against a plain model, what they refuse, and that runs can be forked.

tests/golden/literature compares every start with the simulators of their authors.
"""

from math import inf, log2, log10, sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import windtunnel as wt
from some_cases import some_slow
from windtunnel.diagnostics import UsageError
from windtunnel.model import EventList, JobList, ParallelTaskProfile
from windtunnel.schedulers.literature.predictions import Predictor, corrected
from windtunnel.schedulers.literature.priorities import PRIORITIES, Waiting
from windtunnel.schedulers.registry import list_schedulers, make_scheduler
from windtunnel.vocabulary import Ability

LISTED = [info for info in list_schedulers() if info.name.startswith("literature/")]
NAMES = [info.name for info in LISTED]
HOSTS = 8


def job(number, submit, size, requested, run, user=""):
    return wt.Job(
        id=f"w0!{number:03d}",
        request=wt.Request(hosts=size),
        profile=wt.DelayProfile(id=f"w0!{run}", delay=float(run)),
        submission_time=float(submit),
        walltime=float(requested),
        user=user,
    )


@st.composite
def workloads(draw):
    number = draw(st.integers(1, 25))
    made = []
    submit = 0
    for rank in range(number):
        submit += draw(st.sampled_from([0, 0, 1, 5, 30]))
        run = draw(st.integers(1, 60))
        made.append(
            job(
                rank,
                submit,
                draw(st.integers(1, HOSTS)),
                run + draw(st.integers(1, 60)),
                run,
                draw(st.sampled_from("ab")),
            )
        )
    return made


def starts(jobs, scheduler):
    run = wt.simulate(f"hosts:{HOSTS}", JobList("w0", jobs), scheduler)
    return {row["job_id"]: row["starting_time"] for row in run.jobs.iter_rows(named=True)}


FORMULAS = {
    "sjf": lambda s, r, n, w: r,
    "ljf": lambda s, r, n, w: (-r, -n, s),
    "saf": lambda s, r, n, w: n * r,
    "laf": lambda s, r, n, w: (-n * r, -r, s),
    "lxf": lambda s, r, n, w: -(w + r) / r,
    "wfp3": lambda s, r, n, w: (-((w / r) ** 3) * n, s),
    "unicep": lambda s, r, n, w: -w / (max(1, log2(n)) * r),
    "f1": lambda s, r, n, w: log10(r) * n + 870 * (log10(s) if s else -inf),
    "f2": lambda s, r, n, w: sqrt(r) * n + 25600 * (log10(s) if s else -inf),
    "f3": lambda s, r, n, w: r * n + 6860000 * (log10(s) if s else -inf),
    "f4": lambda s, r, n, w: r * sqrt(n) + 530000 * (log10(s) if s else -inf),
}


def plainly(jobs, formula):
    """The starts when the first of the order starts if it fits, and all others wait."""
    found, running, waiting = {}, [], []
    moments = sorted({one.submission_time for one in jobs})
    while moments:
        now = moments.pop(0)
        running = [(end, size) for end, size in running if end > now]
        waiting += [one for one in jobs if one.submission_time == now and one.id not in found and one not in waiting]

        def place(one, now=now):
            s, r, n = one.submission_time, one.walltime, one.request.hosts
            key = formula(s, r, n, now - s)
            return (key if isinstance(key, tuple) else (key,), one.id)

        waiting.sort(key=place)
        while waiting and waiting[0].request.hosts <= HOSTS - sum(size for _, size in running):
            one = waiting.pop(0)
            found[one.id.removeprefix("w0!")] = now
            running.append((now + one.profile.delay, one.request.hosts))
            moments = sorted({*moments, now + one.profile.delay})
    return found


@pytest.mark.parametrize("name", some_slow(list(FORMULAS), every=2))
@settings(max_examples=25)
@given(workloads())
def test_orders_are_their_formulas(name, jobs):
    assert starts(jobs, make_scheduler(f"literature/{name}", backfill="none")) == plainly(jobs, FORMULAS[name])


def test_every_order_has_a_formula_and_a_source():
    assert all(priority.formula and priority.source for priority in PRIORITIES.values())


@pytest.mark.parametrize("name", some_slow(NAMES, every=3))
@settings(max_examples=15)
@given(workloads())
def test_all_jobs_run_and_a_fork_ends_alike(name, jobs):
    simulation = wt.Simulation(f"hosts:{HOSTS}", JobList("w0", jobs), make_scheduler(name))
    simulation.run_until(20.0)
    other = simulation.fork()
    assert simulation.run().jobs.equals(other.run().jobs)
    assert simulation.run().metrics.states == {"COMPLETED_SUCCESSFULLY": len(jobs)}


@pytest.mark.parametrize("name", [info.name for info in LISTED if Ability.UNAVAILABLE_HOSTS in info.honours])
def test_hosts_that_fail_are_left_alone(name):
    jobs = [job(rank, rank, 1 + rank % HOSTS, 90, 50) for rank in range(30)]
    events = [
        wt.ExternalEvent(timestamp=60.0, kind="machine_unavailable", hosts=wt.HostSet.parse("0-3")),
        wt.ExternalEvent(timestamp=400.0, kind="machine_available", hosts=wt.HostSet.parse("0-3")),
    ]
    run = wt.simulate(
        f"hosts:{HOSTS}", JobList("w0", jobs), make_scheduler(name), events=EventList(name="e", events=tuple(events))
    )
    assert run.metrics.jobs == 30


def test_jobs_that_are_too_large_are_rejected():
    run = wt.simulate(
        "hosts:2", JobList("w0", [job(0, 0, 3, 9, 5), job(1, 0, 2, 9, 5)]), make_scheduler("literature/sjf")
    )
    assert run.metrics.states == {"REJECTED": 1, "COMPLETED_SUCCESSFULLY": 1}


def test_relaxation_lets_the_first_job_wait_longer():
    jobs = [job(0, 0, 6, 100, 100.0 - 1e-3), job(1, 1, 8, 50, 40), job(2, 2, 2, 108, 107)]
    kept = starts(jobs, make_scheduler("literature/easy-relaxed", relaxation=0.0))
    relaxed = starts(jobs, make_scheduler("literature/easy-relaxed", relaxation=0.2))
    assert kept["002"] > kept["001"]
    assert relaxed["002"] == 2.0
    assert relaxed["001"] == 109.0


def test_who_has_waited_beyond_the_threshold_comes_first():
    jobs = [job(0, 0, 8, 100, 100.0 - 1e-3), job(1, 1, 8, 90, 80)]
    jobs += [job(rank, 2, 8, 10, 9) for rank in range(2, 20)]
    patient = starts(jobs, make_scheduler("literature/priority", order="sjf"))
    hurried = starts(jobs, make_scheduler("literature/priority", order="sjf", threshold=120.0))
    assert patient["001"] == max(patient.values())
    assert hurried["001"] < sorted(hurried.values())[6]


def test_exact_predictions_need_run_times():
    odd = wt.Job(id="w0!1", request=wt.Request(hosts=1), profile=ParallelTaskProfile(id="w0!p"), walltime=5.0)
    with pytest.raises(UsageError, match="'w0!1' has no known run time"):
        Predictor("exact").expected(odd)


def test_the_last_two_run_times_of_a_user():
    predictor = Predictor("last-two")
    one = job(0, 0, 1, 100, 1, "a")
    assert predictor.expected(one) == 100
    predictor.finished(one, 10.0)
    assert predictor.expected(one) == 100
    predictor.finished(one, 21.0)
    assert predictor.expected(one) == 15
    predictor.finished(one, 900.0)
    assert predictor.expected(one) == 100
    assert predictor.expected(job(0, 0, 1, 100, 1, "b")) == 100


@pytest.mark.parametrize(
    ("correction", "present", "elapsed", "expected"),
    [
        ("requested", 10, 10, 5000),
        ("double", 10, 10, 20),
        ("double", 10, 45, 80),
        ("double", 4000, 4000, 5000),
        ("steps", 10, 10, 70),
        ("steps", 70, 70, 310),
        ("steps", 10, 500, 910),
        ("steps", 3610, 3610, 5000),
    ],
)
def test_corrections(correction, present, elapsed, expected):
    assert corrected(correction, 10, present, 5000, elapsed) == expected


@given(st.sampled_from(["requested", "steps", "double"]), st.floats(1, 1e5), st.floats(0, 1e6), st.floats(1, 1e6))
def test_corrections_lie_between_what_has_run_and_what_was_requested(correction, first, elapsed, requested):
    first = min(first, requested)
    found = corrected(correction, first, first, requested, elapsed)
    assert found <= requested
    assert found > elapsed or found == requested or elapsed >= requested


def test_waiting_knows_its_job():
    one = Waiting(job(3, 5, 2, 30, 10), 5.0, 1)
    assert (one.size, one.requested, one.expected) == (2, 30.0, 30.0)
