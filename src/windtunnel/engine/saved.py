"""Files of saved simulations: a line that says what follows, then a pickle.

The line holds the format, the versions that wrote it, the length of the rest and a SHA-256 of all: what was cut or
damaged is told from what is whole before anything in it is believed. A digest is not a signature: whoever can write
such a file can run code in the process that restores it. Hence other users' files are restored only on request.
"""

import os
import sys
from hashlib import sha256
from pathlib import Path
from typing import Final

import msgspec

from windtunnel.diagnostics import UsageError, open_input
from windtunnel.operating_system import is_ours
from windtunnel.version import __version__, build

__all__ = ["packed", "unpacked"]

FORMAT: Final = 17
"""Raised when what is pickled changes."""
_MAGIC: Final = b"windtunnel saved simulation "
_LONGEST_HEAD: Final = 1000
_OTHERS_MAY_WRITE: Final = 0o002


class _Head(msgspec.Struct, frozen=True):
    format: int
    windtunnel: str
    python: str
    build: str
    length: int


def packed(state: bytes) -> bytes:
    """The content of a file that holds a state."""
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    head = msgspec.json.encode(_Head(FORMAT, __version__, python, build(), len(state)))
    return b"%s%s %s\n%s" % (_MAGIC, head, _digest(head, state), state)


def _digest(head: bytes, state: bytes) -> bytes:
    """The SHA-256 of what the head says and of the state."""
    digest = sha256(head)
    digest.update(state)
    return digest.hexdigest().encode()


def unpacked(path: str | Path, *, trust: bool = False) -> bytes:
    """The state in a file.

    Raises:
        UsageError: it cannot be read, is not a saved simulation of this version, is damaged, or (without ``trust``)
            is another user's or can be written by everybody.
    """
    try:
        with open_input(path) as file:
            if not trust:
                _check_owner(path, os.fstat(file.fileno()))
            data = file.read()
    except OSError as fault:
        raise UsageError(f"{path} cannot be read: {fault.strerror}") from fault
    line = data[:_LONGEST_HEAD].partition(b"\n")[0]
    state = data[len(line) + 1 :]
    text, _, digest = line[len(_MAGIC) :].rpartition(b" ")
    try:
        if not line.startswith(_MAGIC):
            raise ValueError
        head = msgspec.json.decode(text, type=_Head)
    except ValueError:
        raise UsageError(f"{path} is not a simulation saved by this version") from None
    if head.format != FORMAT:
        what = f"{head.windtunnel} (format {head.format})"
        raise UsageError(f"{path} is not a simulation saved by this version, but by {what}")
    if head.build != build():
        raise UsageError(f"{path} was saved by the build {head.build!r}: this one is {build()!r}, and objects differ")
    if head.length != len(state) or digest != _digest(text, state):
        raise UsageError(f"{path} is damaged: what it holds is not what was saved", "take another copy of it")
    return state


def _check_owner(path: str | Path, found: os.stat_result) -> None:
    whose = ""
    ours = is_ours(found)
    if ours is None:
        whose = "may be another user's, as far as this system tells"
    elif not ours:
        whose = f"belongs to another user (number {found.st_uid})"
    elif found.st_mode & _OTHERS_MAY_WRITE:
        whose = "can be written by every user"
    if whose:
        raise UsageError(
            f"{path} {whose}: a saved simulation can run code when it is restored",
            "restore it with trust=True if you trust whoever wrote it",
        )
