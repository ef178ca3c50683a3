"""SC 2017's simulator against a plain model: orders, the window, and the jobs that come first."""

from math import inf, log2, log10, sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import windtunnel as wt
from windtunnel.diagnostics import UsageError
from windtunnel.model import JobList, ParallelTaskHomogeneousProfile
from windtunnel.schedulers.literature.sc17 import SC17

HOSTS = 8
FORMULAS = {
    "fcfs": None,
    "spt": lambda s, r, n, w: r,
    "saf": lambda s, r, n, w: r * n,
    "wfp3": lambda s, r, n, w: -((w / r) ** 3) * n,
    # of jobs that have not waited the one with the least work comes first, as in the artefact
    "unicef": lambda s, r, n, w: -(w + 1e-20) / (log2(n) * r) if n > 1 else -inf,
    # the published, rounded forms: on these small numbers the order is the same
    "f1": lambda s, r, n, w: log10(r) * n + 871 * (log10(s) if s else -inf),
    "f2": lambda s, r, n, w: sqrt(r) * n + 25673 * (log10(s) if s else -inf),
    "f3": lambda s, r, n, w: r * n + 6862800 * (log10(s) if s else -inf),
    "f4": lambda s, r, n, w: r * sqrt(n) + 530986 * (log10(s) if s else -inf),
}


@st.composite
def workloads(draw):
    submit, made = draw(st.sampled_from([0, 100])), []
    for rank in range(draw(st.integers(1, 25))):
        submit += draw(st.sampled_from([0, 1, 5, 30]))
        run = draw(st.integers(1, 60))
        made.append(
            wt.Job(
                id=f"w0!{rank:03d}",
                request=wt.Request(hosts=draw(st.integers(1, HOSTS))),
                profile=wt.DelayProfile(id=f"w0!{run}", delay=float(run)),
                submission_time=float(submit),
                walltime=float(run + draw(st.integers(1, 60))),
            )
        )
    return made


def plainly(jobs, formula, window, state):
    """Walk over the instants; keep one list of who waits, of which the beginning is sorted."""
    found, running, waiting = {}, [], []
    origin = jobs[0].submission_time
    moments = sorted({one.submission_time for one in jobs})
    while moments:
        now = moments.pop(0)
        running = [(end, size) for end, size in running if end > now]
        untried = bool(waiting)
        waiting += [one for one in jobs if one.submission_time == now]
        while waiting:
            if formula and untried and len(found) >= state:
                waiting[:window] = sorted(
                    waiting[:window],
                    key=lambda one: formula(
                        one.submission_time - origin, one.walltime, one.request.hosts, now - one.submission_time
                    ),
                )
            one, untried = waiting[0], True
            if one.request.hosts > HOSTS - sum(size for _, size in running):
                break
            found[waiting.pop(0).id.removeprefix("w0!")] = now
            running.append((now + one.profile.delay, one.request.hosts))
            moments = sorted({*moments, now + one.profile.delay})
    return found


@pytest.mark.parametrize("order", FORMULAS)
@settings(max_examples=6)
@given(workloads(), st.sampled_from([1, 3, 32]), st.sampled_from([0, 4]))
def test_against_a_plain_model(order, jobs, window, state):
    run = wt.simulate(f"hosts:{HOSTS}", JobList("w0", jobs), SC17(order=order, window=window, state=state))
    found = {row["job_id"]: row["starting_time"] for row in run.jobs.iter_rows(named=True)}
    assert found == plainly(jobs, FORMULAS[order], window, state)


def test_what_runs_for_how_long_must_be_said():
    profile = ParallelTaskHomogeneousProfile(id="w0!p")
    jobs = [wt.Job(id=f"w0!{n}", request=wt.Request(hosts=1), profile=profile, walltime=9.0) for n in range(3)]
    with pytest.raises(UsageError, match="has no known run time"):
        wt.simulate("hosts:1", JobList("w0", jobs), SC17(order="spt", state=0, runtimes="exact"))


def test_a_job_larger_than_the_machine_is_rejected():
    profile = wt.DelayProfile(id="w0!1", delay=1.0)
    jobs = [wt.Job(id="w0!1", request=wt.Request(hosts=9), profile=profile, walltime=2.0)]
    run = wt.simulate(f"hosts:{HOSTS}", JobList("w0", jobs), SC17())
    assert run.metrics.states == {"REJECTED": 1}
