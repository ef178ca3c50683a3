"""The side that asks, against peers of libzmq, and what it makes of those that come late, leave or are none."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import zmq

import windtunnel
from windtunnel.diagnostics import ComponentError, ComponentTimeoutError, UsageError
from windtunnel.wires.zmq_peer import Replier, Requester


@contextlib.contextmanager
def library(endpoint, kind=zmq.REP, answer=lambda request: request, options=()):
    """A peer of libzmq in a thread; gives where it listens."""
    context = zmq.Context()
    peer = context.socket(kind)
    for name, value in options:
        peer.setsockopt(name, value)
    peer.bind(endpoint)
    over = threading.Event()

    def serve():
        while not over.is_set():
            if peer.poll(20):
                *head, request = peer.recv_multipart()
                peer.send_multipart([*head, answer(request)])

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield peer.getsockopt_string(zmq.LAST_ENDPOINT)
    finally:
        over.set()
        thread.join()
        context.destroy(0)


@contextlib.contextmanager
def asking(endpoint, timeout=60.0):
    requester = Requester(endpoint, timeout)
    requester.open()
    try:
        yield requester
    finally:
        requester.close()


@contextlib.contextmanager
def listening():
    """A listener that accepts connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server, f"tcp://127.0.0.1:{server.getsockname()[1]}"


def has_ipv6():
    with contextlib.suppress(OSError), socket.create_server(("::1", 0), family=socket.AF_INET6):
        return True
    return False


SIZES = [0, 1, 2, 250, 255, 256, 257, 8191, 8192, 65535, 65536, 70_000, 20_000_000]
IPV6 = pytest.param(
    "tcp://[::1]:*", marks=pytest.mark.skipif(not has_ipv6(), reason="there is no IPv6 on this machine")
)


@pytest.mark.parametrize("kind", [zmq.REP, zmq.ROUTER], ids=["REP", "ROUTER"])
@pytest.mark.parametrize("where", ["tcp://127.0.0.1:*", IPV6, "ipc://{}/s", "ipc://@{}-abstract"])
def test_libzmq(kind, where, tmp_path):
    options = [(zmq.IPV6, 1)] if "::1" in where else []
    with library(where.format(tmp_path), kind, options=options) as endpoint, asking(endpoint) as requester:
        for size in SIZES:
            request = bytes(range(256)) * (size // 256) + bytes(size % 256)
            assert requester.ask(request, 0.0) == request


def test_names_are_looked_up():
    with library("tcp://127.0.0.1:*") as endpoint, asking(endpoint.replace("127.0.0.1", "localhost")) as requester:
        assert requester.ask(b"x", 0.0) == b"x"


@pytest.mark.parametrize("size", [1, 100_000])
@pytest.mark.parametrize("who", ["it", "we"])
def test_heartbeats(who, size):
    """A peer that sends PING, and closes unless it hears of us; while it thinks, and while we simulate."""
    slow = lambda request: time.sleep(0.2 * (who == "it")) or request  # noqa: E731
    options = [(zmq.HEARTBEAT_IVL, 20), (zmq.HEARTBEAT_TIMEOUT, 100 if who == "it" else 5000)]
    with library("tcp://127.0.0.1:*", answer=slow, options=options) as endpoint, asking(endpoint) as requester:
        for k in range(3):
            assert requester.ask(bytes([k]) * size, 0.0) == bytes([k]) * size
            time.sleep(0.2 * (who == "we"))


def test_heartbeats_that_are_not_answered_in_time():
    """The limit: between two messages nobody answers them."""
    options = [(zmq.HEARTBEAT_IVL, 20), (zmq.HEARTBEAT_TIMEOUT, 50)]
    with library("tcp://127.0.0.1:*", options=options) as endpoint, asking(endpoint) as requester:
        assert requester.ask(b"a", 0.0) == b"a"
        time.sleep(0.4)
        with pytest.raises(ComponentError, match="has gone away between two messages"):
            requester.ask(b"b", 0.0)


def test_a_peer_that_comes_late(tmp_path):
    endpoint = f"ipc://{tmp_path}/late"
    with asking(endpoint) as requester, contextlib.ExitStack() as stack:
        timer = threading.Timer(0.3, lambda: stack.enter_context(library(endpoint)))
        timer.start()
        assert requester.ask(b"x", 0.0) == b"x"
        timer.join()


def test_a_peer_that_restarts(tmp_path):
    """The new one knows nothing of the run: it is not asked, unless all begins anew."""
    endpoint = f"ipc://{tmp_path}/s"
    heard = []
    with asking(endpoint) as requester:
        with library(endpoint):
            assert requester.ask(b"a", 1.0) == b"a"
        with library(endpoint, answer=lambda request: heard.append(request) or request):
            with pytest.raises(ComponentError, match=r"s has gone away between two messages \(at t=2.0 s\)"):
                requester.ask(b"b", 2.0)
            with pytest.raises(ComponentError, match=r"nothing more can be asked of .* has gone away between two"):
                requester.ask(b"c", 3.0)
            requester.close()
            with pytest.raises(ComponentError, match="nothing more can be asked"):
                requester.ask(b"d", 3.0)
            requester.open()
            assert requester.ask(b"e", 4.0) == b"e"
    assert heard == [b"e"]


@pytest.mark.parametrize("kind", [zmq.PUB, zmq.REQ, zmq.PULL])
def test_other_sockets(kind):
    context = zmq.Context()
    peer = context.socket(kind)
    port = peer.bind_to_random_port("tcp://127.0.0.1")
    with asking(f"tcp://127.0.0.1:{port}") as requester, pytest.raises(ComponentError, match="a socket of kind"):
        requester.ask(b"x", 0.0)
    context.destroy(0)


def test_encryption():
    public, secret = zmq.curve_keypair()
    options = [(zmq.CURVE_SERVER, 1), (zmq.CURVE_SECRETKEY, secret), (zmq.CURVE_PUBLICKEY, public)]
    said = "cannot be talked to: it asks for the security mechanism 'CURVE'"
    with (
        library("tcp://127.0.0.1:*", options=options) as endpoint,
        asking(endpoint) as requester,
        pytest.raises(ComponentError, match=said),
    ):
        requester.ask(b"x", 0.0)


def test_a_listener_that_says_nothing():
    said = "has not answered within 0.2 s: it accepts connections but says nothing"
    with (
        listening() as (_, endpoint),
        asking(endpoint, 0.2) as requester,
        pytest.raises(ComponentTimeoutError, match=said),
    ):
        requester.ask(b"x", 0.0)


def test_a_listener_that_hangs_up():
    """Such as a forwarder whose target is not there yet: tried again until the time is over."""
    with listening() as (server, endpoint):
        server.settimeout(60)
        count = 0

        def hang_up():
            nonlocal count
            with contextlib.suppress(OSError):
                while True:
                    server.accept()[0].close()
                    count += 1

        thread = threading.Thread(target=hang_up)
        thread.start()
        with asking(endpoint, 1.0) as requester, pytest.raises(ComponentTimeoutError, match=r"within 1 s: \w+"):
            requester.ask(b"x", 0.0)
        server.shutdown(socket.SHUT_RDWR)
        thread.join()
    assert count > 1


@pytest.mark.parametrize(
    "endpoint",
    [
        *("tcp://127.0.0.1", "tcp://:1", "tcp://a:0", "tcp://a:x", "tcp://*:28000", "tcp://a;b:1"),
        *("tcp://a..b:1", "tcp://" + "a" * 70 + ":1", "tcp://[::1:1", "tcp://a\0b:1", "tcp://a:1/", "tcp://a:٣"),
        *("ipc://", "ipc://" + "x" * 200, "ipc://a\0b"),
    ],
)
def test_no_endpoints(endpoint):
    with pytest.raises(UsageError, match="cannot connect to"):
        Requester(endpoint, 1.0).open()


@pytest.mark.parametrize("make", [Requester, Replier])
@pytest.mark.parametrize("port", ["65536", "9" * 5000])
def test_ports_that_are_none(make, port):
    with pytest.raises(UsageError, match="ports end at 65535"):
        make(f"tcp://127.0.0.1:{port}", 1.0)


@pytest.mark.parametrize("make", [Requester, Replier])
@pytest.mark.parametrize("endpoint", ["inproc://a", "a:1", "", "udp://a:1"])
def test_endpoints_that_lead_to_no_other_process(make, endpoint):
    """Neither side can use them: each of our sockets has a context of its own."""
    with pytest.raises(UsageError, match="is not an endpoint of tcp or ipc"):
        make(endpoint, 1.0)


def test_interrupted_while_waiting():
    """Ctrl-C is heard while it waits; the answer that is still owed is never taken for that to another request."""
    main = threading.main_thread().ident
    with listening() as (_, endpoint), asking(endpoint) as requester:
        heard = threading.Event()

        def press() -> None:
            """Again after a while: an interrupt in a finaliser is lost in any program."""
            while not heard.wait(1.0):
                signal.pthread_kill(main, signal.SIGINT)

        timer = threading.Thread(target=press)
        before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's jobs behind & ignore it
        timer.start()
        try:
            with pytest.raises(KeyboardInterrupt):  # after the timeout it would be another
                requester.ask(b"x", 0.0)
        finally:
            heard.set()
            timer.join()
            signal.signal(signal.SIGINT, before)
        with pytest.raises(ComponentError, match=r"nothing more can be asked .* was left before it answered"):
            requester.ask(b"x", 0.0)


@pytest.mark.parametrize("protocol", ["", "batprotocol+"])
@pytest.mark.parametrize("where", ["connecting", "waiting"])
def test_interrupted_runs_are_marked(tmp_path, where, protocol):
    """A whole program that gets Ctrl-C while nobody greets it, or while the scheduler thinks indefinitely."""
    (tmp_path / "jobs.swf").write_text("1 0 -1 9 1 -1 -1 1 9 -1 1 1 1 1 1 1 -1 -1\n")
    endpoint = f"ipc://{tmp_path}/s"
    words = ["run", "hosts:4", "jobs.swf", "-s", protocol + endpoint, "--out", "out"]
    environment = os.environ | {"PYTHONPATH": str(Path(windtunnel.__file__).parents[1])}
    command = [sys.executable, "-m", "windtunnel", *words]
    with zmq.Context() as context, context.socket(zmq.REP) as peer, socket.socket(socket.AF_UNIX) as mute:
        if where == "waiting":
            peer.bind(endpoint)
        else:
            mute.bind(f"{tmp_path}/s")
            mute.listen()
            mute.settimeout(20)
        with subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True) as process:
            if where == "waiting":
                assert peer.poll(20_000)
            else:
                mute.accept()[0].close()
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=20)
    assert (process.returncode, "Traceback" in errors, "interrupted" in errors) == (130, False, True)
    if (tmp_path / "out" / "run.json").exists() or not protocol:
        state = json.loads((tmp_path / "out" / "run.json").read_text())
        assert (state["status"], state["reason"]) == ("incomplete", "interrupted")
