"""Our end of a PAIR, byte by byte."""

import contextlib
import socket
import threading
import time

import pytest

from windtunnel.wires.zmtp import ZmtpError, frame
from windtunnel.wires.zmtp_pair import PairStream

GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x01" + b"NULL".ljust(20, b"\0") + bytes(32)
READY = frame(4, b"\x05READY\x0bSocket-Type\0\0\0\4PAIR")
OLD = GREETING[:10] + b"\1\0\0\0"
PING = frame(4, b"\x04PING\0\x0acontext")
SIZES = (0, 1, 255, 256, 257, 258, 65_527, 65_528, 70_000)


made: list[socket.socket] = []


@pytest.fixture(autouse=True)
def closed():
    """Closed sockets are left."""
    yield
    while made:
        made.pop().close()


class Peer:
    """Says this, in pieces of so many bytes, and stays until it is left."""

    def __init__(self, said, piece=1 << 20):
        self.ours, self.theirs = socket.socketpair()
        made.extend((self.ours, self.theirs))
        self.heard = b""
        self.thread = threading.Thread(target=self.run, args=(said, piece), daemon=True)
        self.thread.start()

    def run(self, said, piece):
        for at in range(0, len(said), piece):
            self.theirs.sendall(said[at : at + piece])
            if piece < 1000:
                time.sleep(0.0002)
        with contextlib.suppress(OSError):
            while more := self.theirs.recv(1 << 20):
                self.heard += more

    def stream(self, timeout=60.0):
        return PairStream(self.ours, time.monotonic() + timeout)

    def leave(self, stream):
        """What it has heard."""
        stream.leave()
        self.thread.join()
        self.theirs.close()
        return self.heard


def received(stream, timeout=60.0):
    return stream.receive(timeout, time.monotonic() + timeout)


@pytest.mark.parametrize("greeting", [GREETING + READY, OLD], ids=["3", "2"])
def test_messages_of_all_sizes_are_received_together_and_one_by_one(greeting):
    messages = [b"x" * size for size in SIZES]
    peer = Peer(greeting + b"".join(frame(0, one) for one in messages))
    stream = peer.stream()
    assert [received(stream) for _ in messages] == messages
    peer.leave(stream)
    for message in messages:
        peer = Peer(greeting)
        stream = peer.stream()
        peer.theirs.sendall(frame(0, message))
        assert received(stream) == message
        peer.leave(stream)


def test_two_ends_greet_each_other_whoever_says_first_what_it_is():
    ours, theirs = socket.socketpair()
    made.extend((ours, theirs))
    found = []
    other = threading.Thread(target=lambda: found.append(PairStream(theirs, time.monotonic() + 60.0)))
    other.start()
    waiting = PairStream(ours, time.monotonic() + 60.0, first=False)
    other.join()
    waiting.send(b"hello", 60.0, time.monotonic() + 60.0)
    assert received(found[0]) == b"hello"


def test_who_waits_says_nothing_to_a_stranger():
    peer = Peer(GREETING + READY.replace(b"PAIR", b"PUSH"))
    with pytest.raises(ZmtpError, match="a socket of kind 'PUSH', not PAIR"):
        PairStream(peer.ours, time.monotonic() + 60.0, first=False)
    peer.ours.close()
    peer.thread.join()
    assert b"READY" not in peer.heard


def test_messages_of_all_sizes_are_sent():
    peer = Peer(GREETING + READY)
    stream = peer.stream()
    for size in SIZES:
        stream.send(b"y" * size, 60.0, time.monotonic() + 60.0)
    assert peer.leave(stream).endswith(b"".join(frame(0, b"y" * size) for size in SIZES))


def test_parts_are_joined_and_pings_answered_byte_by_byte():
    peer = Peer(GREETING + READY + PING + frame(1, b"one ") + frame(0, b"message") + frame(0, b"next"), piece=1)
    stream = peer.stream()
    assert received(stream) == b"one message"
    assert received(stream) == b"next"
    assert peer.leave(stream).count(frame(4, b"\x04PONGcontext")) == 1


@pytest.mark.parametrize(
    ("said", "error"),
    [
        (GREETING + READY.replace(b"PAIR", b"PUSH"), "a socket of kind 'PUSH', not PAIR"),
        (GREETING[:10] + b"\1\3\0\0", "a socket of kind 3, not PAIR"),
        (GREETING + READY + b"\x80\0", "flags 0x80"),
        (GREETING + READY + b"\2" + b"\xff" * 8, "1073741824 are allowed"),
    ],
)
def test_nonsense(said, error):
    with pytest.raises(ZmtpError, match=error):
        received(Peer(said).stream())


def test_time_and_ends():
    peer = Peer(GREETING + READY)
    stream = peer.stream()
    with pytest.raises(TimeoutError):
        received(stream, 0.01)
    peer.theirs.sendall(b"\0\5hel")
    with pytest.raises(TimeoutError):
        received(stream, 0.02)
    for said in (b"", b"\0", b"\0\5hel", b"\1\1a"):
        peer = Peer(GREETING + READY + said)
        stream = peer.stream()
        peer.theirs.shutdown(socket.SHUT_RDWR)
        with pytest.raises(ConnectionError):
            received(stream)


def test_who_does_not_take_what_is_sent_is_given_up():
    stream = Peer(GREETING + READY).stream()
    stream._socket, theirs = socket.socketpair()  # nobody reads here
    made.extend((stream._socket, theirs))
    with pytest.raises(TimeoutError):
        say_much(stream)


def say_much(stream):
    for _ in range(100):
        stream.send(b"z" * 60_000, 0.02, time.monotonic() + 0.02)
