"""A client of the lease API, Haizea's or ours.

What answers may be anything: whatever is not an answer of such a service is refused by the name of the server.
"""

from collections.abc import Callable
from datetime import datetime
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from types import TracebackType
from typing import Any, Final, Self, TypeVar
from xml.parsers.expat import ExpatError
from xmlrpc.client import Error, Fault, ProtocolError, SafeTransport, ServerProxy, Transport

import msgspec

from windtunnel.diagnostics import InputError, UsageError
from windtunnel.formats.haizea.lwf import read_lease_text
from windtunnel.formats.haizea.lwf_write import lease_text
from windtunnel.model.lease import Lease
from windtunnel.services.lease_rpc import PORT

__all__ = ["DEFAULT_SERVER", "EPOCH", "LeaseClient"]

DEFAULT_SERVER = f"http://127.0.0.1:{PORT}/RPC2"
EPOCH = datetime.fromisoformat("2000-01-01T00:00")
"""Dates of leases that a client gets count (in seconds) from here."""
PATIENCE: Final = 120.0
"""Seconds that a server may be silent."""

_ODD: Final = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError, AssertionError, RecursionError)
"""What the parser of the standard library raises over answers that are none."""

T = TypeVar("T")


class NodeFacts(msgspec.Struct, frozen=True):
    """A node of the site: ``cpu`` in percent of one CPU, ``mem`` in MB."""

    id: int
    hostname: str
    cpu: int
    mem: int


class _Plain(Transport):
    """HTTP that does not wait indefinitely."""

    def make_connection(self, host: Any) -> HTTPConnection:
        made = super().make_connection(host)
        made.timeout = PATIENCE
        return made


class _Safe(SafeTransport):
    """HTTPS that does not wait indefinitely."""

    def make_connection(self, host: Any) -> HTTPSConnection:
        made = super().make_connection(host)
        made.timeout = PATIENCE
        return made


class LeaseClient:
    """Talks to a lease service. All methods raise :class:`UsageError` when it cannot be reached or refuses."""

    def __init__(self, server: str = DEFAULT_SERVER, token: str = "") -> None:
        headers = [("Authorization", f"Bearer {token}")] if token else []
        transport = _Safe if server.lower().startswith("https:") else _Plain
        try:
            self._proxy = ServerProxy(server, transport(headers=headers), allow_none=True)
        except (OSError, ValueError) as error:
            raise UsageError(f"{server}: {error}", "write http://HOST:PORT/RPC2") from error
        self.server = server

    def _call(self, convert: Callable[[Any], T], method: str, *arguments: Any) -> T:
        try:
            return convert(getattr(self._proxy, method)(*arguments))
        except Fault as fault:
            raise UsageError(str(fault.faultString)) from fault
        except ProtocolError as error:
            raise UsageError(f"{self.server} refuses: {error.errcode} {error.errmsg}") from error
        except OSError as error:
            raise UsageError(
                f"{self.server} does not answer: {error.strerror or error}",
                "windtunnel serve leases starts a service; --server says where it is",
            ) from error
        except (HTTPException, Error, ExpatError, InputError, *_ODD) as error:
            raise UsageError(f"{self.server} does not answer {method} as a lease service does") from error

    def request(self, lease: Lease) -> int:
        """Submit a lease, with dates counted from :data:`EPOCH`; returns its id."""
        return self._call(_as(int), "create_lease", lease_text(lease, epoch=EPOCH))

    def cancel(self, number: int) -> None:
        """Cancel a lease."""
        self._call(_as(int), "cancel_lease", number)

    def leases(self) -> list[Lease]:
        """Leases that are not over."""
        return self._call(_leases, "get_leases")

    def queue(self) -> list[Lease]:
        """Leases that wait, in order."""
        return self._call(_leases, "get_queue")

    def lease(self, number: int) -> tuple[Lease, str]:
        """One lease, over or not, and why it was rejected (or waits)."""
        return self._call(_lease, "get_lease", number), self._call(_as(str), "get_reason", number)

    def hosts(self) -> list[NodeFacts]:
        """The nodes of the site."""
        return self._call(_as(list[NodeFacts]), "get_hosts")

    def time(self) -> datetime:
        """The service's date."""
        return self._call(datetime.fromisoformat, "get_time")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._proxy.__exit__(kind, value, trace)


def _as(kind: type[T]) -> Callable[[Any], T]:
    return lambda value: msgspec.convert(value, kind)


def _leases(texts: Any) -> list[Lease]:
    return [_lease(text) for text in msgspec.convert(texts, list[str])]


def _lease(text: Any) -> Lease:
    return read_lease_text(msgspec.convert(text, str).encode(), epoch=EPOCH, file="answer")
