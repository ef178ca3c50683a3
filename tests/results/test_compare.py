"""Two runs side by side."""

import re

import msgspec
import pytest
from tests.results.small_runs import outage, record, workload

import windtunnel as wt
from windtunnel.model import DelayProfile, Job, JobList, Request
from windtunnel.report.figures import side_by_side
from windtunnel.results.compare import Difference, changed_jobs, compare
from windtunnel.results.layout import Layout
from windtunnel.results.run import Run, load_run


def test_a_run_is_like_itself(tmp_path):
    record(Layout.directory(tmp_path / "a"))
    record(Layout.directory(tmp_path / "b"))
    a, b = load_run(tmp_path / "a"), load_run(tmp_path / "b")
    made = compare(a, b)
    assert made.identical
    assert made.inputs == {}
    assert "are identical: 60 jobs" in str(made)
    assert changed_jobs(a, b).is_empty()


def test_the_same_schedule_on_a_larger_site():
    """Starts, ends and hosts are the same; the site and how much of it is in use are not."""
    jobs = JobList("w", [Job(id="w!1", request=Request(1), profile=DelayProfile(id="p", delay=5.0))])
    made = compare(*(wt.simulate(f"hosts:{hosts}", jobs, "easy") for hosts in (1, 4)))
    assert made.identical
    same, platform, _, utilisation = str(made).splitlines()
    assert same.endswith("are identical: 1 job, same starts, ends and hosts")
    assert platform == "  input platform: hosts:1x1 (1 host) / hosts:4x1 (4 hosts)"
    assert utilisation.split() == ["utilisation", "1.0000", "0.2500", "-0.7500", "-75.0%"]


def test_no_shift_is_told_where_no_job_ran_in_both():
    jobs = JobList("w", [Job(id="w!1", request=Request(2), profile=DelayProfile(id="p", delay=5.0))])
    made = compare(*(wt.simulate(f"hosts:{hosts}", jobs, "easy") for hosts in (1, 4)))
    assert "mean shift" not in str(made)


def test_what_differs_between_two_schedulers():
    a, b = Run.of(record(scheduler="fcfs")), Run.of(record(scheduler="easy"))
    made = compare(a, b)
    assert made.inputs["schedulers"] == ("fcfs", "easy")
    assert made.earlier + made.later + made.same_start == 60
    assert made.earlier > 0
    waits = next(d for d in made.figures if d.name == "waiting time, mean")
    assert waits.change == pytest.approx(made.mean_shift, abs=1e-5)
    assert waits.relative < 0
    text = str(made)
    assert "started earlier in b" in text
    assert "waiting time, mean [s]" in text
    changed = changed_jobs(a, b)
    assert (changed["start_shift"].drop_nulls().abs().to_list()) == sorted(
        changed["start_shift"].drop_nulls().abs(), reverse=True
    )
    moved = changed.filter(changed["start_shift"].abs() > 1e-6).height
    assert moved == made.earlier + made.later


def test_jobs_of_one_run_only_and_other_inputs():
    a = Run.of(record(jobs=workload(60)))
    b = Run.of(record(jobs=workload(40), events=[outage()]))
    made = compare(a, b)
    assert (made.jobs_a, made.jobs_b, made.only_a, made.only_b) == (60, 40, 20, 0)
    assert not made.identical
    assert changed_jobs(a, b).filter(changed_jobs(a, b)["state_b"].is_null()).height == 20


def test_a_tolerance_makes_near_dates_equal():
    a, b = Run.of(record(scheduler="fcfs")), Run.of(record(scheduler="easy"))
    assert compare(a, b, tolerance=1e9).same_start == 60


def test_a_long_list_of_settings_is_shown_as_its_beginning():
    a, b = Run.of(record(scheduler="fcfs")), Run.of(record(scheduler="easy"))
    settings = ", ".join(f"setting{number}=False" for number in range(100))
    made = msgspec.structs.replace(compare(a, b), inputs={"scheduler options": (settings, "-")})
    shown = next(line for line in str(made).splitlines() if "scheduler options" in line)
    assert shown.startswith("  input scheduler options: setting0=False, setting1=False")
    assert shown.endswith("=False, ... / -")
    assert len(shown) < 240


def test_of_settings_with_names_those_that_differ_are_shown():
    settings = [{"backfilling": "no", "mapper": "greedy"}, {"backfilling": "easy", "mapper": "greedy", "more": 1}]
    a, b = Run.of(record()), Run.of(record())
    for run, one in zip((a, b), settings, strict=True):
        run.state.facts = {"scheduler_options": one}
    assert compare(a, b).inputs["scheduler options"] == ("backfilling=no", "backfilling=easy, more=1")


def test_small_figures_keep_digits_and_rounding_is_no_change():
    made = compare(Run.of(record()), Run.of(record()))
    figures = [
        Difference("cost", "EUR", 4e-7, 6e-7),
        Difference("cost", "USD", 0.6802, 0.6802 - 2e-16),
        Difference("makespan", "s", 0.0, 0.0005),
    ]
    assert msgspec.structs.replace(made, figures=figures).table() == [
        ("cost [EUR]", "4e-07", "6e-07", "+2e-07", "+50.0%"),
        ("cost [USD]", "0.6802", "0.6802", "+0.0000", "+0.0%"),
        ("makespan [s]", "0.0000", "0.0005", "+0.0005", ""),
    ]


def test_one_host_is_one():
    a, b = (wt.simulate(f"hosts:{hosts}", "lublin:9?hosts=1", "fcfs") for hosts in (1, 2))
    assert [text.rpartition("(")[2] for text in compare(a, b).inputs["platform"]] == ["1 host)", "2 hosts)"]


def test_waits_of_a_run_in_which_nothing_ran_are_no_figures():
    """Nothing had ended when the second one stopped."""
    a, b = (wt.simulate("hosts:4", "lublin:9?hosts=4", "fcfs", until=until) for until in (float("inf"), 1e-3))
    rows = {row[0]: row[1:] for row in compare(a, b).table()}
    assert rows["makespan [s]"][1] == "0.0000"
    for name in ("waiting time, mean [s]", "turnaround time, mean [s]", "slowdown, mean", "bounded slowdown, 95 %"):
        assert rows[name][1:] == ("-", "-", "")
    page = side_by_side(["a", "b"], [a.metrics, b.metrics])
    assert re.search(r"waiting time, mean</t[dh]>(<td[^>]*>[^<]*</td>)<td[^>]*>-", page)
