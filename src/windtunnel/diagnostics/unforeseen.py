"""The last net under readers: what nobody thought of is a fault of the file, with its name, and no traceback."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from windtunnel.diagnostics.errors import InputError
from windtunnel.diagnostics.findings import Finding
from windtunnel.diagnostics.opening import read_input
from windtunnel.diagnostics.places import place_of

__all__ = ["UNFORESEEN", "reading"]

_LONG: Final = rb"\d{309,}"
_MOST: Final = 100
"""So many of them are named."""
UNFORESEEN: Final = "unforeseen"
"""The code of such findings: tests look for it, for a reader should say more about its files than this net does."""


@contextmanager
def reading(path: str | Path) -> Iterator[None]:
    """Whatever is raised within, and is not an error of ours, becomes a finding about a file.

    Raises:
        InputError: something was raised.
    """
    try:
        yield
    except (OverflowError, ValueError) as fault:
        if found := _long_numbers(path):
            raise InputError(found) from fault
        raise _error(path, _what(fault)) from fault
    except (TypeError, LookupError, ArithmeticError, AttributeError, AssertionError) as fault:
        raise _error(path, _what(fault)) from fault
    except RecursionError as fault:
        raise _error(path, "it is nested too deeply") from fault
    except MemoryError as fault:
        raise _error(path, "it needs more memory than there is") from fault


def _what(fault: Exception) -> str:
    return f"{type(fault).__name__}: {fault}{place_of(fault)}"


def _long_numbers(path: str | Path) -> list[Finding]:
    """The numbers in a file that are larger than any that can be computed with, with their places."""
    try:
        data = read_input(path)
    except OSError:
        return []
    found = []
    for match in re.finditer(_LONG, data):
        line = data.count(b"\n", 0, match.start()) + 1
        column = match.start() - data.rfind(b"\n", 0, match.start())
        message = f"a number of {len(match[0])} digits: numbers above 1.8e308 are not supported"
        found.append(Finding(str(path), line=line, column=column, code="number", message=message))
        if len(found) == _MOST:
            break
    return found


def _error(path: str | Path, why: str) -> InputError:
    message = f"its reader cannot handle something in it: {why:.300}"
    hint = "please report it, with the file if you may"
    return InputError([Finding(str(path), code=UNFORESEEN, message=message, hint=hint)])
