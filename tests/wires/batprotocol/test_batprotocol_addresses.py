"""Components named by one word: ``lib:``, ``batprotocol+tcp://``."""

import threading
from pathlib import Path

import pytest
from tests.wires.batprotocol.listed import initial, rule
from tests.wires.peers import EXAMPLES, build

import windtunnel as wt
from windtunnel.diagnostics import UsageError
from windtunnel.schedulers import make_scheduler
from windtunnel.testing import job, platform, workload
from windtunnel.wires.batprotocol.address import component_at, is_address
from windtunnel.wires.batprotocol.server import serve

WORK = workload(*(job(k, 1 + k % 3, 5.0, at=float(k)) for k in range(9)))


@pytest.fixture(scope="module")
def libraries(tmp_path_factory):
    folder = tmp_path_factory.mktemp("libraries")
    listed = Path(__file__).with_name("listed.c")
    return {source.stem: build(source, folder) for source in (EXAMPLES / "one_by_one.c", listed)}


def test_which_words_are_addresses():
    assert is_address("lib:./x.so")
    assert is_address("batprotocol+ipc:///tmp/x")
    assert not is_address("easy")
    assert not is_address("tcp://127.0.0.1:1")


@pytest.mark.parametrize("settings", ["", "?isolated", "?load=dlmopen", "?isolated&load=dlmopen"])
def test_a_library(libraries, settings):
    run = wt.simulate(platform(4), WORK, f"lib:{libraries['one_by_one']}{settings}")
    assert list(run.jobs["finish_time"]) == [5.0 * k for k in range(1, 10)]


def test_initialisation_data_are_taken_as_they_are(libraries, tmp_path):
    """The rules hold ``&``, ``?`` and ``=``-like marks of JSON; from the text and from a file."""
    init = initial(rule("JobSubmitted", "RejectJob", {"job_id": "@id"}), "odd\t?&=\t0\t0\tx\t{}")
    (tmp_path / "init").write_text(init)
    for settings in (f"?init={init}", f"?init-file={tmp_path}/init"):
        run = wt.simulate(platform(4), WORK, f"lib:{libraries['listed']}{settings}")
        assert set(run.jobs["final_state"]) == {"REJECTED"}


def test_a_process(tmp_path):
    endpoint = f"ipc://{tmp_path}/edc"
    served = threading.Thread(target=lambda: serve(lambda _: make_scheduler("fcfs"), endpoint))
    served.start()
    run = wt.simulate(platform(4), WORK, f"batprotocol+{endpoint}", timeout=30.0)
    served.join(10)
    assert run.read("jobs.csv") == wt.simulate(platform(4), WORK, "fcfs").read("jobs.csv")


@pytest.mark.parametrize(
    ("address", "fault"),
    [
        ("lib:x.so?odd", "no setting 'odd'"),
        ("lib:x.so?load=ld", "no setting 'load=ld'"),
        ("batprotocol+tcp://127.0.0.1:1?isolated", "no setting 'isolated'"),
        ("lib:x.so?init-file=/nowhere/x", "cannot be read"),
        ("batprotocol+here", "not an endpoint"),
    ],
)
def test_mistakes(address, fault):
    with pytest.raises(UsageError, match=fault):
        component_at(address)


def test_options_go_elsewhere():
    with pytest.raises(UsageError, match="initialisation data"):
        wt.simulate(platform(4), WORK, "lib:x.so", scheduler_options={"a": 1})
