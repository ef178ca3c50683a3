"""A Redis server of the tests' own, in a thread: it keeps what it is given, until it is told to misbehave."""

import socket
import threading
from collections.abc import Callable
from contextlib import contextmanager, suppress

__all__ = ["HANG", "LEAVE", "FakeRedis", "fake_redis"]

LEAVE = object()
"""Instead of an answer: close the connection, and accept no other."""
HANG = object()
"""Instead of an answer: none, and none to whatever comes later."""

_USUAL = {b"PING": b"+PONG\r\n", b"SET": b"+OK\r\n", b"CLIENT": b"+OK\r\n", b"HELLO": b"-ERR unknown command\r\n"}


class FakeRedis:
    """What it holds, and ``misbehave(command, key)``: bytes to answer instead, LEAVE, HANG, or None for the usual."""

    def __init__(self, listener: socket.socket) -> None:
        self.held: dict[bytes, bytes] = {}
        self.misbehave: Callable[[bytes, bytes], object] = lambda *_: None
        self.port = listener.getsockname()[1]
        self._listener = listener
        self._connections: list[socket.socket] = []

    def serve(self) -> None:
        """Until it is closed: one connection after the other, each in a thread."""
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._connections.append(connection)
            threading.Thread(target=self._talk, args=[connection], daemon=True).start()

    def close(self) -> None:
        """Leave: nobody is answered any more, nor is any connection accepted."""
        _end(self._listener)
        self.drop()

    def drop(self) -> None:
        """Close all connections; new ones are accepted."""
        while self._connections:
            _end(self._connections.pop())

    def _talk(self, connection: socket.socket) -> None:
        stream = connection.makefile("rb")
        try:
            while head := stream.readline():
                words = [stream.read(int(stream.readline()[1:]) + 2)[:-2] for _ in range(int(head[1:]))]
                answer = self._answer(words)
                if answer is LEAVE:
                    self.close()
                elif answer is not HANG:
                    connection.sendall(answer)
        except (OSError, ValueError):  # closed, by either side
            return

    def _answer(self, words: list[bytes]) -> object:
        command, key = words[0].upper(), words[1] if len(words) > 1 else b""
        wrong = self.misbehave(command, key)
        if wrong is not None:
            return wrong
        if command == b"SET":
            self.held[key] = words[2]
        if command == b"GET":
            value = self.held.get(key)
            return b"$-1\r\n" if value is None else b"$%d\r\n%s\r\n" % (len(value), value)
        return _USUAL.get(command, b"-ERR unknown command\r\n")


def _end(one: socket.socket) -> None:
    with suppress(OSError):  # closed already
        one.shutdown(socket.SHUT_RDWR)
    one.close()


@contextmanager
def fake_redis():
    """A server that listens; its port is ``port``."""
    server = FakeRedis(socket.create_server(("127.0.0.1", 0)))
    thread = threading.Thread(target=server.serve, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.close()
        thread.join(60)
