"""Logs whose jobs may change size: who can, within what, how fast; and the models of speed-up."""

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

import windtunnel as wt
from windtunnel.diagnostics import UsageError
from windtunnel.model import DelayProfile, Job, JobList, Request
from windtunnel.model.application import Elasticity, ElasticProfile
from windtunnel.workloads.speedup import amdahl, downey, speedup_on


def log(count: int = 200) -> JobList:
    jobs = [
        Job(
            id=f"w0!{rank}",
            request=Request(1 + rank % 16),
            profile=DelayProfile(id=f"w0!{rank}", delay=100.0 + rank),
            submission_time=10.0 * rank,
            walltime=200.0 + rank,
        )
        for rank in range(count)
    ]
    return JobList("w0", jobs)


def test_a_share_of_the_jobs_can_change_size():
    arranged = wt.arrange(log()).with_elasticity(0.4, seed=3, least=0.5, most=2.0)
    elastic = [job for job in arranged if isinstance(job.profile, ElasticProfile)]
    assert 60 <= len(elastic) <= 100
    for job in elastic:
        size = job.request.hosts
        assert job.profile.elasticity is Elasticity.MALLEABLE
        assert (job.profile.least, job.profile.most) == (max(1, round(size / 2)), size * 2)
        assert job.profile.attributes["preferred"] == str(size)
    assert [job.id for job in arranged] == [job.id for job in log()]
    again = wt.arrange(log()).with_elasticity(0.4, seed=3, least=0.5, most=2.0)
    assert [job.profile for job in again] == [job.profile for job in arranged]
    assert any("of 200 jobs are malleable" in one.message for one in arranged.warnings)


@pytest.mark.parametrize("options", [{"speedup": "linear"}, {"speedup": "downey", "sigma": 0.5}, {"serial": 0.2}])
def test_on_its_own_size_a_job_lasts_as_long_as_before(options):
    elastic = wt.arrange(log(30)).with_elasticity(1.0, **options)
    plain = wt.simulate("hosts:64", log(30), "fcfs")
    changed = wt.simulate("hosts:64", elastic, "fcfs")
    ends = [dict(zip(run.jobs["job_id"], run.jobs["finish_time"], strict=True)) for run in (plain, changed)]
    assert ends[1] == pytest.approx(ends[0], rel=1e-9)


def test_what_makes_no_sense_is_refused():
    for bad in ({"share": 1.5}, {"share": 0.5, "kind": "evolving"}, {"share": 0.5, "least": 0.0}):
        with pytest.raises(UsageError):
            wt.arrange(log(3)).with_elasticity(**bad)


@pytest.mark.parametrize("name", ["most", "average", "sigma", "data"])
def test_numbers_beyond_which_expressions_overflow_are_refused(name):
    with pytest.raises(UsageError, match=f"{name} must be a number"):
        wt.arrange(log(3)).with_elasticity(1.0, speedup="downey", **{name: 1e308})


def test_only_one_operation_lets_jobs_change_size():
    """The second took the place of the first, of which the account said that it held."""
    with pytest.raises(UsageError, match="has let jobs change size"):
        len(wt.arrange(log(3)).with_elasticity(0.5).with_elasticity(0.5, kind="moldable"))


SIGMAS = st.floats(0.0, 4.0)


@given(st.floats(1.0, 300.0), SIGMAS, st.integers(1, 1000))
def test_downey_rises_to_the_average_parallelism_and_stays_there(average, sigma, hosts):
    text = downey(average, sigma)
    here, more = speedup_on(text, hosts), speedup_on(text, hosts + 1)
    assert 0 < here <= min(average, hosts) * (1 + 1e-9)
    assert more >= here * (1 - 1e-9)
    assert speedup_on(text, 1) == pytest.approx(1.0)
    assert speedup_on(text, 10**7) == pytest.approx(average)


@given(st.floats(0.0, 1.0), st.integers(1, 1000))
def test_amdahl(serial, hosts):
    expected = 1.0 / (serial + (1.0 - serial) / hosts)
    assert speedup_on(amdahl(serial), hosts) == pytest.approx(expected)


def test_a_change_of_size_costs_what_is_said():
    (job,) = wt.arrange(log(1)).with_elasticity(1.0, cost=3.0, data=1e9, bandwidth=1e8)
    assert job.walltime < inf
    (task,) = job.profile.application.on_reconfiguration.tasks
    assert task.load.amount == "3.0 + 10.0 / num_nodes"


def counted(text: str, tmp_path) -> str:
    """A log that counts processors."""
    path = tmp_path / "log.swf"
    path.write_text("".join(f"{k} {k * 5} -1 {60 + k} {1 + k % 7} -1 -1 {1 + k % 7} 200 {text}\n" for k in range(40)))
    return str(path)


@pytest.mark.parametrize("scheduler", ["stage-scheduler", "easy", "conservative", "filler", "elastic/keep-preferred"])
def test_jobs_that_change_size_have_whole_hosts(scheduler, tmp_path):
    """Schedulers that share hosts put others beside them, which ended the run."""
    profile = DelayProfile(id="w1!d", delay=50.0)
    parts = [
        Job(id=f"w1!{k}", request=Request(1, amounts=(("cores", 1.0),)), profile=profile, submission_time=9.0 * k)
        for k in range(20)
    ]
    beside = JobList("w1", parts, {"w1!d": profile})
    arranged = wt.arrange(counted("-1 1 1 1 1 1 1 -1 -1", tmp_path)).with_elasticity(0.7)
    run = wt.simulate("hosts:6x4", [arranged, beside], scheduler)
    assert run.metrics.states == {"COMPLETED_SUCCESSFULLY": 60}
    changed = wt.arrange(beside).with_elasticity(1.0)
    assert [job.request for job in changed] == [Request(1)] * 20
    (told,) = [one.message for one in changed.warnings]
    assert told.endswith("their size; whole hosts for 20 that asked for amounts of each")


def test_packing_by_cores_refuses_them():
    with pytest.raises(UsageError, match=r"takes \d+ to \d+ whole hosts, which packing by cores does not support"):
        wt.simulate("hosts:64x4", wt.arrange(log(40)).with_elasticity(1.0), "easy", share_hosts=True)
