"""ElastiSim's socket, both ends, and libzmq's at the other."""

import socket
import threading
import time
from types import SimpleNamespace

import pytest

from windtunnel.diagnostics import ComponentError, ComponentTimeoutError, UsageError
from windtunnel.wires.elastisim import pair
from windtunnel.wires.elastisim.pair import Pair
from windtunnel.wires.zmtp import ZmtpError

zmq = pytest.importorskip("zmq")


@pytest.fixture
def theirs():
    """Makes sockets of libzmq."""
    context, made = zmq.Context(), []

    def socket_of(kind):
        made.append(context.socket(kind))
        return made[-1]

    yield socket_of
    for one in made:
        one.close(0)
    context.term()


@pytest.fixture(params=["ipc", "tcp"])
def endpoint(request, tmp_path):
    if request.param == "ipc":
        return f"ipc://{tmp_path}/pair"
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return f"tcp://127.0.0.1:{one.getsockname()[1]}"


def opened(endpoint, *, bind, timeout=20.0):
    ours = Pair(endpoint, bind=bind, timeout=timeout)
    ours.start()
    ours.start()
    return ours


def echo(peer, count):
    for _ in range(count):
        peer.send(b"re: " + peer.recv())


MESSAGES = [b"", b"first", b"long" * 1000, b"longer" * 100_000]


@pytest.mark.parametrize("bind", [True, False])
def test_messages_and_a_farewell(theirs, endpoint, bind):
    peer = theirs(zmq.PAIR)
    (peer.connect if bind else peer.bind)(endpoint)
    ours = opened(endpoint, bind=bind)
    other = threading.Thread(target=echo, args=(peer, len(MESSAGES)))
    other.start()
    assert [ours.ask(one, 0.0) for one in MESSAGES] == [b"re: " + one for one in MESSAGES]
    other.join()
    ours.tell(b"good-bye")
    ours.stop()
    ours.stop()
    assert peer.recv() == b"good-bye"


def test_both_ends_are_ours(endpoint):
    ours, other = opened(endpoint, bind=True), opened(endpoint, bind=False)
    asked = threading.Thread(target=lambda: other.send(b"re: " + other.receive(0.0), 0.0))
    asked.start()
    assert ours.ask(b"one", 0.0) == b"re: one"
    asked.join()
    other.stop()
    with pytest.raises(ComponentError, match="has gone away"):
        ours.ask(b"two", 0.0)
    with pytest.raises(ComponentError, match="has gone away"):
        ours.ask(b"three", 0.0)
    ours.tell(b"nobody hears it")
    ours.stop()


@pytest.mark.parametrize("bind", [True, False])
def test_nobody_is_there(endpoint, bind):
    ours = opened(endpoint, bind=bind, timeout=0.1)
    with pytest.raises(ComponentTimeoutError, match=r"was not there within 0.1 s"):
        ours.send(b"hello", 0.0)
    ours.tell(b"nobody hears it")
    ours.stop()


def test_who_is_silent_is_not_waited_for(theirs, endpoint):
    peer = theirs(zmq.PAIR)
    peer.connect(endpoint)
    ours = opened(endpoint, bind=True)
    ours.send(b"hello", 0.0)
    ours.timeout = 0.1
    with pytest.raises(ComponentTimeoutError, match=r"has not answered within 0.1 s"):
        ours.receive(0.0)
    ours.stop()


def test_strangers_are_passed_over(theirs, tmp_path):
    """One who has left already, one who speaks another protocol, one who is no PAIR; then the algorithm."""
    endpoint = f"ipc://{tmp_path}/pair"
    ours = opened(endpoint, bind=True)
    with socket.socket(socket.AF_UNIX) as visitor:
        visitor.connect(f"{tmp_path}/pair")
    with socket.socket(socket.AF_UNIX) as browser:
        browser.connect(f"{tmp_path}/pair")
        browser.sendall(b"GET / HTTP/1.1\r\n\r\n" + bytes(100))
        stranger = theirs(zmq.REQ)
        stranger.setsockopt(zmq.RECONNECT_IVL, -1)
        stranger.connect(endpoint)
        peer = theirs(zmq.PAIR)
        peer.connect(endpoint)
        other = threading.Thread(target=echo, args=(peer, 1))
        other.start()
        assert ours.ask(b"one", 0.0) == b"re: one"
        other.join()
    ours.stop()


@pytest.fixture
def clock(monkeypatch):
    """Time is over as soon as somebody was refused."""
    late, greeted = [], pair._greeted

    def refused(*given, **how):
        try:
            return greeted(*given, **how)
        except ZmtpError:
            late.append(60.0)
            raise

    monkeypatch.setattr(pair, "_greeted", refused)
    monkeypatch.setattr(
        pair, "time", SimpleNamespace(monotonic=lambda: time.monotonic() + sum(late), sleep=time.sleep)
    )


@pytest.mark.usefixtures("clock")
def test_of_whom_nobody_was_a_pair_is_told(theirs, tmp_path):
    endpoint = f"ipc://{tmp_path}/pair"
    stranger = theirs(zmq.REQ)
    stranger.connect(endpoint)
    ours = opened(endpoint, bind=True, timeout=60.0)
    with pytest.raises(ComponentTimeoutError, match=r"was not there .*a socket of kind 'REQ', not PAIR"):
        ours.send(b"hello", 0.0)
    ours.stop()
    stranger.close(0)
    answering = theirs(zmq.REP)
    answering.bind(endpoint)
    ours = opened(endpoint, bind=False)
    with pytest.raises(ComponentError, match="a socket of kind 'REP', not PAIR"):
        ours.send(b"hello", 0.0)
    ours.stop()


@pytest.mark.parametrize("endpoint", ["tcp://*:*", "tcp://127.0.0.1:0", "tcp://127.0.0.1", "ipc://"])
def test_endpoints_that_nobody_could_reach(endpoint):
    with pytest.raises(UsageError):
        Pair(endpoint, bind=True).start()
    with pytest.raises(UsageError):
        Pair("inproc://here", bind=True)
