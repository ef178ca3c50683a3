"""Both ends of a dialogue over ZeroMQ, a request and its reply at a time; with timeouts and an eye on dead peers."""

import logging
import socket
import time
from collections.abc import Callable
from math import ceil
from typing import Any, Final

from mypy_extensions import mypyc_attr

from windtunnel.diagnostics import ComponentError, ComponentTimeoutError, UsageError
from windtunnel.wires.endpoints import addresses, check_endpoint
from windtunnel.wires.sockets import answer_at_once
from windtunnel.wires.zmtp import Connection, ZmtpError

__all__ = ["Replier", "Requester"]

_FOR_EVER: Final = 2e6
"""Seconds (23 days): the longest wait that ZeroMQ can express."""

_SHORTEST_PAUSE: Final = 0.001
_LONGEST_PAUSE: Final = 0.1
"""Seconds between two attempts to connect."""

_LONGEST_ENVELOPE: Final = 20
"""Frames of a request: its sender, perhaps the hops between, an empty one, and what is asked."""


def _checked(timeout: float) -> float:
    if not 0.0 < timeout <= _FOR_EVER:
        raise UsageError(f"a timeout must be more than 0 and at most {_FOR_EVER:g} s, not {timeout:g} s")
    return timeout


@mypyc_attr(allow_interpreted_subclasses=True)
class Requester:
    """The side that asks (Batsim): connects, sends a request, waits for its reply. See zmtp.py for why it is ours.

    The timeout (s) bounds each wait, the first from before the connection is there. Once something has failed nothing
    more is asked: libzmq would connect again, to a peer that knows nothing of this run.
    """

    def __init__(self, endpoint: str, timeout: float) -> None:
        self.endpoint = check_endpoint(endpoint)
        addresses(endpoint)  # what cannot be connected to is refused before a run makes room for its files
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
        answer_at_once(made)
        return Connection(made, deadline)
    except BaseException:
        made.close()
        raise


_REFUSAL: Final = b'{"error": "this scheduler is in a dialogue with another simulator"}'

_log = logging.getLogger("windtunnel.wires")


@mypyc_attr(allow_interpreted_subclasses=True)
class Replier:
    """The side that answers (a scheduler): binds, waits for requests of one peer.

    Whoever asks first, with something that ``sensible`` takes for a request, is the peer until it leaves. Requests of
    others are answered with a refusal, and what is not a request at all (a stranger's bytes, messages of several
    parts) is passed over: a dialogue that is under way hears nothing of either.
    """

    def __init__(
        self, endpoint: str, timeout: float | None = None, sensible: Callable[[bytes], bool] | None = None
    ) -> None:
        self.endpoint = check_endpoint(endpoint)
        self.timeout = None if timeout is None else _checked(timeout)
        self._sensible = sensible
        self._socket: Any = None
        self._context: Any = None
        self._monitor: Any = None
        self._peer: bytes | None = None
        self._line = -1
        self._lines: set[int] = set()
        """Connections (numbers of sockets, which are used again) that are open."""
        self._envelope: list[bytes] = []

    def open(self) -> str:
        """Bind; returns the endpoint really bound (a port may have been chosen)."""
        import zmq

        self._context = zmq.Context()
        socket = self._context.socket(zmq.ROUTER)
        socket.setsockopt(zmq.LINGER, 1000)
        socket.setsockopt(zmq.MAXMSGSIZE, 1 << 30)
        socket.setsockopt(zmq.HANDSHAKE_IVL, 10_000)
        self._monitor = socket.get_monitor_socket(zmq.EVENT_ACCEPTED | zmq.EVENT_DISCONNECTED)
        try:
            socket.bind(self.endpoint)
        except zmq.ZMQError as fault:
            self._socket = socket
            self.close()
            raise UsageError(f"cannot listen at {self.endpoint!r}: {fault}") from fault
        self._socket = socket
        self.endpoint = str(socket.getsockopt_string(zmq.LAST_ENDPOINT))
        return self.endpoint

    def receive(self) -> bytes:
        """The next request of the peer.

        Raises:
            ComponentTimeoutError: none came in time.
            ComponentError: the peer has left.
        """
        import zmq

        poller = zmq.Poller()
        poller.register(self._socket, zmq.POLLIN)
        poller.register(self._monitor, zmq.POLLIN)
        deadline = None if self.timeout is None else time.monotonic() + self.timeout
        while True:
            left = None if deadline is None else max(0, ceil((deadline - time.monotonic()) * 1000))
            ready = dict(poller.poll(left))
            if self._socket in ready:
                if (request := self._request()) is not None:
                    return request
            elif self._monitor in ready:
                self._follow_lines()
            elif deadline is not None:
                raise ComponentTimeoutError(f"nothing was asked at {self.endpoint} within {self.timeout:g} s")

    def _request(self) -> bytes | None:
        """What has come, if it is a request of the peer."""
        frames = self._socket.recv_multipart(copy=False)
        parts = [frame.bytes for frame in frames]
        sender = parts[0]
        if len(parts) < 3 or parts[-2] != b"" or len(parts) > _LONGEST_ENVELOPE:
            _log.warning("%s: a message that is not a request was ignored", self.endpoint)
            return None
        if self._peer is None:
            if self._sensible is not None and not self._sensible(parts[-1]):
                _log.warning("%s: %d bytes that are not a request were ignored", self.endpoint, len(parts[-1]))
                return None
            line = _line_of(frames[-1])
            self._follow_lines()
            if line >= 0 and line not in self._lines:
                return None  # who has asked is no longer there
            self._peer, self._line = sender, line
        elif sender != self._peer:
            _log.warning("%s: a second simulator was refused", self.endpoint)
            self._socket.send_multipart([*parts[:-1], _REFUSAL])
            return None
        self._envelope = parts[:-1]
        return bytes(parts[-1])

    def _follow_lines(self) -> None:
        """Take in which connections were made and ended.

        Raises:
            ComponentError: that of the peer has ended.
        """
        import zmq
        from zmq.utils.monitor import recv_monitor_message

        while self._monitor.poll(0):
            event = recv_monitor_message(self._monitor)
            line = int(event["value"])
            if event["event"] == zmq.EVENT_ACCEPTED:
                self._lines.add(line)
                continue
            self._lines.discard(line)
            if self._peer is not None and line == self._line:
                raise ComponentError(f"the simulator at {self.endpoint} has gone away before its simulation ended")

    def reply(self, data: bytes) -> None:
        """Answer the last request."""
        self._socket.send_multipart([*self._envelope, data])

    def close(self) -> None:
        """Close; a last answer has a second to leave."""
        if self._socket is not None:
            if not self._socket.closed:
                self._socket.disable_monitor()
            self._monitor.close(0)
            self._socket.close(1000)
            self._socket = None
        if self._context is not None:
            self._context.term()
            self._context = None


def _line_of(frame: Any) -> int:
    """The number of the connection that a frame came over; -1 where ZeroMQ does not tell."""
    import zmq

    try:
        return int(frame.get(zmq.SRCFD))
    except (AttributeError, zmq.ZMQError):
        return -1
