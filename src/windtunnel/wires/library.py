"""Decision components in shared libraries: the C interface of Batsim 5 (``batsim_edc.h``, here ``windtunnel_edc.h``).

A library that crashes takes the process with it; :mod:`windtunnel.wires.isolated` puts it in one of its own.
"""

import ctypes
import os
import sys
from pathlib import Path
from typing import Any, Final

from mypy_extensions import mypyc_attr

from windtunnel.diagnostics import ComponentError
from windtunnel.operating_system import LIBRARY_FLAGS
from windtunnel.wires.exit_guard import ExitGuard

__all__ = ["LOAD_METHODS", "LibraryTransport"]

LOAD_METHODS: Final = ("dlopen", "dlmopen")
_FLAGS: Final = LIBRARY_FLAGS | getattr(os, "RTLD_DEEPBIND", 0)
_NEW_NAMESPACE: Final = -1
_BUFFER: Final = ctypes.POINTER(ctypes.c_char)
_SIGNATURES: Final[dict[str, tuple[Any, ...] | None]] = {
    "batsim_edc_init": (
        ctypes.c_char_p,
        ctypes.c_uint32,
        ctypes.POINTER(ctypes.c_uint32),
        ctypes.POINTER(_BUFFER),
        ctypes.POINTER(ctypes.c_uint32),
    ),
    "batsim_edc_deinit": (),
    "batsim_edc_take_decisions": None,
}
"""What each function is given; None: it is passed as it is, for conversion costs as much as the rest of the call."""


@mypyc_attr(allow_interpreted_subclasses=True)
class LibraryTransport:
    """A library loaded into this process; ``path`` is given to the loader as it is (no slash: searched for).

    ``guarded``: a library that ends the process ends the run with a word.
    """

    def __init__(self, path: str, load_method: str = "dlopen", *, guarded: bool = True) -> None:
        self.name = path
        self._path = path
        self._load_method = load_method
        self._library: ctypes.CDLL | None = None
        self._guarded = guarded
        self._guard: ExitGuard | None = None
        self._started = False
        self._reply = _BUFFER()
        self._size = ctypes.c_uint32()
        self._out = (ctypes.byref(self._reply), ctypes.byref(self._size))

    def start(self, init_data: bytes) -> tuple[int, bytes]:
        """Load the library and call its init.

        Raises:
            ComponentError: it cannot be loaded, lacks a function, or init returned an error.
        """
        library = self._library = self._load()
        for name, arguments in _SIGNATURES.items():
            try:
                function = library[name]
            except AttributeError as error:
                raise ComponentError(f"Could not load symbol '{name}': {error}") from None
            if arguments is not None:
                function.argtypes = arguments
            function.restype = ctypes.c_uint8
            setattr(library, name, function)
        if self._guarded:
            self._guard = ExitGuard(library, self._path)
        flags = ctypes.c_uint32()
        code = library.batsim_edc_init(init_data, len(init_data), ctypes.byref(flags), *self._out)
        if code:
            raise ComponentError(f"Error while calling init on the EDC library: returned {code} ({self._path})")
        self._started = True
        return flags.value, self._taken("init")

    def ask(self, message: bytes, within: float | None = None) -> bytes:
        """Call take_decisions, which nothing can interrupt: ``within`` is for transports that can.

        Raises:
            ComponentError: it returned an error, or no buffer.
        """
        del within
        library = self._library
        if library is None:
            raise ComponentError(f"{self._path}: take_decisions was called before init")
        code = library.batsim_edc_take_decisions(message, len(message), *self._out)
        if code:
            raise ComponentError(
                f"Error while calling take_decisions on the EDC library: returned {code} ({self._path})"
            )
        return self._taken("take_decisions")

    def stop(self) -> None:
        """Call deinit (what it returns is ignored, as upstream does) and unload the library."""
        library, self._library = self._library, None
        if library is None:
            return
        if self._started:
            self._started = False
            library.batsim_edc_deinit()
        if self._guard is not None:
            self._guard.release()
        ctypes.CDLL(None).dlclose(ctypes.c_void_p(library._handle))

    def _taken(self, function: str) -> bytes:
        """The reply, copied at once: the buffer is the library's, and valid until its next call only."""
        size = self._size.value
        if not size:
            return b""
        if not self._reply:
            raise ComponentError(f"{self._path}: {function} gave {size} bytes at a null pointer")
        reply: Any = self._reply  # a slice of c_char is bytes, not the list that its type says
        taken: bytes = reply[:size]
        return taken

    def _load(self) -> ctypes.CDLL:
        try:
            if self._load_method == "dlmopen":
                return ctypes.CDLL(self._path, handle=_in_new_namespace(self._path))
            return ctypes.CDLL(self._path, mode=_FLAGS)
        except OSError as error:
            here = f" (./{self._path} is here: name it so)" if _is_here(self._path) else ""
            raise ComponentError(
                f"dynamic loader failed while loading external decision component library: {error}{here}"
            ) from None


def _is_here(path: str) -> bool:
    """Whether a name without a folder, which is looked for among the system's libraries, is a file here."""
    return "/" not in path and Path(path).exists()


def _in_new_namespace(path: str) -> int:
    if sys.platform != "linux":
        raise OSError("only Linux has dlmopen: load it with dlopen")
    process = ctypes.CDLL(None)
    process.dlmopen.restype = ctypes.c_void_p
    process.dlmopen.argtypes = (ctypes.c_long, ctypes.c_char_p, ctypes.c_int)
    process.dlerror.restype = ctypes.c_char_p
    handle: int | None = process.dlmopen(_NEW_NAMESPACE, os.fsencode(path), LIBRARY_FLAGS)
    if handle is None:
        raise OSError((process.dlerror() or b"unknown reason").decode(errors="replace"))
    return handle
