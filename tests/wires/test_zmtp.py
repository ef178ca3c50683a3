"""Our end of a ZMTP connection, byte by byte: peers that are slow, old, strange or hostile."""

import contextlib
import socket
import struct
import threading
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from windtunnel.wires.zmtp import Connection, ZmtpError, frame, properties

GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x01" + b"NULL".ljust(20, b"\0") + bytes(32)
READY = frame(4, b"\x05READY\x0bSocket-Type\0\0\0\3REP")
OLD = GREETING[:10] + b"\1\4\0\0"
REPLY = b"\1\0\0\5reply"
PING = frame(4, b"\x04PING\0\x0acontext")
REFUSED = (ZmtpError, ConnectionError, TimeoutError)


class Peer(threading.Thread):
    """Greets, waits for the request if it has a reply, replies; in pieces of these sizes. Then closes, or ``hangs``."""

    def __init__(self, greeting, reply, pieces=(), hangs=False):
        super().__init__()
        self.ours, self.theirs = socket.socketpair()
        self.said, self.pieces, self.hangs = (greeting, reply), iter(pieces), hangs
        self.heard = b""
        self.start()

    def run(self):
        greeting, reply = self.said
        with self.theirs, contextlib.suppress(OSError):
            self.say(greeting)
            while reply and b"request" not in self.heard and (more := self.theirs.recv(1000)):
                self.heard += more
            self.say(reply)
            if not self.hangs:
                self.theirs.shutdown(socket.SHUT_WR)
            while more := self.theirs.recv(1000):
                self.heard += more

    def say(self, said):
        while said:
            size = next(self.pieces, len(said))
            self.theirs.sendall(said[:size])
            said = said[size:]
            if said:
                time.sleep(0.0005)

    def ask(self, timeout=60.0, request=b"request"):
        """What the connection makes of it."""
        deadline = time.monotonic() + timeout
        try:
            connection = Connection(self.ours, deadline)
            return connection.ask(request, timeout, deadline)
        finally:
            self.ours.close()
            self.join()


@pytest.mark.parametrize("greeting", [GREETING + READY, OLD], ids=["3", "2"])
def test_byte_by_byte(greeting):
    assert Peer(greeting, REPLY, [1] * 200).ask() == b"reply"


WHOLE = GREETING + READY


@pytest.mark.parametrize("hangs", [False, True], ids=["dies", "hangs"])
@pytest.mark.parametrize("whole", [WHOLE, OLD], ids=["3", "2"])
def test_peers_that_stop_at_each_byte(whole, hangs):
    """A peer that dies is noticed before the time is over, one that hangs then."""
    error, timeout = (TimeoutError, 0.01) if hangs else (ConnectionError, 60.0)
    for end in range(len(whole)):
        with pytest.raises(error):
            Peer(whole[:end], b"", hangs=hangs).ask(timeout)
    for end in range(len(REPLY)):
        with pytest.raises(error):
            Peer(whole, REPLY[:end], hangs=hangs).ask(timeout)


@pytest.mark.parametrize("change", [1, 4, 0x80, 0xFF])
def test_peers_that_lie_at_each_byte(change):
    """Each byte wrong: understood all the same, or refused; never anything else."""
    outcomes = set()
    for at in range(len(WHOLE + REPLY)):
        said = bytearray(WHOLE + REPLY)
        said[at] ^= change
        try:
            Peer(bytes(said[: len(WHOLE)]), bytes(said[len(WHOLE) :])).ask(0.5)
            outcomes.add("understood")
        except REFUSED as fault:
            outcomes.add(type(fault))
    assert {"understood", ZmtpError} <= outcomes


@pytest.mark.parametrize(
    ("greeting", "reply", "error"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", b"", "does not speak ZMTP"),
        (b"\x01\x00", b"", "a version before 2.0"),
        (GREETING[:10] + b"\1\1\0\0", b"", "a socket of kind 1, not REP"),
        (GREETING[:10] + b"\1\4\1\1a", b"", "does not end with an identity"),
        (GREETING.replace(b"NULL\0", b"PLAIN"), b"", "security mechanism 'PLAIN'"),
        (GREETING + frame(4, b"\x05ERROR\x05Sorry"), b"", "it says: 'Sorry'"),
        (GREETING + frame(0, b"READY"), b"", "not followed by a command"),
        (GREETING + frame(4, b"\x05HELLO"), b"", "not followed by READY"),
        (GREETING + frame(4, b"\x05READY"), b"", "a socket of kind ''"),
        (GREETING + frame(4, b"\x05READY\x0bSocket-Type\0\0\0\3PUB"), b"", "a socket of kind 'PUB', not REP"),
        (GREETING + b"\6" + struct.pack(">Q", 1 << 17), b"", "65536 are allowed"),
        (WHOLE + REPLY, b"", "was not requested"),
        (WHOLE, b"\1\0\1\1a\0\1b", "several parts"),
        (WHOLE, b"\0\1b", "does not begin"),
        (WHOLE, b"\1\0\0\1b\1\0\0\1b", "was not requested"),
        (WHOLE, b"\1\0\2" + struct.pack(">Q", 1 << 62), "1073741824 are allowed"),
        (WHOLE, b"\x80\0", "flags 0x80"),
        (WHOLE, b"\5\0", "flags 0x5"),
        (WHOLE, frame(4, b"\x05ERROR\x03why"), "it says: 'why'"),
    ],
)
def test_nonsense(greeting, reply, error):
    with pytest.raises(ZmtpError, match=error):
        Peer(greeting, reply).ask()


@pytest.mark.parametrize(
    ("greeting", "reply"),
    [(WHOLE + PING, REPLY), (WHOLE, PING + REPLY), (WHOLE, b"\1\0" + PING + REPLY[2:]), (WHOLE, REPLY + PING)],
    ids=["before", "first", "within", "after"],
)
@pytest.mark.parametrize("pieces", [False, True])
def test_ping_is_answered(greeting, reply, pieces):
    """Each byte alone, but for a PING after the reply: nobody would wait for its end."""
    peer = Peer(greeting, reply, [1] * (len(greeting + reply) - len(PING) - 1) if pieces else ())
    assert peer.ask() == b"reply"
    assert peer.heard.count(frame(4, b"\x04PONGcontext")) == 1


def test_a_reply_that_trickles():
    """The timeout is for the whole reply, not for each byte of it: it would come in the end."""
    with pytest.raises(TimeoutError):
        Peer(WHOLE, frame(1, b"") + frame(0, b"x" * 5000), [len(WHOLE), 2] + [1] * 5000).ask(0.2)


@pytest.mark.parametrize("pause", [0.005, 1.0], ids=["slow", "stuck"])
def test_a_request_that_is_not_read(pause):
    """Nor for each piece of a large request."""
    ours, theirs = socket.socketpair()
    over = threading.Event()

    def read():
        theirs.sendall(WHOLE)
        while not over.wait(pause):
            theirs.recv(1000)

    thread = threading.Thread(target=read)
    thread.start()
    connection = Connection(ours, time.monotonic() + 60)
    with pytest.raises(TimeoutError):
        connection.ask(bytes(20_000_000), 0.2, time.monotonic() + 0.2)
    over.set()
    thread.join()
    ours.close()
    theirs.close()


QUIET = settings(
    max_examples=150, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)
PIECES = st.lists(st.integers(1, 40), max_size=8)
BODIES = st.binary(max_size=8) | st.binary(min_size=254, max_size=258) | st.just(b"")
COMMANDS = st.sampled_from([PING[2:], b"\x09SUBSCRIBEx", b"\x01" + b"y" * 400])
FRAMES = st.tuples(st.sampled_from([0, 1]), BODIES) | st.tuples(st.just(4), COMMANDS)


def written(flags, body, long):
    """A frame; a short one may say its length in long."""
    return struct.pack(">BQ", flags | 2, len(body)) + body if long else frame(flags, body)


@QUIET
@given(st.lists(st.tuples(FRAMES, st.booleans()), max_size=5), PIECES)
def test_any_frames(frames, pieces):
    """A reply is an empty frame, of which there is more, and a last one; commands may stand anywhere."""
    reply = b"".join(written(*one, long) for one, long in frames)
    said = [one for one, _ in frames if one[0] != 4]
    peer = Peer(WHOLE, reply, [len(WHOLE), *pieces])
    if len(said) == 2 and said[0] == (1, b"") and said[1][0] == 0:
        assert peer.ask() == said[1][1]
    else:
        with pytest.raises(REFUSED):
            peer.ask()


@QUIET
@given(BODIES, st.tuples(COMMANDS, COMMANDS), PIECES, st.booleans())
def test_any_reply(reply, commands, pieces, old):
    said = frame(4, commands[0]) + b"\1\0" + frame(4, commands[1]) + frame(0, reply)
    assert Peer(OLD if old else WHOLE, said, pieces).ask() == reply


@QUIET
@given(st.binary(max_size=200), PIECES, st.integers(0, len(WHOLE + REPLY)))
def test_any_bytes(noise, pieces, keep):
    """Bytes of a right dialogue, then any."""
    greeting, reply = (
        (WHOLE[:keep] + noise, b"") if keep < len(WHOLE) else (WHOLE, REPLY[: keep - len(WHOLE)] + noise)
    )
    with contextlib.suppress(*REFUSED):
        assert isinstance(Peer(greeting, reply, pieces).ask(0.5), bytes)


NAMES = st.text("abcdefghijklmnopqrstuvwxyz-.", min_size=1, max_size=9)


@QUIET
@given(st.dictionaries(NAMES, BODIES, max_size=4), st.integers(0, 50))
def test_properties(given, cut):
    text = b"\x05READY" + b"".join(
        bytes([len(name)]) + name.title().encode() + struct.pack(">I", len(value)) + value
        for name, value in given.items()
    )
    assert properties(text) == given
    with contextlib.suppress(ZmtpError):
        assert properties(text[: len(text) - cut]).items() <= given.items()
