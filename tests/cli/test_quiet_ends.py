"""Ends that were quietly wrong: outputs of very late dates that could not be read back, and terminals that obey inputs."""

import json
import os
import pty
import subprocess
import sys

import pytest

from windtunnel.cli.main import main

DELAY = {"d": {"type": "delay", "delay": 5}}


@pytest.mark.parametrize("date", [1e15, 1e23, 1e300])
def test_what_a_late_run_writes_can_be_read(tmp_path, monkeypatch, capsys, date):
    monkeypatch.chdir(tmp_path)
    work = {"nb_res": 2, "jobs": [{"id": "1", "subtime": date, "res": 1, "profile": "d"}], "profiles": DELAY}
    (tmp_path / "w.json").write_text(json.dumps(work))
    assert main(["run", "hosts:2", "w.json", "-q", "--out", "out", "--parquet"]) == 0
    for words in (["metrics", "out"], ["why", "out", "w0!1"], ["report", "out"], ["compare", "out", "out"]):
        assert main(words) == 0, capsys.readouterr().err
    assert "damaged" not in "".join(capsys.readouterr())


def on_a_terminal(folder, *words):
    """What a terminal gets that stands behind both streams of a command."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([sys.executable, "-m", "windtunnel", *words], cwd=folder, stdout=theirs, stderr=theirs)
    os.close(theirs)
    said = b""
    while True:
        try:
            part = os.read(ours, 1 << 16)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        said += part
    os.close(ours)
    process.wait()
    return said


def test_no_terminal_obeys_an_input(tmp_path):
    title = "\x1b]0;owned\x07\x9b31m"
    work = {"nb_res": 2, "jobs": [{"id": title, "subtime": 0, "res": 1, "profile": "d"}], "profiles": DELAY}
    (tmp_path / "good.json").write_text(json.dumps(work))
    (tmp_path / "bad.json").write_text(json.dumps({**work, "profiles": {"d": {"type": title}}}))
    assert main(["run", "hosts:2", str(tmp_path / "good.json"), "-q", "--out", str(tmp_path / "out")]) == 0
    lines = (
        ["why", "out", f"w0!{title}"],
        ["validate", "bad.json"],
        ["run", "hosts:2", "bad.json"],
        ["run", "hosts:2", "good.json", "-s", title],
        ["why", "out", title],
    )
    for words in lines:
        said = on_a_terminal(tmp_path, *words)
        assert b"owned" in said, words
        assert b"\x1b]0" not in said, words
        assert b"\x07" not in said, words
        assert "\x9b".encode() not in said, words


def test_a_fault_of_ours_has_a_place_in_ours(monkeypatch, capsys):
    """Not the last line of a library beneath: its readers look into the code that is named."""
    monkeypatch.setattr("windtunnel.cli.inspect.inspect", lambda: json.loads(5))
    assert main(["inspect"]) == 1
    said = capsys.readouterr().err
    assert "an internal error of windtunnel: TypeError" in said
    assert "(windtunnel/cli/main.py, line " in said
