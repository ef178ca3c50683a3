"""The operations on workloads by their names: how one is written on a command line or in a file, and done."""

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import msgspec

from windtunnel.diagnostics import UsageError, did_you_mean
from windtunnel.options import checked_options, options_of
from windtunnel.workloads.columns import Columns
from windtunnel.workloads.operations import arrivals, elasticity, estimates, resampling, selection, sessions, sizes

__all__ = ["OPERATIONS", "Operation", "applied", "checked", "parse_operation"]

_WRITTEN: Final = "expected one such as scale_load(0.9) or first(100)"
OPERATIONS: Final[Mapping[str, Callable[..., str]]] = {
    "filter": selection.filter_jobs,
    "first": selection.first,
    "from_sessions": sessions.from_sessions,
    "merge": selection.merge,
    "resample": resampling.resample,
    "scale_load": arrivals.scale_load,
    "shake": arrivals.shake,
    "slice": selection.slice_jobs,
    "to_hosts": sizes.to_hosts,
    "with_elasticity": elasticity.with_elasticity,
    "with_estimates": estimates.with_estimates,
}
"""By name; the first parameter of each is the columns, the others are its options."""


class Operation(msgspec.Struct, frozen=True):
    """One operation and its options, checked."""

    name: str
    options: dict[str, Any] = {}

    def __str__(self) -> str:
        usual, _ = options_of(OPERATIONS[self.name], skip=1)
        given = {key: value for key, value in self.options.items() if value != usual[key].default}
        return f"{self.name}({', '.join(f'{key}={_shown(value)}' for key, value in given.items())})"


def _shown(value: Any) -> str:
    if isinstance(value, (str, int, float)):
        return repr(value)
    return repr(value.path.replace("\\", "/").rpartition("/")[2] or value.name)


def checked(name: str, arguments: Sequence[Any], options: Mapping[str, Any]) -> Operation:
    """An operation with options by place and by name.

    Raises:
        UsageError: there is no such operation, or it has no such option.
    """
    if name not in OPERATIONS:
        raise UsageError(f"there is no operation {name!r} on workloads", did_you_mean(name, list(OPERATIONS)))
    known, _ = options_of(OPERATIONS[name], skip=1)
    if len(arguments) > len(known):
        raise UsageError(f"{name} takes {len(known)} options ({', '.join(known)}), not {len(arguments)}")
    placed = dict(zip(known, arguments, strict=False))
    if twice := placed.keys() & options.keys():
        raise UsageError(f"{name}: {', '.join(sorted(twice))} given twice")
    return Operation(name, checked_options(f"the operation {name}", (known, False), {**placed, **options}))


def applied(operation: Operation, columns: Columns) -> str:
    """Do it, and say what was done."""
    return OPERATIONS[operation.name](columns, **operation.options)


def parse_operation(text: str) -> Operation:
    """An operation as it is written on a command line or in a file: ``slice("1996-10", weeks=4)``.

    Raises:
        UsageError: it is not of that form, or not an operation with these options.
    """
    if not isinstance(text, str):
        raise UsageError(f"an operation is written as a string, not as a {type(text).__name__}", _WRITTEN)
    refused = UsageError(f"{text!r} is not an operation on workloads", _WRITTEN)
    try:
        call = ast.parse(text.strip(), mode="eval").body
        if isinstance(call, ast.Name):
            return checked(call.id, (), {})
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            raise refused
        arguments = [ast.literal_eval(one) for one in call.args]
        if any(one.arg is None for one in call.keywords):
            raise refused
        options = {str(one.arg): ast.literal_eval(one.value) for one in call.keywords}
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        raise refused from None
    return checked(call.func.id, arguments, options)
