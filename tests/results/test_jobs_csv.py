"""jobs.csv: the same bytes as Batsim's."""

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.golden_outputs import differences, text_of
from tests.results.remade import records, replay
from tests.shared import cases, shared

from windtunnel.model import DelayProfile, HostSet, Job, JobRecord, JobState, Platform, Request
from windtunnel.results.layout import Dialect, Layout
from windtunnel.results.recorders import RecordingOptions
from windtunnel.results.recording import Recording

DERIVED = {"execution_time", "waiting_time", "turnaround_time", "stretch"}
"""Computed from dates of which the recorded files print six decimals only."""

V4 = [
    p
    for p in (*cases("golden/batsim4", "*nonet*/jobs.csv"), *cases("golden/batsim4", "*small--mixed*/jobs.csv"))
    if p.stat().st_size
]
"""Without those that upstream never came to write."""
V5 = [p for p in cases("golden/batsim5", "*/out/jobs.csv") if p.stat().st_size]


def rewritten(text: str, dialect: Dialect) -> str:
    recording = Recording(Layout(None, dialect))
    replay(recording, text, Platform.uniform(4))
    return (recording.read("jobs.csv") or b"").decode()


def without_derived(text: str) -> list[list[str]]:
    lines = [line.split(",") for line in text.splitlines()]
    skip = {i for i, name in enumerate(lines[0]) if name in DERIVED}
    return [[field for i, field in enumerate(line) if i not in skip] for line in lines]


def check(text: str, dialect: Dialect) -> None:
    ours = rewritten(text, dialect)
    assert without_derived(ours) == without_derived(text)
    assert not differences(ours, text, ignore={"stretch"}, tolerance=3e-6)


@pytest.mark.golden
@pytest.mark.parametrize("path", V4, ids=lambda p: p.parent.name)
def test_batsim4_files_come_out_again(path):
    check(text_of(path), Dialect.BATSIM4)


@pytest.mark.golden
@pytest.mark.parametrize("path", V5, ids=lambda p: p.parents[1].name)
def test_batsim5_files_come_out_again(path):
    check(text_of(path), Dialect.BATSIM5)


@pytest.mark.golden
def test_a_file_of_whole_seconds_comes_out_byte_by_byte():
    """Where dates are exact, so is everything derived from them."""
    path = shared("golden/batsim4/rejecter--small--delays/jobs.csv")
    assert rewritten(text_of(path), Dialect.BATSIM4) == text_of(path)


def job(**fields) -> Job:
    return Job(**({"id": "w0!1", "request": Request(2), "profile": DelayProfile(id="w0!p", delay=1.0)} | fields))


def row_of(record: JobRecord, dialect: Dialect = Dialect.BATSIM4) -> str:
    recording = Recording(Layout(None, dialect))
    if record.state is JobState.REJECTED:
        recording.observers[0].on_job_rejected(0.0, record)
    else:
        recording.observers[0].on_job_ended(0.0, record)
    return (recording.read("jobs.csv") or b"").decode().splitlines()[1]


def ended(**fields) -> JobRecord:
    given_ = {"job": job(), "state": JobState.COMPLETED_SUCCESSFULLY, "hosts": HostSet.parse("0-1 5")}
    return JobRecord(**(given_ | {"starting_time": 1.0, "finish_time": 3.5} | fields))


def test_one_row():
    expected = '1,w0,p,0.000000,2,-1.000000,1,COMPLETED_SUCCESSFULLY,1.000000,2.500000,3.500000,1.000000,3.500000,1.400000,0-1 5,-1.000000,""'
    assert row_of(ended()) == expected
    assert row_of(ended(), Dialect.BATSIM5) == expected.replace(",p,", ",w0!p,").removesuffix('""')


def test_an_execution_that_took_no_time_counts_as_a_hundred_thousandth():
    row = row_of(ended(finish_time=1.0)).split(",")
    assert row[8:14] == ["1.000000", "0.000010", "1.000010", "1.000000", "1.000010", "100001.000000"]


def test_rejected_jobs_have_no_dates_and_may_be_left_out():
    record = JobRecord(job=job(walltime=30.0), state=JobState.REJECTED)
    assert row_of(record) == '1,w0,p,0.000000,2,30.000000,0,REJECTED,,,,,,,,,""'
    recording = Recording(options=RecordingOptions(omit_rejected=True))
    for observer in recording.observers:
        observer.on_job_rejected(0.0, record)
    assert (recording.read("jobs.csv") or b"").count(b"\n") == 1
    assert recording.metrics().states == {"REJECTED": 1}


def test_names_that_would_break_a_row_are_quoted():
    row = row_of(ended(job=job(id='w0!a,"b"', profile=DelayProfile(id="w0!x,y", delay=1.0)), metadata='say "hi"'))
    assert row.startswith('"a,""b""",w0,"x,y",')
    assert row.endswith(',"say ""hi"""')


def test_jobs_registered_at_run_time_in_batsim5_have_no_energy_rather_than_minus_one():
    assert row_of(ended(dynamic=True), Dialect.BATSIM5).endswith(",0.000000,")
    assert row_of(ended(dynamic=True)).endswith(',-1.000000,""')


def six_decimals(value: float) -> str:
    """What C++'s to_string prints: the decimal expansion of the double, rounded half to even at six digits."""
    from decimal import ROUND_HALF_EVEN, Decimal, localcontext

    with localcontext() as context:
        context.prec = 400
        return f"{Decimal(value).quantize(Decimal('0.000001'), rounding=ROUND_HALF_EVEN):f}"


dates = st.floats(0, 1e12).map(lambda x: round(x, 9)) | st.integers(0, 10**9).map(float)


@given(dates, dates, dates, st.integers(1, 5000), dates | st.just(inf))
def test_numbers_are_those_of_to_string(submitted, wait, run, hosts, walltime):
    start = submitted + wait
    finish = start + run
    record = ended(
        job=job(submission_time=submitted, request=Request(hosts), walltime=walltime),
        starting_time=start,
        finish_time=finish,
    )
    fields = row_of(record).split(",")
    assert fields[3] == six_decimals(submitted)
    assert fields[4] == str(hosts)
    assert fields[5] == ("-1.000000" if walltime == inf else six_decimals(walltime))
    assert fields[8] == six_decimals(start)
    assert fields[11] == six_decimals(start - submitted)
    if finish > start:
        assert fields[9:11] == [six_decimals(finish - start), six_decimals(finish)]
        assert fields[12:14] == [
            six_decimals(finish - submitted),
            six_decimals((finish - submitted) / (finish - start)),
        ]


def rows_by_hand(records: list[JobRecord]) -> list[str]:
    rows = []
    for number, record in enumerate(records):
        asked, start, finish = record.job.submission_time, record.starting_time, record.finish_time
        execution = finish - start or 1e-5
        finish = finish if finish > start else start + 1e-5
        ending = ",".join([str(int(record.state is JobState.COMPLETED_SUCCESSFULLY)), record.state.name])
        times = (start, execution, finish, start - asked, finish - asked, (finish - asked) / execution)
        rows.append(
            f'{number},w0,p,{asked + 0.0:f},2,-1.000000,{ending},{",".join(f"{t:f}" for t in times)},0-1 5,-1.000000,""'
        )
    return rows


def check_together(triples: list[tuple[float, float, float]], states: list[JobState]) -> None:
    records = [
        ended(
            job=job(id=f"w0!{number}", submission_time=asked),
            starting_time=asked + wait,
            finish_time=asked + wait + run,
            state=states[number % len(states)],
        )
        for number, (asked, wait, run) in enumerate(triples)
    ]
    recording = Recording(Layout(None, Dialect.BATSIM4))
    for record in records:
        recording.observers[0].on_job_ended(0.0, record)
    assert (recording.read("jobs.csv") or b"").decode().splitlines()[1:] == rows_by_hand(records)


WHOLE = st.integers(0, 10**7).map(float) | st.sampled_from([0.0, 2.0**53, 1e17, 1e300])
STATES = st.lists(
    st.sampled_from([JobState.COMPLETED_SUCCESSFULLY, JobState.COMPLETED_KILLED]), min_size=1, max_size=2
)


@given(st.lists(st.tuples(WHOLE | st.just(-0.0), WHOLE, WHOLE), min_size=1, max_size=5), STATES)
def test_whole_seconds_are_written_as_any_others(triples, states):
    check_together(triples, states)


@given(st.lists(st.tuples(WHOLE | dates, dates, WHOLE | dates), min_size=1, max_size=5), STATES)
def test_whole_seconds_and_others_together(triples, states):
    check_together(triples, states)


@pytest.mark.parametrize("kind", ["float64", "float32", "int64"])
def test_dates_may_be_numbers_of_numpy(kind):
    number = getattr(pytest.importorskip("numpy"), kind)
    check_together([(number(7), number(1), number(30)), (8.0, number(2), 31.5)], [JobState.COMPLETED_SUCCESSFULLY])


def test_records_are_made_again_from_rows():
    (record,) = records(text_of("a,b\n") if False else _FILE)
    assert record.job.walltime == inf
    assert str(record.hosts) == "0-1 5"


_FILE = (
    "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,final_state,"
    "starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,allocated_resources,"
    "consumed_energy,metadata\n"
    '1,w0,p,0.000000,2,-1.000000,1,COMPLETED_SUCCESSFULLY,1.0,2.5,3.5,1.0,3.5,1.4,0-1 5,-1.000000,""\n'
)
