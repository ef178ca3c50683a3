"""The standard streams of a command: closed ones, those that nobody reads any more, terminals.

None of that is a reason for a command to stop, or to end otherwise than it would have. Only what cannot be written to
standard output because a disk is full or broken is a fault: somebody wanted to keep it.
"""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

__all__ = ["prepare_streams", "silence"]


def prepare_streams() -> None:
    """Let standard streams be closed, be left by their readers, and not know every character."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 -- as long as the process
        elif name == "stdout" and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    if sys.stdout is sys.__stdout__:
        _go_on_after(BrokenPipeError, sys.stdout)  # the reader (head, less) has seen enough: that is its right
    if sys.stderr is sys.__stderr__:
        _go_on_after(OSError, sys.stderr)
    if sys.stdout.isatty():  # names in inputs may hold what a terminal obeys
        from windtunnel.diagnostics import printable

        write = sys.stdout.write
        sys.stdout.write = lambda text: write(printable(text))  # type: ignore[method-assign]  # of this stream only


def _go_on_after(fault: type[OSError], stream: Any) -> None:
    """After such a fault all that is written to the stream is thrown away."""

    def bearing(method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*text: str) -> Any:
            try:
                return method(*text)
            except fault:
                silence(stream)
                return sum(map(len, text))

        return call

    stream.write, stream.flush = bearing(stream.write), bearing(stream.flush)


def silence(stream: Any) -> None:
    """Nothing more is written there, also not at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
