"""Somebody who has Python, the repository and nothing else: the README alone leads to a report on a log of their own."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from shared import missing

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / ".ci" / "cold_reader.py"


@pytest.mark.slow
def test_from_a_clone_to_a_report_on_ones_own_log(tmp_path):
    clone = tmp_path / "clone"
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.split("\0")
    if not any(listed):
        missing("the repository's git folder")
    for name in filter(None, listed):
        source, target = ROOT / name, clone / name
        if source.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes())
    words = [sys.executable, str(PROGRAM), str(clone / "README.md"), str(tmp_path / "mine")]
    done = subprocess.run(words, capture_output=True, text=True, timeout=1200, check=False)
    assert done.returncode == 0, done.stderr[-3000:] + done.stdout[-2000:]
    assert (clone / "out" / "demo" / "jobs.csv").exists()
    assert (tmp_path / "mine" / "other" / "jobs.csv").read_text().count("COMPLETED_SUCCESSFULLY") == 300
    assert "waiting time, mean" in done.stdout  # the summary of a run
    assert "other" in done.stdout  # the comparison


def test_every_command_is_copied_from_the_page():
    spec = importlib.util.spec_from_file_location("cold_reader", PROGRAM)
    reader = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(reader)
    said = reader.commands(ROOT / "README.md", Path("mine"), None).splitlines()
    ours = {"set -ex", f"cd '{ROOT}'", "cd 'mine'", ""}
    page = (ROOT / "README.md").read_text()
    copied = [line for line in said if line not in ours]
    assert len(copied) >= 6
    assert [line for line in copied if line not in page] == []
