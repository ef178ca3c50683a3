"""Fairness: Gini, Jain and fair starts by hand, and against a plain model."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import windtunnel as wt
from windtunnel.cli.main import main
from windtunnel.model import JobList
from windtunnel.results.fairness import gini, jain


def job(rank, submit, hosts, run, user="", walltime=None):
    return wt.Job(
        id=f"w0!{rank:03d}",
        request=wt.Request(hosts=hosts),
        profile=wt.DelayProfile(id=f"w0!{run}", delay=float(run)),
        submission_time=float(submit),
        walltime=float(walltime or run) + 1e-3,
        user=user,
    )


def test_indices_by_hand():
    assert (gini([]), jain([])) == (0.0, 1.0)
    assert (gini([3, 3, 3]), jain([3, 3, 3])) == (pytest.approx(0.0), pytest.approx(1.0))
    assert gini([0, 0, 0, 8]) == pytest.approx(0.75)  # (n - 1) / n
    assert jain([0, 0, 0, 8]) == pytest.approx(0.25)
    assert gini([1, 2, 3]) == pytest.approx(2 / 9)
    assert jain([1, 2, 3]) == pytest.approx(36 / 42)


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=30))
def test_gini_is_the_mean_difference_over_twice_the_mean(values):
    total = sum(values)
    differences = sum(abs(a - b) for a in values for b in values)
    assert gini(values) == pytest.approx(differences / (2 * len(values) * total) if total > 0 else 0.0, abs=1e-9)
    assert 1 / len(values) - 1e-9 <= jain(values) <= 1.0


JOBS = [job(0, 0, 3, 100, "ann"), job(1, 1, 4, 50, "bob"), job(2, 2, 1, 500, "cy")]
"""Under first fit, the third overtakes the second, which could have started at 100."""


def test_who_is_overtaken_is_unfairly_delayed():
    unfair = wt.simulate("hosts:4", JobList("w0", JOBS), "filler").fairness()
    assert unfair.unfairly_delayed == pytest.approx(1 / 3)
    assert unfair.unfair_delay.max == pytest.approx(402)  # it starts at 502
    assert unfair.users["bob"].mean_unfair_delay == pytest.approx(402)
    assert unfair.users["bob"].max_bounded_slowdown == pytest.approx((501 + 50) / 50)
    fair = wt.simulate("hosts:4", JobList("w0", JOBS), "fcfs").fairness()
    assert fair.unfairly_delayed == 0
    assert fair.gini > 0


@example([(0, 1, 1), (0, 1, 1), (0, 1, 1), (0, 2, 1), (0, 1, 1)])  # the last two arrive, wait and start together
@settings(max_examples=25)
@given(st.lists(st.tuples(st.integers(0, 40), st.integers(1, 4), st.integers(1, 50)), min_size=1, max_size=15))
def test_first_come_first_served_delays_nobody(rows):
    submit, jobs = 0, []
    for rank, (gap, hosts, run) in enumerate(rows):
        submit += gap
        jobs.append(job(rank, submit, hosts, run, "ab"[rank % 2]))
    made = wt.simulate("hosts:4", JobList("w0", jobs), "fcfs").fairness()
    assert made.jobs == len(rows)
    assert made.unfairly_delayed == 0
    assert made.unfair_delay.max == 0


def test_files_and_the_command_say_the_same(tmp_path, capsys):
    run = wt.simulate("hosts:4", JobList("w0", JOBS), "filler", out=tmp_path / "out")
    assert wt.load_run(tmp_path / "out").fairness() == run.fairness()
    assert main(["metrics", str(tmp_path / "out"), "--fairness"]) == 0
    said = capsys.readouterr().out
    assert "started after the fair start" in said
    assert "bob: bounded slowdown, mean / max" in said
    assert main(["metrics", str(tmp_path / "out"), "--fairness", "--json"]) == 0
    assert '"gini": ' in capsys.readouterr().out


def test_a_run_without_jobs_is_fair():
    made = wt.simulate("hosts:4", JobList("w0", []), "fcfs").fairness()
    assert (made.jobs, made.gini, made.jain, made.users) == (0, 0.0, 1.0, {})
