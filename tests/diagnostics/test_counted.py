"""Numbers of things in words, and where they are read."""

import pytest

import windtunnel as wt
from windtunnel.diagnostics import counted, too_many
from windtunnel.model import DelayProfile, Job, JobList, Request
from windtunnel.results.compare import compare


@pytest.mark.parametrize(
    ("number", "thing", "said"), [(0, "job", "0 jobs"), (1, "host", "1 host"), (2000, "core", "2,000 cores")]
)
def test_one_is_no_plural(number, thing, said):
    assert counted(number, thing) == said


def test_plurals_of_their_own():
    assert counted(2, "battery", "batteries") == "2 batteries"


def test_requests_that_cannot_be_met():
    assert too_many(5, "host", 1) == "asks for 5 hosts, there is 1"
    assert too_many(1, "core", 0) == "asks for 1 core, there are 0"


@pytest.mark.parametrize("scheduler", ["easy", "conservative", "elastic/equipartition"])
def test_jobs_larger_than_a_site_of_one_host(scheduler):
    work = JobList("w", [Job(id="w!1", request=Request(5), profile=DelayProfile(id="p", delay=5.0))])
    run = wt.simulate("hosts:1", work, scheduler)
    assert run.state.rejections[0].reason == "asks for 5 hosts, there is 1"


def test_a_site_of_one_host_and_a_run_of_one_job(tmp_path):
    work = JobList("w", [Job(id="w!1", request=Request(1), profile=DelayProfile(id="p", delay=5.0))])
    one, other = (
        wt.simulate("hosts:1", work, name, out=tmp_path / name) for name in ("easy", "fcfs")
    )
    assert str(compare(one, other)).endswith("are identical: 1 job, same starts, ends and hosts")
    assert "1 host, 1 core" in repr(wt.read_platform("hosts:1"))
