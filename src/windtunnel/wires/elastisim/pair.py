"""One end of a ZeroMQ PAIR: messages of one frame, one peer at a time, with timeouts and an eye on dead peers."""

import time
from math import ceil
from typing import Any

from windtunnel.diagnostics import ComponentError, ComponentTimeoutError, UsageError
from windtunnel.wires.endpoints import check_endpoint

__all__ = ["Pair"]


class Pair:
    """One end of a PAIR.

    Args:
        endpoint: as ZeroMQ writes it; paths of ``ipc`` may be relative.
        bind: whether to listen there (ElastiSim's end), or to connect (an algorithm's).
        timeout: seconds of wall clock that each wait may last.
    """

    def __init__(self, endpoint: str, *, bind: bool, timeout: float = 600.0) -> None:
        self.endpoint = check_endpoint(endpoint)
        self.bind = bind
        self.timeout = timeout
        self._context: Any = None
        self._socket: Any = None
        self._monitor: Any = None
        self._incoming: Any = None
        """Polls for messages, and for news of the peer."""
        self._met = False

    def start(self) -> None:
        """Listen, or begin to connect.

        Raises:
            UsageError: the endpoint cannot be used.
        """
        import zmq

        if self._socket is not None:
            return
        self._context = zmq.Context()
        self._socket = self._context.socket(zmq.PAIR)
        self._socket.setsockopt(zmq.LINGER, 1000)
        self._socket.setsockopt(zmq.MAXMSGSIZE, 1 << 30)
        self._monitor = self._socket.get_monitor_socket(zmq.EVENT_HANDSHAKE_SUCCEEDED | zmq.EVENT_DISCONNECTED)
        self._incoming = zmq.Poller()
        self._incoming.register(self._socket, zmq.POLLIN)
        self._incoming.register(self._monitor, zmq.POLLIN)
        try:
            if self.bind:
                self._socket.bind(self.endpoint)
            else:
                self._socket.connect(self.endpoint)
        except zmq.ZMQError as fault:
            self.stop()
            what = "listen at" if self.bind else "connect to"
            raise UsageError(f"cannot {what} {self.endpoint!r}: {fault}") from fault

    def ask(self, message: bytes, now: float) -> bytes:
        """Send a message, and wait for the answer.

        Raises:
            ComponentTimeoutError: the peer is not there in time, or does not answer in time.
            ComponentError: it has gone away.
        """
        self.send(message, now)
        return self.receive(now)

    def send(self, message: bytes, now: float) -> None:
        """Send a message; the first waits until there is a peer. Raises like :meth:`ask`."""
        import zmq

        try:  # once there is a peer it nearly always takes what it is sent
            self._socket.send(message, zmq.NOBLOCK)
        except zmq.Again:
            poller = zmq.Poller()
            poller.register(self._socket, zmq.POLLOUT)
            poller.register(self._monitor, zmq.POLLIN)
            self._wait(poller, now)
            self._socket.send(message)

    def receive(self, now: float) -> bytes:
        """The next message. Raises like :meth:`ask`."""
        self._wait(self._incoming, now)
        parts = self._socket.recv_multipart()
        return b"".join(parts)

    def tell(self, message: bytes) -> None:
        """The last message, which nobody answers; one who is not there any more need not hear it."""
        import zmq

        try:
            self._socket.send(message, zmq.NOBLOCK)
        except zmq.ZMQError:
            return

    def stop(self) -> None:
        """Close; does not raise."""
        if self._socket is not None:
            self._socket.disable_monitor()
            self._monitor.close(0)
            self._socket.close()
            self._context.term()
            self._socket = self._context = self._monitor = self._incoming = None

    def _wait(self, poller: Any, now: float) -> None:
        """Until the socket is ready for what a poller asks."""
        deadline = time.monotonic() + self.timeout
        while True:
            left = max(0, ceil((deadline - time.monotonic()) * 1000))
            ready = dict(poller.poll(left))
            if self._socket in ready:
                return
            if self._monitor in ready:
                self._look(now)
            elif not ready:
                what = "has not answered" if self._met else "was not there"
                raise ComponentTimeoutError(f"the peer at {self.endpoint} {what} within {self.timeout:g} s", now=now)

    def _look(self, now: float) -> None:
        """A peer has come, or has gone."""
        import zmq
        from zmq.utils.monitor import recv_monitor_message

        event = recv_monitor_message(self._monitor)["event"]
        if event == zmq.EVENT_HANDSHAKE_SUCCEEDED:
            self._met = True
        elif self._met:
            raise ComponentError(f"the peer at {self.endpoint} has gone away", now=now)
