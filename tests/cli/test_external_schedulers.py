"""``windtunnel run`` with a scheduler behind a socket, and ``windtunnel scheduler`` at the other end."""

import json
import socket
import threading

import pytest
from tests.wires.batsim4_cases import served

from windtunnel.api import load_run
from windtunnel.cli.main import main
from windtunnel.schedulers import make_scheduler
from windtunnel.wires.json.server import Server

SWF = "".join(
    f"{k} {k * 5} -1 {20 + k} {1 + k % 3} -1 -1 {1 + k % 3} 100 -1 1 1 1 1 1 1 -1 -1\n" for k in range(1, 30)
)


@pytest.fixture
def trace(tmp_path):
    (tmp_path / "t.swf").write_text("; UnixStartTime: 0\n" + SWF)
    return tmp_path / "t.swf"


def jobs(folder):
    return (folder / "jobs.csv").read_text()


def test_run_over_a_socket(trace, tmp_path):
    """The same scheduler in process and behind a socket makes the same run, to the byte."""
    assert main(["run", "hosts:4", str(trace), "--scheduler", "easy", "--out", str(tmp_path / "in"), "-q"]) == 0
    with served(Server(make_scheduler("easy")).answer) as endpoint:
        words = ["run", "hosts:4", str(trace), "--scheduler", endpoint, "--out", str(tmp_path / "by"), "-q"]
        assert main(words) == 0
    assert jobs(tmp_path / "by") == jobs(tmp_path / "in")
    assert load_run(tmp_path / "by").jobs.height == 29


def test_a_job_that_took_no_time_and_asked_for_none(trace, tmp_path):
    """Its walltime is next to nothing, which six decimals would make nothing."""
    trace.write_text(trace.read_text() + "99 200 -1 0 1 -1 -1 1 -1 -1 1 1 1 1 1 1 -1 -1\n")
    batsim = tmp_path / "short.json"
    batsim.write_text(
        '{"nb_res": 4, "jobs": [{"id": "1", "subtime": 0, "res": 1, "profile": "p", "walltime": 1e-9}],'
        ' "profiles": {"p": {"type": "delay", "delay": 1e-10}}}'
    )
    for workload in (trace, batsim):
        assert main(["run", "hosts:4", str(workload), "--out", str(tmp_path / "in"), "-q"]) == 0
        with served(Server(make_scheduler("easy")).answer) as endpoint:
            assert main(["run", "hosts:4", str(workload), "-s", endpoint, "--out", str(tmp_path / "by"), "-q"]) == 0
        assert jobs(tmp_path / "by") == jobs(tmp_path / "in")


def test_scheduler_command(trace, tmp_path):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        endpoint = f"tcp://127.0.0.1:{probe.getsockname()[1]}"
    codes = []
    words = ["scheduler", "fcfs", "--endpoint", endpoint, "--timeout", "30", "-q"]
    thread = threading.Thread(target=lambda: codes.append(main(words)))
    thread.start()
    assert main(["run", "hosts:4", str(trace), "-s", endpoint, "--out", str(tmp_path / "out"), "-q"]) == 0
    thread.join(30)
    assert codes == [0]
    assert jobs(tmp_path / "out").count("COMPLETED_SUCCESSFULLY") == 29


def test_options_of_the_protocol(trace, tmp_path):
    told = []
    server = Server(make_scheduler("easy"))

    def answer(request):
        told.extend(json.loads(request)["events"])
        return server.answer(request)

    with served(answer) as endpoint:
        options = ["-o", "forward_profiles=true", "-o", "scheduler_config=quick"]
        assert main(["run", "hosts:4", str(trace), "-s", endpoint, *options, "-q"]) == 0
    assert told[0]["data"]["config"]["sched-config"] == "quick"
    assert "profile" in told[1]["data"]


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("depth=3", "no option 'depth'"),
        ("redis_port=x", "redis_port must be a whole number"),
        ("acknowledge_dynamic_jobs=true", "needs dynamic jobs"),
    ],
)
def test_options_refused(trace, capsys, option, said):
    assert main(["run", "hosts:4", str(trace), "-s", "tcp://127.0.0.1:1", "-o", option, "-q"]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("protocol", ["", "batprotocol+"])
def test_nobody_listens(trace, tmp_path, capsys, protocol):
    words = [
        "run",
        "hosts:4",
        str(trace),
        "-s",
        f"{protocol}tcp://127.0.0.1:1",
        "--timeout",
        "0.2",
        "--out",
        str(tmp_path / "o"),
    ]
    assert main([*words, "-q"]) == 1
    assert "tcp://127.0.0.1:1 has not answered within 0.2 s" in capsys.readouterr().err
    assert json.loads((tmp_path / "o" / "run.json").read_text())["status"] == "incomplete"
