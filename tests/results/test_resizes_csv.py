"""Where jobs that changed their hosts ran: rows, stretches, figures, explanations, pictures; from memory and files."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.report.test_page import unpacked

from elastic_jobs import Scripted, Watching, job, pause, site
from windtunnel.cli.main import main
from windtunnel.diagnostics import UsageError
from windtunnel.engine.simulation import Simulation
from windtunnel.model import HostSet, JobList
from windtunnel.model.application import Phase
from windtunnel.report.data import page_data
from windtunnel.report.series import busy_hosts
from windtunnel.results.explanation import SizeChange
from windtunnel.results.layout import Layout
from windtunnel.results.recorders import RecordingOptions
from windtunnel.results.recording import Recording
from windtunnel.results.resizes_csv import sized
from windtunnel.results.run import Run, load_run
from windtunnel.results.run_nodes import RunNodes
from windtunnel.results.size_metrics import size_metrics
from windtunnel.results.why import explain
from windtunnel.testing.invariants import InvariantChecker
from windtunnel.vocabulary import (
    CallMeLater,
    Execute,
    OneShot,
    Reply,
    RequestedCall,
    ResumeJob,
    SchedulingPointReached,
    SuspendJob,
)


def steps(name, count, **more):
    return job(name, Phase(tasks=(pause(10.0),), iterations=count), **more)


def record(folder, jobs, component, hosts=6, **options):
    recording = Recording(Layout.directory(folder), RecordingOptions(**options))
    checker = InvariantChecker()
    with recording.holding():
        observers = [*recording.observers, checker]
        Simulation(site(hosts), (JobList("w0", jobs),), (component,), observers=observers).run()
    recording.close()
    return recording


def test_a_row_for_each_stretch(tmp_path):
    grown_jobs = [steps("a", 4), steps("b", 1, at=5.0)]
    component = Scripted({"w0!a": [0], "w0!b": [5]}, resizes=[[0, 1, 2, 3], [0, 1], [3, 4]])
    recording = record(tmp_path, grown_jobs, component, paje=True)
    assert (tmp_path / "resizes.csv").read_text().splitlines() == [
        "job_id,workload_name,from,until,size,change,allocated_resources",
        "a,w0,0.000000,10.000000,1,,0",
        "a,w0,10.000000,20.000000,4,3,0-3",
        "a,w0,20.000000,30.000000,2,-2,0-1",
        "a,w0,30.000000,40.000000,2,0,3-4",
    ]
    for run in (Run.of(recording), load_run(tmp_path)):
        metrics = run.measure()
        assert metrics.allocated_host_seconds == 10 * (1 + 4 + 2 + 2) + 10
        sizes = metrics.sizes
        assert (sizes.jobs, sizes.reconfigurations, sizes.grown, sizes.shrunk) == (1, 3, 1, 1)
        assert (sizes.host_seconds_given, sizes.host_seconds_taken) == (50.0, 0.0)
        assert sizes.seconds_at_size == {1: 10.0, 2: 20.0, 4: 10.0}
        assert "3 (1 larger, 1 smaller), of 1 jobs" in str(metrics)
        late = run.measure(warm_up=15.0, cool_down=5.0)
        assert late.allocated_host_seconds == 5 * 4 + 10 * 2 + 5 * 2
        assert run.measure(warm_up="60%").sizes.reconfigurations == 1
    assert load_run(tmp_path).metrics == Run.of(recording).metrics
    assert dict(busy_hosts(load_run(tmp_path))) == {0.0: 1, 5.0: 2, 10.0: 5, 15.0: 4, 20.0: 2, 30.0: 2, 40.0: 0}
    data = unpacked(page_data(load_run(tmp_path)))
    when = [*zip(data["stretches"]["job"], data["stretches"]["start"], strict=True)]
    bars = zip(data["bars"]["stretch"], data["bars"]["host"], data["bars"]["count"], strict=True)
    drawn = sorted((*when[int(rank)], low, count) for rank, low, count in bars)
    assert [one[1:] for one in drawn if one[0] == 1] == [(0, 0, 1), (10, 0, 4), (20, 0, 2), (30, 3, 2)]
    trace = (tmp_path / "schedule.trace").read_text().splitlines()
    changes = [line for line in trace if line.startswith(("6 30.", "6 40."))]
    shown = [line.split("machine_state ")[1] for line in changes]
    assert shown == ["m0 w", "m1 w", "m3 jw0!a", "m4 jw0!a", "m3 w", "m4 w"]
    nodes = RunNodes(site(6).hosts, Run.of(recording).file)
    assert [(stay.hosts, stay.start) for stay in nodes.stays if len(stay.hosts) > 2] == [(HostSet.span(4), 10.0)]


def test_runs_without_changes_have_no_such_file(tmp_path):
    recording = record(tmp_path, [steps("a", 2)], Scripted({"w0!a": [0]}))
    assert not (tmp_path / "resizes.csv").exists()
    assert Run.of(recording).metrics.sizes is None


class Pauses(Scripted):
    """Suspends ``a`` at 5 s and at 28 s, for 3 s each time; it then goes on on other hosts."""

    def decide(self, now, notices) -> Reply:
        reply = super().decide(now, notices)
        more = []
        if now == 0.0:
            more = [CallMeLater(call_me_later_id=f"{at}", when=OneShot(at)) for at in (5.0, 8.0, 28.0, 31.0)]
        elif any(isinstance(one, RequestedCall) for one in notices):
            where = HostSet((0,)) if now == 8.0 else HostSet((2, 3))
            suspends = now in (5.0, 28.0)
            more = [SuspendJob(job_id="w0!a") if suspends else ResumeJob(job_id="w0!a", hosts=where)]
        return Reply(now, [*reply.decisions, *more])


def test_a_job_that_is_suspended_before_and_after_it_changed(tmp_path):
    component = Pauses({"w0!a": [0]}, resizes=[[0, 1]])
    recording = record(tmp_path, [steps("a", 4)], component)
    rows = (tmp_path / "resizes.csv").read_text().splitlines()[1:]
    assert [row.split(",", 2)[2] for row in rows] == [
        "8.000000,13.000000,1,,0",
        "13.000000,28.000000,2,1,0-1",
        "31.000000,46.000000,2,,2-3",
    ]
    for run in (Run.of(recording), load_run(tmp_path)):
        told = [(one.start, one.finish, len(one.hosts)) for one in run.stretches()]
        assert told == [(0.0, 5.0, 1), (8.0, 13.0, 1), (13.0, 28.0, 2), (31.0, 46.0, 2)]
        assert run.measure().allocated_host_seconds == pytest.approx(10 + 30 + 30)


def test_why_says_who_grew_meanwhile(tmp_path):
    class Late(Scripted):
        def decide(self, now, notices) -> Reply:
            reply = super().decide(now, notices)
            stops = now == 20.0 and isinstance(notices[0], SchedulingPointReached)
            return Reply(now, [*reply.decisions, *([Execute("w0!b", [4])] if stops else [])])

    component = Late({"w0!a": [0]}, resizes=[[0, 1, 2, 3], [0, 1]])
    jobs = [steps("a", 3), steps("b", 1, at=5.0)]
    run = Run.of(record(tmp_path, jobs, component))
    told = explain(run, "b")
    assert told.changes == [SizeChange("w0!a", 10.0, 1, 4), SizeChange("w0!a", 20.0, 4, 2)]
    assert "running jobs changed their hosts 2 times: they gave 2 back and took 3 more" in str(told)
    own = str(explain(run, "a"))
    assert "it changed its hosts 2 times: 1 host at first, 4 at 10.00 s, 2 at 20.00 s" in own


DAMAGED = [
    (b",10.000000,", b",soon,"),
    (b"30.000000,4", b"inf,4"),
    (b",4,3,", b",4,3,3,"),
    (b"0-3", b"0-999999999"),
    (b",4,3,", b",4,x,"),
]


@pytest.mark.parametrize(("before", "after"), DAMAGED)
def test_damaged_rows_are_a_mistake_with_the_name_of_the_file(tmp_path, before, after, capsys):
    component = Scripted({"w0!a": [0]}, resizes=[[0, 1, 2, 3]])
    record(tmp_path, [steps("a", 3)], component)
    path = tmp_path / "resizes.csv"
    assert before in path.read_bytes()
    path.write_bytes(path.read_bytes().replace(before, after))
    with pytest.raises(UsageError, match=r"resizes\.csv is damaged|no host"):
        load_run(tmp_path).metrics  # noqa: B018
    for line in (["metrics"], *((["why"], ["report"]) if b"soon" in after else ())):
        assert main([*line, str(tmp_path), *(["a"] if line == ["why"] else [])]) == 2
    assert "Traceback" not in capsys.readouterr().err


SIZES = st.lists(st.one_of(st.none(), st.sets(st.integers(0, 5), min_size=1).map(sorted)), max_size=6)


@settings(deadline=None, max_examples=30)
@given(SIZES, st.integers(1, 6))
def test_rows_tell_what_an_observer_saw(tmp_path_factory, resizes, iterations):
    watching = Watching()
    recording = Recording(Layout(None))
    component = Scripted({"w0!a": [0]}, resizes=resizes)
    observers = [*recording.observers, watching]
    Simulation(site(6), (JobList("w0", [steps("a", iterations)]),), (component,), observers=observers).run()
    recording.close()
    rows = list(sized(recording.read("resizes.csv")))
    assert [(one.start, one.hosts) for one in rows if one.change is not None] == [
        (date, str(HostSet(after))) for date, _, _, after in watching.resizes
    ]
    area = sum((one.finish - one.start) * one.size for one in rows) if rows else watching.area
    assert area == pytest.approx(watching.area)
    assert Run.of(recording).metrics.allocated_host_seconds == pytest.approx(watching.area)


def test_a_change_in_the_last_instant_counts():
    """Whether it did was a matter of how its date is rounded in the file."""
    text = "job_id,workload_name,from,until,size,change,allocated_resources\n"
    text += "a,w0,0.000000,0.666667,1,,0\na,w0,0.666667,0.666667,2,1,0-1\n"
    found = size_metrics(sized(text.encode()), 0.0, 2 / 3)
    assert found is not None
    assert found.grown == 1
