"""The last net under readers: what nobody thought of is a fault of the file, with its name, and no traceback."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from windtunnel.diagnostics.errors import InputError
from windtunnel.diagnostics.findings import Finding
from windtunnel.diagnostics.places import place_of

__all__ = ["UNFORESEEN", "reading"]

UNFORESEEN: Final = "unforeseen"
"""The code of such findings: tests look for it, for a reader should say more about its files than this net does."""


@contextmanager
def reading(path: str | Path) -> Iterator[None]:
    """Whatever is raised within, and is no error of ours, becomes a finding about a file.

    Raises:
        InputError: something was raised.
    """
    try:
        yield
    except (ValueError, TypeError, LookupError, ArithmeticError, AttributeError, AssertionError) as fault:
        raise _error(path, f"{type(fault).__name__}: {fault}{place_of(fault)}") from fault
    except RecursionError as fault:
        raise _error(path, "it is nested too deeply") from fault
    except MemoryError as fault:
        raise _error(path, "it needs more memory than there is") from fault


def _error(path: str | Path, why: str) -> InputError:
    message = f"something in it is beyond its reader: {why:.300}"
    hint = "please report it, with the file if you may"
    return InputError([Finding(str(path), code=UNFORESEEN, message=message, hint=hint)])
