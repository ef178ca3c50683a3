"""Jobs made of columns of numbers."""

from math import inf, nextafter

import pytest

from windtunnel.formats.traces.swf_jobs import JobMaker
from windtunnel.model import JobRecord

COLUMNS = (
    [7, 8, 9],
    [3, 4, 3],
    [10.0, 2.5, 10.0],
    [0.0, 1.0, 2.0],
    [5.0, 9.0, 20.0],
    [1, -1, 1],
    [2, 2, -1],
    [-1, -1, 0],
)


def test_a_row_of_numbers_is_a_job():
    first, second, third = JobMaker("w", 2).make(COLUMNS, extend=False)
    assert [job.id for job in (first, second, third)] == ["w!7", "w!8", "w!9"]
    assert (first.request.hosts, first.request.processors, second.request.hosts) == (2, 3, 2)
    assert (first.profile.id, first.profile.delay) == ("w!10", 10.0)
    assert (second.profile.id, second.submission_time, second.walltime) == ("w!2.5", 1.0, 9.0)
    assert [(job.user, job.group, job.queue) for job in (first, second, third)] == [
        ("1", "2", ""),
        ("", "2", ""),
        ("1", "", "0"),
    ]


def test_jobs_share_requests_and_profiles():
    maker = JobMaker("w", 1)
    first, _, third = maker.make(COLUMNS, extend=False)
    assert first.request is third.request
    assert first.profile is third.profile
    assert maker.make(COLUMNS, extend=False)[0].profile is first.profile


def test_a_job_that_runs_into_its_walltime_ends_by_itself_if_that_is_wanted():
    killed, lives = (JobMaker("w", 1).make(COLUMNS, extend=extend)[0] for extend in (False, True))
    assert killed.walltime == 5.0
    assert lives.walltime == nextafter(10.0, inf)


def test_preceding_jobs_and_think_times():
    jobs = JobMaker("w", 1).make(COLUMNS, [-1, 7, 8], [4.0, 5.0, 6.0], extend=True)
    assert [(job.dependencies, job.think_time) for job in jobs] == [((), 0.0), (("w!7",), 5.0), (("w!8",), 6.0)]


def test_columns_of_unequal_length_make_no_jobs():
    with pytest.raises(ValueError, match="zip"):
        JobMaker("w", 1).make((*COLUMNS[:-1], [1]), extend=True)


@pytest.mark.parametrize("extend", [False, True])
@pytest.mark.parametrize("cores", [1, 2])
def test_records_say_of_jobs_what_the_jobs_say(cores, extend):
    maker = JobMaker("w", cores)
    large = ([10], [5000], [7], [3.0], [7], [70000], [1024], [1023])  # whole seconds are integers
    for columns in (COLUMNS, large):
        jobs, records = maker.make(columns, extend=extend), maker.records(columns, extend=extend)
        assert [record.job for record in records] == jobs
        assert [facts(record) for record in records] == [facts(JobRecord(job)) for job in jobs]
        assert records == [JobRecord(job) for job in jobs]


def facts(record):
    return record.job_id, record.submission, record.size, record.walltime, record.delay, record.code
