"""A decision component's library in a child process: it may crash or hang without taking the simulation with it.

Frames over a socket pair (4 bytes of length, then): ``S`` + initialisation data, ``A`` + message, ``Q``; answered by
``+`` + result (for ``S`` preceded by the flags, 4 bytes) or ``-`` + an error text.
"""

import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress

from windtunnel.diagnostics import ComponentError, ComponentTimeoutError
from windtunnel.wires.library import LibraryTransport

__all__ = ["IsolatedTransport", "serve"]


class IsolatedTransport:
    """Like :class:`LibraryTransport`, in a process of its own; ``timeout`` (s of wall clock, None: indefinitely)."""

    def __init__(self, path: str, load_method: str = "dlopen", timeout: float | None = 600.0) -> None:
        self.name = path
        self._arguments = (path, load_method)
        self._timeout = timeout
        self._child: subprocess.Popen[bytes] | None = None
        self._line: socket.socket | None = None

    def start(self, init_data: bytes) -> tuple[int, bytes]:
        """Start the child and initialise the library in it.

        Raises:
            ComponentError: the library fails, or the child died; ComponentTimeoutError: it takes too long.
        """
        if sys.platform == "win32":
            raise ComponentError("a library in a process of its own needs more than Windows passes on to processes")
        ours, theirs = socket.socketpair()
        with theirs:
            ours.settimeout(self._timeout)
            self._line = ours
            program = "import sys; from windtunnel.wires.isolated import serve; serve(*sys.argv[1:])"
            self._child = subprocess.Popen(  # noqa: S603 -- our own interpreter and our own program
                [sys.executable, "-P", "-c", program, str(theirs.fileno()), *self._arguments],
                pass_fds=[theirs.fileno()],
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
        answer = self._exchange(b"S" + init_data, "init")
        return int.from_bytes(answer[:4], "little"), answer[4:]

    def ask(self, message: bytes, within: float | None = None) -> bytes:
        """Have the child call take_decisions.

        Raises:
            ComponentError: the library failed, or the child died; ComponentTimeoutError: it takes too long.
        """
        if within is not None and self._line is not None:
            self._timeout = within
            self._line.settimeout(within)
        return self._exchange(b"A" + message, "take_decisions")

    def stop(self) -> None:
        """Let the library deinitialise itself, and end the child, gently if it lets us."""
        line, self._line = self._line, None
        child, self._child = self._child, None
        if line is not None:
            with suppress(OSError):
                _send(line, b"Q")
        if child is not None:
            try:
                child.wait(5.0)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
        if line is not None:
            line.close()

    def _exchange(self, frame: bytes, function: str) -> bytes:
        line = self._line
        if line is None:
            raise ComponentError(f"{self.name}: {function} was called when the library was not running")
        try:
            _send(line, frame)
            answer = _receive(line)
        except TimeoutError:
            self._kill()
            raise ComponentTimeoutError(
                f"{self.name}: {function} did not return within {self._timeout:g} s; its process was killed"
            ) from None
        except (EOFError, OSError):
            raise ComponentError(f"{self.name}: the library {self._death()} during {function}") from None
        if answer[:1] == b"-":
            raise ComponentError(answer[1:].decode())
        return answer[1:]

    def _kill(self) -> None:
        if self._child is not None:
            self._child.kill()
            self._child.wait()

    def _death(self) -> str:
        child = self._child
        assert child is not None, "a line without a child"
        try:
            code = child.wait(5.0)
        except subprocess.TimeoutExpired:
            self._kill()
            return "closed its connection"
        if code < 0:
            known = {one.value: one.name for one in signal.Signals}  # but not all real-time signals have a name
            return f"crashed ({known.get(-code, f'signal {-code}')})"
        return f"ended its process (exit code {code})"


def _send(line: socket.socket, frame: bytes) -> None:
    line.sendall(len(frame).to_bytes(4, "little") + frame)


def _receive(line: socket.socket) -> bytes:
    found = line.recv(16384)
    while len(found) < 4:
        found += _more(line, 4)
    missing = 4 + int.from_bytes(found[:4], "little") - len(found)
    if missing == 0:
        return found[4:]
    parts = [found[4:]]
    while missing > 0:
        parts.append(_more(line, missing))
        missing -= len(parts[-1])
    return b"".join(parts)


def _more(line: socket.socket, size: int) -> bytes:
    found = line.recv(min(size, 1 << 20))
    if not found:
        raise EOFError
    return found


def serve(descriptor: str, path: str, load_method: str) -> None:
    """The child: load the library and answer frames until told to stop, or until the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what an interrupt ends
    library = LibraryTransport(path, load_method, guarded=False)  # the parent says how this process ends
    with socket.socket(fileno=int(descriptor)) as line:
        try:
            while (frame := _receive(line)) != b"Q":
                _send(line, _answer(library, frame))
        except EOFError:
            pass
        library.stop()


def _answer(library: LibraryTransport, frame: bytes) -> bytes:
    try:
        if frame[:1] == b"S":
            flags, hello = library.start(frame[1:])
            return b"+" + flags.to_bytes(4, "little") + hello
        return b"+" + library.ask(frame[1:])
    except ComponentError as error:
        return b"-" + error.message.encode("utf-8", "backslashreplace")  # the library's path may be no UTF-8
