"""Why a job waited."""

import pytest
from tests.results.small_runs import outage, record, workload

from windtunnel.diagnostics import UsageError
from windtunnel.model import DelayProfile, Job, JobList, Request
from windtunnel.results.explanation import Period
from windtunnel.results.layout import Layout
from windtunnel.results.run import Run, load_run
from windtunnel.results.why import explain


def job(name: str, hosts: int, date: float, run: float, walltime: float = 1000.0) -> Job:
    profile = DelayProfile(id=f"w0!{run:g}", delay=run)
    return Job(id=f"w0!{name}", request=Request(hosts), profile=profile, submission_time=date, walltime=walltime)


JOBS = JobList(
    "w0",
    [
        job("wide", 6, 0.0, 100.0, 110.0),
        job("whole", 8, 10.0, 50.0),
        job("small", 2, 20.0, 30.0, 40.0),
        job("late", 2, 25.0, 200.0),
    ],
)
"""On 8 hosts under easy: ``whole`` waits for ``wide``; ``small`` slips in; ``late`` would delay ``whole``."""


def test_who_held_the_hosts_and_who_overtook():
    found = explain(Run.of(record(jobs=JOBS)), "whole")
    assert (found.job, found.requested, found.site) == ("w0!whole", 8, 8)
    assert (found.submitted, found.start, found.waited) == (10.0, 100.0, 90.0)
    assert found.periods == [Period(10.0, 20.0, 2, 0), Period(20.0, 50.0, 0, 0), Period(50.0, 100.0, 2, 0)]
    assert [(h.job, h.host_seconds) for h in found.holders] == [("w0!wide", 540.0), ("w0!small", 60.0)]
    assert [o.job for o in found.overtakers] == ["w0!small"]
    assert found.enough_free == []
    text = str(found)
    assert "waited 90 s (1 min 30 s); jobs waiting already: 0" in text
    assert "w0!small: 2 hosts, submitted 20.00, ran 20.00 to 50.00 s" in text
    assert "at no time were enough hosts free" in text
    assert "w0!wide on 0-5" in text


def test_a_job_kept_back_although_hosts_were_free():
    found = explain(Run.of(record(jobs=JOBS)), "w0!late")
    assert found.ahead == 1
    assert found.enough_free == [Period(50.0, 100.0, 2, 1)]
    assert "the scheduler's rules kept it waiting" in str(found)


def test_a_job_that_did_not_wait():
    found = explain(Run.of(record(jobs=JOBS)), "wide")
    assert found.waited == 0.0
    assert "it did not wait" in str(found)


def test_free_hosts_agree_with_a_count_host_by_host():
    run = Run.of(record(events=[outage()]))
    stretches = list(run.stretches())
    for name in run.jobs["id"]:
        found = explain(run, name)
        for period in found.periods:
            middle = (period.start + period.finish) / 2
            taken = {h for s in stretches if s.start <= middle < s.finish for h in s.hosts}
            taken |= {6, 7} if 100.0 <= middle < 200.0 else set()
            assert period.free == 8 - len(taken)
        assert sum(p.finish - p.start for p in found.periods) == pytest.approx(found.waited)


def test_jobs_that_are_not_there(tmp_path):
    record(Layout.directory(tmp_path), jobs=workload(10))
    run = load_run(tmp_path)
    with pytest.raises(UsageError, match="did you mean 'w0!1'"):
        explain(run, "w0!1x")
    run.state.status = "incomplete"
    with pytest.raises(UsageError, match="not over when the run stopped"):
        explain(run, "77")
    with pytest.raises(UsageError, match=r"ids are such as w0!\d+; without one, the jobs that waited longest are li"):
        explain(Run.of(record(jobs=workload(60))), "entirely other")


def test_hosts_that_sleep_or_are_switched_are_not_free(tmp_path):
    """They were counted as free: the scheduler's rules, and not a lack of hosts, seemed to keep the job waiting."""
    record(Layout.directory(tmp_path), jobs=JobList("w0", [job("a", 4, 0.0, 100.0), job("b", 8, 10.0, 50.0)]))
    rows = ["0,0-7,0", "20,4-5,-2", "25,4-5,1", "60,4,-1", "70,4,0", "80,7,-1", "90,7,0"]
    (tmp_path / "pstate_changes.csv").write_text("\n".join(["time,machine_id,new_pstate", *rows, ""]))
    found = explain(load_run(tmp_path), "b")
    free = [(period.start, period.free) for period in found.periods]
    assert free == [(10.0, 3), (20.0, 1), (70.0, 2), (90.0, 3)]  # host 7 sleeps from the start
    assert found.asleep == 80.0 + 50.0 + 80.0
    assert "hosts slept or were being switched meanwhile (210 host-seconds)" in str(found)
    assert "hosts were held by 1 job, most by" in str(found)


def test_hosts_that_are_away_are_told():
    found = explain(Run.of(record(jobs=JOBS, events=[outage()])), "late")
    assert found.unavailable == sum(p.finish - p.start for p in found.periods if p.start >= 100.0) * 2
    assert ("hosts were not available meanwhile" in str(found)) == bool(found.unavailable)
