"""Reservations that come again each day: kept over several days, by those that wait for them and those that may not."""

import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

import windtunnel as wt
from windtunnel.model.slurm import JobAsk, Reservation
from windtunnel.schedulers.slurm.jobs.pending import PendingJob
from windtunnel.schedulers.slurm.loops.backfill import backfill_pass
from windtunnel.schedulers.slurm.state import State

sys.path.insert(0, str(Path(__file__).parent))
from sites import job, platform, site, workload

DAY, HOUR = 86400, 3600
NOON = Reservation(name="noon", start=12 * HOUR, end=14 * HOUR, nodes=("n1", "n2"), users=("eve",), flags=("DAILY",))


def rows(*jobs):
    described = site(nodes=3, reservations=(NOON,))
    run = wt.simulate(platform(described), workload(*jobs), "slurm")
    return {row["job_id"]: row for row in run.jobs.to_dicts()}


def hosts(row):
    found = set()
    for part in str(row["allocated_resources"]).split():
        low, _, high = part.partition("-")
        found |= set(range(int(low), int(high or low) + 1))
    return found


def reserved(begin, end):
    """Whether a span of time meets the reservation on any day."""
    return any(begin < day * DAY + 14 * HOUR and end > day * DAY + 12 * HOUR for day in range(9))


def test_nobody_elses_job_meets_it_on_any_day_and_its_nodes_are_used_between():
    # each job could run into it: they take two hours, and three of them want all the nodes there are
    jobs = [job(f"j{k}", 2 * HOUR - 60, submit=k * HOUR, tasks=8, walltime=2 * HOUR) for k in range(110)]
    found = rows(*jobs)
    used = 0
    for row in found.values():
        assert row["final_state"] == "COMPLETED_SUCCESSFULLY"
        if hosts(row) & {0, 1}:
            used += 1
            assert not reserved(row["starting_time"], row["starting_time"] + 2 * HOUR), row
    assert used > 40
    assert max(row["finish_time"] for row in found.values()) > 4 * DAY


@pytest.mark.parametrize("day", [0, 1, 3])
def test_its_users_jobs_wait_for_it_whichever_day_it_is(day):
    came = day * DAY + 15 * HOUR if day else 0
    found = rows(job("own", HOUR - 60, submit=came, tasks=16, user="eve", reservation="noon", walltime=HOUR))
    expected = (day + (day > 0)) * DAY + 12 * HOUR
    assert found["own"]["final_state"] == "COMPLETED_SUCCESSFULLY"
    assert found["own"]["starting_time"] == pytest.approx(expected, abs=90)
    assert hosts(found["own"]) == {0, 1}


def test_a_job_that_waits_for_its_end_starts_then_though_nothing_else_happens():
    found = rows(job("wide", 11 * HOUR - 60, submit=3 * DAY + 10 * HOUR, tasks=24, walltime=11 * HOUR))
    assert found["wide"]["starting_time"] == pytest.approx(3 * DAY + 14 * HOUR, abs=90)


def test_what_never_fits_between_two_days_is_not_started_and_that_is_said():
    found = rows(job("too long", 23 * HOUR - 60, tasks=24, walltime=23 * HOUR))
    assert found["too long"]["final_state"] == "REJECTED"
    assert "Slurm never starts it" in found["too long"]["metadata"]


def test_plans_know_the_next_occurrence_and_no_later_one():
    # as recorded: a job of 23 hours is planned at the end of the occurrence, whatever comes on the next day
    state = State(site(nodes=3, reservations=(NOON,)), 0)
    ask = JobAsk(tasks=24, time_limit=23 * 60)
    state.pending["wide"] = wide = PendingJob("wide", 1, ask, 0, state.cluster)
    backfill_pass(state)
    assert wide.expected == 14 * HOUR + 1
    state.now = 14 * HOUR
    backfill_pass(state)
    assert wide.expected is None  # by then the next one is known, and ends behind bf_window


@pytest.mark.parametrize(
    ("flags", "days"),
    [
        (("DAILY",), (0, 1, 2, 3, 4, 5, 6, 7)),
        (("WEEKLY",), (0, 7, 7, 7, 7, 7, 7, 7)),
        (("WEEKDAY",), (0, 1, 4, 4, 4, 5, 6, 7)),  # the first day is a Thursday
        (("WEEKEND",), (0, 2, 2, 3, 9, 9, 9, 9)),
        ((), (0,) * 8),
    ],
)
def test_it_comes_again_when_its_flags_say(flags, days):
    state = State(site(nodes=3, reservations=(replace(NOON, flags=flags),)), 0)
    for passed, expected in enumerate(days):
        state.now = passed * DAY + 13 * HOUR if not passed else (passed - 1) * DAY + 14 * HOUR
        (found,) = state.bookings.ahead(0)
        assert found == (expected * DAY + 12 * HOUR, expected * DAY + 14 * HOUR), passed
