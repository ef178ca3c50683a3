"""The side that answers: strangers, second simulators and garbage leave the dialogue that is under way alone."""

import json
import socket
import struct
import threading
from contextlib import contextmanager

import pytest
import zmq

from windtunnel import api
from windtunnel.cli.scheduler import _settings
from windtunnel.diagnostics import ComponentError, UsageError, WindtunnelError
from windtunnel.schedulers import make_scheduler
from windtunnel.schedulers.registry import check_data_options
from windtunnel.testing import job, platform, workload
from windtunnel.wires.batprotocol.server import serve as serve_batprotocol
from windtunnel.wires.json.server import serve as serve_json

WORK = workload(job(1, 2, 5.0), job(2, 1, 5.0, at=1.0))


@contextmanager
def served(protocol="json"):
    """A scheduler in a thread: where it listens, and what ended it (None: the end of a simulation)."""
    told, ended = [], []
    listening = threading.Event()

    def ready(endpoint):
        told.append(endpoint)
        listening.set()

    def serve():
        try:
            if protocol == "json":
                serve_json(make_scheduler("fcfs"), "tcp://127.0.0.1:*", timeout=30.0, ready=ready)
            else:
                serve_batprotocol(lambda _: make_scheduler("fcfs"), "tcp://127.0.0.1:*", timeout=30.0, ready=ready)
        except WindtunnelError as error:
            ended.append(error)
        else:
            ended.append(None)

    thread = threading.Thread(target=serve)
    thread.start()
    assert listening.wait(30)
    try:
        yield told[0], ended
    finally:
        thread.join(60)


def simulated(endpoint, protocol="json"):
    """A whole simulation there."""
    prefix = "" if protocol == "json" else "batprotocol+"
    run = api.simulate(platform(2), WORK, f"{prefix}{endpoint}", timeout=30.0)
    assert run.jobs["finish_time"].to_list() == [5.0, 10.0]


def raw(endpoint, data):
    """Bytes of somebody who may not speak ZMTP at all; waits until they are met."""
    host, port = endpoint.removeprefix("tcp://").split(":")
    with socket.create_connection((host, int(port)), timeout=5) as line:
        line.sendall(data)
        line.settimeout(0.3)
        try:
            while line.recv(4096):
                pass
        except OSError:
            return


def send(endpoint, kind, *parts, wait=0):
    """A message of some kind of socket; the answer to it, if one is waited for (ms)."""
    with zmq.Context() as context, context.socket(kind) as line:
        line.linger = 1000
        line.connect(endpoint)
        line.send_multipart(parts)
        return line.recv_multipart() if wait and line.poll(wait) else None


OLD = b"\x01\x00" + b"\x01\x7e" + b'\x05\x00{"a"'
STRANGERS = {
    "bytes": lambda endpoint: raw(endpoint, b"\x00" * 100),
    "http": lambda endpoint: raw(endpoint, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
    "nothing": lambda endpoint: raw(endpoint, b""),
    "zmtp 1.0": lambda endpoint: raw(endpoint, OLD),
    "half a greeting": lambda endpoint: raw(endpoint, b"\xff" + bytes(8) + b"\x7f\x03"),
    "several parts": lambda endpoint: send(endpoint, zmq.REQ, b"{}", b"{}"),
    "no envelope": lambda endpoint: send(endpoint, zmq.DEALER, b"{}"),
    "no request": lambda endpoint: send(endpoint, zmq.REQ, b"\x00\xff garbage"),
    "an empty request": lambda endpoint: send(endpoint, zmq.REQ, b""),
}


@pytest.mark.parametrize("protocol", ["json", "batprotocol"])
@pytest.mark.parametrize("stranger", STRANGERS)
def test_strangers_before_a_dialogue_are_passed_over(stranger, protocol):
    with served(protocol) as (endpoint, ended):
        STRANGERS[stranger](endpoint)
        simulated(endpoint, protocol)
    assert ended == [None]


BEGIN = {
    "now": 0.0,
    "events": [
        {
            "timestamp": 0.0,
            "type": "SIMULATION_BEGINS",
            "data": {
                "nb_resources": 2,
                "nb_compute_resources": 2,
                "nb_storage_resources": 0,
                "allow_compute_sharing": False,
                "allow_storage_sharing": False,
                "config": {},
                "compute_resources": [
                    {"id": i, "name": f"h{i}", "state": "idle", "properties": {}} for i in range(2)
                ],
                "storage_resources": [],
                "workloads": {},
                "profiles": {},
            },
        }
    ],
}
END = {"now": 1.0, "events": [{"timestamp": 1.0, "type": "SIMULATION_ENDS", "data": {}}]}


@pytest.mark.parametrize("stranger", STRANGERS)
def test_strangers_during_a_dialogue_are_passed_over(stranger):
    with served() as (endpoint, ended), zmq.Context() as context, context.socket(zmq.REQ) as line:
        line.linger = 0
        line.rcvtimeo = 30_000
        line.connect(endpoint)
        line.send(json.dumps(BEGIN).encode())
        assert json.loads(line.recv())["now"] >= 0
        STRANGERS[stranger](endpoint)
        line.send(json.dumps(END).encode())
        assert json.loads(line.recv())["events"] == []
    assert ended == [None]


def test_a_second_simulator_is_refused_and_the_first_goes_on():
    with served() as (endpoint, ended), zmq.Context() as context, context.socket(zmq.REQ) as line:
        line.linger = 0
        line.rcvtimeo = 30_000
        line.connect(endpoint)
        line.send(json.dumps(BEGIN).encode())
        line.recv()
        (answer,) = send(endpoint, zmq.REQ, json.dumps(BEGIN).encode(), wait=30_000)
        assert "in a dialogue with another simulator" in json.loads(answer)["error"]
        with pytest.raises(ComponentError):
            api.simulate(platform(2), WORK, endpoint, timeout=30.0)
        line.send(json.dumps(END).encode())
        assert json.loads(line.recv())["events"] == []
    assert ended == [None]


def test_a_simulator_that_goes_away_ends_the_scheduler():
    with served() as (endpoint, ended):
        send(endpoint, zmq.REQ, json.dumps(BEGIN).encode(), wait=30_000)
    assert isinstance(ended[0], ComponentError)
    assert "has gone away before its simulation ended" in str(ended[0])


def test_a_length_that_is_none_is_passed_over():
    with served("batprotocol") as (endpoint, ended):
        send(endpoint, zmq.REQ, struct.pack("=I", 5) + b"abc")
        simulated(endpoint, "batprotocol")
    assert ended == [None]


@pytest.mark.parametrize(
    ("name", "told"),
    [("leases", {"mapper": "evil:Class"}), ("easy_bf_plot_liquid_load_horizon", {"trace_output_filename": "x"})],
)
def test_a_simulator_names_neither_code_nor_files(name, told):
    with pytest.raises(UsageError, match="input files may not"):
        check_data_options(name, _settings(json.dumps(told).encode()))
