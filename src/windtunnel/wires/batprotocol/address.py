"""Where a decision component that speaks batprotocol is, as one word.

``lib:PATH`` is a shared library, ``batprotocol+tcp://HOST:PORT`` (or ``ipc://``) a process. Settings follow a ``?``,
with ``&`` between them: ``isolated``, ``load=dlmopen``, ``init-file=FILE``, and, as the last, ``init=`` and then
anything: the initialisation data, as they are.
"""

from pathlib import Path
from typing import Final

from windtunnel.diagnostics import UsageError, read_input
from windtunnel.wires.batprotocol.session import BatprotocolComponent
from windtunnel.wires.transport import Transport

__all__ = ["component_at", "is_address"]

_PROCESS: Final = "batprotocol+"
_LIBRARY: Final = "lib:"
_START: Final = 60.0
"""Seconds that a process may take at most until it is there."""


def is_address(text: str) -> bool:
    """Whether a text names a component that speaks batprotocol."""
    return text.startswith((_LIBRARY, _PROCESS))


def component_at(address: str, timeout: float | None = 600.0) -> BatprotocolComponent:
    """The component at an address; ``timeout``: seconds of wall clock for each answer (not of libraries in process).

    Raises:
        UsageError: the address is invalid, or its initialisation file cannot be read.
    """
    where, _, settings = address.partition("?")
    init, isolated, load = b"", False, "dlopen"
    while settings:
        if settings.startswith("init="):
            init = settings.removeprefix("init=").encode("utf-8", "surrogateescape")
            break
        setting, _, settings = settings.partition("&")
        name, _, value = setting.partition("=")
        if name == "init-file":
            init = _content(value)
        elif name == "isolated" and not value and where.startswith(_LIBRARY):
            isolated = True
        elif name == "load" and value in ("dlopen", "dlmopen") and where.startswith(_LIBRARY):
            load = value
        else:
            raise UsageError(
                f"{address!r}: there is no setting {setting!r}",
                "isolated, load=dlmopen (both of libraries), init-file=FILE, init=TEXT (the last)",
            )
    return BatprotocolComponent(_transport(where, timeout, load, isolated=isolated), init)


def _transport(where: str, timeout: float | None, load: str, *, isolated: bool) -> Transport:
    if where.startswith(_PROCESS):
        from windtunnel.wires.process import ProcessTransport

        start = _START if timeout is None else min(timeout, _START)
        return ProcessTransport(where.removeprefix(_PROCESS), timeout=timeout, start_timeout=start)
    path = where.removeprefix(_LIBRARY)
    if not path:
        raise UsageError("lib: names no library", "for example lib:./libedc.so")
    if "/" in path and not Path(path).exists():
        raise UsageError(f"{where}: there is no file {path}")
    if isolated:
        from windtunnel.wires.isolated import IsolatedTransport

        return IsolatedTransport(path, load, timeout=timeout)
    from windtunnel.wires.library import LibraryTransport

    return LibraryTransport(path, load)


def _content(path: str) -> bytes:
    try:
        return read_input(path)
    except OSError as fault:
        raise UsageError(f"the initialisation file {path} cannot be read: {fault.strerror}") from fault
