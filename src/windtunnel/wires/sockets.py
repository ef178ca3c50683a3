"""What sockets are and do otherwise on Windows: :mod:`windtunnel.operating_system` says it of all else."""

import select
import socket
import sys
from collections.abc import Callable
from functools import partial
from typing import Any, Final

__all__ = ["UNIX_SOCKETS", "answer_at_once", "comes_within", "has_come"]

def answer_at_once(made: Any) -> None:
    """Small messages over TCP do not wait for others to be sent with."""
    if made.family in (socket.AF_INET, socket.AF_INET6):
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


if sys.platform == "win32":
    UNIX_SOCKETS: Final[int | None] = None
    """The family of sockets at paths (``ipc://``); None: there are none."""

    def has_come(connected: socket.socket) -> Callable[[], object]:
        """A function that says at once whether something has come, or the other end has closed."""
        return lambda: select.select([connected], [], [], 0)[0]

    def comes_within(connected: socket.socket) -> Callable[[int], object] | None:  # noqa: ARG001 -- as elsewhere
        """None: whoever waits reads."""
        return None

else:
    UNIX_SOCKETS: Final[int | None] = socket.AF_UNIX

    def comes_within(connected: socket.socket) -> Callable[[int], object] | None:
        """A function that waits until something has come, so many milliseconds at most; None where reading does that.

        Whoever waits by reading from a socket at a path is also woken when the other end has read what was sent to
        it: once more for each message, which costs more than asking before.
        """
        if connected.family != socket.AF_UNIX:
            return None
        poller = select.poll()
        poller.register(connected, select.POLLIN)
        return poller.poll

    def has_come(connected: socket.socket) -> Callable[[], object]:
        """A function that says at once whether something has come, or the other end has closed."""
        poller = select.poll()
        poller.register(connected, select.POLLIN)
        return partial(poller.poll, 0)
