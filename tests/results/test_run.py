"""Reading a run again."""

import datetime as dt

import polars as pl
import pytest
from tests.results.small_runs import outage, record, workload
from tests.shared import shared

import windtunnel as wt
from windtunnel import api
from windtunnel.diagnostics import UsageError
from windtunnel.model import HostSet, JobList
from windtunnel.report.series import busy_hosts
from windtunnel.results import own_metrics
from windtunnel.results.layout import Dialect, Layout
from windtunnel.results.recording import Recording
from windtunnel.results.run import Run, load_run
from windtunnel.results.run_nodes import RunNodes
from windtunnel.testing import job, platform
from windtunnel.testing import workload as jobs_of


def test_jobs_are_a_frame_with_calendar_dates(tmp_path):
    zero = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)
    record(Layout.directory(tmp_path), start_date=zero.timestamp())
    jobs = load_run(tmp_path).jobs
    assert jobs.height == 60
    one = jobs.row(by_predicate=pl.col("id") == "w0!7", named=True)
    assert (one["job_id"], one["workload_name"], one["user"]) == ("7", "w0", "user1")
    assert one["group"] is None
    assert one["started_at"] == zero + dt.timedelta(seconds=one["starting_time"])
    assert jobs.schema["submitted_at"] == pl.Datetime("us", "UTC")


def test_a_run_without_dates_or_users_has_empty_columns_of_them():
    jobs = Run.of(record(jobs=workload(users=0))).jobs
    assert jobs["user"].null_count() == jobs["started_at"].null_count() == jobs.height
    assert jobs.schema["started_at"] == pl.Datetime("us", "UTC")


def test_a_run_in_which_nothing_ended_has_dates_as_well():
    recording = Recording(start_date=1e9)
    recording.close()
    jobs = Run.of(recording).jobs
    assert jobs.height == 0
    assert jobs.schema["submitted_at"] == pl.Datetime("us", "UTC")


def test_times_are_floats_whatever_they_are():
    states = Run.of(record()).frame("machine_states.csv")
    assert states.schema["time"] == pl.Float64
    whole = Run.of(record(jobs=workload(1))).frame("machine_states.csv")
    assert whole.schema["time"] == pl.Float64


def test_metrics_from_files_are_those_of_the_run(tmp_path):
    recording = record(Layout.directory(tmp_path), events=[outage()])
    made = recording.metrics()
    again = load_run(tmp_path).metrics
    assert again.users.keys() == made.users.keys() == {"user0", "user1", "user2"}
    assert again.states == made.states
    assert again.utilisation == pytest.approx(made.utilisation, abs=1e-6)
    assert again.available_host_seconds == pytest.approx(made.available_host_seconds, abs=1e-3)
    for name in ("waiting_time", "turnaround_time", "slowdown", "bounded_slowdown"):
        assert getattr(again, name).p90 == pytest.approx(getattr(made, name).p90, abs=1e-5)
    trimmed = load_run(tmp_path).measure("10%", 50.0)
    assert trimmed.jobs < made.jobs


def test_stretches_never_overlap_on_a_host_nor_lie_on_hosts_that_are_away():
    run = Run.of(record(events=[outage()]))
    stretches = sorted(run.stretches(), key=lambda s: s.start)
    busy = [0.0] * 8
    for stretch in stretches:
        for host in stretch.hosts:
            assert busy[host] <= stretch.start + 1e-6
            busy[host] = stretch.finish
    assert run.unavailable() == [(100.0, HostSet.parse("6-7")), (200.0, HostSet())]
    assert not [s for s in stretches if 100.0 < s.start < 200.0 and not s.hosts.isdisjoint(HostSet.parse("6-7"))]


def test_a_last_row_that_a_kill_cut_is_left_out(tmp_path):
    record(Layout.directory(tmp_path))
    with (tmp_path / "jobs.csv").open("ab") as file:
        file.write(b"61,w0,d4,3.0000")
    assert load_run(tmp_path).jobs.height == 60


def test_parquet_holds_the_same(tmp_path):
    run = Run.of(record(events=[outage()]))
    written = run.parquet(tmp_path / "tables")
    assert {p.name for p in written} == {
        "jobs.parquet",
        "machine_states.parquet",
        "events.parquet",
    }
    assert pl.read_parquet(tmp_path / "tables/jobs.parquet").equals(run.jobs)


def test_there_is_no_run(tmp_path):
    with pytest.raises(UsageError, match="there is no run"):
        load_run(tmp_path)
    (tmp_path / "run.json").write_text('{"status": "sleeping"}')
    with pytest.raises(UsageError, match="not readable"):
        load_run(tmp_path)


def test_prefixes_are_found(tmp_path):
    record(Layout.batsim4(f"{tmp_path}/exp"))
    assert load_run(tmp_path / "exp").complete
    record(Layout.batsim5(f"{tmp_path}/five/"))
    run = load_run(tmp_path / "five")
    assert run.state.dialect == Dialect.BATSIM5.value
    assert run.jobs["profile"][0].startswith("w0!")
    assert run.figures["nb_jobs"] == 60


@pytest.mark.golden
@pytest.mark.parametrize(
    ("case", "hosts", "jobs"),
    [
        ("batsim4/filler--small--mixed", 4, 9),
        ("batsim4/rejecter--small--mixed", 4, 9),
        ("batsim5/simple-fcfs-0/out", 4, 0),
    ],
)
def test_runs_of_batsim_itself_can_be_read(case, hosts, jobs):
    run = load_run(shared(f"golden/{case}"))
    assert run.hosts == hosts
    assert run.jobs.height >= jobs
    metrics = run.metrics
    assert metrics.jobs == run.jobs.height
    if "mixed" in case:
        assert metrics.makespan == float(run.figures["makespan"])


def fractions(count):
    """Jobs whose times have more digits than files: thirds of seconds, of no time at all, of less than a millionth."""
    lasts = (1 / 3, 0.0, 4e-7, 70 / 3)
    return [
        wt.Job(
            id=f"w0!{rank}",
            request=wt.Request(hosts=1 + rank % 4),
            profile=wt.DelayProfile(id=f"w0!p{rank}", delay=lasts[rank % 4]),
            submission_time=rank * 0.7123456789,
            walltime=200.0,
            user="abc"[rank % 3],
            queue="q"[: rank % 2],
        )
        for rank in range(count)
    ]


@pytest.mark.parametrize("trims", [{}, {"warm_up": "10%", "cool_down": 5.0}])
def test_metrics_of_a_run_and_of_its_files_are_the_same_numbers(trims, tmp_path):
    @wt.metric("exact_wait")
    def exact_wait(record):
        return sum(job.start - job.submitted for job in record.ran())

    try:
        out = tmp_path / "out"
        options = api.RecordingOptions(**trims)
        run = wt.simulate("hosts:4", JobList("w0", fractions(120)), "easy", out=out, record=options)
        again = wt.load_run(out)
        assert again.metrics == run.metrics
        assert again.metrics.own["exact_wait"].value > 0
        assert again.measure() == run.measure()
        assert again.measure("2%", "3s") == run.measure("2%", "3s") != run.metrics
        (out / "metrics.json").unlink()
        if trims:  # computed anew from times with six digits
            assert wt.load_run(out).metrics.waiting_time.mean == pytest.approx(
                run.metrics.waiting_time.mean, rel=1e-8
            )
    finally:
        own_metrics._METRICS.pop("exact_wait")


def test_metrics_json_of_other_jobs_is_not_believed(tmp_path):
    out = tmp_path / "out"
    run = wt.simulate("hosts:4", JobList("w0", fractions(40)), "easy", out=out)
    rows = (out / "jobs.csv").read_text().splitlines(keepends=True)
    (out / "jobs.csv").write_text("".join(rows[:-3]))
    assert load_run(out).metrics.jobs == 37
    (out / "metrics.json").write_text("{}")
    (out / "jobs.csv").write_text("".join(rows))
    assert load_run(out).metrics.jobs == run.metrics.jobs == 40


def test_a_job_that_took_no_time_held_its_hosts_for_none(tmp_path):
    """jobs.csv gives it 0.00001 s, for which its hosts seemed to run two jobs at once."""
    jobs = jobs_of(job(1, hosts=4, run=10.0), job(2, hosts=4, run=0.0), job(3, hosts=4, run=10.0))
    wt.simulate("hosts:4", jobs, "fcfs", out=tmp_path / "out")
    run = wt.load_run(tmp_path / "out")
    assert list(run.jobs["execution_time"]) == [10.0, 0.00001, 10.0]
    assert [(one.start, one.finish) for one in run.stretches()] == [(0.0, 10.0), (10.0, 10.0), (10.0, 20.0)]
    assert busy_hosts(run) == [(0.0, 4.0), (10.0, 4.0), (20.0, 0.0)]
    nodes = RunNodes(platform(4).hosts, run.file)
    for found in (*nodes.at(10.0), *nodes.between(0.0, 20.0)):
        assert max(one.value for one in found.utilized if one.element == "Processors") == 1
