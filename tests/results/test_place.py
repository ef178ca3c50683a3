"""Where a run is written: one writer at a time, nothing of anybody else's, and an earlier run replaced whole."""

import gc
import json
import os
import pickle
import subprocess
import sys

import pytest

from windtunnel.diagnostics import SimulationError, UsageError
from windtunnel.results.layout import Layout
from windtunnel.results.place import Place
from windtunnel.results.recording import Recording
from windtunnel.results.state import Status, read_state


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def end(recording):
    for observer in recording.observers:
        observer.on_end(1.0, "complete", {})


def finished(folder, **options):
    end(Recording(Layout.directory(folder), **options))


@pytest.mark.parametrize("name", ["jobs.csv", "site.xml", "report.html", "run.json", "jobs.parquet"])
def test_files_that_are_not_ours_are_refused(tmp_path, name):
    (tmp_path / name).write_text("mine")
    with pytest.raises(UsageError, match=f"not written by a run: {name}") as caught:
        Recording(Layout.directory(tmp_path))
    assert "--force" in caught.value.hint
    assert files(tmp_path) == {name: b"mine"}


@pytest.mark.parametrize("force", [False, True])
def test_the_directory_of_a_study_is_no_place_for_a_run(tmp_path, force):
    (tmp_path / "study.json").write_text("{}")
    with pytest.raises(UsageError, match="is the directory of a study: a run would be mixed") as caught:
        Recording(Layout.directory(tmp_path), force=force)
    assert str(tmp_path / "run") in caught.value.hint
    assert files(tmp_path) == {"study.json": b"{}"}
    finished(tmp_path / "run", force=force)


def test_with_force_they_are_replaced(tmp_path):
    for name in ("jobs.csv", "site.xml", "report.html", "notes.txt"):
        (tmp_path / name).write_text("mine")
    finished(tmp_path, force=True)
    assert (tmp_path / "jobs.csv").read_text().startswith("job_id")
    assert not (tmp_path / "site.xml").exists()
    assert not (tmp_path / "report.html").exists()
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_a_file_that_came_later_is_not_ours(tmp_path):
    """The marker names what the run has written: another site.xml in its directory was put there by somebody."""
    finished(tmp_path)
    (tmp_path / "site.xml").write_text("mine")
    with pytest.raises(UsageError, match=r"not written by a run: site\.xml"):
        Recording(Layout.directory(tmp_path))


def test_all_files_of_a_run_without_a_list_are_ours(tmp_path):
    """A run that was killed, or of an earlier version."""
    finished(tmp_path)
    state = json.loads((tmp_path / "run.json").read_text())
    (tmp_path / "run.json").write_text(json.dumps({**state, "files": None, "status": "running"}))
    (tmp_path / "leases.csv").write_text("of the run")
    finished(tmp_path)
    assert not (tmp_path / "leases.csv").exists()


def test_a_marker_does_not_make_other_files_ours(tmp_path):
    """run.json is data: what it names beyond the names of a run's files is left alone."""
    finished(tmp_path)
    state = json.loads((tmp_path / "run.json").read_text())
    (tmp_path / "precious.txt").write_text("mine")
    (tmp_path / "run.json").write_text(json.dumps({**state, "files": ["precious.txt", "../x", "/etc/hostname"]}))
    finished(tmp_path, force=True)
    assert (tmp_path / "precious.txt").read_text() == "mine"


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("name", ["jobs.csv", "site.xml", "jobs.parquet"])
def test_inputs_are_never_overwritten(tmp_path, name, force):
    finished(tmp_path)
    (tmp_path / name).write_text("the input")
    with pytest.raises(UsageError, match="is an input of this run"):
        Recording(Layout.directory(tmp_path), inputs=[tmp_path / name], force=force)
    assert (tmp_path / name).read_text() == "the input"
    assert read_state(tmp_path / "run.json").status is Status.COMPLETE


def test_inputs_are_recognised_behind_links_and_prefixes(tmp_path):
    (tmp_path / "input.json").write_text("the input")
    (tmp_path / "out_jobs.csv").symlink_to(tmp_path / "input.json")
    with pytest.raises(UsageError, match="is an input of this run"):
        Recording(Layout.batsim4(f"{tmp_path}/out"), inputs=[tmp_path / "input.json"])
    assert (tmp_path / "input.json").read_text() == "the input"


def test_a_second_writer_is_refused_by_name(tmp_path):
    first = Recording(Layout.directory(tmp_path))
    with pytest.raises(UsageError, match=f"is being written by process {os.getpid()} on "):
        Recording(Layout.directory(tmp_path))
    first.close()
    Recording(Layout.directory(tmp_path)).close()
    assert not [name for name in files(tmp_path) if "lock" in name]


def test_a_second_process_is_refused_and_a_dead_one_is_not_waited_for(tmp_path):
    code = (
        "import sys; from windtunnel.results.layout import Layout; from windtunnel.results.recording import Recording\n"
        f"r = Recording(Layout.directory({str(tmp_path)!r})); print('ready', flush=True); sys.stdin.read()"
    )
    child = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert child.stdout.readline() == b"ready\n"
        with pytest.raises(UsageError, match=f"is being written by process {child.pid} on "):
            Recording(Layout.directory(tmp_path))
    finally:
        child.kill()
        child.communicate()
    assert read_state(tmp_path / "run.json").status is Status.RUNNING
    finished(tmp_path)
    assert read_state(tmp_path / "run.json").status is Status.COMPLETE


def test_the_place_of_an_abandoned_recording_is_free(tmp_path):
    recording = Recording(Layout.directory(tmp_path))
    del recording
    gc.collect()
    Recording(Layout.directory(tmp_path)).close()


def test_somebody_else_began_there_meanwhile(tmp_path):
    """The lock was removed with the directory, or by hand: what is marked complete is of one run."""
    first = Recording(Layout.directory(tmp_path))
    (tmp_path / ".windtunnel.lock").unlink()
    second = Recording(Layout.directory(tmp_path))
    with pytest.raises(SimulationError, match="taken by another process"):
        end(first)
    assert read_state(tmp_path / "run.json").status is Status.RUNNING
    second.close()


def test_what_is_made_from_the_files_belongs_to_the_same_run(tmp_path):
    recording = Recording(Layout.directory(tmp_path))
    with recording.holding():
        recording.close()
        with pytest.raises(UsageError, match="is being written by"):
            Recording(Layout.directory(tmp_path))
    Recording(Layout.directory(tmp_path)).close()


def test_a_restored_run_takes_over_from_the_one_that_was_saved(tmp_path):
    saved = Recording(Layout.directory(tmp_path))
    again = pickle.loads(pickle.dumps(saved))
    again.resume()
    (rows,) = (rows for name, rows in saved.rows.items() if name == "jobs.csv")
    rows.pending.append("of the old one\n")
    with pytest.raises(SimulationError, match="a restored run continues in its own files"):
        saved.flush()
    saved.close()
    assert read_state(tmp_path / "run.json").status is Status.RUNNING
    again.close()
    assert b"of the old one" not in (tmp_path / "jobs.csv").read_bytes()


def test_a_saved_run_does_not_go_on_in_the_files_of_another(tmp_path):
    saved = Recording(Layout.directory(tmp_path))
    data = pickle.dumps(saved)
    saved.close()
    finished(tmp_path)
    jobs = tmp_path / "jobs.csv"
    jobs.write_bytes(jobs.read_bytes().replace(b"job_id", b"JOB_ID"))
    with pytest.raises(SimulationError, match="rows of another run"):
        pickle.loads(data).resume()


def test_a_place_in_memory_is_nobodys(tmp_path):
    first, second = Place.take(Layout()), Place.take(Layout())
    assert first.files() == second.files() == {}
    first.release()
    second.release()


def test_a_folder_that_cannot_be_written_to(tmp_path):
    (tmp_path / ".windtunnel.lock").mkdir()
    with pytest.raises(UsageError, match="cannot write"):
        Recording(Layout.directory(tmp_path))


def test_a_full_disk_is_marked(tmp_path, monkeypatch):
    """Nothing can be written any more, but for what has its place already: the marker says that the run is over."""
    recording = Recording(Layout.directory(tmp_path))

    def full(*_):
        raise SimulationError("cannot write: No space left on device")

    monkeypatch.setattr("windtunnel.results.run_files.write_whole", full)
    with pytest.raises(SimulationError, match="No space left"):
        end(recording)
    state = read_state(tmp_path / "run.json")
    assert state.status is Status.INCOMPLETE
    assert "No space left" in state.reason


def test_a_run_is_complete_when_all_that_is_made_of_it_is_there(tmp_path):
    recording = Recording(Layout.directory(tmp_path))
    with recording.holding():
        end(recording)
        assert read_state(tmp_path / "run.json").status is Status.RUNNING
    assert read_state(tmp_path / "run.json").status is Status.COMPLETE


def test_what_could_not_be_made_of_a_run_makes_it_incomplete(tmp_path):
    recording = Recording(Layout.directory(tmp_path))

    def make():
        with recording.holding():
            end(recording)
            raise SimulationError("cannot write jobs.parquet: No space left on device")

    with pytest.raises(SimulationError):
        make()
    state = read_state(tmp_path / "run.json")
    assert (state.status, state.reason) == (
        Status.INCOMPLETE,
        "cannot write jobs.parquet: No space left on device",
    )
