"""Whether the fields of a decision hold what the vocabulary says they hold.

Wires make decisions from checked messages; a scheduler in process may put anything into them. The rules are the
annotations of the classes themselves, read once per class. Sequences of any kind pass for tuples, and whatever
counts as a number (numpy's too) for a number.
"""

from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from functools import cache
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Any, Final, Union, get_args, get_origin, get_type_hints

import msgspec

from windtunnel.model import HostSet, Job, PlacementStrategy
from windtunnel.model.alike_amounts import AlikeAmounts
from windtunnel.vocabulary.decisions import Decision

__all__ = ["wrong_field"]

Check = Callable[[Any], str | None]
"""What is wrong with a value: a path below it (``.time``, ``[3]``, "") and what is expected there; or None."""

_PLAIN: Final[dict[Any, tuple[tuple[type, ...], str]]] = {
    str: ((str,), "a str"),
    int: ((int, Integral), "a whole number"),
    bool: ((bool,), "True or False"),
    NoneType: ((NoneType,), "None"),
}


_SEQUENCES: Final = (tuple, list)
"""The usual ones: looking at what else counts as one takes longer."""


def wrong_field(decision: Decision) -> str:
    """What the first wrongly typed field of a decision holds and what is expected there; "" if there is none."""
    if fault := _of_struct(decision):
        return f"its field {fault.removeprefix('.')}"
    return ""


def _of_struct(value: msgspec.Struct) -> str | None:
    for name, check, usual in _checks(type(value)):
        found = getattr(value, name)
        if found is not usual and (fault := check(found)):
            return f".{name}{fault}"
    return None


@cache
def _checks(kind: type) -> tuple[tuple[str, Check, object], ...]:
    """The fields of a struct, how each is checked, and what it holds if nothing is said."""
    hints = get_type_hints(kind)
    if kind is Job:  # one to be registered may have its profile beside it
        hints["profile"] |= None
    struct: Any = kind
    names = struct.__struct_fields__
    defaults = struct.__struct_defaults__
    usual = [*(object() for _ in range(len(names) - len(defaults))), *defaults]
    return tuple((name, _check(hints[name]), one) for name, one in zip(names, usual, strict=True))


def _check(hint: Any) -> Check:
    if hint is Any:
        return lambda _: None
    if hint is float:
        return _number
    if hint in _PLAIN:
        return _instance(*_PLAIN[hint])
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return _any_of(arguments)
    if origin is tuple:
        return _sequence(arguments[0]) if arguments[-1] is Ellipsis else _row(arguments)
    if origin in (Mapping, dict):
        return _mapping(*arguments)
    if hint is HostSet:
        return _host_set
    if issubclass(hint, msgspec.Struct):
        return _struct(hint)
    return _instance((hint,), f"a {hint.__name__}" if issubclass(hint, Enum) else hint.__name__)


def _found(expected: str, value: Any) -> str:
    found = "None" if value is None else f"{type(value).__name__} {value!r:.50}"
    return f" must be {expected}, not {found}"


def _instance(kinds: tuple[type, ...], expected: str) -> Check:
    exact = kinds[0]

    def check(value: Any) -> str | None:
        if type(value) is exact or isinstance(value, kinds):
            return None
        return _found(expected, value)

    return check


def _number(value: Any) -> str | None:
    if type(value) is float:
        return None
    if not isinstance(value, Real):
        return _found("a number", value)
    try:
        float(value)
    except OverflowError:
        return " must be a number that a float can hold, not a larger one"
    return None


def _host_set(value: Any) -> str | None:
    return None if isinstance(value, HostSet) else _found("a HostSet (Execute takes any host ids)", value)


def _struct(kind: type[msgspec.Struct]) -> Check:
    def check(value: Any) -> str | None:
        return _of_struct(value) if isinstance(value, kind) else _found(f"a {kind.__name__}", value)

    return check


def _any_of(arguments: tuple[Any, ...]) -> Check:
    """A value of one of several kinds; what is wrong inside one that is of a kind is said of it."""
    checks = [_exactly_tuple(one) if PlacementStrategy in arguments else _check(one) for one in arguments]
    optional = NoneType in arguments

    def check(value: Any) -> str | None:
        if value is None and optional:
            return None
        expected = []
        for one in checks:
            fault = one(value)
            if fault is None or not fault.startswith(" must be "):
                return fault  # of one of its parts
            expected.append(fault.removeprefix(" must be ").partition(", not ")[0])
        return _found(" or ".join(expected), value)

    return check


def _exactly_tuple(hint: Any) -> Check:
    """Ranks of executors are told from a predefined placement by being a tuple."""
    plain = _check(hint)
    if get_origin(hint) is not tuple:
        return plain
    return lambda value: plain(value) if isinstance(value, tuple) else _found("a tuple", value)


def _is_sequence(value: Any) -> bool:
    if type(value) in _SEQUENCES:
        return True
    return hasattr(value, "__getitem__") and not isinstance(value, str | bytes | Mapping)


def _sequence(item: Any) -> Check:
    checked = _check(item)
    quick = frozenset({item} if item in (str, int, float) else ())

    def check(value: Any) -> str | None:
        if not _is_sequence(value):
            return _found("a tuple", value)
        if quick and quick.issuperset(map(type, value)):  # large vectors and matrices
            return None
        return next((f"[{rank}]{fault}" for rank, one in enumerate(value) if (fault := checked(one))), None)

    return check


def _row(items: tuple[Any, ...]) -> Check:
    """A tuple of so many values, each of its own kind."""
    checks = [_check(item) for item in items]

    def check(value: Any) -> str | None:
        if not _is_sequence(value) or len(value) != len(checks):
            return _found(f"a tuple of {len(checks)}", value)
        for rank, (one, item) in enumerate(zip(checks, value, strict=True)):
            if fault := one(item):
                return f"[{rank}]{fault}"
        return None

    return check


def _mapping(key: Any, item: Any) -> Check:
    check_key, check_item = _check(key), _check(item)

    def check(value: Any) -> str | None:
        if type(value) is AlikeAmounts:  # one host of each group tells
            pairs: Iterable[tuple[Any, Any]] = [(hosts.first, one) for hosts, one in value.groups if hosts]
        elif type(value) is dict:
            if not value:
                return None
            pairs = value.items()
        elif isinstance(value, Mapping):
            pairs = value.items()
        else:
            return _found("a mapping", value)
        for name, one in pairs:
            if fault := check_key(name):
                return f", its key{fault}"
            if fault := check_item(one):
                return f"[{name!r:.50}]{fault}"
        return None

    return check
