"""What the compiled build writes and counts of jobs, row by row, is what pure Python makes of their columns."""

from array import array
from math import inf
from struct import unpack

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from librt.strings import BytesWriter

from windtunnel.model import DelayProfile, HostSet, Job, JobRecord, JobState, Platform, Request
from windtunnel.results.batch import Batch
from windtunnel.results.columns import Collector
from windtunnel.results.fields import plain
from windtunnel.results.jobs_csv import JobsCsv
from windtunnel.results.layout import Dialect, Layout
from windtunnel.results.supplementary_csv import JobsExtraCsv
from windtunnel.results.written_jobs import codes_of, dates_of, extra_rows, job_rows, put_field, shared, sizes_of

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


def ended(jobs):
    records = []
    for job in jobs:
        start = job["submitted"] + job["wait"] if job["ran"] else -1.0
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
        record = JobRecord(
            made,
            state=job["state"],
            hosts=job["hosts"],
            starting_time=start,
            finish_time=start + job["execution"] if job["ran"] else -1.0,
            return_code=job["code"],
            consumed_energy=job["joules"],
            metadata=job["metadata"],
            dynamic=job["dynamic"],
        )
        records.append(record)
    return records


def rows(records, v5, omit_rejected):
    return job_rows(records, Batch(records).profiles, v5, omit_rejected).decode()


def extra(records, shares=()):
    return extra_rows(records, Batch(records).owners, [*shares]).decode()


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
    records = ended(jobs)
    assert rows(records, v5, omit_rejected) == writer.by_column(Batch(records))


def test_a_row_is_what_the_record_says():
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
    records = ended([PLAIN, rejected])
    assert rows(records, False, False) == "".join(f"{row}\n" for row in expected)
    assert rows(records, False, True) == f"{expected[0]}\n"
    assert extra(records) == "2,w0,6,1,,0,\n3,w0,6,1,,0,\n"
    assert extra(records, ["0.500000", ""]) == "2,w0,6,1,,0,0.500000\n3,w0,6,1,,0,\n"


@given(JOBS)
def test_extra_rows_are_those_made_by_column(jobs):
    records = ended(jobs)
    writer = JobsExtraCsv(Layout(None), Collector())
    assert extra(records) == writer.by_column(Batch(records))


@given(JOBS)
def test_what_is_counted_is_what_is_counted_by_column(jobs):
    records = ended(jobs)
    collector = Collector()
    collector.on_begin(0.0, Platform.uniform(4), [])
    collector.take(Batch(records))
    columns = collector.columns
    for data, column in zip(dates_of(records), (columns.submitted, columns.start, columns.finish), strict=True):
        assert list(unpack(f"<{len(jobs)}d", data)) == column.tolist()
    assert sizes_of(records) == columns.used.tolist()
    owners = {owner: 16 * rank for rank, owner in enumerate(columns.owners)}
    assert array("I", codes_of(records, Batch(records).owners, owners)) == columns.codes


@given(st.lists(st.booleans(), max_size=4))
def test_jobs_that_share_hosts_are_noticed(shares):
    records = [JobRecord(ended([PLAIN])[0].job, amounts={0: {"cores": 1.0}} if share else None) for share in shares]
    assert shared(records) == any(shares)


@pytest.mark.parametrize("text", ["", "a", "w0!7", "a,b", "=1+", "-x", "'=1+", "é", "a\rb", "\udc80", "w-0", "3.5"])
def test_a_part_of_a_text_is_a_field(text):
    out = BytesWriter()
    put_field(out, f"x{text}y", 1, 1 + len(text))
    assert out.getvalue() == f"{plain(text)},".encode("utf-8", "backslashreplace")


def test_dates_may_be_numbers_of_numpy():
    numpy = pytest.importorskip("numpy")
    records, odd = ended([PLAIN]), ended([PLAIN | {"submitted": numpy.float64(10.0), "walltime": numpy.float64(60.0)}])
    assert rows(odd, False, False) == rows(records, False, False)
    assert dates_of(odd) == dates_of(records)
