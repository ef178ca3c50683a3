"""Workloads from data frames."""

from datetime import UTC, datetime, timedelta
from math import inf, nan
from types import SimpleNamespace

import polars as pl
import pytest

import windtunnel as wt
from windtunnel.diagnostics import InputError, UsageError

ROWS = [
    {"submit": 10, "run": 300.0, "processors": 4, "walltime": 600, "user": "ann"},
    {"submit": 70, "run": 120.0, "processors": 1, "walltime": None, "user": "bob"},
]


def pandas_like(rows):
    """What pandas has of a frame, as far as it is asked for."""
    head = list(rows[0])
    return SimpleNamespace(columns=head, itertuples=lambda index, name: [tuple(row.values()) for row in rows])


FRAMES = [ROWS, {name: [row[name] for row in ROWS] for name in ROWS[0]}, pl.DataFrame(ROWS), pandas_like(ROWS)]


@pytest.mark.parametrize("frame", FRAMES, ids=["rows", "columns", "polars", "pandas"])
def test_rows_are_jobs(frame):
    workload = wt.read_frame(frame)
    jobs = [(job.id, job.submission_time, job.profile.delay, job.request.hosts, job.walltime) for job in workload]
    assert jobs == [("w0!1", 0.0, 300.0, 4, 600.0), ("w0!2", 60.0, 120.0, 1, pytest.approx(120.0))]
    assert [job.user for job in workload] == ["ann", "bob"]
    assert workload.report.repaired == {"requested time unknown: run time used": 1}
    assert wt.simulate("hosts:4", workload).metrics.jobs == 2


def test_columns_are_named_and_have_units():
    frame = pl.DataFrame({"at": [0.0], "minutes": [2], "cores": [3], "colour": ["red"], "limit": [inf]})
    named = {"submit": "at", "run": "minutes", "processors": "cores", "walltime": "limit"}
    workload = wt.read_frame(frame, named, units={"run": "minutes"}, name="mine")
    (job,) = workload
    assert (job.id, job.profile.delay, job.request.hosts, job.walltime) == ("mine!1", 120.0, 3, inf)
    told = [finding.message for finding in workload.warnings]
    assert told == ["the column 'colour' has no effect: it is not mapped"]


def test_dates_and_durations_are_those_of_the_frame():
    at = datetime(2024, 3, 1, 12, tzinfo=UTC)
    rows = [{"submit": at + timedelta(minutes=n), "run": timedelta(hours=1), "processors": 1} for n in (5, 0)]
    workload = wt.read_frame(pl.DataFrame(rows))
    assert workload.start_date == at.timestamp()
    assert [(job.submission_time, job.profile.delay) for job in workload] == [(0.0, 3600.0), (300.0, 3600.0)]


def test_all_faults_are_told_with_their_rows():
    rows = [ROWS[0], {**ROWS[0], "run": "long"}, {**ROWS[0], "processors": 1.5}, {**ROWS[0], "submit": "soon"}]
    with pytest.raises(InputError) as fault:
        wt.read_frame(rows)
    assert [(one.line, one.message) for one in fault.value.findings] == [
        (2, "run is 'long', which is not a number"),
        (3, "processors is '1.5', which is not an integer"),
        (4, "submit is 'soon', which is not a date"),
    ]


class NAType:
    """As pandas has it: it cannot be compared."""

    __hash__ = None

    def __eq__(self, other):
        raise TypeError("boolean value of NA is ambiguous")


def test_what_is_missing_is_unknown():
    rows = [{**ROWS[0], "walltime": nan}, {**ROWS[0], "run": None}, {**ROWS[0], "user": NAType()}]
    workload = wt.read_frame(rows)
    assert [job.walltime for job in workload] == [pytest.approx(300.0), 600.0]
    assert [job.user for job in workload] == ["ann", ""]
    assert sum(workload.report.dropped.values()) == 1


@pytest.mark.parametrize(
    ("frame", "columns", "said"),
    [
        (5, None, "a frame is one of polars or pandas"),
        ([], None, "a frame is one of"),
        ({"submit": [1], "run": []}, None, "of different lengths .submit: 1, run: 0"),
        ({"submit": [1], "run": [1]}, None, "needed: submit, processors, and run"),
        (ROWS, {"submit": "Submit"}, "no column 'Submit'[^$]*did you mean 'submit'"),
        (ROWS, {"sumbit": "submit"}, "unknown column 'sumbit'"),
    ],
)
def test_frames_that_are_none(frame, columns, said):
    with pytest.raises(UsageError, match=said):
        wt.read_frame(frame, columns)


def test_durations_are_what_they_are_whatever_the_unit_of_numbers():
    columns = {"submit": [0], "run": [300], "processors": [4], "walltime": [timedelta(minutes=10)]}
    for units in ({"walltime": "minutes"}, {}):
        assert wt.read_frame(columns, units=units)[0].walltime == 600.0
