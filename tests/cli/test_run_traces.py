"""Real logs from the command line: read, accounted for, simulated, recorded."""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.shared import shared

import windtunnel

SOURCE = str(Path(windtunnel.__file__).parents[1])


def run(*words):
    done = subprocess.run(
        [sys.executable, "-m", "windtunnel", "run", *map(str, words)],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": SOURCE},
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done


@pytest.mark.parametrize(
    ("trace", "hosts", "rows"),
    [
        ("traces/KTH-SP2-1996-2.swf.gz", 100, 28_489),
        pytest.param("traces/CEA-Curie-2011-2.1-cln.swf.gz", 93_312, 312_826, marks=pytest.mark.slow),
    ],
)
def test_a_real_log_under_easy(tmp_path, trace, hosts, rows):
    done = run(f"hosts:{hosts}", shared(trace), "--scheduler", "easy", "--out", tmp_path / "out", "--json")
    account = done.stderr
    assert f": {rows} rows read" in account, account
    metrics = json.loads(done.stdout)
    with (tmp_path / "out" / "jobs.csv").open() as file:
        written = sum(1 for _ in csv.reader(file)) - 1
    assert metrics["jobs"] == written
    assert 0 < metrics["utilisation"] < 1
    assert json.loads((tmp_path / "out" / "run.json").read_text())["status"] == "complete"


def test_mistakes_are_messages_and_exit_2(tmp_path):
    for words in (
        ["hosts:x", "w.swf"],
        ["hosts:4", tmp_path / "none.swf"],
        ["hosts:4"],
        ["example:no"],
        ["example:small", "-s", "easi"],
        ["example:small", "-o", "depth"],
        ["example:small", "-o", "depth=3"],
    ):
        done = subprocess.run(
            [sys.executable, "-m", "windtunnel", "run", *map(str, words)],
            capture_output=True,
            text=True,
            env=os.environ | {"PYTHONPATH": SOURCE},
        )
        assert done.returncode == 2, (words, done.stdout, done.stderr)
        assert "Traceback" not in done.stderr
        assert done.stderr.strip()
