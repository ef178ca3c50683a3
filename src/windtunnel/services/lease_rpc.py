"""Haizea's lease API over XML-RPC, for a live lease scheduler.

On this machine only unless told otherwise. Requests have a size limit and a deadline; document types and entities
are refused before anything is parsed. With a token, requests must carry ``Authorization: Bearer TOKEN`` (or the token
as the password of HTTP basic authentication).
"""

import logging
import socket
import threading
from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Callable
from contextlib import suppress
from hmac import compare_digest
from http import HTTPStatus
from pyexpat import ExpatError, ParserCreate
from socketserver import ThreadingMixIn
from typing import Any, Final, Self
from xmlrpc.client import Fault, dumps, loads
from xmlrpc.server import SimpleXMLRPCRequestHandler, SimpleXMLRPCServer

from windtunnel.diagnostics import UsageError, WindtunnelError, did_you_mean
from windtunnel.services.deadlines import Places, reader
from windtunnel.services.lease_live import LiveLeases
from windtunnel.services.lease_methods import LeaseMethods

__all__ = ["PORT", "LeaseServer"]

PORT: Final = 42493
"""The port Haizea's clients try."""
SIZE_LIMIT: Final = 1 << 20
TIME_LIMIT: Final = 10.0
"""Seconds a client may take to send its request, and to take its answer."""
CONNECTIONS: Final = 512
"""So many connections are open at once; others are turned away."""
COMPUTING: Final = 16
"""So many requests are answered at once; others wait."""
_LONGEST_LENGTH: Final = 12
"""Digits of a Content-Length."""
_FULL: Final = b"HTTP/1.0 503 Service Unavailable\r\nRetry-After: 5\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"

_log = logging.getLogger("windtunnel.services")


class _Refused(Exception):  # noqa: N818  internal; becomes an HTTP status
    """A request that is not looked at."""

    def __init__(self, status: HTTPStatus, message: str) -> None:
        super().__init__(message)
        self.status = status


class _DoctypeError(Exception):
    """A document type, which no request needs."""


class _Handler(SimpleXMLRPCRequestHandler):
    """Reads a request under limits; anything odd is an HTTP error or a fault with its reason."""

    rpc_paths = ()  # any path, as Haizea
    server: "LeaseServer"

    def setup(self) -> None:
        """The head and the body of a request have one deadline."""
        super().setup()
        self.rfile.close()
        self.rfile = reader(self.connection, TIME_LIMIT)

    def do_POST(self) -> None:  # noqa: N802  the name the base class calls
        try:
            request = self._body()
        except _Refused as refusal:
            self._reply(refusal.status, f"{refusal}\n".encode(), "text/plain; charset=utf-8")
        except TimeoutError:
            self.close_connection = True
        else:
            with self.server.places.computing:
                body = self._answer(request)
            self._reply(HTTPStatus.OK, body, "text/xml")

    def do_GET(self) -> None:  # noqa: N802  as above
        self._reply(HTTPStatus.METHOD_NOT_ALLOWED, b"this is an XML-RPC service: POST\n", "text/plain; charset=utf-8")

    def _body(self) -> bytes:
        if not self.server.admits(self.headers.get("Authorization", "")):
            raise _Refused(HTTPStatus.UNAUTHORIZED, "a token is needed")
        if self.headers.get_content_type() not in {"text/xml", "application/xml"}:
            raise _Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "requests are text/xml")
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit() and len(length) <= _LONGEST_LENGTH):
            raise _Refused(HTTPStatus.LENGTH_REQUIRED, "Content-Length is needed")
        if int(length) > SIZE_LIMIT:
            raise _Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"requests have at most {SIZE_LIMIT} bytes")
        body = self.rfile.read(int(length))
        if len(body) < int(length):
            raise _Refused(HTTPStatus.BAD_REQUEST, "the request is shorter than it says")
        return body

    def _answer(self, body: bytes) -> bytes:
        try:
            _check_xml(body)
        except (ExpatError, _DoctypeError) as error:
            return _fault(f"not an XML-RPC request: {error}")
        except (ValueError, LookupError):
            return _fault("not an XML-RPC request: its encoding is not supported; use UTF-8")
        return self.server.answer(body)

    def _reply(self, status: HTTPStatus, body: bytes, kind: str) -> None:
        self.connection.settimeout(TIME_LIMIT)  # for the whole of what is sent
        self.send_response(status)
        if status is HTTPStatus.UNAUTHORIZED:
            self.send_header("WWW-Authenticate", "Bearer")
        if status is not HTTPStatus.OK:
            self.close_connection = True
            self.send_header("Connection", "close")
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        """Requests are not logged."""


def _check_xml(body: bytes) -> None:
    """Refuse document types (and with them entities) before the request is really parsed."""
    parser = ParserCreate()

    def refuse(*_: object) -> None:
        raise _DoctypeError("document types and entities are refused")

    parser.StartDoctypeDeclHandler = refuse
    parser.Parse(body, True)


class LeaseServer(ThreadingMixIn, SimpleXMLRPCServer):
    """Serves a live lease scheduler until closed; a context manager. ``port`` 0 takes any free one.

    Raises:
        UsageError: the address cannot be used.
    """

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 128

    def __init__(self, live: LiveLeases, *, host: str = "127.0.0.1", port: int = PORT, token: str = "") -> None:
        self.live = live
        self._token = token.encode()
        self.places = Places(CONNECTIONS, COMPUTING)
        self._stopped = threading.Event()
        self._failed: WindtunnelError | None = None
        """Why the scheduler cannot go on, if it cannot."""
        try:
            super().__init__((host, port), _Handler, logRequests=False, allow_none=True)
        except OSError as error:
            raise UsageError(f"cannot listen on {host}:{port}: {error.strerror}") from error
        methods = LeaseMethods(live)
        for name in dir(methods):
            if not name.startswith("_"):
                self.register_function(_guarded(getattr(methods, name)), name)

    @property
    def url(self) -> str:
        """Where clients find it."""
        host, port = self.socket.getsockname()[:2]
        return f"http://{host}:{port}/RPC2"

    def admits(self, authorization: str) -> bool:
        """Whether a request may be looked at."""
        if not self._token:
            return True
        kind, _, value = authorization.partition(" ")
        given = value.strip().encode()
        if kind.lower() == "basic":
            try:
                given = b64decode(given, validate=True).partition(b":")[2]
            except Base64Error:
                return False
        return kind.lower() in {"basic", "bearer"} and compare_digest(given, self._token)

    def answer(self, body: bytes) -> bytes:
        """The answer to a request: a result, or a fault that says why there is none."""
        try:
            arguments, name = loads(body)
        except Exception:  # noqa: BLE001 -- whatever the parser of the standard library stumbles over
            return _fault("not an XML-RPC request: no call of a method with values of XML-RPC")
        method = self.funcs.get(name or "")
        if method is None:
            return _fault(f"there is no method {name!r:.80}", did_you_mean(str(name)[:80], self.funcs))
        try:
            made: Any = method(*arguments)
            return dumps((made,), methodresponse=True, allow_none=True).encode()
        except Fault as fault:
            return dumps(fault, allow_none=True).encode()
        except Exception:  # noqa: BLE001 -- a fault of ours: the client is told that it is, and the log what it is
            _log.exception("the request %s failed", name)
            return _fault("the service failed to carry this out")

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a connection in a thread of its own, if there is a place for it."""
        if not self.places.enter():
            self.places.turn_away(request, _FULL)
            return
        try:
            super().process_request(request, client_address)
        except RuntimeError:  # no more threads
            self.places.leave()
            self.places.turn_away(request, _FULL)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Serve it, and give its place back."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self.places.leave()

    def start(self) -> Self:
        """Serve, and keep the scheduler's time, in threads of its own."""
        threading.Thread(target=self.serve_forever, name="windtunnel-leases", daemon=True).start()
        threading.Thread(target=self._keep_time, name="windtunnel-leases-clock", daemon=True).start()
        return self

    def _keep_time(self) -> None:
        while not self._stopped.is_set():
            due = None
            try:
                due = self.live.tick()
            except UsageError:  # a full disk: what happened is kept, and told, when there is room again
                pass
            except WindtunnelError as error:
                self._failed = error
                return
            self._stopped.wait(min(1.0, 1.0 if due is None else max(due, 0.01)))

    def wait(self) -> None:
        """Wait until it is closed or interrupted.

        Raises:
            WindtunnelError: the scheduler cannot go on.
        """
        while not self._stopped.wait(0.5):
            if self._failed is not None:
                raise self._failed

    def close(self) -> None:
        """Stop serving, and close the store."""
        if self._stopped.is_set():
            return
        self._stopped.set()
        self.shutdown()
        self.server_close()
        self.live.close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *exception: object) -> None:
        self.close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is not worth a word."""
        del client_address
        with suppress(OSError):
            request.shutdown(socket.SHUT_RDWR)


def _fault(message: str, hint: str = "") -> bytes:
    return dumps(Fault(1, f"{message}; {hint}" if hint else message), allow_none=True).encode()


def _guarded(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method whose refusals become faults that say why, without the name of an exception."""

    def call(*arguments: Any) -> Any:
        try:
            return method(*arguments)
        except WindtunnelError as error:
            raise Fault(1, str(error)) from error
        except TypeError as error:
            if error.__traceback__ is not None and error.__traceback__.tb_next is not None:
                raise  # from within, not from the call
            raise Fault(1, f"wrong arguments: {str(error).rpartition('.')[2]}") from error

    return call
