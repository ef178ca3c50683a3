"""ZMTP over a plain socket, without encryption: as a REQ socket speaks it here, as a PAIR socket in ``zmtp_pair``.

Why this is not left to libzmq: it hands every message to a thread of its own and back, some 25 system calls and 4
context switches for a round trip on our side, where a dialogue of one request and one reply at a time needs 4 and 2.
That was a third of what a job cost.

Sources: ZMTP 3.1 (RFC 37), 3.0 (RFC 23) and 2.0 (RFC 15, libzmq 3), REQ and REP (RFC 28), all at rfc.zeromq.org. We
announce version 3.0, and obey commands of 3.1 (PING).
"""

import socket
import struct
import time
from collections.abc import Mapping
from math import ceil
from typing import ClassVar, Final

from mypy_extensions import mypyc_attr

from windtunnel.wires.sockets import comes_within, has_come

__all__ = ["Connection", "Stream", "ZmtpError"]

_MORE: Final = 1
_LONG: Final = 2
_COMMAND: Final = 4
_FLAGS: Final = (0, _MORE, _LONG, _MORE | _LONG, _COMMAND, _COMMAND | _LONG)
_LARGEST: Final = 1 << 30
"""Bytes of a frame."""

_LARGEST_COMMAND: Final = 1 << 16
_AT_ONCE: Final = 1 << 16
"""Bytes that are read at once, and of a request that is sent at once."""

_LONGEST: Final = (1 << 31) - 1
"""Milliseconds that can be waited at once."""

_SIGNATURE: Final = b"\xff" + bytes(8) + b"\x7f"


class ZmtpError(Exception):
    """The other end does not speak ZMTP, or not as a socket does that ours can talk to."""


def frame(flags: int, body: bytes) -> bytes:
    """One frame."""
    size = len(body)
    if size < 256:
        return bytes((flags, size)) + body
    return struct.pack(">BQ", flags | _LONG, size) + body


@mypyc_attr(allow_interpreted_subclasses=True)
class Stream:
    """Frames of one connection that is greeted when it is made.

    ``first``: whether what our end is is said before the other has said what it is. libzmq closes at once what it
    cannot talk to, often before it has said its own kind; whoever hears first can tell it.

    ``deadline`` is everywhere a ``time.monotonic()``.

    Raises (all methods, those of subclasses too):
        TimeoutError: the deadline has passed.
        OSError: the connection could not be made, or broke; ConnectionError: the other end has closed it.
        ZmtpError: what came is not what such a socket says.
    """

    properties: ClassVar[bytes]
    """What is said of our end."""

    old_kind: ClassVar[int]
    """Its kind in ZMTP 2.0."""

    others: ClassVar[Mapping[str, int]]
    """The kinds that it talks to, and their numbers in ZMTP 2.0."""

    def __init__(self, connected: socket.socket, deadline: float, *, first: bool = True) -> None:
        self._socket = connected
        self._first = first
        self._limit = 0.0
        self._within = 0
        """Milliseconds, of the limit."""
        self._comes = comes_within(connected)
        self._data = b""
        self._at = 0
        self._greet(deadline)

    def close(self) -> None:
        """Close at once."""
        self._socket.close()

    def _message(self, deadline: float) -> tuple[int, bytes]:
        """The next frame that is not a command; commands are obeyed."""
        while True:
            flags, body = self._frame(deadline)
            if not flags & _COMMAND:
                return flags, body
            self._obey(body)

    def _obey(self, command: bytes) -> None:
        """Answer PING; commands that are not known are passed over, as the protocol demands."""
        if command.startswith(b"\x05ERROR"):
            raise ZmtpError(f"it says: {command[7:].decode(errors='replace')[:255]!r}")
        if command.startswith(b"\x04PING"):
            self._socket.sendall(frame(_COMMAND, b"\x04PONG" + command[7:23]))

    def _frame(self, deadline: float) -> tuple[int, bytes]:
        """The next frame: its flags but for that of length, and its body."""
        head = self._take(2, deadline)
        flags, size = head
        if flags not in _FLAGS:
            raise ZmtpError(f"a frame has the flags {flags:#x}")
        if flags & _LONG:
            size = int.from_bytes(head[1:] + self._take(7, deadline))
            allowed = _LARGEST_COMMAND if flags & _COMMAND else _LARGEST
            if size > allowed:
                raise ZmtpError(f"a frame has {size} bytes; {allowed} are allowed")
        return flags & ~_LONG, self._take(size, deadline)

    def _take(self, count: int, deadline: float) -> bytes:
        """The next so many bytes."""
        end = self._at + count
        if end > len(self._data):
            self._read(count, deadline)
            end = count
        taken = self._data[self._at : end]
        self._at = end
        return taken

    def _read(self, count: int, deadline: float) -> None:
        """Read until there are so many bytes from here; what is before is dropped."""
        parts = [self._data[self._at :]]
        have = len(parts[0])
        while have < count:
            self._wait_until(deadline)
            part = self._socket.recv(max(_AT_ONCE, min(count - have, 1 << 20)))
            if not part:
                raise ConnectionResetError("it was closed at the other end")
            parts.append(part)
            have += len(part)
        self._data, self._at = b"".join(parts), 0

    def _next(self) -> bytes:
        """What comes next, within the limit that is set, if one is."""
        if self._limit and self._comes is not None and not self._comes(self._within):
            raise TimeoutError
        return self._socket.recv(_AT_ONCE)

    def _wait_until(self, deadline: float) -> None:
        """Bound all that is read or sent next, together; Python asks for the state of the socket before each."""
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._socket.settimeout(left)
        self._limit = 0.0

    def _wait_for(self, seconds: float) -> None:
        """Have the kernel bound each wait, which is cheaper, and stays so for the next requests."""
        limit = struct.pack("@ll", *divmod(max(1, int(seconds * 1e6)), 1_000_000))
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, limit)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, limit)
        self._socket.settimeout(None)
        self._limit = seconds
        self._within = min(ceil(seconds * 1000), _LONGEST)

    def _greet(self, deadline: float) -> None:
        """Both ends send a signature and a version, then what that version asks for."""
        self._wait_until(deadline)
        self._socket.sendall(_SIGNATURE + b"\3")
        if self._take(1, deadline) != b"\xff":
            raise ZmtpError("it does not speak ZMTP, or a version before 2.0")
        signature = self._take(10, deadline)
        if not signature[8] & 1:
            raise ZmtpError("it does not speak ZMTP")
        if signature[9] < 3:
            self._greet_old(deadline)
            return
        self._socket.sendall(b"\0" + b"NULL".ljust(20, b"\0") + bytes(32))
        mechanism = self._take(53, deadline)[1:21].rstrip(b"\0")
        if mechanism != b"NULL":
            raise ZmtpError(f"it asks for the security mechanism {mechanism.decode(errors='replace')!r}")
        ready_here = frame(_COMMAND, b"\x05READY" + self.properties)
        if self._first:
            self._socket.sendall(ready_here)
        flags, ready = self._frame(deadline)
        if not flags & _COMMAND:
            raise ZmtpError("its greeting is not followed by a command")
        if ready.startswith(b"\x05ERROR"):
            self._obey(ready)
        kind = properties(ready).get("socket-type", b"").decode(errors="replace")[:20]
        if kind not in self.others:
            raise ZmtpError(f"it is a socket of kind {kind!r}, not {self._wanted()}")
        if not self._first:
            self._wait_until(deadline)
            self._socket.sendall(ready_here)

    def _greet_old(self, deadline: float) -> None:
        """ZMTP 2.0: the kind of socket, and an identity."""
        self._socket.sendall(bytes((self.old_kind,)) + frame(0, b""))
        kind = self._take(1, deadline)[0]
        if kind not in self.others.values():
            raise ZmtpError(f"it is a socket of kind {kind}, not {self._wanted()}")
        flags, _ = self._frame(deadline)
        if flags:
            raise ZmtpError("its greeting does not end with an identity")

    def _wanted(self) -> str:
        return next(iter(self.others))


@mypyc_attr(allow_interpreted_subclasses=True)
class Connection(Stream):
    """A REQ socket's connection to a REP or ROUTER. Nothing has been read ahead when a request is sent.

    Raises (all methods):
        ConnectionAbortedError: the other end has closed it before the request was sent; else as a stream does.
    """

    properties: ClassVar[bytes] = b"\x0bSocket-Type\0\0\0\3REQ\x08Identity\0\0\0\0"
    old_kind: ClassVar[int] = 3
    others: ClassVar[Mapping[str, int]] = {"REP": 4, "ROUTER": 6}

    def __init__(self, connected: socket.socket, deadline: float) -> None:
        super().__init__(connected, deadline)
        self._has_come = has_come(connected)
        self._obey_rest(deadline)

    def ask(self, request: bytes, timeout: float, deadline: float) -> bytes:
        """A request of one frame, and the reply to it."""
        while self._has_come():
            self._hear(deadline)
        if len(request) > _AT_ONCE:
            self._wait_until(deadline)
        elif timeout != self._limit:
            self._wait_for(timeout)
        try:
            self._socket.sendall(b"\1\0" + frame(0, request))
            data = self._next()
        except BlockingIOError:
            raise TimeoutError from None
        head = data[:4]
        if head[:3] == b"\1\0\0" and head[3:] and head[3] == len(data) - 4:
            return data[4:]
        if head == b"\1\0\2\0" and int.from_bytes(data[3:11], "big") == len(data) - 11:
            return data[11:]
        if not data:
            raise ConnectionResetError
        return self._pieces(data, deadline)

    def _pieces(self, data: bytes, deadline: float) -> bytes:
        """The reply, when it did not come whole and alone."""
        self._wait_until(deadline)
        self._data, self._at = data, 0
        if self._message(deadline) != (_MORE, b""):
            raise ZmtpError("the reply does not begin as those of REP sockets do")
        flags, reply = self._message(deadline)
        if flags & _MORE:
            raise ZmtpError("the reply has several parts")
        self._obey_rest(deadline)
        return reply

    def _hear(self, deadline: float) -> None:
        """What came since the last reply: commands, such as PING, or the end of the connection."""
        try:
            self._read(1, deadline)
            self._obey_rest(deadline)
        except ConnectionError:
            raise ConnectionAbortedError from None

    def _obey_rest(self, deadline: float) -> None:
        while self._at < len(self._data):
            flags, body = self._frame(deadline)
            if not flags & _COMMAND:
                raise ZmtpError("it sent a reply that was not requested")
            self._obey(body)
        self._data, self._at = b"", 0


def properties(command: bytes) -> dict[str, bytes]:
    """The properties (names in lower case) of a READY command.

    Raises:
        ZmtpError: it is none.
    """
    if not command.startswith(b"\x05READY"):
        raise ZmtpError("its greeting is not followed by READY")
    found, at = {}, 6
    try:
        while at < len(command):
            begin = at + 1 + command[at]
            (size,) = struct.unpack_from(">I", command, begin)
            if begin + 4 + size > len(command):
                raise ZmtpError("its READY command ends too early")
            found[command[at + 1 : begin].decode("ascii", "replace").lower()] = command[begin + 4 : begin + 4 + size]
            at = begin + 4 + size
    except struct.error:
        raise ZmtpError("its READY command ends too early") from None
    return found
