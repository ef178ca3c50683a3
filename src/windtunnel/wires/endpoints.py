"""Endpoints as ZeroMQ writes them, and the addresses that lie behind those one connects to."""

import os
import re
import socket
import sys
from collections.abc import Callable
from typing import Any, Final

from windtunnel.diagnostics import UsageError
from windtunnel.wires.sockets import UNIX_SOCKETS

__all__ = ["Addresses", "addresses", "check_endpoint"]

Addresses = list[tuple[int, Any]]
"""Families of sockets, and what they connect to."""

_HINT: Final = "for example tcp://127.0.0.1:28000 or ipc:///tmp/socket"
_OVER_TCP: Final = "for example tcp://127.0.0.1:28000"
_TCP: Final = re.compile(r"(?:\[([^\]\s\0]+)\]|([^][*;/\s\0]+)):([0-9]{1,5})")
_LAST_PORT: Final = 65535
_LONGEST_PATH: Final = 107 if sys.platform == "linux" else 103


def check_endpoint(endpoint: str) -> str:
    """An endpoint of a kind that leads to another process (``inproc://`` does not), to connect to or to bind.

    Raises:
        UsageError: it is none.
    """
    if not endpoint.startswith(("tcp://", "ipc://")):
        raise UsageError(f"{endpoint!r} is not an endpoint of tcp or ipc", _HINT)
    if endpoint.startswith("ipc:") and UNIX_SOCKETS is None:
        raise UsageError(f"{endpoint!r} is a socket at a path, and this system has none", _OVER_TCP)
    host, _, port = endpoint.rpartition(":")
    if host.startswith("tcp:") and port.isdecimal() and int(port[:6]) > _LAST_PORT:  # libzmq would wrap it
        raise UsageError(f"{endpoint!r} is not an endpoint: ports end at {_LAST_PORT}")
    return endpoint


def addresses(endpoint: str) -> Callable[[], Addresses]:
    """A function that says where to connect to; it looks names up anew at every call (raising OSError).

    IPv4 comes before IPv6. ``ipc://@name`` is Linux' abstract name, as in libzmq; interfaces and addresses to connect
    from (``tcp://from;to``) are not known.

    Raises:
        UsageError: there can be no such address.
    """
    scheme, _, place = check_endpoint(endpoint).partition("://")
    if scheme == "ipc":
        path = os.fsencode(place)
        if not 0 < len(path) <= _LONGEST_PATH or b"\0" in path:
            raise UsageError(f"cannot connect to {endpoint!r}: the path has 1 to {_LONGEST_PATH} bytes", _HINT)
        abstract = path.startswith(b"@") and sys.platform == "linux"
        family = UNIX_SOCKETS or 0  # there are some: that was checked
        return lambda: [(family, b"\0" + path[1:] if abstract else path)]
    match = _TCP.fullmatch(place)
    if match is None or int(match[3]) == 0:
        raise UsageError(f"cannot connect to {endpoint!r}: no host and port", _HINT)
    host, port = match[1] or match[2], int(match[3])
    try:
        host.encode("idna")
    except UnicodeError:
        raise UsageError(f"cannot connect to {endpoint!r}: no host has such a name", _HINT) from None

    def look_up() -> Addresses:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        return sorted(((family, address) for family, _, _, _, address in found), key=lambda one: one[0])

    return look_up
