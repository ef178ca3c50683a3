"""Operations on workloads: what they do, what they say, and that they are lazy, composable and the same by seed."""

import pickle
from contextlib import suppress
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import windtunnel as wt
from windtunnel.diagnostics import UsageError
from windtunnel.formats.registry import read_workload
from windtunnel.formats.traces.workload import TraceWorkload
from windtunnel.model import JobList, ParallelTaskProfile
from windtunnel.workloads.arranged import Arranged
from windtunnel.workloads.estimates import number_of_estimates
from windtunnel.workloads.operations import OPERATIONS, parse_operation
from windtunnel.workloads.operations.sessions import sessions_of

DAY = 86_400.0


def job(number, submit, *, processors=1, run=10.0, walltime=100.0, user="", queue="", after=()):
    return wt.Job(
        id=f"w0!{number}",
        request=wt.Request(hosts=processors, processors=processors),
        profile=wt.DelayProfile(id=f"w0!{run}", delay=run),
        submission_time=submit,
        walltime=walltime,
        user=user,
        queue=queue,
        dependencies=after,
    )


def jobs_of(workload):
    return [(one.id, one.submission_time, one.request.processors, one.walltime) for one in workload]


def said(workload):
    return [finding.message for finding in workload.warnings if finding.code == "arranged"]


@pytest.fixture
def week():
    """Two users, ten jobs a day for four weeks on 16 hosts."""
    made = [
        job(number, number * DAY / 10, processors=1 + number % 4, run=600.0 * (1 + number % 7), user="ab"[number % 2])
        for number in range(280)
    ]
    return JobList("w0", made, hosts=16)


def test_first(week):
    workload = Arranged(week).first(3)
    assert jobs_of(workload) == jobs_of(list(week)[:3])
    assert said(workload) == ["first(number=3): 3 of 280 jobs"]
    assert len(Arranged(week).first(1000)) == 280
    assert len(Arranged(week).first(0)) == 0


def test_filter(week):
    workload = Arranged(week).filter(user="a")
    assert {one.user for one in workload} == {"a"}
    assert len(workload) == 140
    assert [one.id for one in Arranged(week).filter(name="27?")] == [f"w0!{number}" for number in range(270, 280)]
    with pytest.raises(UsageError, match="say which jobs"):
        len(Arranged(week).filter())


def test_slice_in_seconds_starts_at_zero(week):
    workload = Arranged(week).slice(DAY, days=2)
    assert [one.submission_time for one in workload] == pytest.approx([rank * DAY / 10 for rank in range(20)])
    assert workload[0].id == "w0!10"
    assert len(Arranged(week).slice(27 * DAY)) == 10
    assert len(Arranged(week).slice(weeks=1, days=1, hours=2.4)) == 81


def test_slice_by_the_logs_calendar(tmp_path):
    rows = "".join(
        f"{number} {number * 86400} -1 10 1 -1 -1 1 60 -1 1 1 1 -1 -1 -1 -1 -1\n" for number in range(1, 91)
    )
    (tmp_path / "log.swf").write_text(f"; UnixStartTime: 1401580800\n; MaxProcs: 4\n{rows}")  # 2014-06-01
    log = read_workload(tmp_path / "log.swf", keep_epoch=True)
    workload = Arranged(log).slice("2014-07", weeks=1)
    assert [one.id for one in workload] == [f"w0!{number}" for number in range(30, 37)]
    assert workload[0].submission_time == 0.0
    assert workload.start_date == 1401580800 + 30 * 86400
    assert workload.warnings[-1].message.endswith("7 of 90 jobs, from 2014-07-01 00:00 UTC")
    assert len(Arranged(log).slice("2014-08-29")) == 2
    for wrong in ("july", "nan", "inf"):
        with pytest.raises(UsageError, match=f"'{wrong}' is not a valid time"):
            len(Arranged(log).slice(wrong))


def test_a_date_needs_a_calendar(week):
    with pytest.raises(UsageError, match="does not say when it starts"):
        len(Arranged(week).slice("2014-07"))


@pytest.mark.parametrize("load", [0.1, 0.9, 2.5])
def test_scale_load(week, load):
    workload = Arranged(week).scale_load(load)
    work = sum(one.request.processors * one.profile.delay for one in workload)
    span = workload[-1].submission_time - workload[0].submission_time
    assert work / (16 * span) == pytest.approx(load)
    assert "the offered load on 16 hosts was" in said(workload)[0]
    assert Arranged(week).scale_load(load, hosts=8)[-1].submission_time == pytest.approx(2 * span)


def test_loads_that_cannot_be():
    with pytest.raises(UsageError, match="greater than 0"):
        Arranged(JobList("w0", [])).scale_load(0.0)
    with pytest.raises(UsageError, match="for how many hosts"):
        len(Arranged(JobList("w0", [job(1, 0.0)])).scale_load(0.5))
    with pytest.raises(UsageError, match="at one time"):
        len(Arranged(JobList("w0", [job(1, 0.0), job(2, 0.0)], hosts=2)).scale_load(0.5))
    with pytest.raises(UsageError, match="runs for any time"):
        len(Arranged(JobList("w0", [job(1, 0.0, run=0.0), job(2, 9.0, run=0.0)], hosts=2)).scale_load(0.5))
    with pytest.raises(UsageError, match="later than can be counted"):
        len(Arranged(JobList("w0", [job(1, 0.0), job(2, 9.0)], hosts=2)).scale_load(1e-320))
    parallel = wt.Job(id="w0!1", request=wt.Request(hosts=1), profile=ParallelTaskProfile(id="w0!p"))
    with pytest.raises(UsageError, match="'w0!1' has none before it is simulated"):
        len(Arranged(JobList("w0", [parallel, job(2, 9.0)], hosts=2)).scale_load(0.5))


def test_shake_moves_each_arrival_a_little(week):
    workload = Arranged(week).shake(4, seconds=60)
    moved = {one.id: one.submission_time for one in workload}
    assert all(abs(moved[one.id] - one.submission_time) <= 60 for one in week)
    assert len({moved[one.id] - one.submission_time for one in week}) > 270
    assert min(moved.values()) >= 0
    assert jobs_of(workload) == jobs_of(Arranged(week).shake(4, seconds=60))
    assert jobs_of(workload) != jobs_of(Arranged(week).shake(5, seconds=60))


def test_resample_keeps_users_weeks_and_the_mean_load(week):
    workload = Arranged(week).resample(1, weeks=40, regular_weeks=2)
    assert {one.user for one in workload} == {"a", "b"}
    assert len(workload) == 10 * 280
    assert len({one.id for one in workload}) == len(workload)
    times = {one.submission_time % (7 * DAY) for one in week}
    assert all(min(abs(one.submission_time % (7 * DAY) - time) for time in times) < 1e-3 for one in workload)
    assert jobs_of(workload) == jobs_of(Arranged(week).resample(1, weeks=40, regular_weeks=2))
    assert len(Arranged(JobList("w0", [])).resample(1)) == 0


def test_resample_of_users_who_come_once(week):
    """Two visits of 140 jobs in four weeks: a visit begins in every second week."""
    numbers = [len(Arranged(week).resample(seed, weeks=40)) for seed in range(20)]
    assert sum(numbers) / 20 == pytest.approx(20 * 140, rel=0.15)


def test_resample_of_regular_users():
    """Two users who are there all the time, one of whom works in even weeks only."""
    made = [job(number, week * 7 * DAY + 60.0 * number, user="a") for week in range(12) for number in (week,)]
    made += [job(100 + week, week * 7 * DAY, user="b") for week in range(0, 12, 2)]
    workload = Arranged(JobList("w0", made, hosts=2)).resample(3, weeks=200)
    by_user = [sum(one.user == user for one in workload) for user in "ab"]
    assert by_user[0] == 200
    assert by_user[1] == pytest.approx(100, abs=30)  # five deviations and more


def test_merge_tells_jobs_apart(week):
    workload = Arranged(week).first(2).merge(Arranged(week).first(2))
    assert [one.id for one in workload] == ["w0!0", "w0!1:0", "w0!1", "w0!1:1"]
    assert said(workload)[-1].endswith("2 jobs added")
    again = Arranged(week).with_estimates("exact").to_hosts(8).resample(2).merge(Arranged(week).first(1))
    assert any(one.walltime == 100.0 for one in again)  # of the job that was added


def test_copies_and_merged_jobs_are_told_apart(week):
    """``1:`` stood before a second copy and before a job of the second workload; one of the two was lost."""
    both = [one.id for one in Arranged(week).resample(2, weeks=8).merge(Arranged(week))]
    assert len(set(both)) == len(both)
    assert any(name.startswith("w0!0:1:") for name in both)
    assert "w0!1:0:0" in both


def test_names_that_begin_like_marks_are_told_apart():
    own = JobList("w0", [job("1:4", 0.0), job("4", 0.0)], hosts=2)
    merged = Arranged(own).merge(JobList("w0", [job("4", 0.0)], hosts=2))
    assert sorted(one.id for one in merged) == ["w0!0:0:1:4", "w0!0:0:4", "w0!1:0:4"]
    assert len(wt.simulate("hosts:4", merged, "easy").jobs) == 3


@pytest.mark.parametrize("factor", [0.0, 3.0])
def test_the_f_model(week, factor):
    workload = Arranged(week).with_estimates("f-model", factor=factor)
    ratios = [one.walltime / one.profile.delay for one in workload]
    assert all(1 <= ratio <= factor + 1.0000001 for ratio in ratios)
    assert sum(ratios) / len(ratios) == pytest.approx(1 + factor / 2, rel=0.1)


def test_exact_estimates_end_no_job(week):
    run = wt.simulate("hosts:16", Arranged(week).with_estimates("exact"), "easy")
    assert run.metrics.states["COMPLETED_SUCCESSFULLY"] == 280


def test_tsafrirs_estimates():
    short = JobList("w0", [job(number, 10.0 * number, run=1.0 + number) for number in range(280)], hosts=1)
    workload = Arranged(short).with_estimates("tsafrir", seed=2, longest=36_000)
    assert all(one.profile.delay < one.walltime <= 36_000 for one in workload)
    assert max(one.walltime for one in workload) == 36_000
    different = len({one.walltime for one in workload})
    assert different == number_of_estimates(280)
    done = f"280 walltimes of {different} different lengths up to 36,000 s"
    assert said(workload) == [f"with_estimates(model='tsafrir', seed=2, longest=36000.0): {done}"]


def test_to_hosts(week):
    workload = Arranged(week).to_hosts(4)
    assert workload.hosts == 4
    assert [one.request.processors for one in workload][:4] == [1, 1, 1, 1]
    assert {one.request.processors for one in Arranged(week).to_hosts(64)} == {4, 8, 12, 16}
    with pytest.raises(UsageError, match="for how many hosts"):
        len(Arranged(JobList("w0", [job(1, 0.0)])).to_hosts(3))


def test_dependencies_on_jobs_that_are_gone_are_told():
    made = JobList("w0", [job(1, 0.0), job(2, 1.0, after=("w0!1",)), job(3, 2.0, after=("w0!2",))], hosts=1)
    workload = Arranged(made).filter(name="[!1]")
    assert [one.dependencies for one in workload] == [(), ("w0!2",)]
    assert [(one.code, one.count) for one in workload.warnings][-1] == ("dropped", 1)


def test_nothing_is_done_before_a_job_is_asked_for():
    class Untouched(JobList):
        def __iter__(self):
            raise AssertionError("touched")

    workload = Arranged(Untouched("w0", [job(1, 0.0)], hosts=1)).first(1).scale_load(0.5).shake(1, seconds=1)
    assert [operation.name for operation in workload.operations] == ["first", "scale_load", "shake"]


def test_pickled_and_asked_again(week):
    workload = Arranged(week).resample(1).with_estimates("f-model")
    before = jobs_of(workload)
    assert jobs_of(pickle.loads(pickle.dumps(workload))) == before
    assert [workload[rank].id for rank in (0, -1)] == [before[0][0], before[-1][0]]
    with pytest.raises(IndexError):
        workload[len(workload)]


def test_cores_of_hosts():
    made = read_workload("poisson:50?hosts=64&seed=4")
    workload = Arranged(made).first(20).with_cores(8)
    assert [one.request.hosts for one in workload] == [-(-one.request.processors // 8) for one in workload]
    assert workload.hosts == 8
    assert workload.larger_than(1, None) is not None
    vain = workload.cores_in_vain()
    assert vain is not None
    assert vain.number == sum(-one.request.processors % 8 for one in workload)
    run = wt.simulate("hosts:8x8", Arranged(made), "easy", strict_input=False)
    assert run.metrics.jobs == 50


@pytest.mark.parametrize("counting_first", [True, False])
def test_merged_jobs_count_processors_or_hosts_as_their_own_workload_does(counting_first):
    """10 processors are two hosts of 8 cores, 6 of them in vain; a job that asks for 20 hosts wants 160 cores."""
    counting = TraceWorkload("w0", [job("p", 0.0, processors=10)], hosts=64)
    whole = JobList("w0", [replace(job(count, 0.0), request=wt.Request(count)) for count in (3, 20)], hosts=8)
    first, second = (counting, whole) if counting_first else (whole, counting)
    workload = Arranged(first).merge(second).with_cores(8)
    assert {one.name.rpartition(":")[2]: one.request.hosts for one in workload} == {"p": 2, "3": 3, "20": 20}
    larger, vain = workload.larger_than(16, None), workload.cores_in_vain()
    assert (larger.jobs, larger.number) == (1, 20)
    assert (vain.jobs, vain.number) == (1, 6)
    assert workload.larger_than(16, 128).number == whole.larger_than(16, 128).number == 160


@given(st.data())
def test_any_operations_leave_jobs_in_order_with_names_of_their_own(data):
    calls = {
        "first": st.fixed_dictionaries({"number": st.integers(0, 60)}),
        "slice": st.fixed_dictionaries({"start": st.floats(0, 5000), "days": st.floats(0, 0.1)}),
        "from_sessions": st.fixed_dictionaries({"seed": st.integers(0, 9), "weeks": st.integers(0, 3)}),
        "filter": st.fixed_dictionaries({"user": st.sampled_from(["a", "b", "*"])}),
        "shake": st.fixed_dictionaries({"seed": st.integers(0), "seconds": st.floats(1, 1e5)}),
        "resample": st.fixed_dictionaries({"seed": st.integers(0), "weeks": st.integers(0, 4)}),
        "to_hosts": st.fixed_dictionaries({"number": st.integers(1, 40)}),
        "with_estimates": st.fixed_dictionaries(
            {"model": st.sampled_from(["exact", "f-model"]), "seed": st.integers(0)}
        ),
    }
    workload = Arranged(JobList("w0", [job(rank, 50.0 * rank, user="ab"[rank % 2]) for rank in range(40)], hosts=10))
    for name in data.draw(st.lists(st.sampled_from(sorted(calls)), max_size=5)):
        workload = workload.apply(name, **data.draw(calls[name]))
    jobs = list(workload)
    assert len(jobs) == len(workload)
    assert len({one.id for one in jobs}) == len(jobs)
    times = [one.submission_time for one in jobs]
    assert times == sorted(times)
    assert all(time >= 0 for time in times)
    assert all(one.request.hosts >= 1 for one in jobs)
    assert jobs == list(pickle.loads(pickle.dumps(workload)))


def test_operations_as_texts():
    operation = parse_operation(" slice('2014-06', weeks=1) ")
    assert (operation.name, operation.options["start"], operation.options["weeks"]) == ("slice", "2014-06", 1.0)
    assert str(operation) == "slice(start='2014-06', weeks=1.0)"
    assert parse_operation(str(operation)) == operation


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("scale_laod(1)", "did you mean 'scale_load'"),
        ("scale_load(x)", "is not an operation on workloads"),
        ("scale_load(0.9", "is not an operation on workloads"),
        ("scale_load('much')", "load must be a number"),
        ("first(1, 2, 3)", "takes 2 options"),
        ("first(1, number=2)", "number given twice"),
        ("first(nmber=2)", "did you mean 'number'"),
        ("shake(1)", "seconds"),
        ("__import__('os').system('true')", "is not an operation on workloads"),
        ("first(__import__('os'))", "is not an operation on workloads"),
        ("first(**{'number': 1})", "is not an operation on workloads"),
        ("first(*[1])", "is not an operation on workloads"),
        ("(" * 5000, "is not an operation on workloads"),
        ("", "is not an operation on workloads"),
    ],
)
def test_texts_that_are_no_operation(text, expected):
    with pytest.raises(UsageError) as refused:
        parse_operation(text)
    assert expected in str(refused.value)


@given(st.text(max_size=40) | st.sampled_from(sorted(OPERATIONS)).map(lambda name: f"{name}(1)"))
def test_any_text_is_refused_or_an_operation(text):
    with suppress(UsageError):
        assert parse_operation(text).name in OPERATIONS


def test_arrange_reads_files_and_texts(tmp_path):
    (tmp_path / "a.swf").write_text(
        "1 0 -1 10 1 -1 -1 1 60 -1 1 1 1 -1 -1 -1 -1 -1\n2 5 -1 10 1 -1 -1 1 60 -1 1 1 1 -1 -1 -1 -1 -1\n"
    )
    workload = wt.arrange(tmp_path / "a.swf", "first(1)", f"merge('{tmp_path / 'a.swf'}')")
    assert [one.id for one in workload] == ["w0!1", "w0!1:1", "w0!1:2"]
    with pytest.raises(wt.InputError):
        wt.arrange(tmp_path / "a.swf", "merge('nowhere.swf')")


def test_what_was_done_stands_in_the_account_and_strict_input_lets_it_pass(week):
    run = wt.simulate("hosts:16", week, "easy", operations=["first(5)", "scale_load(0.5)"], strict_input=True)
    told = [line for line in run.account if line.kind == "arranged"]
    assert [line.reason.partition(":")[0] for line in told] == ["first(number=5)", "scale_load(load=0.5)"]
    assert run.metrics.jobs == 5


def test_filter_by_what_became_of_jobs(tmp_path):
    rows = [f"{n} {n} 0 5 1 -1 -1 1 9 -1 {status} 1 1 1 1 1 -1 -1" for n, status in enumerate([1, 0, 5, 1, -1, 9], 1)]
    (tmp_path / "log.swf").write_text("\n".join(rows) + "\n")
    log = read_workload(tmp_path / "log.swf")
    assert [one.name for one in Arranged(log).filter(status="completed")] == ["1", "4"]
    assert [one.name for one in Arranged(log).filter(status="c*", user="1")] == ["1", "3", "4", "6"]
    assert [one.name for one in Arranged(log).first(3).filter(status="failed")] == ["2"]
    twice = Arranged(log).merge(log).filter(status="cancelled")
    assert len(twice) == 2
    assert pickle.loads(pickle.dumps(log)).outcomes[5] == "code 9"


def test_filter_by_status_where_none_is_known(week):
    with pytest.raises(UsageError, match="the workload 'w0' does not say what became of its jobs"):
        len(Arranged(week).filter(status="completed"))


def test_first_after_others(week):
    assert [one.id for one in Arranged(week).first(2, after=5)] == ["w0!5", "w0!6"]
    assert len(Arranged(week).first(10, after=275)) == 5
    assert len(Arranged(week).first(10, after=1000)) == 0


def test_sessions_end_with_a_long_gap_of_their_user():
    made = [job(1, 0.0, user="a"), job(2, 1000.0, user="b"), job(3, 1100.0, user="a"), job(4, 2400.0, user="a")]
    columns = Arranged(JobList("w0", made)).columns
    assert sessions_of(columns, 1200.0) == [[0, 2], [1], [3]]
    assert sessions_of(columns, 1300.0) == [[0, 2, 3], [1]]


def test_a_workload_from_sessions_is_like_the_first():
    """Two users: one submits three jobs in a row each morning, the other one job each evening."""
    made, number = [], 0
    for day in range(70):
        for at, user in ((8.0, "a"), (8.1, "a"), (8.2, "a"), (18.0, "b")):
            number += 1
            made.append(job(number, day * DAY + at * 3600, user=user, run=60.0 if user == "a" else 600.0))
    log = JobList("w0", made, hosts=4)
    drawn = Arranged(log).from_sessions(1, weeks=50)
    assert said(drawn)[0].endswith("the workload had 140 sessions")
    assert 0.8 < len(drawn) / 50 / (len(made) / 10) < 1.2
    hours = {int(one.submission_time // 3600) % 24 for one in drawn}
    assert hours <= {8, 9, 18}
    assert len({one.id for one in drawn}) == len(drawn)
    by_user = sorted((one.user, one.submission_time) for one in drawn)
    gaps = [b[1] - a[1] for a, b in pairwise(by_user) if a[0] == b[0] == "a"]
    assert sum(abs(gap - 360) < 1e-6 for gap in gaps) > 0.4 * len(gaps)
    assert jobs_of(drawn) == jobs_of(Arranged(log).from_sessions(1, weeks=50))
    assert jobs_of(drawn) != jobs_of(Arranged(log).from_sessions(2, weeks=50))
    assert len(Arranged(log).first(0).from_sessions(1)) == 0


@pytest.mark.parametrize("name", ["resample", "from_sessions"])
def test_no_workload_of_millions_of_weeks_is_made(name):
    """They were: until memory was full."""
    with pytest.raises(UsageError, match="weeks must be a whole number of at least 0 and at most 10000, not 1000000"):
        parse_operation(f"{name}(1, weeks=1000000)")


@pytest.mark.parametrize(
    "line",
    ["resample(-1)", "from_sessions(-1)", "shake(-1, seconds=60)", "with_estimates('f-model', seed=-1)"],
)
def test_seeds_below_zero_are_refused(week, line):
    """Python's generator draws the same from -1 as from 1, so that two samples would be one."""
    with pytest.raises(UsageError, match="seed must be a whole number of at least 0, not -1"):
        len(wt.arrange(week, line))
    for shorthand in ("lublin:5?seed=-1", "poisson:5?seed=-1"):
        with pytest.raises(UsageError, match="seed must be a whole number of at least 0"):
            read_workload(shorthand)


def test_faults_of_several_operations_are_told_at_once():
    with pytest.raises(UsageError) as caught:
        wt.arrange("lublin:50?hosts=8", "shake(7, secs=60)", "frist(3)", "first(2)", "scale_load")
    said = str(caught.value)
    for fault in ("no option 'secs' (did you mean 'seconds'?)", "no operation 'frist'", "scale_load: "):
        assert fault in said
