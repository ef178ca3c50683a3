"""Numbers of others become ints and floats."""

import pytest

from windtunnel.model import DelayProfile, Job, JobList, Request
from windtunnel.model.plain import plain_numbers
from windtunnel.vocabulary import RegisterJob, TurnOnOffHosts

numpy = pytest.importorskip("numpy")


def odd():
    profile = DelayProfile(id="w0!p", delay=numpy.float64(3.0), return_code=numpy.int64(4))
    return Job(id="w0!1", request=Request(numpy.int64(2)), profile=profile)


def test_structs_and_those_inside_them():
    job = plain_numbers(RegisterJob(job=odd())).job
    assert (type(job.request.hosts), type(job.profile.return_code)) == (int, int)
    assert (job.request.hosts, job.profile.return_code, job.profile.delay) == (2, 4, 3.0)


def test_what_is_plain_stays_itself():
    decision = TurnOnOffHosts(hosts="0-3", state=True)
    assert plain_numbers(decision) is decision
    job = Job(id="w0!1", request=Request(2), profile=DelayProfile(id="w0!p", delay=1.0))
    assert plain_numbers(job) is job
    assert JobList("w0", [job])[0] is job


def test_times_of_a_list_are_plain():
    profile = DelayProfile(id="w0!p", delay=numpy.float32(3.0))
    times = {"submission_time": numpy.int64(5), "walltime": numpy.float64(9.0)}
    jobs = [Job(id=f"w0!{n}", request=Request(1), profile=profile, **times) for n in (1, 2)]
    job = JobList("w0", jobs)[0]
    assert [type(v) for v in (job.profile.delay, job.submission_time, job.walltime)] == [float, int, float]


def test_jobs_of_a_list_are_plain():
    job = JobList("w0", [odd()])[0]
    assert (type(job.request.hosts), type(job.profile.return_code)) == (int, int)
