"""Files of a run that were cut, edited or overwritten: a user's mistake like any other, with the file's name."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from inspect import signature
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from windtunnel.diagnostics import UsageError

__all__ = ["of_runs", "read_from"]

P = ParamSpec("P")
T = TypeVar("T")


class _Named(Protocol):
    """A run: it has a name."""

    name: str


R = TypeVar("R", bound=_Named)


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
        import csv  # whoever reads no table needs neither

        import polars as pl

        if isinstance(fault, csv.Error | pl.exceptions.PolarsError):
            raise UsageError(f"{run}: {name} is damaged: {_reason(fault)}") from fault
        raise


def of_runs(function: Callable[Concatenate[R, P], T]) -> Callable[Concatenate[R, P], T]:
    """A function of a run, its first argument: what goes wrong in it while it makes sense of files is their fault."""
    asked = signature(function)

    @wraps(function)
    def guarded(run: R, /, *args: P.args, **kwargs: P.kwargs) -> T:
        asked.bind(run, *args, **kwargs)  # wrong arguments are no fault of a file
        with read_from(run.name, "a file of it"):
            return function(run, *args, **kwargs)

    return guarded


def _reason(fault: Exception) -> str:
    text = str(fault).partition("\n")[0]
    return f"{text} is not known there" if isinstance(fault, KeyError) else text or type(fault).__name__
