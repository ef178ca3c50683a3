"""Fair share against a plain model that goes over the whole past at each decision."""

from math import log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import windtunnel as wt
from windtunnel.model import JobList
from windtunnel.schedulers.literature.fair_share import FairShareEasy, Usage

HOSTS = 8
HALF = 50.0


def job(rank, submit, size, run, user, group=""):
    return wt.Job(
        id=f"w0!{rank:03d}",
        request=wt.Request(hosts=size),
        profile=wt.DelayProfile(id=f"w0!{run}", delay=float(run)),
        submission_time=float(submit),
        walltime=run + 5.0,
        user=user,
        group=group,
    )


@st.composite
def workloads(draw):
    submit, made = 0, []
    for rank in range(draw(st.integers(1, 25))):
        submit += draw(st.sampled_from([0, 1, 7, 31]))
        made.append(
            job(rank, submit, draw(st.integers(1, HOSTS)), draw(st.integers(1, 60)), draw(st.sampled_from("abc")))
        )
    return made


def used(past, now):
    """What counts of [(begin, end, processors)]: the integral of 2^(-age / half-life)."""
    return sum(
        size * HALF / log(2) * (0.5 ** ((now - min(end, now)) / HALF) - 0.5 ** ((now - begin) / HALF))
        for begin, end, size in past
    )


def plainly(jobs):
    found, running, waiting, past = {}, [], [], {}
    moments = sorted({one.submission_time for one in jobs})
    while moments:
        now = moments.pop(0)
        running = [(end, size) for end, size in running if end > now]
        waiting += [one for one in jobs if one.submission_time == now]
        waiting.sort(key=lambda one, now=now: (round(used(past.get(one.user, []), now), 6), one.id))
        while waiting and waiting[0].request.hosts <= HOSTS - sum(size for _, size in running):
            one = waiting.pop(0)
            found[one.id.removeprefix("w0!")] = now
            end = now + one.profile.delay
            running.append((end, one.request.hosts))
            past.setdefault(one.user, []).append((now, end, one.request.hosts))
            moments = sorted({*moments, end})
    return found


def starts(jobs, scheduler):
    run = wt.simulate(f"hosts:{HOSTS}", JobList("w0", jobs), scheduler)
    return {row["job_id"]: row["starting_time"] for row in run.jobs.iter_rows(named=True)}


@settings(max_examples=15)
@given(workloads())
def test_against_a_plain_model(jobs):
    assert starts(jobs, FairShareEasy(half_life=HALF, backfill="none")) == plainly(jobs)


def test_who_has_used_less_comes_first_and_the_use_is_forgotten():
    jobs = [job(0, 0, 8, 100, "a", "x"), job(1, 1, 8, 10, "a", "y"), job(2, 2, 8, 10, "b", "x")]
    assert starts(jobs, FairShareEasy())["002"] == 100
    assert starts(jobs, FairShareEasy(of="group"))["001"] == 100


def test_of_a_use_half_is_left_after_the_half_life():
    use = Usage()
    use.change(0.0, HALF, 4)
    use.change(1e-6, HALF, -4)
    assert use.at(HALF, HALF) == pytest.approx(use.at(1e-6, HALF) / 2)


def test_others_overtake_in_the_same_order():
    jobs = [job(0, 0, 6, 100, "a"), job(1, 1, 8, 10, "c"), job(2, 2, 2, 20, "a"), job(3, 2, 2, 20, "b")]
    found = starts(jobs, FairShareEasy())
    assert (found["003"], found["002"], found["001"]) == (2, 22, 100)
