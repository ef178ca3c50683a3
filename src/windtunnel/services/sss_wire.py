"""The wire of SSSRMAP: HTTP with a framing of its own, and plain HTTP (spec/sss-node.md section 3).

Existing clients send ``Transfer-Encoding: chunked`` and then one chunk without the line end after its data and
without the empty line at the end, which no HTTP library reads. Both are read here, and answered in kind.
"""

import re
from typing import Final, Protocol

import msgspec

__all__ = ["Incoming", "Stream", "WireFaultError", "answer_bytes", "read_request"]

HEAD_LIMIT: Final = 16_384
"""Bytes of request line and headers."""

_LONGEST_LENGTH: Final = 12
"""Digits of a Content-Length."""

_SIZE = re.compile(rb"([0-9A-Fa-f]{1,8})[ \t]*(;.*)?")


class Stream(Protocol):
    """What can be read from: a buffered socket."""

    def readline(self, size: int = -1, /) -> bytes:
        """One line, or as much as ``size``."""

    def read(self, size: int = -1, /) -> bytes:
        """So many bytes, or fewer at the end."""

    def peek(self, size: int = 0, /) -> bytes:
        """Bytes that were received already, or that come first."""


class WireFaultError(Exception):
    """A request that cannot be read; ``status`` is the HTTP status of the answer, ``code`` that of the message."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


class Incoming(msgspec.Struct, frozen=True):
    """A request: its body, and whether it was framed as old clients do."""

    body: bytes
    legacy: bool


def read_request(stream: Stream, *, limit: int) -> Incoming | None:
    """Read one request of at most ``limit`` bytes; None if there is none (the client has gone).

    Raises:
        WireFaultError: it is not HTTP, too large, or cut off.
    """
    line = stream.readline(HEAD_LIMIT)
    if not line:
        return None
    parts = line.split()
    if len(parts) != 3 or not parts[2].startswith(b"HTTP/1."):
        raise WireFaultError(400, "200", "this is not an HTTP request")
    headers = _headers(stream, HEAD_LIMIT - len(line))
    if parts[0] != b"POST":
        raise WireFaultError(405, "242", "requests are sent with POST")
    if headers.get(b"transfer-encoding", b"").lower() == b"chunked":
        return _chunks(stream, limit)
    length = headers.get(b"content-length", b"")
    if not length.isdigit() or len(length) > _LONGEST_LENGTH:
        raise WireFaultError(411, "246", "the request says neither Content-Length nor chunked")
    if int(length) > limit:
        raise WireFaultError(413, "244", f"{int(length)} bytes are more than the {limit} allowed")
    body = stream.read(int(length))
    if len(body) < int(length):
        raise WireFaultError(400, "226", "the request was cut off")
    return Incoming(body, legacy=False)


def _headers(stream: Stream, left: int, *, trailers: bool = False) -> dict[bytes, bytes]:
    headers: dict[bytes, bytes] = {}
    while True:
        line = stream.readline(max(left, 1))
        left -= len(line)
        if line in (b"\r\n", b"\n"):
            return headers
        if not line:
            if trailers:  # which are passed over anyway
                return headers
            raise WireFaultError(400, "246", "the headers were cut off")
        if left <= 0:
            raise WireFaultError(431, "244", f"the headers are longer than {HEAD_LIMIT} bytes")
        name, _, value = line.partition(b":")
        headers[name.strip().lower()] = value.strip()


def _chunks(stream: Stream, limit: int) -> Incoming:
    """All chunks. The line end after a chunk's data tells proper HTTP from old clients."""
    body = bytearray()
    legacy = False
    while True:
        line = stream.readline(64)
        if not line and legacy:
            return Incoming(bytes(body), legacy=True)  # some close instead of sending the 0
        match = _SIZE.fullmatch(line.strip())
        if match is None:
            raise WireFaultError(400, "226", "a chunk must begin with its size")
        size = int(match[1], 16)
        if size == 0:
            break
        if len(body) + size > limit:
            raise WireFaultError(413, "244", f"the request is longer than the {limit} bytes allowed")
        data = stream.read(size)
        body += data
        if len(data) < size:
            raise WireFaultError(400, "226", "the request was cut off")
        if stream.peek(1)[:1] in (b"\r", b"\n"):
            stream.readline(4)
        else:
            legacy = True
    if not legacy:  # the line end that closes a proper message; trailers are passed over
        _headers(stream, HEAD_LIMIT, trailers=True)
    return Incoming(bytes(body), legacy)


_REASONS: Final = {
    200: "OK",
    400: "Bad Request",
    403: "Forbidden",
    405: "Method Not Allowed",
    408: "Request Timeout",
    411: "Length Required",
    413: "Content Too Large",
    431: "Request Header Fields Too Large",
    503: "Service Unavailable",
}


def answer_bytes(body: bytes, *, legacy: bool, status: int = 200) -> bytes:
    """The whole answer, in the framing of the request."""
    head = f'HTTP/1.1 {status} {_REASONS[status]}\r\nContent-Type: text/xml; charset="utf-8"\r\n'
    if legacy:
        return f"{head}Transfer-Encoding: chunked\r\n\r\n{len(body):X}\r\n".encode() + body + b"0\r\n"
    return f"{head}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body
