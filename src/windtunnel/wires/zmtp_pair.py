"""ZMTP as one end of a PAIR speaks it (RFC 31): messages either way at any time, over a plain socket."""

import contextlib
from collections.abc import Mapping
from typing import ClassVar, Final

from mypy_extensions import mypyc_attr

from windtunnel.wires.zmtp import Stream, frame

__all__ = ["PairStream"]

_MORE: Final = 1
_LONG: Final = 2
_AT_ONCE: Final = 1 << 16
"""Bytes that are read at once, and of a message that is sent at once."""


@mypyc_attr(allow_interpreted_subclasses=True)
class PairStream(Stream):
    """A connection between two PAIR sockets. What comes before it is asked for is kept.

    Raises as streams do, and is of no use afterwards.
    """

    properties: ClassVar[bytes] = b"\x0bSocket-Type\0\0\0\4PAIR"
    old_kind: ClassVar[int] = 0
    others: ClassVar[Mapping[str, int]] = {"PAIR": 0}

    def send(self, message: bytes, timeout: float, deadline: float) -> None:
        """A message of one frame. ``timeout``: seconds until the deadline, at most."""
        if len(message) > _AT_ONCE:
            self._wait_until(deadline)
        elif timeout != self._limit:
            self._wait_for(timeout)
        try:
            self._socket.sendall(frame(0, message))
        except BlockingIOError:
            raise TimeoutError from None

    def receive(self, timeout: float, deadline: float) -> bytes:
        """The next message; its parts joined if it has several."""
        if self._at == len(self._data):
            if timeout != self._limit:
                self._wait_for(timeout)
            try:
                data = self._next()
            except BlockingIOError:
                raise TimeoutError from None
            if not data:
                raise ConnectionResetError
            size = len(data)
            if 2 <= size < 258 and data[0] == 0 and data[1] == size - 2:
                return data[2:]
            if data[0] == _LONG and int.from_bytes(data[1:9], "big") == size - 9:
                return data[9:]
            self._data, self._at = data, 0
        self._wait_until(deadline)
        flags, message = self._message(deadline)
        if flags & _MORE:
            parts = [message]
            while flags & _MORE:
                flags, part = self._message(deadline)
                parts.append(part)
            message = b"".join(parts)
        return message

    def leave(self) -> None:
        """Close. What the other end has said meanwhile is read: TCP would take back the last message otherwise."""
        with contextlib.suppress(OSError):
            self._socket.setblocking(False)
            self._socket.recv(_AT_ONCE)
        self.close()
