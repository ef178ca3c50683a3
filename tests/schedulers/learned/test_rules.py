"""The rules under which choices are made: against plain models, and that somebody who chooses later changes nothing."""

from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import windtunnel as wt
from windtunnel.learning.episode import Episode
from windtunnel.model import JobList, Platform
from windtunnel.schedulers.learned.choosing import Choosing
from windtunnel.schedulers.learned.rules import RULES
from windtunnel.schedulers.registry import make_scheduler

HOSTS = 8


def job(rank, submit, size, run, requested=0):
    return wt.Job(
        id=f"w0!{rank:03d}",
        request=wt.Request(hosts=size),
        profile=wt.DelayProfile(id=f"w0!{run}", delay=float(run)),
        submission_time=float(submit),
        walltime=float(requested or run + 1),
    )


@st.composite
def workloads(draw):
    submit, made = 0, []
    for rank in range(draw(st.integers(1, 25))):
        submit += draw(st.sampled_from([0, 1, 5, 30]))
        run = draw(st.integers(1, 60))
        made.append(job(rank, submit, draw(st.integers(1, HOSTS)), run, run + draw(st.integers(1, 60))))
    return made


class Shortest(Choosing):
    """Prefers what is requested for the shortest time; waits if that does not fit."""

    def chosen(self, choice):
        return sorted(range(len(choice.jobs)), key=lambda place: (choice.jobs[place].walltime, place))


def starts(jobs, scheduler):
    run = wt.simulate(f"hosts:{HOSTS}", JobList("w0", jobs), scheduler)
    return {f"w0!{row['job_id']}": row["starting_time"] for row in run.jobs.iter_rows(named=True)}


def plainly(jobs, *, list_of_them=False):
    """Shortest job first, chosen anew at each instant."""
    found, running, waiting = {}, [], []
    moments = sorted({one.submission_time for one in jobs})
    while moments:
        now = moments.pop(0)
        running = [(end, size) for end, size in running if end > now]
        waiting += [one for one in jobs if one.submission_time == now]
        waiting.sort(key=lambda one: (one.walltime, one.id))
        while waiting and waiting[0].request.hosts <= HOSTS - sum(size for _, size in running):
            one = waiting.pop(0)
            found[one.id] = now
            running.append((now + one.profile.delay, one.request.hosts))
            moments = sorted({*moments, now + one.profile.delay})
    return found


@pytest.mark.parametrize("rules", ["chosen-anew", "ordered", "may-wait"])
@settings(max_examples=10)
@given(workloads())
def test_choosing_the_shortest_anew_is_shortest_job_first(rules, jobs):
    assert starts(jobs, Shortest(rules=rules)) == plainly(jobs)


@settings(max_examples=10)
@given(workloads())
def test_what_was_chosen_stays_chosen(jobs):
    """As RLScheduler's own, whose starts are compared with the recorded ones elsewhere."""
    assert starts(jobs, Shortest()) == starts(jobs, make_scheduler("literature/rlscheduler", order="sjf"))


@pytest.mark.parametrize("rules", ["chosen-anew", "ordered"])
@settings(max_examples=10)
@given(workloads())
def test_in_order_of_arrival_with_backfilling_is_easy(rules, jobs):
    class First(Choosing):
        def chosen(self, choice):
            return range(len(choice.jobs))

    assert starts(jobs, First(rules=rules, backfill=True)) == starts(jobs, make_scheduler("easy"))


class Later(Shortest):
    """Leaves the choice to who looks at it between two rounds."""

    def chosen(self, choice):
        return self.answer


@pytest.mark.parametrize("backfill", [False, True])
@pytest.mark.parametrize("rules", RULES)
@settings(max_examples=8)
@given(workloads())
def test_who_chooses_between_two_rounds_gets_the_same(rules, backfill, jobs):
    chooser = Later(rules=rules, backfill=backfill)
    episode = Episode(Platform.uniform(HOSTS), JobList("w0", jobs), chooser)
    while (choice := episode.go_on()) is not None:
        episode.answer(Shortest.chosen(chooser, choice))
    assert episode.starts == starts(jobs, Shortest(rules=rules, backfill=backfill))


class Idle(Choosing):
    """Always waits."""

    def chosen(self, choice):
        return ()


@pytest.mark.parametrize("rules", RULES)
def test_who_always_waits_is_not_waited_for(rules):
    jobs = [job(0, 0, 4, 10), job(1, 0, 4, 10), job(2, 1, 9, 10), job(3, 2, 4, 10)]
    found = starts(jobs, Idle(rules=rules))
    assert found["w0!000"] == 0
    assert found["w0!001"] == (10 if rules == "may-wait" else 0)
    assert found["w0!002"] in {-1, None} or found["w0!002"] != found["w0!002"]  # rejected: larger than the machine


def test_only_the_window_is_seen():
    seen = []

    class Looks(Choosing):
        def chosen(self, choice):
            seen.append(len(choice.jobs))
            return (len(choice.jobs) - 1,)

    starts([job(rank, 0, 8, 10) for rank in range(9)], Looks(rules="chosen-anew", window=4))
    assert max(seen) == 4


def test_a_machine_that_fails_is_waited_for():
    events = [
        wt.ExternalEvent(timestamp=5.0, kind="machine_unavailable", hosts=wt.HostSet.parse("0-3")),
        wt.ExternalEvent(timestamp=400.0, kind="machine_available", hosts=wt.HostSet.parse("0-3")),
    ]
    from windtunnel.model import EventList

    for rules in RULES:
        run = wt.simulate(
            f"hosts:{HOSTS}",
            JobList("w0", [job(rank, rank, 6, 10) for rank in range(5)]),
            Shortest(rules=rules),
            events=EventList(name="e", events=tuple(events)),
        )
        assert run.metrics.jobs == 5


def test_what_is_told_lies_between_0_and_1():
    class Looks(Choosing):
        def chosen(self, choice):
            assert all(0 <= number <= 1 for row in choice.rows for number in row)
            assert all(len(row) == len(choice.rows[0]) for row in choice.rows)
            assert list(choice.fits) == [one.request.hosts <= self.unused for one in choice.jobs]
            return (0,)

    jobs = [job(rank, rank, 1 + rank % 8, 1 + 7 * rank, inf if rank % 3 else 500) for rank in range(40)]
    for view in ("windtunnel", "rlscheduler"):
        for backfill in (False, True):
            starts(jobs, Looks(view=view, backfill=backfill, window=6))
