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


def pandas_like(rows, head=None, index=None):
    """What pandas has of a frame, as far as it is asked for; ``index`` is a column that is made its index."""
    whole = [row if isinstance(row, tuple) else tuple(row.values()) for row in rows]
    head = head or list(rows[0])
    kept = [place for place, name in enumerate(head) if name != index]
    return SimpleNamespace(
        columns=[head[place] for place in kept],
        index=SimpleNamespace(names=[index]),
        reset_index=lambda: pandas_like(whole, head),
        itertuples=lambda index, name: [tuple(row[place] for place in kept) for row in whole],
    )


FRAMES = [ROWS, {name: [row[name] for row in ROWS] for name in ROWS[0]}, pl.DataFrame(ROWS), pandas_like(ROWS)]


@pytest.mark.parametrize("frame", FRAMES, ids=["rows", "columns", "polars", "pandas"])
def test_rows_are_jobs(frame):
    workload = wt.read_frame(frame)
    jobs = [(job.id, job.submission_time, job.profile.delay, job.request.hosts, job.walltime) for job in workload]
    assert jobs == [("w0!1", 0.0, 300.0, 4, 600.0), ("w0!2", 60.0, 120.0, 1, pytest.approx(120.0))]
    assert [job.user for job in workload] == ["ann", "bob"]
    assert workload.report.repaired == {"requested time unknown: run time used": 1}
    assert wt.simulate("hosts:4", workload).metrics.jobs == 2


def test_an_index_with_a_name_is_a_column():
    rows = [{**row, "id": name} for row, name in zip(ROWS, ("x", "y"), strict=True)]
    assert [job.id for job in wt.read_frame(pandas_like(rows, index="id"))] == ["w0!x", "w0!y"]
    assert [job.id for job in wt.read_frame(pandas_like(rows))] == ["w0!x", "w0!y"]


def test_of_columns_of_one_name_the_first_counts():
    frame = pandas_like([(5.0, 300, 4, None)], ["submit", "run", "processors", "submit"])
    workload = wt.read_frame(frame, keep_epoch=True)
    assert workload[0].submission_time == 5.0
    assert "several columns are called 'submit': the first one counts" in [one.message for one in workload.warnings]


def test_whole_numbers_that_have_become_floats_are_whole_numbers():
    """As pandas makes them where one of them is missing."""
    (job,) = wt.read_frame([{**ROWS[0], "id": 7.0, "user": 3.0, "processors": 4.0, "submit": 0.5}])
    assert (job.id, job.user, job.request.hosts) == ("w0!7", "3", 4)


def test_parents_may_be_lists():
    frame = pl.DataFrame({
        "id": ["a", "b", "c"],
        "submit": [0, 0, 0],
        "run": [10, 20, 5],
        "processors": [1, 1, 1],
        "parents": [[], ["a"], ["a", "b"]],
    })
    for given in (frame, frame.to_dicts(), frame.with_columns(pl.col("parents").list.join(" "))):
        workload = wt.read_frame(given)
        assert [job.dependencies for job in workload] == [(), ("w0!a",), ("w0!a", "w0!b")]


def test_the_account_tells_of_parents_that_are_no_jobs():
    workload = wt.read_frame([{**ROWS[0], "parents": "x;y"}, ROWS[1]])
    with pytest.warns(UserWarning, match="and 1 more"):
        run = wt.simulate("hosts:4", workload, "easy")
    assert "waiting for parents that are no jobs here is not simulated" in str(run.account)


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
        ({"submit": [1], "run": 5}, None, "the column 'run' of the frame is 5: a list of values is expected"),
        ({"submit": [1], "run": "5"}, None, "the column 'run' of the frame is '5': a list of values"),
        (pl.LazyFrame({"submit": [1]}), None, "a lazy frame becomes one by collect()"),
        ({"submit": [1], "run": []}, None, "of different lengths .submit: 1, run: 0"),
        ({"submit": [1], "run": [1]}, None, "lacks columns: processors\n  hint: needed: submit, processors, and run"),
        ({"submit_time": [1]}, None, "lacks columns: submit, run, processors"),
        (ROWS, ["submit"], "columns say which column is what"),
        (ROWS, {"submit": 3}, "no column '3'"),
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


def test_columns_may_be_anything_that_has_values():
    made = wt.read_frame({"submit": (one for one in (0, 5)), "run": range(5, 7), "processors": (1, 2)})
    assert [(job.submission_time, job.profile.delay, job.request.processors) for job in made] == [(0, 5, 1), (5, 6, 2)]
