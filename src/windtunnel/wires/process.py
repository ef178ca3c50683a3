"""Decision components in processes of their own, over ZeroMQ: we are REQ and connect, they are REP and bind.

The first frame is the length of the initialisation data (4 bytes) and the data; its answer is the format flags
(4 bytes) and the hello. After that each frame is one message.
"""

import struct
import time
from typing import Any, Final

from windtunnel.diagnostics import ComponentError, ComponentTimeoutError

__all__ = ["ProcessTransport"]

_PATIENCE: Final = 200
"""Milliseconds of waiting after which the connection is looked at."""


class ProcessTransport:
    """A process at an endpoint such as ``tcp://localhost:28000`` or ``ipc:///tmp/edc``.

    ``timeout`` is how long an answer may take, ``connect_timeout`` how long until the process is there (s of wall
    clock; None: for ever).
    """

    def __init__(self, endpoint: str, timeout: float | None = 600.0, connect_timeout: float | None = 60.0) -> None:
        self.name = endpoint
        self._endpoint = endpoint
        self._timeout = timeout
        self._connect_timeout = connect_timeout
        self._socket: Any = None
        self._monitor: Any = None

    def start(self, init_data: bytes) -> tuple[int, bytes]:
        """Connect and shake hands.

        Raises:
            ComponentError: the endpoint is not usable, or the answer too short.
            ComponentTimeoutError: nobody answers.
        """
        import zmq

        socket: Any = zmq.Context.instance().socket(zmq.REQ)
        self._socket = socket
        socket.setsockopt(zmq.LINGER, 0)
        socket.setsockopt(zmq.SNDTIMEO, 1000)
        socket.setsockopt(zmq.RCVTIMEO, _PATIENCE)
        self._monitor = socket.get_monitor_socket(zmq.EVENT_DISCONNECTED | zmq.EVENT_CONNECTED)
        try:
            socket.connect(self._endpoint)
        except zmq.ZMQError as error:
            raise ComponentError(f"{self._endpoint}: not an endpoint to connect to: {error}") from None
        socket.send(struct.pack("=I", len(init_data)) + init_data)
        self._await_connection()
        answer = self._receive("the handshake")
        if len(answer) < 4:
            raise ComponentError(
                f"{self._endpoint}: the answer to the handshake has {len(answer)} bytes, fewer than its flags (4)"
            )
        return struct.unpack_from("=I", answer)[0], answer[4:]

    def ask(self, message: bytes) -> bytes:
        """Send a message and wait for the answer.

        Raises:
            ComponentError: the connection broke; ComponentTimeoutError: no answer in time.
        """
        import zmq

        if self._socket is None:
            raise ComponentError(f"{self._endpoint}: there is no connection")
        try:
            self._socket.send(message)
        except zmq.Again:
            raise ComponentError(f"{self._endpoint}: the decision component has closed the connection") from None
        return self._receive("take_decisions")

    def stop(self) -> None:
        """Close the connection."""
        socket, self._socket = self._socket, None
        if socket is not None:
            socket.disable_monitor()
            self._monitor.close(0)
            socket.close(0)

    def _await_connection(self) -> None:
        limit = None if self._connect_timeout is None else int(self._connect_timeout * 1000)
        if not self._monitor.poll(limit):
            raise ComponentTimeoutError(
                f"{self._endpoint}: no decision component accepted the connection within {self._connect_timeout:g} s"
            )
        self._monitor.recv_multipart()

    def _receive(self, what: str) -> bytes:
        import zmq

        start = time.monotonic()
        while True:
            try:
                answer: bytes = self._socket.recv()
            except zmq.Again:
                waited = time.monotonic() - start
                if self._monitor.poll(0):
                    raise ComponentError(
                        f"{self._endpoint}: the decision component closed the connection during {what}"
                    ) from None
                if self._timeout is not None and waited > self._timeout:
                    raise ComponentTimeoutError(
                        f"{self._endpoint}: no answer to {what} within {self._timeout:g} s"
                    ) from None
            else:
                return answer
