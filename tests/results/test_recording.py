"""A recording: its files, how it is marked, forks and kills."""

import json
import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import FunctionType

import pytest

from windtunnel.diagnostics import SimulationError, UsageError
from windtunnel.model import DelayProfile, HostSet, Job, JobRecord, JobState, Platform, Request
from windtunnel.results.flushing import Flusher
from windtunnel.results.layout import Layout
from windtunnel.results.recorders import RecordingOptions
from windtunnel.results.recording import Recording
from windtunnel.results.rows import Rows
from windtunnel.results.shares_csv import amounts_of
from windtunnel.results.state import Status, read_state
from windtunnel.vocabulary.site_notices import HostsBecameAvailable, HostsBecameUnavailable


def record(number: int, start: float = 0.0, run: float = 10.0, user: str = "") -> JobRecord:
    job = Job(
        id=f"w0!{number}", request=Request(2), profile=DelayProfile(id="w0!d", delay=run), walltime=2 * run, user=user
    )
    return JobRecord(
        job=job,
        state=JobState.COMPLETED_SUCCESSFULLY,
        hosts=HostSet.span(2, 2 * (number % 2)),
        starting_time=start,
        finish_time=start + run,
    )


def begin(recording: Recording) -> None:
    for observer in recording.observers:
        observer.on_begin(0.0, Platform.uniform(4), [])


def go_on(recording: Recording, numbers: range) -> None:
    for number in numbers:
        one = record(number, start=5.0 * number, user="ann" if number % 3 else "")
        for observer in recording.observers:
            observer.on_job_started(one.starting_time, one)
            observer.on_machine_states(one.starting_time, (0, 0, 0, 2, 2))
            if number == 7:
                observer.on_external(one.starting_time, HostsBecameUnavailable(one.starting_time, HostSet([3])))
            if number == 9:
                observer.on_external(one.starting_time, HostsBecameAvailable(one.starting_time, HostSet([3])))
        for observer in recording.observers:
            observer.on_job_ended(one.finish_time, one)


def end(recording: Recording, outcome: str = "complete") -> None:
    for observer in recording.observers:
        observer.on_end(500.0, outcome, {"time_computing": 12.5, "nb_machine_switches": 3})


def test_what_is_referred_to_weakly_is_not_compiled(tmp_path, monkeypatch):
    """mypyc's classes do not tell weak references that their object is gone, which breaks memory later."""
    flushed = []

    def noted(things, *more):
        flushed.extend(things)
        return Flusher(things, *more)

    monkeypatch.setattr("windtunnel.results.recording.Flusher", noted)
    recording = Recording(Layout(str(tmp_path / "out")))
    begin(recording)
    recording.close()
    assert flushed
    assert all(isinstance(type(one).flush, FunctionType) for one in flushed)


def content(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in folder.iterdir() if p.name != "real_exec_info.json"}


ALL = RecordingOptions(pstates=True, energy=True, paje=True)


def test_a_run_and_its_files(tmp_path):
    recording = Recording(Layout.directory(tmp_path / "out"), ALL, facts={"scheduler": "easy", "path": tmp_path})
    begin(recording)
    assert read_state(tmp_path / "out/run.json").status is Status.RUNNING
    go_on(recording, range(20))
    end(recording)
    state = read_state(tmp_path / "out/run.json")
    assert (state.status, state.simulated_time, state.platform.hosts) == (Status.COMPLETE, 500.0, 4)
    assert state.facts == {"scheduler": "easy", "path": str(tmp_path)}
    assert {p.name for p in (tmp_path / "out").iterdir()} == {
        "jobs.csv",
        "jobs_extra.csv",
        "machine_states.csv",
        "pstate_changes.csv",
        "consumed_energy.csv",
        "events.csv",
        "schedule.csv",
        "schedule.trace",
        "metrics.json",
        "real_exec_info.json",
        "run.json",
    }
    figures = (tmp_path / "out/schedule.csv").read_text().splitlines()
    made = dict(zip(figures[0].split(","), figures[1].split(","), strict=True))
    assert (made["nb_jobs"], made["makespan"], made["time_computing"]) == ("20", "105.000000", "12.500000")
    assert json.loads((tmp_path / "out/metrics.json").read_text())["users"]["ann"]["jobs"] == 13
    assert (tmp_path / "out/pstate_changes.csv").read_text().splitlines()[1:] == ["0,0-3,0"]


def test_a_fork_ends_with_the_bytes_of_a_run_that_was_not_forked(tmp_path):
    whole = Recording(Layout.directory(tmp_path / "whole"), ALL)
    first = Recording(Layout.directory(tmp_path / "first"), ALL)
    for recording in (whole, first):
        begin(recording)
        go_on(recording, range(10))
    second = first.fork(Layout.directory(tmp_path / "second"))
    go_on(first, range(100, 103))  # the first goes another way
    in_memory = second.fork()
    for recording in (whole, second, in_memory):
        go_on(recording, range(10, 1300))
        end(recording)
    end(first)
    assert content(tmp_path / "whole") == content(tmp_path / "second")
    assert content(tmp_path / "whole") != content(tmp_path / "first")
    for name, data in content(tmp_path / "whole").items():
        assert in_memory.read(name) == data


def test_a_pickled_recording_goes_on_where_it_was(tmp_path):
    whole = Recording(Layout.directory(tmp_path / "whole"), ALL)
    saved = Recording(Layout.directory(tmp_path / "saved"), ALL)
    for recording in (whole, saved):
        begin(recording)
        go_on(recording, range(700))
    data = pickle.dumps(saved)
    go_on(saved, range(700, 900))
    saved.flush()
    again = pickle.loads(data)
    again.resume()
    for recording in (whole, again):
        go_on(recording, range(700, 710))
        end(recording)
    assert content(tmp_path / "whole") == content(tmp_path / "saved")


def test_a_pickled_recording_does_not_go_on_in_files_that_are_gone(tmp_path):
    recording = Recording(Layout.directory(tmp_path))
    data = pickle.dumps(recording)
    (tmp_path / "jobs.csv").write_text("job")
    with pytest.raises(SimulationError, match="lost rows"):
        pickle.loads(data).resume()
    (tmp_path / "jobs.csv").unlink()
    with pytest.raises(SimulationError, match=r"cannot continue writing .*jobs\.csv"):
        pickle.loads(data).resume()


def test_a_fork_needs_a_place_of_its_own(tmp_path):
    recording = Recording(Layout.directory(tmp_path))
    with pytest.raises(UsageError, match="already being written"):
        recording.fork(Layout.directory(tmp_path))


def test_an_abandoned_run_is_marked_incomplete(tmp_path):
    recording = Recording(Layout.directory(tmp_path))
    begin(recording)
    go_on(recording, range(3))
    end(recording, "failed: the scheduler is gone")
    recording.close()
    state = read_state(tmp_path / "run.json")
    assert (state.status, state.reason) == (Status.INCOMPLETE, "failed: the scheduler is gone")
    assert len((tmp_path / "jobs.csv").read_text().splitlines()) == 4


def test_an_earlier_run_leaves_nothing_behind(tmp_path):
    earlier = Recording(Layout.directory(tmp_path), ALL)
    begin(earlier)
    go_on(earlier, range(20))
    end(earlier)
    for name in ("jobs.parquet", "report.html", "gantt.svg", "notes.txt"):
        (tmp_path / name).write_text("of the earlier run")
    (tmp_path / "nodes").mkdir()
    (tmp_path / "nodes/nodes-0.xml").write_text("<Node/>")
    Recording(Layout.directory(tmp_path)).close()
    kept = {"jobs.csv", "machine_states.csv", "schedule.csv", "metrics.json", "real_exec_info.json", "run.json"}
    assert {path.name for path in tmp_path.iterdir()} == kept | {"notes.txt"}


def test_prefixes_are_joined_as_batsim_does(tmp_path):
    Recording(Layout.batsim4(f"{tmp_path}/exp")).close()
    assert (tmp_path / "exp_jobs.csv").exists()
    assert (tmp_path / "exp_schedule.csv").exists()
    Recording(Layout.batsim5(f"{tmp_path}/a/b/")).close()
    Recording(Layout.batsim5(f"{tmp_path}/a/c-")).close()
    assert (tmp_path / "a/b/schedule.json").exists()
    assert (tmp_path / "a/c-jobs.csv").exists()


def test_places_that_cannot_be_used(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="not a directory"):
        Layout.directory(tmp_path / "file")
    with pytest.raises(UsageError, match="is not a directory"):
        Layout.batsim4(f"{tmp_path}/missing/out")
    with pytest.raises(UsageError, match="exists but is not a directory"):
        Layout.batsim5(f"{tmp_path}/file/")


def test_a_malformed_trim_shows_before_the_run(tmp_path):
    with pytest.raises(UsageError, match="warm-up"):
        Recording(Layout.directory(tmp_path), RecordingOptions(warm_up="soon"))
    assert not list(tmp_path.iterdir())


def test_a_failed_write_keeps_the_rows_and_tries_again(tmp_path):
    folder = tmp_path / "there"
    folder.mkdir()
    rows = Rows("x", folder / "x", "head\n")
    rows.add("1\n")
    folder.rename(tmp_path / "away")
    with pytest.raises(SimulationError, match="cannot write"):
        rows.flush()
    (tmp_path / "away").rename(folder)
    with (folder / "x").open("a") as file:
        file.write("left by a failed write")
    rows.add("2\n")
    assert rows.read() == b"head\n1\n2\n"


_KILLED = """
import sys, time
sys.path[:0] = sys.argv[2:]
from tests.results.test_recording import *
recording = Recording(Layout.directory(sys.argv[1]))
begin(recording)
go_on(recording, range(7))
print("ready", flush=True)
time.sleep(60)
"""


def test_a_killed_run_loses_at_most_a_second_and_never_says_complete(tmp_path):
    paths = [str(Path(__file__).parents[2]), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    command = [sys.executable, "-c", _KILLED, str(tmp_path), *(os.path.abspath(p) for p in paths)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, cwd=tmp_path)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    deadline = time.monotonic() + 20
    while len((tmp_path / "jobs.csv").read_text().splitlines()) < 8 and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    assert len((tmp_path / "jobs.csv").read_text().splitlines()) == 8
    assert read_state(tmp_path / "run.json").status is Status.RUNNING


def test_rows_do_not_depend_on_when_they_are_written(tmp_path):
    """Amounts of nothing are amounts all the same, whoever else is in the batch."""
    contents = []
    for name, flushed in (("often", True), ("once", False)):
        recording = Recording(Layout.directory(tmp_path / name))
        begin(recording)
        for number, amounts in enumerate(({}, None, {0: {"cores": 1.0}}, {})):
            one = record(number)
            one.amounts = amounts
            for observer in recording.observers:
                observer.on_job_ended(one.finish_time, one)
            if flushed:
                recording.flush()
        end(recording)
        contents.append({k: v for k, v in content(tmp_path / name).items() if k != "run.json"})
    assert contents[0] == contents[1]
    assert contents[0]["shares.csv"].count(b"\n") == 4
    assert [amounts_of(text) for text in ("", "0:cores=1")] == [{}, {0: {"cores": 1.0}}]
