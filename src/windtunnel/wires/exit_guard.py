"""A library that calls ``exit`` ends this process: that is said, what was recorded is kept, and the exit code is 1.

Without a word the process would end with whatever code the library likes, 0 among them. Only ``_exit`` and its like
escape; a library in a process of its own (:mod:`windtunnel.wires.isolated`) cannot end this one at all.
"""

import atexit
import ctypes
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

__all__ = ["ExitGuard"]

_Handler: Final = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class ExitGuard:
    """Watches over a library from when it is loaded until :meth:`release`, which must come before it is unloaded."""

    def __init__(self, library: ctypes.CDLL, name: str) -> None:
        self._name = name
        self._token = ctypes.create_string_buffer(1)  # its address names our handler among those of others
        self._handler = _Handler(self._exiting)
        self._armed = True
        self._remove: Callable[[Any], None] | None = None
        try:  # those of the library's own C library: behind dlmopen there are several
            register, remove = library["__cxa_atexit"], library["__cxa_finalize"]
        except AttributeError:  # another C library
            return
        register.argtypes = (_Handler, ctypes.c_void_p, ctypes.c_void_p)
        remove.argtypes, remove.restype = (ctypes.c_void_p,), None
        self._remove = remove
        register(self._handler, None, self._token)
        atexit.register(self.release)  # at a normal end, before there is no interpreter for the handler any more

    def release(self) -> None:
        """The library may do no more harm. May be called twice."""
        self._armed = False
        remove, self._remove = self._remove, None
        if remove is not None:
            atexit.unregister(self.release)
            remove(self._token)  # calls the handler, and takes it out

    def _exiting(self, nothing: Any) -> None:
        """Within ``exit``, on the way out: there is no way back into the run."""
        del nothing
        if not self._armed:
            return
        self._armed = False
        with suppress(Exception):
            sys.stderr.write(f"windtunnel: the library {self._name} has ended the process (exit)\n")
            sys.stderr.flush()
        with suppress(Exception):
            atexit._run_exitfuncs()  # open recordings among them
            sys.stdout.flush()
        os._exit(1)
