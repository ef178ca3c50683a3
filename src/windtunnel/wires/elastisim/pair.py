"""A PAIR of ZeroMQ: messages of one frame, one peer at a time, with timeouts and an eye on dead peers.

Not by libzmq: see ``wires.zmtp`` for why.
"""

import contextlib
import socket
import time
from collections.abc import Callable
from typing import Any, Final

from windtunnel.diagnostics import ComponentError, ComponentTimeoutError, UsageError
from windtunnel.wires.endpoints import Addresses, addresses, check_endpoint
from windtunnel.wires.listening import listen
from windtunnel.wires.sockets import answer_at_once
from windtunnel.wires.zmtp import ZmtpError
from windtunnel.wires.zmtp_pair import PairStream

__all__ = ["Pair"]

_GREETING: Final = 10.0
"""Seconds that a stranger may take to greet; others wait meanwhile."""

_FAREWELL: Final = 1.0
"""Seconds that the last message may take."""

_PAUSE: Final = 0.05
"""Seconds between two attempts to connect."""


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
        self._listener: socket.socket | None = None
        self._close: Callable[[], None] | None = None
        self._look_up: Callable[[], Addresses] | None = None
        self._stream: PairStream | None = None
        self._over = ""
        """Why nothing more can be said."""

    def start(self) -> None:
        """Listen; where we connect, that is done with the first message, for nobody may listen yet.

        Raises:
            UsageError: the endpoint cannot be used.
        """
        if self._listener is not None or self._look_up is not None:
            return
        if not self.bind:
            self._look_up = addresses(self.endpoint)
        elif self.endpoint.endswith((":*", ":0")):
            raise UsageError(f"cannot listen at {self.endpoint!r}: nobody would know the port")
        else:
            self._listener, self._close = listen(self.endpoint)

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
        deadline = time.monotonic() + self.timeout
        stream = self._stream or self._met(deadline, now)
        try:
            stream.send(message, self.timeout, deadline)
        except (OSError, ZmtpError) as fault:
            raise self._failed(fault, now) from None

    def receive(self, now: float) -> bytes:
        """The next message. Raises like :meth:`ask`."""
        deadline = time.monotonic() + self.timeout
        stream = self._stream or self._met(deadline, now)
        try:
            return stream.receive(self.timeout, deadline)
        except (OSError, ZmtpError) as fault:
            raise self._failed(fault, now) from None

    def tell(self, message: bytes) -> None:
        """The last message, which nobody answers; one who is not there any more need not hear it."""
        if self._stream is not None:
            with contextlib.suppress(OSError):
                self._stream.send(message, _FAREWELL, time.monotonic() + _FAREWELL)

    def stop(self) -> None:
        """Close; does not raise."""
        if self._stream is not None:
            self._stream.leave()
        if self._close is not None:
            self._close()
        self._stream = self._close = self._listener = self._look_up = None

    def _failed(self, fault: Exception, now: float) -> ComponentError:
        where = f"the peer at {self.endpoint}"
        if isinstance(fault, TimeoutError):
            failed: ComponentError = ComponentTimeoutError(
                f"{where} has not answered within {self.timeout:g} s", now=now
            )
        elif isinstance(fault, OSError):
            failed = ComponentError(f"{where} has gone away", now=now)
        else:
            failed = ComponentError(f"{where} cannot be talked to: {fault}", now=now)
        self._over = failed.message
        if self._stream is not None:
            self._stream.close()
            self._stream = None
        return failed

    # -- meeting ------------------------------------------------------------------------------------------------

    def _met(self, deadline: float, now: float) -> PairStream:
        """The connection to the peer, when there is one."""
        if self._over:
            raise ComponentError(self._over, now=now)
        attempt = self._accepted if self._listener is not None else self._connected
        reason = ""
        while True:
            try:
                stream = attempt(deadline)
            except ZmtpError as fault:
                reason = f": {fault}"
                if self._listener is None:
                    raise ComponentError(
                        f"the peer at {self.endpoint} cannot be talked to{reason}", now=now
                    ) from None
            except OSError:  # whoever it was has gone, or nobody listens yet
                pass
            else:
                self._stream = stream
                return stream
            left = deadline - time.monotonic()
            if left <= 0.0:
                what = f"the peer at {self.endpoint} was not there within {self.timeout:g} s{reason}"
                raise ComponentTimeoutError(what, now=now)
            if self._listener is None:
                time.sleep(min(left, _PAUSE))

    def _accepted(self, deadline: float) -> PairStream:
        """One attempt to let a peer in."""
        assert self._listener is not None
        self._listener.settimeout(max(1e-3, deadline - time.monotonic()))
        made, _ = self._listener.accept()
        return _greeted(made, min(deadline, time.monotonic() + _GREETING), first=False)

    def _connected(self, deadline: float) -> PairStream:
        """One attempt to reach the peer."""
        assert self._look_up is not None
        reason: OSError = ConnectionRefusedError()
        for family, address in self._look_up():
            made = socket.socket(family, socket.SOCK_STREAM)
            try:
                made.settimeout(max(1e-3, deadline - time.monotonic()))
                made.connect(address)
            except OSError as fault:
                made.close()
                reason = fault
            else:
                return _greeted(made, deadline, first=True)
        raise reason


def _greeted(made: Any, deadline: float, *, first: bool) -> PairStream:
    try:
        answer_at_once(made)
        return PairStream(made, deadline, first=first)
    except BaseException:
        made.close()
        raise
