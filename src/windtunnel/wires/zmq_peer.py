"""Both ends of a dialogue over ZeroMQ, a request and its reply at a time; with timeouts and an eye on dead peers."""

import socket
import time
from typing import Any, Final

from windtunnel.diagnostics import ComponentError, ComponentTimeoutError, UsageError
from windtunnel.wires.endpoints import addresses, check_endpoint
from windtunnel.wires.zmtp import Connection, ZmtpError

__all__ = ["Replier", "Requester"]

_FOR_EVER: Final = 2e6
"""Seconds (23 days): the longest wait that ZeroMQ can express."""

_SHORTEST_PAUSE: Final = 0.001
_LONGEST_PAUSE: Final = 0.1
"""Seconds between two attempts to connect."""


def _checked(timeout: float) -> float:
    if not 0.0 < timeout <= _FOR_EVER:
        raise UsageError(f"a timeout is more than 0 and at most {_FOR_EVER:g} s, not {timeout:g} s")
    return timeout


class Requester:
    """The side that asks (Batsim): connects, sends a request, waits for its reply. See zmtp.py for why it is ours.

    The timeout (s) bounds each wait, the first from before the connection is there. Once something has failed nothing
    more is asked: libzmq would connect again, to a peer that knows nothing of this run.
    """

    def __init__(self, endpoint: str, timeout: float) -> None:
        self.endpoint = check_endpoint(endpoint)
        self.timeout = _checked(timeout)
        self._connection: Connection | None = None
        self._over = ""

    def open(self) -> None:
        """Begin anew. The connection is made with the first request, for nobody may listen yet.

        Raises:
            UsageError: nothing can be connected to such an endpoint.
        """
        self.close()
        self._over = ""
        addresses(self.endpoint)

    def ask(self, request: bytes, now: float) -> bytes:
        """Send a request and wait for the reply.

        Raises:
            ComponentTimeoutError: no reply in time.
            ComponentError: the peer has gone away, or is none; or this has happened before.
        """
        deadline = time.monotonic() + self.timeout
        try:
            if self._connection is None:
                self._connection = self._connect(deadline, now)
            return self._connection.ask(request, self.timeout, deadline)
        except TimeoutError:
            raise self._failed(ComponentTimeoutError, f"has not answered within {self.timeout:g} s", now) from None
        except ConnectionAbortedError:
            raise self._failed(ComponentError, "has gone away between two messages", now) from None
        except ConnectionError:
            raise self._failed(ComponentError, "has gone away without answering", now) from None
        except (OSError, ZmtpError) as fault:
            raise self._failed(ComponentError, f"cannot be talked to: {fault}", now) from fault
        except ComponentError:
            raise
        except BaseException:  # such as Ctrl-C: the next answer would be the one to this request
            self._failed(ComponentError, "was left before it answered", now)
            raise

    def _failed(self, kind: type[ComponentError], what: str, now: float) -> ComponentError:
        self.close()
        self._over = what
        return kind(f"the scheduler at {self.endpoint} {what}", now=now)

    def _connect(self, deadline: float, now: float) -> Connection:
        """Connect, again and again until somebody listens."""
        if self._over:
            raise ComponentError(
                f"nothing more can be asked of the scheduler at {self.endpoint}: it {self._over}", now=now
            )
        look_up = addresses(self.endpoint)
        pause = _SHORTEST_PAUSE
        while True:
            reason = ""
            try:
                for family, address in look_up():
                    try:
                        return _connected(family, address, deadline)
                    except TimeoutError:
                        raise
                    except OSError as fault:
                        reason = fault.strerror or str(fault)
            except OSError as fault:
                reason = fault.strerror or "it accepts connections but says nothing"
            left = deadline - time.monotonic()
            if left <= pause:
                time.sleep(max(0.0, left))
                raise self._failed(
                    ComponentTimeoutError, f"has not answered within {self.timeout:g} s: {reason}", now
                )
            time.sleep(pause)
            pause = min(_LONGEST_PAUSE, 2 * pause)

    def close(self) -> None:
        """Leave at once."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _connected(family: int, address: Any, deadline: float) -> Connection:
    """One attempt; raises TimeoutError, OSError or ZmtpError."""
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.settimeout(max(1e-3, deadline - time.monotonic()))
        made.connect(address)
        if family != socket.AF_UNIX:
            made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return Connection(made, deadline)
    except BaseException:
        made.close()
        raise


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
        self.endpoint = str(socket.getsockopt_string(zmq.LAST_ENDPOINT))
        return self.endpoint

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
