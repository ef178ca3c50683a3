"""The marker of a run, ``run.json``: that it is under way, or how it ended."""

from contextlib import suppress
from typing import Final

from windtunnel.diagnostics import Account, WindtunnelError
from windtunnel.results.files import overwrite
from windtunnel.results.place import Place
from windtunnel.results.run_files import RunFiles
from windtunnel.results.state import RunState, Status

__all__ = ["ended_by", "mark", "mark_spoilt"]

_ROOM: Final = b" " * 2000 + b"\n"
"""What the marker of a run under way ends with, so that a full disk has room for how it ended."""


def mark(files: RunFiles, state: RunState, account: Account) -> None:
    """Write how far the run is.

    Raises:
        UsageError, SimulationError: it cannot be written.
    """
    state.account = account.lines
    room = _ROOM if state.status is Status.RUNNING and files.layout.stem is not None else b""
    files.write("run.json", state.json() + room)


def mark_spoilt(files: RunFiles, state: RunState, account: Account, place: Place, fault: BaseException) -> None:
    """The run is over, and something of it could not be written: its marker must not say that it is running."""
    state.status = Status.INCOMPLETE
    state.reason = ended_by(fault)
    path = files.layout.path("run.json")
    with suppress(WindtunnelError):
        place.check_ours()
        try:
            mark(files, state, account)
        except WindtunnelError:  # a full disk: there is room in the marker that lies there
            if path is not None:
                overwrite(path, state.json())


def ended_by(fault: BaseException) -> str:
    """How a run ended that something put an end to."""
    if isinstance(fault, KeyboardInterrupt | GeneratorExit):  # the latter: before it could be passed on
        return "interrupted"
    return str(fault) or type(fault).__name__
