"""Node queries over HTTP on this machine: SSSRMAP requests in, node objects out. Read-only unless told otherwise.

One request per connection. Every request has a deadline, a size limit and a limit of what it may cost; patterns are
matched under a time limit of their own, and nobody waits for another's answer to be computed. With a key, requests
must be signed and answers are.
"""

import socket
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Final, Self

import msgspec

from windtunnel.diagnostics import UsageError
from windtunnel.entities.sss_message import (
    MessageFaultError,
    Response,
    envelope,
    read_request,
    response_xml,
    signed_body_is_valid,
)
from windtunnel.entities.sss_node import SssNode
from windtunnel.entities.sss_path import as_number
from windtunnel.entities.sss_query import Control, answer
from windtunnel.entities.xml_guard import XmlFaultError, decode_xml
from windtunnel.services import sss_wire
from windtunnel.services.deadlines import Places, reader
from windtunnel.services.sss_wire import WireFaultError, answer_bytes

__all__ = ["PORT", "NodeServer", "respond", "response"]

PORT: Final = 7112
"""The port that clients of this protocol try."""
SIZE_LIMIT: Final = 1 << 20
TIME_LIMIT: Final = 10.0
"""Seconds a client may take for one request."""
CONNECTIONS: Final = 512
"""So many connections are open at once; others are turned away."""
COMPUTING: Final = 16
"""So many requests are answered at once; others wait."""
_PAUSE: Final = 0.05
"""Seconds to wait for a connection that can be accepted, when there are no numbers of files left."""

NodeSource = Callable[[float | None], Sequence[SssNode]]
"""The nodes at a date (s), or at the usual one."""


def respond(
    body: bytes, source: NodeSource, *, key: bytes | None = None, control: Control | None = None, dated: bool = True
) -> bytes:
    """The answer to a message: an ``Envelope``, signed if there is a key. The option ``time`` chooses a date (s).

    Where the source is not ``dated``, it has one state: that the option changes nothing is told.
    """
    return envelope(response_xml(response(body, source, key, control, dated=dated)), key)


def response(
    body: bytes,
    source: NodeSource,
    key: bytes | None = None,
    control: Control | None = None,
    *,
    dated: bool = True,
) -> Response:
    """The same before it is put into an envelope: its ``value`` says whether the request was answered."""
    if key is not None and not signed_body_is_valid(body, key, limit=SIZE_LIMIT):
        code, message = (
            ("422", "the signature is wrong") if b"<Signature" in body else ("424", "the request is unsigned")
        )
        return Response(value="Failure", code=code, message=message)
    try:
        request = read_request(decode_xml(body), limit=SIZE_LIMIT)
        time = None
        for option in request.options:
            if option.name.lower() == "time":
                time = _seconds(option.value)
        kept = tuple(option for option in request.options if not dated or option.name.lower() != "time")
    except XmlFaultError as error:
        return Response(value="Failure", code="300", message=str(error))
    except MessageFaultError as error:
        return Response(value="Failure", code=error.code, message=str(error))
    try:
        found = source(time)
    except UsageError as error:  # nothing is known of that instant
        return Response(value="Failure", code="318", message=str(error))
    return answer(msgspec.structs.replace(request, options=kept), found, control)


def _seconds(text: str) -> float:
    number = as_number(text)
    time = -1.0 if number is None else float(number)
    if time < 0:
        raise MessageFaultError("318", f"time must be a number of seconds from 0, not {text!r}")
    return time


class NodeServer:
    """Serves node queries until closed; a context manager. ``port`` 0 takes any free one.

    ``dated`` false: the source has one state, and the option ``time`` is told to have no effect.

    Raises:
        UsageError: the address cannot be used.
    """

    def __init__(
        self,
        source: NodeSource,
        *,
        host: str = "127.0.0.1",
        port: int = PORT,
        key: bytes | None = None,
        control: Control | None = None,
        dated: bool = True,
    ) -> None:
        self._source = source
        self._key = key
        self._control = control
        self._dated = dated
        self._changes = None if control is None else self._change
        self._places = Places(CONNECTIONS, COMPUTING)
        self._lock = threading.Lock()
        try:
            self._socket = socket.create_server((host, port))
        except OSError as error:
            raise UsageError(f"cannot listen on {host}:{port}: {error.strerror}") from error
        self.address: Final[tuple[str, int]] = self._socket.getsockname()[:2]
        self._closed = False

    def start(self) -> Self:
        """Serve in a thread of its own."""
        threading.Thread(target=self.serve, name="windtunnel-nodes", daemon=True).start()
        return self

    def serve(self) -> None:
        """Serve until closed."""
        while not self._closed:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                if self._closed:
                    return
                time.sleep(_PAUSE)
                continue
            if not self._places.enter():
                self._turn_away(connection)
                continue
            try:
                threading.Thread(target=self._serve_one, args=(connection,), daemon=True).start()
            except RuntimeError:  # no more threads
                self._places.leave()
                self._turn_away(connection)

    def _turn_away(self, connection: socket.socket) -> None:
        body = self._failure("232", "too many requests at once")
        self._places.turn_away(connection, answer_bytes(body, legacy=False, status=503))

    def close(self) -> None:
        """Stop listening; requests under way are answered."""
        self._closed = True
        with suppress(OSError):  # not every system allows it on a listening socket
            self._socket.shutdown(socket.SHUT_RDWR)  # wakes the thread that waits for connections
        self._socket.close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _serve_one(self, connection: socket.socket) -> None:
        try:
            with connection:
                self._exchange(connection)
        except OSError:
            return  # the client has gone: that is its right
        finally:
            self._places.leave()

    def _exchange(self, connection: socket.socket) -> None:
        with reader(connection, TIME_LIMIT) as stream:
            try:
                incoming = sss_wire.read_request(stream, limit=SIZE_LIMIT)
            except WireFaultError as error:
                self._send(connection, self._failure(error.code, str(error)), legacy=False, status=error.status)
                return
            except TimeoutError:
                self._send(connection, self._failure("232", "the request took too long"), legacy=False, status=408)
                return
            if incoming is not None:
                with self._places.computing:
                    body = respond(
                        incoming.body, self._nodes, key=self._key, control=self._changes, dated=self._dated
                    )
                self._send(connection, body, legacy=incoming.legacy)

    def _nodes(self, time: float | None) -> Sequence[SssNode]:
        """The nodes; the source need not be safe from several threads."""
        with self._lock:
            return self._source(time)

    def _change(self, ids: Sequence[str], state: str) -> None:
        """Neither need be whoever changes states."""
        assert self._control is not None, "changes are not accepted here"
        with self._lock:
            self._control(ids, state)

    def _failure(self, code: str, message: str) -> bytes:
        return envelope(response_xml(Response(value="Failure", code=code, message=message)), self._key)

    def _send(self, connection: socket.socket, body: bytes, *, legacy: bool, status: int = 200) -> None:
        connection.settimeout(TIME_LIMIT)  # for the whole of what is sent
        connection.sendall(answer_bytes(body, legacy=legacy, status=status))
        try:
            connection.shutdown(socket.SHUT_WR)
        except OSError:
            return
