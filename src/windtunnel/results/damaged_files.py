"""Files of a run that were cut, edited or overwritten: a user's mistake like any other, with the file's name."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel.diagnostics import UsageError

__all__ = ["read_from"]


@contextmanager
def read_from(run: str, name: str) -> Iterator[None]:
    """Whatever goes wrong while a file of a run is made sense of is that file's fault.

    Raises:
        UsageError: something went wrong.
    """
    try:
        yield
    except UsageError:
        raise
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError) as fault:
        raise UsageError(f"{run}: {name} is damaged: {_reason(fault)}") from fault
    except Exception as fault:
        import polars as pl

        if isinstance(fault, pl.exceptions.PolarsError):
            raise UsageError(f"{run}: {name} is damaged: {_reason(fault)}") from fault
        raise


def _reason(fault: Exception) -> str:
    text = str(fault).partition("\n")[0]
    return f"{text} is not known there" if isinstance(fault, KeyError) else text or type(fault).__name__
