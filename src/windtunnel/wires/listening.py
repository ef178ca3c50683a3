"""Sockets that listen where an endpoint says, as libzmq would."""

import os
import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from windtunnel.diagnostics import UsageError
from windtunnel.wires.endpoints import addresses
from windtunnel.wires.sockets import UNIX_SOCKETS

__all__ = ["listen"]

_WAITING: Final = 16
"""Connections that may wait to be accepted."""


def listen(endpoint: str) -> tuple[socket.socket, Callable[[], None]]:
    """A socket that listens, and what closes it. ``tcp://*:port`` is every address of IPv4; interfaces are not known.

    A socket that an earlier process has left at a path is replaced; anything else there is not.

    Raises:
        UsageError: nothing can listen there.
    """
    everywhere = endpoint.startswith("tcp://*:")
    look_up = addresses(endpoint.replace("*", "0.0.0.0", 1) if everywhere else endpoint)  # noqa: S104 -- as it says
    try:
        family, address = look_up()[0]
        if family == UNIX_SOCKETS:
            return _at_path(family, address)
        listener = socket.socket(family, socket.SOCK_STREAM)
        return _bound(listener, address), listener.close
    except OSError as fault:
        raise UsageError(f"cannot listen at {endpoint!r}: {fault.strerror or fault}") from fault


def _bound(listener: socket.socket, address: object) -> socket.socket:
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)  # type: ignore[arg-type]
        listener.listen(_WAITING)
    except BaseException:
        listener.close()
        raise
    return listener


def _at_path(family: int, path: bytes) -> tuple[socket.socket, Callable[[], None]]:
    listener = socket.socket(family, socket.SOCK_STREAM)
    if path.startswith(b"\0"):
        return _bound(listener, path), listener.close
    place = Path(os.fsdecode(path)).absolute()  # the working directory may be another by then
    _remove(place)

    def close() -> None:
        listener.close()
        _remove(place)

    return _bound(listener, path), close


def _remove(path: Path) -> None:
    """Remove a socket, if there is one."""
    with suppress(OSError):  # binding says it if it could not be removed
        if path.is_socket():
            path.unlink()
