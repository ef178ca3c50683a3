"""Where a command line meets streams that are closed, full or old, targets that are not files, and odd numbers."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import windtunnel as wt
from windtunnel.cli.main import COMMANDS, main
from windtunnel.diagnostics import InputError, SimulationError, UsageError, replacing
from windtunnel.examples import find
from windtunnel.results.state import read_state

SMALL = find("small")
JOBS = SMALL.workloads[0]
FULL = Path("/dev/full")


def shell(line, **env):
    """Run a line of the shell in which ``windtunnel`` is the command line."""
    line = line.replace("windtunnel ", f"'{sys.executable}' -m windtunnel ")
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, env={**os.environ, **env}, timeout=60)
    assert "Traceback" not in done.stderr, done.stderr
    return done


def refused(capsys, *words):
    """Run a line that is wrong; what it says."""
    assert main([str(word) for word in words]) == 2
    said = capsys.readouterr()
    assert not said.out
    return said.err


@pytest.mark.parametrize("stream", ["<&-", ">&-", "2>&-"])
def test_closed_streams_are_no_reason_to_fail(stream):
    assert shell(f"windtunnel run example:small --json {stream}").returncode == 0


@pytest.mark.parametrize("streams", [(1,), (2,), (1, 2)])
@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["run", "hosts:4", "log.swf", "--timeout", "5"], 0),  # with an account, on standard error
        (["validate", "bad.json"], 1),
        (["formats"], 0),
        (["run", "none"], 2),
        (["none"], 2),
        (["run"], 2),
    ],
)
def test_who_stops_reading_changes_no_exit_code(tmp_path, streams, words, code):
    (tmp_path / "log.swf").write_text("1 0 0 100 4 -1 -1 4 200 -1 1 1 1 1 1 1 -1 -1\n")
    (tmp_path / "bad.json").write_text("{}")
    reader, writer = os.pipe()
    os.close(reader)
    given = {name: writer if number in streams else subprocess.PIPE for number, name in ((1, "stdout"), (2, "stderr"))}
    try:
        done = subprocess.run([sys.executable, "-m", "windtunnel", *words], **given, cwd=tmp_path, text=True, timeout=60)
    finally:
        os.close(writer)
    assert done.returncode == code
    assert "Broken pipe" not in (done.stdout or "") + (done.stderr or "")


@pytest.mark.skipif(not FULL.is_char_device(), reason="there is no /dev/full here")
@pytest.mark.parametrize(("line", "code"), [("run example:small --timeout 5", 0), ("run none", 2), ("none", 2)])
def test_a_full_disk_behind_stderr_changes_nothing(line, code):
    done = shell(f"windtunnel {line} 2> /dev/full")
    assert (done.returncode, "makespan" in done.stdout) == (code, code == 0)


@pytest.mark.skipif(not FULL.is_char_device(), reason="there is no /dev/full here")
@pytest.mark.parametrize("line", ["run example:small -q --json", "--help", f"inspect {SMALL.platform}"])
def test_a_full_disk_behind_stdout_is_said(line):
    done = shell(f"windtunnel {line} > /dev/full")
    assert (done.returncode, "No space left" in done.stderr) == (1, True)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_is_printed_in_any_encoding_and_fits_80_columns(command):
    done = shell(f"windtunnel {command} --help", PYTHONIOENCODING="ascii", COLUMNS="80")
    assert done.returncode == 0
    usage, examples = done.stdout, "Example" in done.stdout or "examples:" in done.stdout
    assert examples or "Commands:" in usage
    assert (
        max(len(line) for line in usage.splitlines() if "windtunnel " not in line and "--verbosity" not in line) <= 80
    )


def test_the_list_of_commands_fits_80_columns(capsys):
    assert main(["--help"]) == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 80


def test_devices_and_pipes_are_written_to_and_links_followed(tmp_path):
    pipe, link, target = tmp_path / "pipe", tmp_path / "link", tmp_path / "target"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with replacing(pipe) as beside:
        beside.write_bytes(b"through")
    assert os.read(reader, 100) == b"through"
    os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    link.symlink_to(target)
    with replacing(link) as beside:
        beside.write_bytes(b"here")
    assert link.is_symlink()
    assert target.read_bytes() == b"here"


@pytest.mark.skipif(not FULL.is_char_device(), reason="there is no /dev/full here")
def test_a_full_disk_is_an_error_of_the_run_and_the_device_stays():
    with pytest.raises(SimulationError, match="No space left"), replacing(FULL) as beside:
        beside.write_bytes(b"much")
    assert FULL.is_char_device()


def test_an_error_leaves_the_old_file(tmp_path):
    kept = tmp_path / "kept"
    kept.write_text("old")

    def fail():
        with replacing(kept) as beside:
            beside.write_text("half")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
    assert kept.read_text() == "old"
    with pytest.raises(UsageError, match="cannot write"), replacing(tmp_path / "no" / "file") as beside:
        beside.write_text("")


def test_a_log_may_be_converted_onto_itself(tmp_path):
    log = tmp_path / "log.swf"
    assert main(["convert", JOBS, str(log)]) == 0
    before = log.read_bytes()
    assert main(["convert", str(log), str(log)]) == 0
    assert log.read_bytes() == before != b""


def test_a_target_that_cannot_be_written_is_named(capsys, tmp_path):
    missing = tmp_path / "missing" / "x.swf"
    assert str(missing) in refused(capsys, "convert", JOBS, missing)
    assert "--report" in refused(capsys, "run", "example:small", "--report", tmp_path)
    assert "--report" in refused(capsys, "run", "example:small", "--report", missing)
    assert "--out" in refused(capsys, "run", "example:small", "--parquet")


@pytest.mark.parametrize("number", ["nan", "-1", "inf", "much"])
@pytest.mark.parametrize(
    "words",
    [
        ("run", "example:small", "--until"),
        ("run", "example:small", "--timeout"),
        ("run", "example:small", "--nodes-every"),
        ("nodes", "out", "--at"),
        ("serve", "nodes", "out", "--port"),
        ("compare", "a", "b", "--tolerance"),
        ("scheduler", "easy", "--timeout"),
    ],
)
def test_odd_numbers_are_refused(capsys, words, number):
    assert words[-1] in refused(capsys, *words, number)


def test_validate_knows_its_kinds_and_reads_any_format_from_standard_input(capsys):
    assert "did you mean 'workload'" in refused(capsys, "validate", "--kind", "workloads", JOBS)
    assert shell(f"windtunnel validate - < '{JOBS}'").stdout == "no findings\n"
    done = shell("echo '{\"jobs\": []}' | windtunnel validate -")
    assert (done.returncode, done.stdout.startswith("standard input:1:1: error")) == (1, True)


def test_findings_name_a_file_as_the_user_does(capsys, tmp_path, monkeypatch):
    (tmp_path / "w.json").write_text('{"jobs": []}')
    monkeypatch.chdir(tmp_path)
    assert main(["validate", "w.json"]) == 1
    assert capsys.readouterr().out.startswith("w.json:1:1: error")


def test_files_in_the_wrong_place_are_recognised(capsys):
    swapped = refused(capsys, "run", JOBS, SMALL.platform)
    assert "it looks like the format batsim (workload); the platform comes before the workload" in swapped
    assert "it looks like the format simgrid (platform)" in refused(capsys, "run", SMALL.platform, SMALL.platform)
    log = find("datacenters").workloads[0]
    assert "walltime must be one of extend, kill, not 'stretch'" in refused(
        capsys, "run", "hosts:64", log, "--walltime", "stretch"
    )


def test_options_that_would_have_no_effect_are_refused(capsys, tmp_path):
    assert "add --energy" in refused(capsys, "run", "example:small", "--energy-rule", "simgrid")
    (tmp_path / "n.xml").write_text("<Data><Node><Id>a</Id></Node></Data>")
    assert "has one state" in refused(capsys, "nodes", tmp_path / "n.xml", "--at", 5)
    assert "--query has its own form" in refused(capsys, "nodes", tmp_path / "n.xml", "--moab", "--query", "q.xml")
    words = ("run", "hosts:4", JOBS, "--numbering", "lexicographic")
    assert "the format hosts: no option 'numbering'" in refused(capsys, *words)


def test_pipes_as_inputs_are_refused_by_name():
    done = shell(f"cat '{JOBS}' | windtunnel run hosts:16 /dev/stdin")
    assert (done.returncode, "is a pipe" in done.stderr) == (2, True)


@pytest.mark.parametrize("timeout", ["nan", "0", "-1", "inf"])
def test_sockets_want_a_sensible_timeout(capsys, timeout):
    words = ("batsim4", "-p", SMALL.platform, "--enable-dynamic-jobs", "-s", "tcp://127.0.0.1:39997")
    assert "timeout" in refused(capsys, *words, "--timeout", timeout)


def test_what_cannot_be_made_beside_a_target_is_said_of_the_target(tmp_path, capsys):
    """The file that was to take its place was named instead, as a failure of the simulation."""
    (tmp_path / "file").write_text("")
    target = tmp_path / "file" / "page.html"
    with pytest.raises(UsageError, match=f"cannot write {target}: Not a directory"), replacing(target) as beside:
        beside.write_text("")
    assert "there is no study in" in refused(capsys, "study", "show", tmp_path / "file")


def test_a_report_that_cannot_be_written_is_refused_before_the_run(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("windtunnel.cli.summary.os.access", lambda *_: False)  # the superuser may write everywhere
    said = refused(capsys, "run", "example:small", "--report", tmp_path / "page.html", "--out", tmp_path / "out")
    assert f"--report: nothing can be written to {tmp_path}" in said
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are UTF-8 on other systems")
def test_names_of_files_that_are_no_utf_8(tmp_path):
    """A run whose site, log or directory had one ended in an internal error."""
    folder = os.fsencode(tmp_path)
    log = folder + b"/one\xff.swf"
    Path(os.fsdecode(log)).write_text("1 0 0 100 4 -1 -1 4 200 -1 1 1 1 1 1 1 -1 -1\n")
    words = [b"run", b"hosts:4", log, b"-q", b"-s", b"easy", b"--out", folder + b"/out\xff"]
    command = [os.fsencode(sys.executable), b"-m", b"windtunnel", *words]
    done = subprocess.run(command, capture_output=True, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (0, b"")
    state = read_state(Path(os.fsdecode(folder + b"/out\xff/run.json")))
    assert state.workloads[0].path.endswith("one\\udcff.swf")


LONG = "y" * 300
"""Longer than a name can be: what is asked about it fails, as it does in folders that are not one's own."""


@pytest.mark.parametrize(
    "line",
    [
        f"run {LONG} hosts:4",
        f"run hosts:4 {LONG}",
        f"run example:small -q --out {LONG}",
        f"run example:small -q --report {LONG}",
        f"run example:small -q --events {LONG}",
        f"run hosts:4 {JOBS} -q --workload-option mapping={LONG}",
        f"report {LONG}",
        f"metrics {LONG}",
        f"compare {LONG} {LONG}",
        f"nodes {LONG}",
        f"convert {JOBS} {LONG}.json --to batsim4",
        f"inspect {LONG}",
        f"study run {LONG}",
    ],
)
def test_places_that_cannot_be_looked_at_are_mistakes(capsys, tmp_path, monkeypatch, line):
    monkeypatch.chdir(tmp_path)
    said = refused(capsys, *line.split())
    assert LONG in said
    assert not [*tmp_path.iterdir()]


def test_in_python_too(tmp_path):
    for call in (lambda: wt.load_run(LONG), lambda: wt.simulate("example:small", out=tmp_path / LONG)):
        with pytest.raises(UsageError):
            call()
    with pytest.raises(InputError, match="File name too long"):
        wt.read_workload(LONG)


@pytest.mark.skipif(sys.platform == "win32", reason="a folder that is in use stays")
def test_a_current_directory_that_is_gone(tmp_path):
    done = shell(f"mkdir {tmp_path}/gone && cd {tmp_path}/gone && rmdir ../gone && windtunnel run example:small --out x")
    assert done.returncode == 2
    assert "the current directory: No such file" in done.stderr


def test_a_file_of_a_run_is_not_the_run(tmp_path, capsys):
    folder = tmp_path / "my run"
    assert main(["run", "example:small", "-q", "--out", str(folder)]) == 0
    assert f"name the directory, {folder}" in refused(capsys, "metrics", folder / "run.json")
    assert f"windtunnel metrics '{folder}'" in refused(capsys, "study", "show", folder)
    assert f"windtunnel report '{folder}' shows" in refused(capsys, "lease", "gantt", folder)
