"""Listening where an endpoint says."""

import os
import socket

import pytest

from windtunnel.diagnostics import UsageError
from windtunnel.wires.listening import listen


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def reached(family, address):
    with socket.socket(family, socket.SOCK_STREAM) as one:
        one.connect(address)


@pytest.mark.parametrize("host", ["*", "127.0.0.1", "localhost"])
def test_ports(host):
    port = free_port()
    _, close = listen(f"tcp://{host}:{port}")
    reached(socket.AF_INET, ("127.0.0.1", port))
    with pytest.raises(UsageError, match="cannot listen"):
        listen(f"tcp://127.0.0.1:{port}")
    close()
    with pytest.raises(ConnectionRefusedError):
        reached(socket.AF_INET, ("127.0.0.1", port))


def test_paths_also_relative_ones(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    left, _ = listen("ipc://here")
    left.close()  # as a process that was killed leaves it
    assert (tmp_path / "here").exists()
    _, close = listen("ipc://here")
    reached(socket.AF_UNIX, str(tmp_path / "here"))
    monkeypatch.chdir("/")
    close()
    assert not (tmp_path / "here").exists()


def test_names_without_a_path():
    name = f"@windtunnel-test-{os.getpid()}"
    _, close = listen(f"ipc://{name}")
    reached(socket.AF_UNIX, b"\0" + name[1:].encode())
    close()


def test_a_file_stays(tmp_path):
    (tmp_path / "results.csv").write_text("precious")
    with pytest.raises(UsageError, match=r"cannot listen at .*in use"):
        listen(f"ipc://{tmp_path}/results.csv")
    assert (tmp_path / "results.csv").read_text() == "precious"


@pytest.mark.parametrize(
    "endpoint", ["tcp://*", "tcp://*:0", "tcp://no such host:5", "ipc://", f"ipc:///{'x' * 200}"]
)
def test_endpoints_that_are_none(endpoint):
    with pytest.raises(UsageError):
        listen(endpoint)
