"""ZeroMQ sockets as this protocol family uses them: a request, one reply; with timeouts and an eye on dead peers."""

from typing import Any, Final

from windtunnel.diagnostics import ComponentError, ComponentTimeoutError, UsageError

__all__ = ["Replier", "Requester", "check_endpoint"]

_PROMPT_MS = 20
"""How long a reply is simply waited for, before its peer is watched, too."""


_FOR_EVER = 2e6
"""Seconds (23 days): the longest wait that ZeroMQ can express."""


_LAST_PORT: Final = 65535


def check_endpoint(endpoint: str) -> str:
    """An endpoint as ZeroMQ takes it.

    Raises:
        UsageError: it is none.
    """
    if not endpoint.startswith(("tcp://", "ipc://", "inproc://")):
        raise UsageError(f"{endpoint!r} is not an endpoint", "for example tcp://127.0.0.1:28000 or ipc:///tmp/socket")
    host, colon, port = endpoint.rpartition(":")
    if host.startswith("tcp:") and colon and port.isdecimal() and int(port) > _LAST_PORT:  # ZeroMQ would wrap it
        raise UsageError(f"{endpoint!r} is not an endpoint: ports end at {_LAST_PORT}")
    return endpoint


def _checked(timeout: float) -> float:
    if not 0.0 < timeout <= _FOR_EVER:
        raise UsageError(f"a timeout is more than 0 and at most {_FOR_EVER:g} s, not {timeout:g} s")
    return timeout


class Requester:
    """The side that asks (Batsim): connects, sends a request, waits for its reply.

    The timeout (s) bounds each wait; a peer that closes its connection while it owes a reply is noticed at once.
    """

    def __init__(self, endpoint: str, timeout: float) -> None:
        self.endpoint = check_endpoint(endpoint)
        self.timeout = _checked(timeout)
        self._socket: Any = None
        self._monitor: Any = None
        self._context: Any = None

    def open(self) -> None:
        """Connect (which succeeds also when nobody listens yet)."""
        import zmq

        self._context = zmq.Context()
        socket = self._context.socket(zmq.REQ)
        socket.setsockopt(zmq.LINGER, 0)
        socket.setsockopt(zmq.RCVTIMEO, min(_PROMPT_MS, max(1, int(self.timeout * 1000))))
        socket.setsockopt(zmq.SNDTIMEO, max(1, int(self.timeout * 1000)))
        socket.setsockopt(zmq.MAXMSGSIZE, 1 << 30)
        self._monitor = socket.get_monitor_socket(zmq.EVENT_DISCONNECTED)
        try:
            socket.connect(self.endpoint)
        except zmq.ZMQError as fault:
            self.close()
            raise UsageError(f"cannot connect to {self.endpoint!r}: {fault}") from fault
        self._socket = socket

    def ask(self, request: bytes, now: float) -> bytes:
        """Send a request and wait for the reply.

        Raises:
            ComponentTimeoutError: no reply in time.
            ComponentError: the peer has gone away.
        """
        import zmq

        if self._socket is None:
            self.open()
        try:
            self._socket.send(request, copy=False)
        except zmq.Again:
            raise ComponentTimeoutError(
                f"nobody answers at {self.endpoint} within {self.timeout:g} s", now=now
            ) from None
        except zmq.ZMQError as fault:  # for example when the last reply had several parts
            raise ComponentError(f"the connection to {self.endpoint} failed: {fault}", now=now) from fault
        try:
            reply: bytes = self._socket.recv()
        except zmq.Again:
            return self._wait(now)
        return reply

    def _wait(self, now: float) -> bytes:
        """Wait for a reply that does not come at once, with an eye on the connection."""
        import zmq

        poller = zmq.Poller()
        poller.register(self._socket, zmq.POLLIN)
        poller.register(self._monitor, zmq.POLLIN)
        left = max(0, int(self.timeout * 1000) - _PROMPT_MS)
        found = dict(poller.poll(left))
        try:
            reply: bytes = self._socket.recv(zmq.NOBLOCK)  # also when the peer has left after its answer
        except zmq.Again:
            pass
        else:
            return reply
        if found:
            raise ComponentError(f"the scheduler at {self.endpoint} has gone away without answering", now=now)
        raise ComponentTimeoutError(
            f"the scheduler at {self.endpoint} has not answered within {self.timeout:g} s", now=now
        )

    def close(self) -> None:
        """Leave at once."""
        if self._socket is not None:
            self._socket.disable_monitor()
            self._socket.close(0)
            self._socket = None
        if self._context is not None:
            self._context.destroy(0)
            self._context = None


class Replier:
    """The side that answers (a scheduler): binds, waits for requests."""

    def __init__(self, endpoint: str, timeout: float | None = None) -> None:
        self.endpoint = check_endpoint(endpoint)
        self.timeout = None if timeout is None else _checked(timeout)
        self._socket: Any = None
        self._context: Any = None

    def open(self) -> str:
        """Bind; returns the endpoint really bound (a port may have been chosen)."""
        import zmq

        self._context = zmq.Context()
        socket = self._context.socket(zmq.REP)
        socket.setsockopt(zmq.LINGER, 1000)
        socket.setsockopt(zmq.RCVTIMEO, -1 if self.timeout is None else max(1, int(self.timeout * 1000)))
        socket.setsockopt(zmq.MAXMSGSIZE, 1 << 30)
        try:
            socket.bind(self.endpoint)
        except zmq.ZMQError as fault:
            socket.close(0)
            self.close()
            raise UsageError(f"cannot listen at {self.endpoint!r}: {fault}") from fault
        self._socket = socket
        return str(socket.getsockopt_string(zmq.LAST_ENDPOINT))

    def receive(self) -> bytes:
        """The next request.

        Raises:
            ComponentTimeoutError: none came in time.
        """
        import zmq

        try:
            request: bytes = self._socket.recv()
        except zmq.Again:
            raise ComponentTimeoutError(f"nothing was asked at {self.endpoint} within {self.timeout:g} s") from None
        return request

    def reply(self, data: bytes) -> None:
        """Answer the last request."""
        self._socket.send(data)

    def close(self) -> None:
        """Close; a last answer has a second to leave."""
        if self._socket is not None:
            self._socket.close(1000)
            self._socket = None
        if self._context is not None:
            self._context.term()
            self._context = None
