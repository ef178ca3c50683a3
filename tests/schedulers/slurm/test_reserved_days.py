"""Reservations that come again each day: kept over several days, by those that wait for them and those that may not."""

import sys
from pathlib import Path

import pytest

import windtunnel as wt
from windtunnel.model.slurm import Reservation

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
