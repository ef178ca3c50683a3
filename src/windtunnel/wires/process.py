"""Decision components in processes of their own, over ZeroMQ: we are REQ and connect, they are REP and bind.

The first frame is the length of the initialisation data (4 bytes) and the data; its answer is the format flags
(4 bytes) and the hello. After that each frame is one message.
"""

import struct
from typing import Final

from windtunnel.diagnostics import ComponentError
from windtunnel.wires.zmq_peer import Requester

__all__ = ["ProcessTransport"]

_FOR_EVER: Final = 2e6
"""Seconds (23 days): the longest wait that ZeroMQ can express."""


class ProcessTransport:
    """A process at an endpoint such as ``tcp://localhost:28000`` or ``ipc:///tmp/edc``.

    ``start_timeout`` is how long it may take until the process is there and has said hello, ``timeout`` how long an
    answer may take afterwards (s of wall clock; None: indefinitely).
    """

    def __init__(self, endpoint: str, timeout: float | None = 600.0, start_timeout: float | None = 60.0) -> None:
        self.name = endpoint
        self._timeout = _FOR_EVER if timeout is None else timeout
        self._peer = Requester(endpoint, _FOR_EVER if start_timeout is None else start_timeout)

    def start(self, init_data: bytes) -> tuple[int, bytes]:
        """Connect and shake hands.

        Raises:
            UsageError: there can be no such endpoint.
            ComponentError: the connection broke, or the answer is too short; ComponentTimeoutError: nobody answers.
        """
        self._peer.open()
        answer = self._peer.ask(struct.pack("=I", len(init_data)) + init_data, 0.0)
        if len(answer) < 4:
            raise ComponentError(
                f"{self.name}: the answer to the handshake has {len(answer)} bytes, its flags take 4"
            )
        self._peer.timeout = self._timeout
        return struct.unpack_from("=I", answer)[0], answer[4:]

    def ask(self, message: bytes, within: float | None = None) -> bytes:
        """Send a message and wait for the answer.

        Raises:
            ComponentError: the connection broke; ComponentTimeoutError: no answer in time.
        """
        if within is not None:
            self._peer.timeout = within
        return self._peer.ask(message, 0.0)

    def stop(self) -> None:
        """Close the connection."""
        self._peer.close()
