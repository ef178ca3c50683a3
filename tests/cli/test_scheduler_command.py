"""``windtunnel scheduler``: ours served over batprotocol, with options from both sides."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import windtunnel
from windtunnel import api
from windtunnel.cli.main import main
from windtunnel.cli.scheduler import _settings
from windtunnel.diagnostics import UsageError
from windtunnel.testing import job, platform, workload

SUBPROCESS = os.environ | {"PYTHONPATH": str(Path(windtunnel.__file__).parents[1])}

# The first job takes both hosts; of the two that wait behind it the later one is the smaller.
WORK = workload(
    job(1, 2, 5.0, walltime=9.0), job(2, 2, 5.0, at=1.0, walltime=9.0), job(3, 1, 5.0, at=2.0, walltime=9.0)
)


def served(tmp_path, init, *words):
    """The order of starts under a scheduler in a thread of this process."""
    endpoint = f"ipc://{tmp_path}/edc"
    command = [
        "scheduler",
        "fcfs",
        "--protocol",
        "batprotocol",
        "--endpoint",
        endpoint,
        "-q",
        "--timeout",
        "30",
        *words,
    ]
    codes = []
    thread = threading.Thread(target=lambda: codes.append(main(command)))
    thread.start()
    run = api.simulate(platform(2), WORK, f"batprotocol+{endpoint}?init={init}", timeout=30.0)
    thread.join(30)
    assert codes == [0]
    jobs = run.jobs.sort("starting_time")
    return [str(name) for name in jobs["job_id"]]


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_options_from_the_simulator(tmp_path, form):
    assert served(tmp_path, "", *form) == ["1", "2", "3"]
    assert served(tmp_path, '{"queue_order": "asc_size"}', *form) == ["1", "3", "2"]


def test_options_of_the_command_line_come_first(tmp_path):
    assert served(tmp_path, '{"queue_order": "asc_size"}', "-o", "queue_order=fcfs") == ["1", "2", "3"]


def test_initialisation_data_that_are_no_options():
    assert _settings(b' {"a": 1} ') == {"a": 1}
    for data in (b"[1]", b"quick", b"\xff"):
        with pytest.raises(UsageError, match="not a JSON object"):
            _settings(data)


def test_json_belongs_to_batprotocol(capfd):
    assert main(["scheduler", "fcfs", "--json"]) == 2
    assert "--json requires --protocol batprotocol" in capfd.readouterr().err


def test_it_gives_up_when_nobody_comes(tmp_path):
    words = ["--protocol", "batprotocol", "--endpoint", f"ipc://{tmp_path}/edc", "--timeout", "0.3"]
    done = subprocess.run(
        [sys.executable, "-m", "windtunnel", "scheduler", "fcfs", *words],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env=SUBPROCESS,
    )
    assert done.returncode == 1
    assert f"fcfs listens at ipc://{tmp_path}/edc" in done.stderr
    assert "nothing was asked" in done.stderr
