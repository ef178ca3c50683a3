"""A client of the lease API, Haizea's or ours."""

from datetime import datetime
from types import TracebackType
from typing import Any, Self
from xml.parsers.expat import ExpatError
from xmlrpc.client import Fault, ProtocolError, ServerProxy

from windtunnel.diagnostics import UsageError
from windtunnel.formats.haizea.lwf import read_lease_text
from windtunnel.formats.haizea.lwf_write import lease_text
from windtunnel.model.lease import Lease
from windtunnel.services.lease_rpc import PORT

__all__ = ["DEFAULT_SERVER", "EPOCH", "LeaseClient"]

DEFAULT_SERVER = f"http://127.0.0.1:{PORT}/RPC2"
EPOCH = datetime.fromisoformat("2000-01-01T00:00")
"""Dates of leases that a client gets count (in seconds) from here."""


class LeaseClient:
    """Talks to a lease service. All methods raise :class:`UsageError` when it cannot be reached or refuses."""

    def __init__(self, server: str = DEFAULT_SERVER, token: str = "") -> None:
        headers = [("Authorization", f"Bearer {token}")] if token else []
        try:
            self._proxy = ServerProxy(server, allow_none=True, headers=headers)
        except OSError as error:
            raise UsageError(f"{server}: {error}", "write http://HOST:PORT/RPC2") from error
        self.server = server

    def _call(self, method: str, *arguments: Any) -> Any:
        try:
            return getattr(self._proxy, method)(*arguments)
        except Fault as fault:
            raise UsageError(fault.faultString) from fault
        except ProtocolError as error:
            raise UsageError(f"{self.server} refuses: {error.errcode} {error.errmsg}") from error
        except (OSError, ExpatError) as error:
            raise UsageError(f"{self.server} does not answer: {error}") from error

    def request(self, lease: Lease) -> int:
        """Submit a lease, with dates counted from :data:`EPOCH`; returns its id."""
        return int(self._call("create_lease", lease_text(lease, epoch=EPOCH)))

    def cancel(self, number: int) -> None:
        """Cancel a lease."""
        self._call("cancel_lease", number)

    def leases(self) -> list[Lease]:
        """Leases that are not over."""
        return [_lease(text) for text in self._call("get_leases")]

    def queue(self) -> list[Lease]:
        """Leases that wait, in order."""
        return [_lease(text) for text in self._call("get_queue")]

    def lease(self, number: int) -> tuple[Lease, str]:
        """One lease, over or not, and why it was rejected (or waits)."""
        return _lease(self._call("get_lease", number)), str(self._call("get_reason", number))

    def hosts(self) -> list[dict[str, Any]]:
        """The nodes of the site: id, hostname, cpu, mem."""
        return list(self._call("get_hosts"))

    def time(self) -> datetime:
        """The service's date."""
        return datetime.fromisoformat(self._call("get_time"))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._proxy.__exit__(kind, value, trace)


def _lease(text: str) -> Lease:
    return read_lease_text(text.encode(), epoch=EPOCH, file="answer")
