"""What keeps slow, and too many, clients from a service: a deadline for a whole request, and places for connections.

A limit for each read is none: a byte every few seconds meets it indefinitely. Here all reads of a request share one
deadline, connections have a bounded number of places, and computing has places of its own, which nobody holds who is
still sending.
"""

import io
import socket
import threading
import time
from contextlib import suppress
from typing import Any, Final

__all__ = ["Places", "reader"]


class _Reads(io.RawIOBase):
    """The bytes of a connection until a deadline."""

    def __init__(self, connection: socket.socket, seconds: float) -> None:
        super().__init__()
        self._connection = connection
        self._deadline = time.monotonic() + seconds

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("the request took too long")
        self._connection.settimeout(left)
        return self._connection.recv_into(buffer)


def reader(connection: socket.socket, seconds: float) -> io.BufferedReader:
    """Reads what a client sends, all of it within so many seconds from now; then reading raises TimeoutError."""
    return io.BufferedReader(_Reads(connection, seconds))


class Places:
    """So many connections are open, and so many requests computed, at once.

    Connections beyond the first number are turned away; requests beyond the second wait, for their clients have sent
    all they had to.
    """

    def __init__(self, connections: int, computing: int) -> None:
        self._connections: Final = threading.BoundedSemaphore(connections)
        self.computing: Final = threading.BoundedSemaphore(computing)
        """To be held (``with``) while an answer is computed."""

    def enter(self) -> bool:
        """Whether there is a place for one more connection, which is taken then."""
        return self._connections.acquire(blocking=False)

    def leave(self) -> None:
        """Give the place of a connection back."""
        self._connections.release()

    @staticmethod
    def turn_away(connection: socket.socket, answer: bytes) -> None:
        """Send what fits into the buffers, and close: nobody is waited for."""
        with connection, suppress(OSError):
            connection.settimeout(0.0)
            connection.send(answer)
            connection.shutdown(socket.SHUT_WR)
