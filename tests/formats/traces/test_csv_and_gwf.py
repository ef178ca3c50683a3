"""Traces as CSV under a mapping, and Grid Workloads."""

from math import nextafter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import windtunnel as wt
from shared import shared
from windtunnel.diagnostics import InputError, Severity, UsageError
from windtunnel.formats.recognition import find_format
from windtunnel.formats.registry import read_workload
from windtunnel.formats.traces.gwf import read_gwf
from windtunnel.formats.traces.mapped_csv import Mapped, read_csv, read_mapping


@pytest.fixture
def file(tmp_path):
    def write(text, name="input"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


MAPPING = """
delimiter = ";"
[columns]
submit = "at"
start = "from"
end = "to"
processors = "n"
walltime = "limit"
user = "who"
status = "how"
parents = "after"
id = "job"
[units]
walltime = "minutes"
"""
HEAD = "job;at;from;to;n;limit;who;how;after;more\n"


def test_a_mapping(file):
    mapping = str(file(MAPPING, "mapping.toml"))
    text = HEAD + "a;2024-01-01 00:00:10;2024-01-01T00:00:20;2024-01-01T00:01:20Z;2;5;ann;done;;x\n\n"
    text += '"b";1704067200;1704067201;1704067203;3;;"b;ob";;a zz;x\nc;1704067200;;;1;1;;Cancelled by root;;x\n'
    read = read_workload(file(text), mapping=mapping)
    b, a = read
    assert (a.id, a.submission_time, a.profile.delay, a.walltime, a.user) == ("w0!a", 10, 60, 300, "ann")
    assert (b.id, b.profile.delay, b.walltime, b.user) == ("w0!b", 2, nextafter(2, 3), "b;ob")
    assert b.dependencies == ("w0!a",)
    assert read.start_date == 1704067200
    assert read.report.dropped == {"cancelled before it ran": 1}
    assert read.report.repaired == {"requested time unknown: run time used": 1}
    with pytest.raises(InputError) as caught:
        read_workload(file(text), mapping=mapping, strict=True)
    errors = [f for f in caught.value.findings if f.severity is Severity.ERROR]
    assert [(f.line, f.code) for f in errors] == [(4, "repaired"), (5, "dropped")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[columns]\nsubmit = "a"', "it lacks columns: run, processors\n  hint: needed: submit"),
        ('[columns]\nsubmit = "a"\nprocessors = "b"\nstart = "c"', "it lacks columns: run\n"),
        ('[columns]\nsubmitted = "a"', r"unknown column 'submitted' \(did you mean 'submit'\?\); it lacks columns: submit, run, processors \(needed"),
        ('[columns]\nsubmit="a"\nrun="b"\nprocessors="c"\n[units]\nrun="weeks"', "unknown unit run = 'weeks'"),
        ('delimiter = "ab"\n[columns]\nsubmit="a"\nrun="b"\nprocessors="c"', "is not one character"),
        ("[columns", "cannot be read"),
        ("[colums]", r"unknown member 'colums' \(did you mean 'columns'\?\); Object missing required field `columns`"),
        (
            'comma = 1\n[columns]\nsubmit="a"\nrun="b"\nprocessors="c"\nusr="d"\n[units]\nrun="weeks"',
            r"unknown member 'comma'.*; it has an unknown column 'usr' \(.*\); it has an unknown unit run = 'weeks'",
        ),
    ],
)
def test_faulty_mappings(file, text, message):
    with pytest.raises(UsageError, match=message):
        read_mapping(file(text, "mapping.toml"))
    with pytest.raises(UsageError, match=r"mapping\.toml"):
        read_mapping(file(text, "mapping.toml"))


def test_columns_of_one_name_are_told(file, tmp_path):
    mapping = file('[columns]\nsubmit="a"\nrun="b"\nprocessors="c"', "mapping.toml")
    read = read_workload(file("a,b,c,b\n0,5,1,9\n"), mapping=str(mapping), format="csv")
    assert [job.profile.delay for job in read] == [5]
    assert "several columns are called 'b': the first one counts" in {found.message for found in read.warnings}


def test_mappings_by_name():
    assert isinstance(read_mapping("nrel-eagle"), Mapped)
    with pytest.raises(UsageError, match="there is no mapping 'nrel'\n  hint: a TOML file, or one of nrel-eagle"):
        read_mapping("nrel")


NREL = "job_id,user,account,partition,wallclock_req,processors_req,submit_time,run_time,state\n"


def nrel(job="1", limit="60", processors="2", submit="2019-01-01 08:55:55", run="30", state="COMPLETED"):
    return f"{job},u,a,p,{limit},{processors},{submit},{run},{state}\n"


CSV_FAULTS = [
    ("nothing", "", [(1, "column")] * 9),
    ("head only", NREL, [(0, "empty")]),
    ("a column is missing", NREL.replace("run_time", "runtime") + nrel(), [(1, "column")]),
    ("too few fields", NREL + "1,2\n", [(2, "fields")]),
    ("too many fields", NREL + nrel().replace("\n", ",x\n"), [(2, "fields")]),
    ("a date", NREL + nrel(submit="soon"), [(2, "number")]),
    ("a day that is none", NREL + nrel(submit="2019-02-30"), [(2, "number")]),
    ("run time", NREL + nrel(run="long"), [(2, "number")]),
    ("not finite", NREL + nrel(run="inf"), [(2, "number")]),
    ("not a number", NREL + nrel(limit="nan"), [(2, "number")]),
    ("processors", NREL + nrel(processors="two"), [(2, "number")]),
    ("half a processor", NREL + nrel(processors="1.5"), [(2, "number")]),
    ("walltime", NREL + nrel(limit="1:2:3:4"), [(2, "number")]),
    ("quotes", NREL + 'x"y,"z\n', [(2, "csv")]),
    (
        "all at once",
        NREL + nrel(run="x", processors="y") + nrel() + "1\n",
        [(2, "number"), (2, "number"), (4, "fields")],
    ),
]


@pytest.mark.parametrize(("text", "expected"), [f[1:] for f in CSV_FAULTS], ids=[f[0] for f in CSV_FAULTS])
def test_faulty_csv(file, text, expected):
    with pytest.raises(InputError) as caught:
        read_csv(file(text))
    assert [(f.line, f.code) for f in caught.value.findings] == expected


def test_numbers_that_are_too_large_are_refused(file):
    with pytest.raises(InputError, match="processors_req is '99999999999999999999', which is too large"):
        read_csv(file(NREL + nrel(processors="99999999999999999999")))


def test_the_messages_say_what_was_found(file):
    with pytest.raises(InputError, match="run_time is 'x', which is not a number"):
        read_csv(file(NREL + nrel(run="x")))
    with pytest.raises(InputError, match="there is no column 'run_time'\n  hint: did you mean 'runtime'"):
        read_csv(file(NREL.replace("run_time", "runtime")))


def test_parents_that_wait_for_each_other(file):
    mapping = str(file(MAPPING, "mapping.toml"))
    text = HEAD + "a;1;1;2;1;9;;;b;\nb;1;1;2;1;9;;;a;\n"
    with pytest.raises(InputError, match="tasks wait for each other: 'a' -> 'b' -> 'a'"):
        read_workload(file(text), mapping=mapping)


def test_parents_by_id(file):
    """Ids may hold a -1 or a !; those of jobs that are not there are counted."""
    mapping = str(file(MAPPING, "mapping.toml"))
    text = HEAD + "a-1;1;1;2;1;9;;;;\na!b;1;1;2;1;9;;;a-1;\nc;1;1;2;1;9;;;a!b -1 a-1 zz -1;\n"
    read = read_workload(file(text), mapping=mapping)
    assert [job.dependencies for job in read] == [(), ("w0!a-1",), ("w0!a_b", "w0!a-1")]
    (told,) = [one for one in read.warnings if one.code == "ignored"]
    assert (told.message, told.count) == ("waiting for parents that are no jobs here is not simulated", 1)


@pytest.mark.parametrize("walltime", ["", "-1", "0", "-7"])
def test_nobody_is_killed_at_a_limit_that_was_not_asked_for(file, walltime):
    read = read_csv(file(NREL + nrel(run="100", limit=walltime)), walltime="kill")
    assert read.report.repaired == {"requested time unknown: run time used": 1}
    assert wt.simulate("hosts:128", read).metrics.states == {"COMPLETED_SUCCESSFULLY": 1}


def test_units_of_what_is_no_column(file):
    mapping = str(file(MAPPING.replace("[units]", "[units]\nwalltme = 'minutes'"), "mapping.toml"))
    with pytest.raises(UsageError, match="a unit to an unknown column 'walltme'\n  hint: did you mean 'walltime'"):
        read_workload(file(HEAD), mapping=mapping)


def test_a_real_csv():
    path = shared("traces/slurm/nrel_eagle_sample.csv")
    assert find_format(path, "workload").name == "csv"
    read = read_workload(path)
    assert read.report.rows == read.report.kept == 1000
    assert read.report.statuses == {"completed": 985, "timeout": 15}
    assert len({job.id for job in read}) == 1000


def gwf(job="1", submit="1000", run="10", given="2", wanted="4", limit="20", status="1", user="U1"):
    return (
        f"{job} {submit} 0 {run} {given} -1 -1 {wanted} {limit} -1 {status} {user} G1 X1 Q1 -1 " + "-1 " * 13 + "\n"
    )


def test_gwf(file):
    text = (
        "# GWF\n"
        + gwf()
        + gwf("2", "1005", wanted="-1", limit="-1")
        + gwf("3", status="5", run="0")
        + gwf("4", status="2")
    )
    path = file(text)
    assert find_format(path, "workload").name == "gwf"
    read = read_workload(path)
    first, second = read
    assert (first.id, first.request.processors, first.walltime, first.user, first.queue) == (
        "w0!1",
        4,
        20,
        "U1",
        "Q1",
    )
    assert (second.submission_time, second.request.processors, second.walltime) == (5, 2, nextafter(10, 11))
    assert read.report.dropped == {"cancelled before it ran": 1, "burst of a checkpointed job (status 2 to 4)": 1}
    assert read.start_date is None
    assert read.report.statuses == {"burst": 1, "cancelled": 1, "completed": 2}


GWF_FAULTS = [
    ("nothing", "", [(0, "empty", "no job in this file")]),
    ("comments only", "# x\n", [(0, "empty", "no job in this file")]),
    ("too few", "1 2 3\n", [(1, "fields", "3 fields instead of 29")]),
    ("SWF", "1 0 -1 10 2 -1 -1 2 20 -1 1 3 4 -1 1 -1 -1 -1\n", [(1, "fields", "18 fields instead of 29")]),
    ("submit", gwf(submit="x"), [(1, "number", "SubmitTime is 'x', which is not a number")]),
    ("run", gwf(run="inf"), [(1, "number", "RunTime is 'inf', which is not a number")]),
    ("processors", gwf(given="2.5"), [(1, "number", "NProcs is '2.5', which is not an integer")]),
    ("requested", gwf(wanted="many"), [(1, "number", "ReqNProcs is 'many', which is not a number")]),
    ("too large", gwf(wanted="1e18"), [(1, "number", "ReqNProcs is '1e18', which is too large")]),
    ("limit", gwf(limit="1h"), [(1, "number", "ReqTime is '1h', which is not a number")]),
    ("all at once", gwf(submit="x", run="y") + "#\n" + "z\n", [
        (1, "number", "SubmitTime is 'x', which is not a number"),
        (1, "number", "RunTime is 'y', which is not a number"),
        (3, "fields", "1 fields instead of 29")]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), [f[1:] for f in GWF_FAULTS], ids=[f[0] for f in GWF_FAULTS])
def test_faulty_gwf(file, text, expected):
    with pytest.raises(InputError) as caught:
        read_gwf(file(text))
    assert [(f.line, f.code, f.message) for f in caught.value.findings] == expected


def test_workflows_of_atlarge(file):
    text = "WorkflowID, JobID , SubmitTime, RunTime, NProcs, ReqNProcs, Dependencies\n"
    text += "0, 1, 10, 5, 1, 1, \n0, 2, 10, 7, 2, 2, 1\n1, 1, 12, 7, 2, 2, -1\n0, 3, 10, 1, 1, 1, 1 2\n"
    path = file(text)
    assert find_format(path, "workload").name == "gwf"
    read = {job.name: job for job in read_workload(path)}
    assert set(read) == {"0_1", "0_2", "0_3", "1_1"}
    assert read["0_3"].dependencies == ("w0!0_1", "w0!0_2")
    assert (read["1_1"].dependencies, read["1_1"].submission_time, read["1_1"].group) == ((), 2, "1")


@given(st.lists(st.text(alphabet='0123456789 -.#,\nabU"', max_size=80), max_size=5), st.booleans())
def test_whatever_is_read_is_a_workload_or_findings(tmp_path_factory, parts, with_rows):
    path = tmp_path_factory.mktemp("trace") / "x"
    for reader, good in ((read_gwf, gwf()), (read_csv, NREL + nrel())):
        path.write_text(good + "\n".join(parts) if with_rows else "\n".join(parts))
        try:
            read = reader(path)
        except InputError as error:
            assert error.errors  # noqa: PT017 -- either outcome is right
        else:
            report = read.report
            assert report.rows == report.kept + sum(report.dropped.values())
            assert len(read) == report.kept
