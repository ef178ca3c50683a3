"""What submit lines tell of logs that lack a column."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.formats.slurm.sacct import read_sacct
from windtunnel.formats.slurm.submit_line import not_followed
from windtunnel.formats.slurm.submitted_columns import COLUMNS, columns_in, licences_of, unread_columns

SUBMIT = 1704067200  # 2024-01-01
ASKED = {
    "-A physics": ("Account", "", "account", "physics"),
    "-p fast,slow": ("Partition", "", "partitions", ("fast", "slow")),
    "--qos=high": ("QOS", "", "qos", "high"),
    "-C 'fast&big'": ("Constraints", "", "features", "fast&big"),
    "--reservation=lab": ("Reservation", "", "reservation", "lab"),
    "-J one": ("JobName", "", "name", "one"),
    "-t 1:30:30": ("Timelimit", "", "time_limit", 91),
    "-t 30": ("TimelimitRaw", "", "time_limit", 30),
    "-b now+2hours": ("Eligible", "2024-01-01T00:00:00", "begin", SUBMIT + 7200),
    "--begin=2024-01-01T12:00": ("Eligible", "2024-01-01T00:00:00", "begin", SUBMIT + 12 * 3600),
    "-L matlab:2,ansys": ("Licenses", "", "licences", {"matlab": 2, "ansys": 1}),
}


def read(tmp_path, line, column=None, value=""):
    """The only job of a log with this submit line, and perhaps a further column."""
    path = tmp_path / "jobs"
    head, row = ("", "") if column is None else (f"|{column}", f"|{value}")
    path.write_text(
        f"JobID|Submit|Elapsed|ReqCPUS|State{head}|SubmitLine\n"
        f"7|2024-01-01T00:00:00|00:01:00|4|COMPLETED{row}|sbatch {line} x\n"
    )
    workload = read_sacct(path)
    (job,) = workload
    return job, workload


@pytest.mark.parametrize("line", ASKED)
def test_options_are_taken_from_the_line_where_there_is_no_column(tmp_path, line):
    column, value, field, asked = ASKED[line]
    job, _ = read(tmp_path, line)
    assert getattr(job.ask, field) == asked
    if column != "Licenses":  # other licences than those of a site that tracks them are in no column
        told, _ = read(tmp_path, line, column, value)
        assert getattr(told.ask, field) != asked


def test_a_time_limit_of_the_line_holds_for_every_scheduler(tmp_path):
    job, _ = read(tmp_path, "-t 30 -p fast")
    assert job.walltime == 1800.0


def test_licences_of_a_column_come_before_those_of_the_line(tmp_path):
    job, _ = read(tmp_path, "-L matlab:2", "Licenses", "matlab:5")
    assert job.ask.licences == {"matlab": 5}
    job, _ = read(tmp_path, "-L matlab:2", "ReqTRES", "cpu=4,node=1,license/matlab=3")
    assert job.ask.licences == {"matlab": 3}


@pytest.mark.parametrize(
    ("line", "told"),
    [("-b noon", ("--begin",)), ("-t soon", ("--time",)), ("-L 'a|b'", ("--licenses",)), ("-C a -t 5", ())],
)
def test_what_cannot_be_read_is_told(line, told):
    lacking = frozenset(COLUMNS)
    assert not_followed(f"sbatch {line} x", lacking=lacking) == told
    assert not_followed(f"sbatch {line} x") == ()


def test_licences_of_a_column_that_cannot_be_read_are_told(tmp_path):
    job, workload = read(tmp_path, "", "Licenses", "a:b:c")
    assert job.ask.licences == {}
    assert workload.report.ignored == {"Licenses": 1}


def test_members_that_json_lacks(tmp_path):
    path = tmp_path / "jobs.json"
    job = {
        "job_id": 7,
        "state": {"current": "COMPLETED"},
        "time": {"submission": SUBMIT, "elapsed": 60},
        "required": {"CPUs": 4},
        "submit_line": "sbatch -C fast -q high x",
    }
    path.write_text(json.dumps({"jobs": [job, job | {"job_id": 8, "constraints": "", "qos": "low"}]}))
    first, second = read_sacct(path)
    assert (first.ask.features, first.ask.qos) == ("fast", "high")
    assert (second.ask.features, second.ask.qos) == ("", "low")


@given(st.dictionaries(st.sampled_from(sorted(COLUMNS)), st.text(alphabet="now+2024-01T:,=|@ab ", max_size=20)))
def test_no_value_is_too_odd(values):
    lacking = frozenset(COLUMNS)
    unread = unread_columns(values, lacking)
    assert unread <= values.keys()
    assert isinstance(columns_in(values, lacking, 0.0, None), dict)
    assert all(licences_of(text) is None or isinstance(licences_of(text), dict) for text in values.values())
