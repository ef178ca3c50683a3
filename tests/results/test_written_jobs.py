"""What the compiled build writes and counts of jobs, row by row, is what pure Python makes of their columns."""

from array import array
from math import inf
from struct import unpack

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from windtunnel.model import DelayProfile, HostSet, Job, JobState, Platform, Request
from windtunnel.results.batch import Batch
from windtunnel.results.columns import Collector
from windtunnel.results.fields import plain_column
from windtunnel.results.jobs_csv import JobsCsv
from windtunnel.results.layout import Dialect, Layout
from windtunnel.results.supplementary_csv import JobsExtraCsv
from windtunnel.results.written_jobs import codes_of, dates_of, extra_rows, job_rows, sizes_of

SECONDS = st.integers(0, 10**9).map(float) | st.floats(0.0, 1e9) | st.just(0.0)
TEXT = st.sampled_from(["", "7", "w0", "ann", "a,b", 'say "hi"', "=cmd()", "-3", "'x", "a\nb", "é", " !", "\r", "w!"])
IDS = st.sampled_from(["w0!1", "w0!22", "w!=1", "w!a!b", "alone", "!x", "w,v!1", "é!ü", "w!"])
FIELDS = {
    "id": IDS,
    "profile": IDS,
    "submitted": SECONDS,
    "wait": SECONDS,
    "execution": SECONDS,
    "walltime": SECONDS | st.just(inf),
    "ran": st.booleans(),
    "state": st.sampled_from(JobState),
    "hosts": st.sampled_from(["", "0", "0-3 5", "1200-1300"]).map(HostSet.parse),
    "requested": st.integers(1, 10**7),
    "joules": st.just(-1.0) | st.just(-2.0) | SECONDS,
    "metadata": TEXT,
    "code": st.integers(-1, 300),
    "dynamic": st.booleans(),
    "user": TEXT,
    "group": TEXT,
    "queue": TEXT,
}
JOBS = st.lists(st.fixed_dictionaries(FIELDS), min_size=1, max_size=6)


def noted(jobs):
    values = []
    for job in jobs:
        start = job["submitted"] + job["wait"] if job["ran"] else -1.0
        finish = start + job["execution"] if job["ran"] else -1.0
        made = Job(
            id=job["id"],
            request=Request(hosts=job["requested"]),
            profile=DelayProfile(id=job["profile"], delay=1.0),
            submission_time=job["submitted"],
            walltime=job["walltime"],
            user=job["user"],
            group=job["group"],
            queue=job["queue"],
        )
        values += [made, job["state"], start, finish, job["hosts"], None]
        values += [job["joules"], job["metadata"], job["code"], job["dynamic"]]
    return values


def rows(values, v5, omit_rejected):
    batch = Batch(values)
    writer = JobsCsv(Layout(None, Dialect.BATSIM5 if v5 else Dialect.WINDTUNNEL))
    known = (writer.profiles(batch), batch.submitted, batch.requested, batch.walltime)
    return job_rows(batch.names, known, values, v5, omit_rejected)


def extra(values, shares=()):
    batch = Batch(values)
    users, groups, queues = map(plain_column, batch.owners)
    return extra_rows(batch.names, (users, groups, queues), values, [*shares])


PLAIN = {
    "id": "w0!2",
    "profile": "w0!102",
    "submitted": 10.0,
    "wait": 5.0,
    "execution": 20.5,
    "walltime": 60.0,
    "ran": True,
    "state": JobState.COMPLETED_SUCCESSFULLY,
    "hosts": HostSet.parse("0-3 5"),
    "requested": 5,
    "joules": -1.0,
    "metadata": "",
    "code": 0,
    "dynamic": False,
    "user": "6",
    "group": "1",
    "queue": "",
}


@given(JOBS, st.booleans(), st.booleans())
@example([PLAIN], False, False)
def test_rows_of_jobs_are_those_made_by_column(jobs, v5, omit_rejected):
    writer = JobsCsv(Layout(None, Dialect.BATSIM5 if v5 else Dialect.WINDTUNNEL), omit_rejected=omit_rejected)
    values = noted(jobs)
    assert rows(values, v5, omit_rejected) == writer.by_column(Batch(values))


def test_a_row_is_what_was_noted():
    rejected = PLAIN | {
        "id": "w0!3",
        "ran": False,
        "state": JobState.REJECTED,
        "walltime": inf,
        "metadata": "too wide",
    }
    ran = (
        "2,w0,102,10.000000,5,60.000000,1,COMPLETED_SUCCESSFULLY,15.000000,20.500000,35.500000,5.000000,25.500000,"
        '1.243902,0-3 5,-1.000000,""'
    )
    expected = [ran, '3,w0,102,10.000000,5,-1.000000,0,REJECTED,,,,,,,,,"too wide"']
    values = noted([PLAIN, rejected])
    assert rows(values, False, False) == "".join(f"{row}\n" for row in expected)
    assert rows(values, False, True) == f"{expected[0]}\n"
    assert extra(values) == "2,w0,6,1,,0,\n3,w0,6,1,,0,\n"
    assert extra(values, ["0.500000", ""]) == "2,w0,6,1,,0,0.500000\n3,w0,6,1,,0,\n"


@given(JOBS)
def test_extra_rows_are_those_made_by_column(jobs):
    values = noted(jobs)
    writer = JobsExtraCsv(Layout(None), Collector())
    assert extra(values) == writer.by_column(Batch(values))


@given(JOBS)
def test_what_is_counted_is_what_is_counted_by_column(jobs):
    values = noted(jobs)
    collector = Collector()
    collector.on_begin(0.0, Platform.uniform(4), [])
    collector.take(Batch(values))
    columns = collector.columns
    submitted = Batch(values).submitted
    for data, column in zip(
        dates_of(submitted, values), (columns.submitted, columns.start, columns.finish), strict=True
    ):
        assert list(unpack(f"<{len(jobs)}d", data)) == column.tolist()
    assert sizes_of(values) == columns.used.tolist()
    owners = {owner: 16 * rank for rank, owner in enumerate(columns.owners)}
    assert array("I", codes_of(Batch(values).owners, values, owners)) == columns.codes


def test_dates_may_be_numbers_of_numpy():
    numpy = pytest.importorskip("numpy")
    values = noted([PLAIN])
    odd = [numpy.float32(value) if isinstance(value, float) else value for value in values]
    assert rows(odd, False, False) == rows(values, False, False)
    assert dates_of([numpy.float32(10.0)], odd) == dates_of([10.0], values)
