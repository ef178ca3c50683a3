"""Reading Standard Workload Format logs."""

import gzip
import pickle
from array import array
from math import inf, nextafter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared import shared
from windtunnel.diagnostics import InputError, UsageError
from windtunnel.formats.recognition import find_format
from windtunnel.formats.traces.swf import read_swf
from windtunnel.formats.traces.swf_jobs import JobMaker
from windtunnel.model import Request

HEADER = "; Version: 2.2\n; MaxProcs: 100\n; UnixStartTime: 843480031\n"


def row(number=1, submit=0, wait=-1, run=10, given=2, wanted=2, time=20, status=1, user=3, group=4, queue=1, **more):
    before, think = more.get("before", -1), more.get("think", -1)
    return (
        f"{number} {submit} {wait} {run} {given} -1 -1 {wanted} {time} -1 {status} {user} {group} -1 {queue} "
        f"-1 {before} {think}\n"
    )


@pytest.fixture
def log(tmp_path):
    def write(text, name="log.swf"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def test_a_row_becomes_a_job(log):
    workload = read_swf(log(HEADER + row(number=7, submit=100) + row(number=8, submit=130, run=5.5, user=-1)), "w1")
    first, second = workload
    assert (first.id, first.submission_time, first.walltime) == ("w1!7", 0.0, 20.0)
    assert first.request == Request(hosts=2, processors=2)
    assert (first.profile.id, first.profile.delay) == ("w1!10", 10.0)
    assert (first.user, first.group, first.queue) == ("3", "4", "1")
    assert (second.id, second.submission_time, second.user) == ("w1!8", 30.0, "")
    assert (second.profile.id, second.profile.delay) == ("w1!5.5", 5.5)
    assert workload.start_date == 843480131
    assert workload.hosts == 100
    assert list(workload.profiles) == []


def test_processors_become_hosts_of_the_platform(log):
    workload = read_swf(log(HEADER + row(wanted=33, given=33)))
    assert workload[0].request == Request(hosts=33, processors=33)
    other = workload.with_cores(32)
    assert other[0].request == Request(hosts=2, processors=33)
    assert (other.hosts, workload.hosts) == (4, 100)
    assert workload[0].request.hosts == 33
    with pytest.raises(UsageError, match="at least one core"):
        workload.with_cores(0)


def test_equal_requests_and_profiles_are_shared(log):
    first, second = read_swf(log(row() + row(number=2)))
    assert first.request is second.request
    assert first.profile is second.profile


RULES = [
    ("burst", row(status=2), "burst of a checkpointed job (status 2 to 4)"),
    ("last burst", row(status=4), "burst of a checkpointed job (status 2 to 4)"),
    ("no submit", row(submit=-1), "no submit time"),
    ("cancelled", row(status=5, run=0), "cancelled before it ran"),
    ("cancelled, run unknown", row(status=5, run=-1), "cancelled before it ran"),
    ("no run", row(run=-1), "no run time"),
    ("no processors", row(wanted=-1, given=-1), "no processors"),
    ("zero processors", row(wanted=0, given=0), "no processors"),
    ("too large", row(wanted=101, given=101), "more processors than there are"),
]


@pytest.mark.parametrize(("line", "reason"), [r[1:] for r in RULES], ids=[r[0] for r in RULES])
def test_rows_that_cannot_be_replayed_are_dropped_and_counted(log, line, reason):
    path = log(HEADER + row(number=9) + line)
    workload = read_swf(path)
    assert [job.id for job in workload] == ["w0!9"]
    assert workload.report.dropped == {reason: 1}
    assert (workload.report.rows, workload.report.kept) == (2, 1)
    with pytest.raises(InputError) as caught:
        read_swf(path, strict=True)
    assert [(f.line, f.code) for f in caught.value.findings] == [(5, "dropped")]


def test_cancelled_jobs_that_ran_are_kept(log):
    assert len(read_swf(log(row(status=5, run=3)))) == 1


@pytest.mark.parametrize(
    ("line", "rule", "request_", "walltime"),
    [
        (row(wanted=-1, given=6), "requested processors unknown: allocated ones used", 6, 20),
        (row(time=-1), "requested time unknown: run time used", 2, nextafter(10, 11)),
        (row(run=30), "run time beyond requested time: walltime extended", 2, nextafter(30, 31)),
    ],
)
def test_rows_that_leave_something_open_are_repaired_and_counted(log, line, rule, request_, walltime):
    workload = read_swf(log(line))
    assert (workload[0].request.processors, workload[0].walltime) == (request_, walltime)
    assert workload.report.repaired == {rule: 1}
    with pytest.raises(InputError) as caught:
        read_swf(log(line), strict=True)
    assert [(f.line, f.code, f.message) for f in caught.value.findings] == [(1, "repaired", rule)]


def test_who_asked_for_no_limit_is_not_killed_at_it(log):
    for policy in ("kill", "extend"):
        (job,) = read_swf(log(row(run=20, time=-1)), walltime=policy)
        assert job.walltime == nextafter(20.0, inf)


def test_kill_keeps_the_walltime(log):
    path = log(row(run=30) + row(number=2, run=20))
    assert [job.walltime for job in read_swf(path, walltime="kill")] == [20, 20]
    assert read_swf(path, walltime="kill").report.repaired == {}
    assert [job.walltime > job.profile.delay for job in read_swf(path)] == [True, True]
    with pytest.raises(UsageError, match="no walltime policy"):
        read_swf(path, walltime="maybe")


def test_dates(log):
    late = log(row(submit=1_400_000_000) + row(number=2, submit=1_400_000_005))
    assert [job.submission_time for job in read_swf(late)] == [0, 5]
    assert read_swf(late).start_date == 1_400_000_000
    kept = read_swf(late, keep_epoch=True)
    assert [job.submission_time for job in kept] == [1_400_000_000, 1_400_000_005]
    assert kept.start_date == 0
    assert read_swf(log(row(submit=50))).start_date is None


def test_dates_whose_sum_is_beyond_all_numbers(log):
    workload = read_swf(log(row(submit=1e308, run=1e308) + row(number=2, submit=1e308, run=1e308)), keep_epoch=True)
    assert [(job.submission_time, job.profile.delay) for job in workload] == [(1e308, 1e308)] * 2


def test_rows_out_of_order_are_sorted_stably(log):
    text = "".join(row(number=n, submit=s) for n, s in [(1, 30), (2, 10), (3, 30), (4, 20)])
    workload = read_swf(log(text))
    assert [(job.name, job.submission_time) for job in workload] == [("2", 0), ("4", 10), ("1", 20), ("3", 20)]
    assert workload.report.warnings == ("rows are not in order of submit time: sorted",)


def test_numbers_met_twice_get_fresh_ones(log):
    workload = read_swf(log(row(number=5) + row(number=5, submit=1) + row(number=0, submit=2)))
    assert [job.name for job in workload] == ["5", "6", "0"]
    assert workload.report.repaired == {"job number used before: a new one assigned": 1}


def test_dependencies_are_counted_or_honoured(log):
    path = log(
        row(number=1)
        + row(number=2, before=1, think=60)
        + row(number=3, before=9)
        + row(number=4, before=2, think=-1)
    )
    plain = read_swf(path)
    assert [job.dependencies for job in plain] == [()] * 4
    assert not plain.has_dependencies
    assert plain.report.noted == {}
    assert plain.report.ignored == {"preceding job (field 17)": 3}
    honoured = read_swf(path, dependencies=True)
    assert honoured.has_dependencies
    assert [(j.dependencies, j.think_time) for j in honoured] == [
        ((), 0),
        (("w0!1",), 60),
        ((), 0),
        (("w0!2",), 0),
    ]
    assert honoured.report.noted == {"preceding job, honoured": 2}
    assert honoured.report.ignored == {"preceding job (field 17) that is not submitted before": 1}


def test_deviations_of_real_logs_are_accepted(log):
    text = "\ufeff; Version: 2.2\r\n\r\n" + row(number=0).replace("\n", "\r\n") + " ; remark\n"
    text += row(number=2, submit=3.25, run=1e3).strip() + " 77 88\n" + "4.0" + row(submit=9)[1:]
    workload = read_swf(log(text))
    assert [(job.name, job.submission_time) for job in workload] == [("0", 0), ("2", 3.25), ("4", 9)]
    assert workload.report.repaired["more than 18 fields: the first 18 used"] == 1
    assert workload.header["Version"] == ["2.2"]


@pytest.mark.parametrize("head", ["", "; Version: 2\n"])
def test_a_first_row_of_names_is_passed_over(log, head):
    """As tables that are written from a data frame have it."""
    names = "\t".join(f"column{n}" for n in range(20)) + "\n"
    workload = read_swf(log(head + names + row() + row(number=2)))
    assert [job.name for job in workload] == ["1", "2"]
    assert find_format(log(head + names + row()), "workload").name == "swf"
    told = [found.message for found in workload.warnings if found.code == "odd"]
    assert told == [f"line {1 + bool(head)} holds no number, but perhaps the names of columns: passed over"]
    assert "more than 18 fields: the first 18 used" not in workload.report.repaired
    with pytest.raises(InputError, match="'column0', which is not a number"):
        read_swf(log(head + row() + names))  # further down it is a fault


def test_header_values_go_on_over_lines(log):
    head = "; Note: one\n;\ttwo\n; Note: three\n;\n; free text\n; MaxNodes: 8 (16 cores)\n"
    workload = read_swf(log(head + row()))
    assert workload.header["Note"] == ["one\ntwo", "three"]
    assert workload.hosts == 8


def test_header_values_that_are_no_numbers_are_told(log):
    head = "; MaxProcs: 1,024\n; MaxNodes: lots\n; UnixStartTime: Mon Jan 1\n; MaxRecords:\n; Computer: 7th\n"
    workload = read_swf(log(head + row()))
    assert len(workload) == 1  # not dropped for a limit of one
    assert (workload.hosts, workload.start_date) == (0, None)
    told = [found.message for found in workload.warnings]
    for key, value in (("MaxProcs", "1,024"), ("MaxNodes", "lots"), ("UnixStartTime", "Mon Jan 1")):
        assert f"{key} of the header is {value!r}, which is not an integer: it has no effect" in told
    assert not [one for one in told if "MaxRecords" in one]


@pytest.mark.parametrize("key", ["TimeZone", "TimeZoneString"])
def test_the_time_zone_of_a_log_is_told(log, key):
    account = read_swf(log(f"{HEADER}; {key}: US/Pacific\n{row()}")).report
    assert account.history[f"{key} of the header (dates are UTC)"] == 1
    assert not any("header" in what for what in read_swf(log(f"{HEADER}; {key}:\n{row()}")).report.history)


@pytest.mark.parametrize(("text", "number"), [("16", 16), ("16.0", 16), ("16, or so", 16), ("16 x 4", 16), ("-1", 0)])
def test_numbers_in_headers(log, text, number):
    workload = read_swf(log(f"; MaxProcs: {text}\n" + row()))
    assert workload.hosts == number
    assert not [found for found in workload.warnings if "header" in found.message]


def test_jobs_are_the_same_in_whatever_order_they_are_asked_for(log):
    rows = [f"{n} {n} -1 {n % 7} {1 + n % 4} -1 -1 {1 + n % 4} 5 -1 1 {n % 3} 1 -1 1 -1 -1 -1" for n in range(1, 301)]
    workload = read_swf(log("\n".join(rows) + "\n"))
    in_order = list(workload)
    again = workload.with_cores(1)
    ranks = [299, 0, 1, 2, 64, 65, 3, 4, 130, 131, 132, 0, -1]
    assert [again[rank] for rank in ranks] == [in_order[rank] for rank in ranks]
    assert [job.name for job in in_order] == [str(n) for n in range(1, 301)]
    with pytest.raises(IndexError):
        again[300]


def test_columns_are_as_wide_as_their_numbers(log):
    rows = [row(number=n, submit=30 * n, wait=n % 900, wanted=1 + n % 64, user=n % 500) for n in range(1, 5001)]
    workload = read_swf(log("\n".join(rows)))
    columns = [value for value in vars(workload).values() if isinstance(value, array) and value]
    assert {len(column) for column in columns} == {5000}
    assert sum(column.itemsize for column in columns) <= 40  # bytes a job; 80 if all were as wide as the widest
    assert [*workload.numbers] == [*range(1, 5001)]
    assert [*workload.users] == [n % 500 for n in range(1, 5001)]
    assert {type(job.submission_time) for job in workload} == {float}


def test_gzip_is_transparent_and_pickling_keeps_the_jobs(log):
    text = HEADER + "".join(row(number=n, submit=n) for n in range(1, 5001))
    zipped = read_swf(log(gzip.compress(text.encode()), "log.swf.gz"))
    jobs = list(zipped)
    assert jobs == list(read_swf(log(text)))
    assert len(jobs) == 5000
    assert list(pickle.loads(pickle.dumps(zipped))) == jobs


FAULTS = [
    ("empty file", "", [(0, "empty", "no job in this file")]),
    ("comments only", "; Version: 2\n", [(0, "empty", "no job in this file")]),
    ("too few fields", row() + "1 2 3\n", [(2, "fields", "3 fields instead of 18")]),
    ("one field", "abc\n", [(1, "fields", "1 field instead of 18")]),
    ("17 fields", row().rsplit(" ", 1)[0] + "\n", [(1, "fields", "17 fields instead of 18")]),
    ("semicolons", "1;0;-1;10;2;-1;-1;2;20;-1;1;bob;4;-1;1;-1;-1;-1\n", [(1, "fields", "1 field instead of 18")]),
    ("commas", row().strip().replace(" ", ","), [(1, "fields", "1 field instead of 18")]),
    ("user names", row(user="bob"), [(1, "number", "field 12 (user) is 'bob', which is not a number")]),
    ("text as date", row(submit="10:30"), [(1, "number", "field 2 (submit time) is '10:30', which is not a number")]),
    (
        "a long one",
        row(run="1" * 400_000 + "x"),
        [(1, "number", f"field 4 (run time) is '{'1' * 400_000}x', which is not a number")],
    ),
    ("not a number", row(run="nan"), [(1, "number", "field 4 (run time) is 'nan', which is not a number")]),
    ("infinite", row(time="inf"), [(1, "number", "field 9 (requested time) is 'inf', which is not a number")]),
    ("overflow", row(submit="1e999"), [(1, "number", "field 2 (submit time) is '1e999', which is too large")]),
    (
        "half a processor",
        row(wanted=1.5),
        [(1, "number", "field 8 (requested processors) is '1.5', which is not an integer")],
    ),
    (
        "huge job number",
        row(number=10**18),
        [(1, "number", "field 1 (job number) is '1000000000000000000', which is too large")],
    ),
    ("underscores", row(number="1_0"), [(1, "number", "field 1 (job number) is '1_0', which is not a number")]),
    (
        "hexadecimal",
        row(given="0x10"),
        [(1, "number", "field 5 (allocated processors) is '0x10', which is not a number")],
    ),
    ("decimal comma", row(run="3,5"), [(1, "number", "field 4 (run time) is '3,5', which is not a number")]),
    (
        "the end mark as field",
        row(wait="|"),
        [(1, "number", "field 3 (wait time) is '|', which is not a number")],
    ),
    (
        "all faults of a file at once",
        HEADER + row(user="bob", queue="x") + row() + "1 2\n" + row(status="ok"),
        [
            (4, "number", "field 12 (user) is 'bob', which is not a number"),
            (4, "number", "field 15 (queue) is 'x', which is not a number"),
            (6, "fields", "2 fields instead of 18"),
            (7, "number", "field 11 (status) is 'ok', which is not a number"),
        ],
    ),
    (
        "broken gzip",
        gzip.compress((row() * 50).encode())[:-9],
        [(0, "unreadable", "cannot be read: its gzip data end early: a part is missing")],
    ),
]


@pytest.mark.parametrize(("text", "expected"), [f[1:] for f in FAULTS], ids=[f[0] for f in FAULTS])
def test_faulty_files(log, text, expected):
    with pytest.raises(InputError) as caught:
        read_swf(log(text))
    assert [(f.line, f.code, f.message) for f in caught.value.findings] == expected
    assert all(f.file.endswith("log.swf") for f in caught.value.findings)


def test_wrong_separators_get_a_hint(log):
    with pytest.raises(InputError, match="fields are separated by spaces here, not by ';'"):
        read_swf(log("1;0;-1;10;2;-1;-1;2;20;-1;1;bob;4;-1;1;-1;-1;-1\n"))


def test_missing_file(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        read_swf(tmp_path / "none.swf")


def test_a_fault_deep_in_a_long_file_has_its_line(log):
    text = HEADER + "".join(row(number=n, submit=n) for n in range(1, 5001)) + row(user="eve") + row()
    with pytest.raises(InputError) as caught:
        read_swf(log(text))
    assert [f.line for f in caught.value.findings] == [5004]


lines = st.lists(st.text(alphabet="0123456789 -.;\n\te|abc_", max_size=60), max_size=12)


@given(st.lists(lines, max_size=3).map(lambda found: [part for group in found for part in group]), st.booleans())
def test_whatever_is_read_is_a_workload_or_a_list_of_findings(tmp_path_factory, parts, with_rows):
    text = "\n".join([*(row(number=n) for n in range(3)), *parts] if with_rows else parts)
    path = tmp_path_factory.mktemp("swf") / "x.swf"
    path.write_text(text)
    try:
        workload = read_swf(path)
    except InputError as error:
        found = error.errors
    else:
        report = workload.report
        found = ()
        assert report.rows == report.kept + sum(report.dropped.values())
        assert len(list(workload)) == report.kept
        assert len({job.id for job in workload}) == report.kept
    assert found or report.rows


# Counts of the real logs: facts of the files (spec, other-formats.md section 5).
def test_kth():
    workload = read_swf(shared("traces/KTH-SP2-1996-2.swf.gz"))
    report = workload.report
    assert (report.rows, report.kept, len(workload)) == (28489, 28489, 28489)
    assert report.statuses == {"completed": 20541, "failed": 7948}
    assert report.repaired == {"run time beyond requested time: walltime extended": 475}
    assert report.noted["requested and allocated processors differ"] == 219
    assert workload.hosts == 100
    names = {job.name for job in workload}
    assert "27313" not in names
    history = zip(workload.submits, workload.waits, workload.runs, strict=True)
    span = max(submit + wait + run for submit, wait, run in history)
    assert span == 29_364_870
    work = sum(run * job.request.processors for run, job in zip(workload.runs, workload, strict=True))
    assert round(work / 100 / span, 2) == 0.69


def test_curie():
    workload = read_swf(shared("traces/CEA-Curie-2011-2.1-cln.swf.gz"))
    report = workload.report
    assert report.rows == 312_826
    assert report.statuses == {"completed": 281_337, "failed": 14_003, "cancelled": 17_486}
    assert report.noted["run time is 0"] == 17_286
    assert report.noted["requested processors unknown"] == 84_604
    assert report.repaired["run time beyond requested time: walltime extended"] == 5_416
    assert report.dropped == {"cancelled before it ran": 14_730, "no processors": 4}
    assert report.kept == 298_092


def test_lublin():
    report = read_swf(shared("traces/lublin_256.swf")).report
    assert (report.rows, report.kept) == (10_000, 10_000)
    assert set(report.repaired.values()) == {10_000}


def test_floats_and_disorder():
    report = read_swf(shared("traces/easy_mediumWL_smallPF.swf")).report
    assert (report.kept, report.warnings) == (800, ("rows are not in order of submit time: sorted",))
    assert read_swf(shared("traces/accasim_test.swf")).report.kept == 25


FEW = st.sampled_from([-1, 0, 1, 2, 5])
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "submit": st.integers(0, 50) | st.floats(0, 9),
            "wait": FEW,
            "run": FEW | st.floats(0, 9),
            "given": FEW,
            "wanted": FEW,
            "time": FEW,
            "status": st.integers(-1, 5),
            "user": FEW,
            "queue": FEW,
        }
    ),
    min_size=1,
    max_size=8,
)


@settings(max_examples=40)
@given(ROWS, st.sampled_from(["extend", "kill"]), st.booleans(), st.sampled_from([1, 2]))
def test_a_streamed_log_is_the_same_workload(tmp_path_factory, rows, walltime, keep_epoch, cores):
    rows.sort(key=lambda one: one["submit"])
    path = tmp_path_factory.mktemp("logs") / "log.swf"
    path.write_text(HEADER + "".join(row(number=3 * rank, **one) for rank, one in enumerate(rows)))
    plain, streamed = (
        read_swf(path, walltime=walltime, keep_epoch=keep_epoch, stream=stream) for stream in (False, True)
    )
    assert (plain.streamed, streamed.streamed) == (False, True)
    assert str(streamed.report) == str(plain.report)
    assert streamed.start_date == plain.start_date
    assert streamed.outcomes == plain.outcomes
    assert [*streamed.waits] == [*plain.waits]
    plain, streamed = plain.with_cores(cores), streamed.with_cores(cores)
    assert [*streamed] == [*plain]
    assert [streamed[rank] for rank in range(len(plain))] == [*plain]
    assert streamed.asks == plain.asks
    assert streamed.larger_than(1, None) == plain.larger_than(1, None)
    assert streamed.cores_in_vain() == plain.cores_in_vain()


def test_what_takes_all_jobs_cannot_be_streamed(log):
    unsorted = log(HEADER + row(number=1, submit=10) + row(number=2, submit=5))
    with pytest.raises(UsageError, match="cannot be streamed: its rows are not in order of submit time") as told:
        read_swf(unsorted, stream=True)
    assert str(unsorted) in str(told.value)
    assert len(read_swf(unsorted)) == 2
    twice = log(HEADER + row(number=2) + row(number=2, submit=5), "twice.swf")
    with pytest.raises(UsageError, match=r"its job numbers \(field 1\) do not ascend"):
        read_swf(twice, stream=True)
    with pytest.raises(UsageError, match="cannot honour dependencies"):
        read_swf(log(HEADER + row()), stream=True, dependencies=True)
    broken = log(HEADER + row(number=2) + row(number=2, submit=5) + "x\n", "broken.swf")
    with pytest.raises(InputError):  # faults of the file are said first
        read_swf(broken, stream=True)


def test_of_long_logs_some_profiles_only_are_remembered():
    maker, count = JobMaker("w0", 1), 40_000
    same, runs = [1] * count, [float(n) for n in range(count)]
    jobs = maker.make((range(count), same, runs, runs, runs, same, same, same), extend=True)
    assert [job.profile.delay for job in jobs] == runs
    assert len(maker._profiles) <= 1 << 15
