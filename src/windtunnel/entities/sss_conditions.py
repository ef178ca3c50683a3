"""Conditions of a query: which nodes fulfil them (rules in :mod:`windtunnel.entities.sss_query`)."""

import fnmatch
import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from time import monotonic
from typing import Final

from windtunnel.entities.sss_message import MessageFaultError, Where
from windtunnel.entities.sss_node import CATEGORIES, SssNode
from windtunnel.entities.sss_path import NodePath, PathFaultError, Value, as_number, parse_path
from windtunnel.entities.sss_reference import TIME_LIMIT, NodeReference, ReferenceFaultError, expand
from windtunnel.entities.sss_units import UNITS, duration_seconds, in_bytes

__all__ = ["check_one_amount", "check_units", "path_of", "plain", "selected"]

_SYNONYMS: Final = {"G": "GT", "L": "LT", "": "EQ"}
_COMPARE: Final[dict[str, Callable[[Value, Value], bool]]] = {
    "EQ": lambda a, b: a == b,
    "NE": lambda a, b: a != b,
    "GT": lambda a, b: a > b,  # type: ignore[operator]  # both are of one kind here
    "GE": lambda a, b: a >= b,  # type: ignore[operator]  # likewise
    "LT": lambda a, b: a < b,  # type: ignore[operator]  # likewise
    "LE": lambda a, b: a <= b,  # type: ignore[operator]  # likewise
}
_CONJ: Final = ("And", "Or", "AndNot", "OrNot")


def path_of(name: str, code: str) -> NodePath:
    """A path of a request.

    Raises:
        MessageFaultError: there is no such path; with this code.
    """
    try:
        return parse_path(name)
    except PathFaultError as error:
        raise MessageFaultError(code, f"{error}{f': {error.hint}' if error.hint else ''}") from error


def selected(wheres: Sequence[Where], nodes: Sequence[SssNode]) -> list[SssNode]:
    """The nodes that fulfil the conditions.

    Raises:
        MessageFaultError: a condition cannot be understood.
    """
    if not wheres:
        return list(nodes)
    until = monotonic() + TIME_LIMIT  # all patterns of a request share it
    columns = [_column(where, nodes, until) for where in wheres]
    keep = _Conditions(wheres, columns).all()
    return [node for node, kept in zip(nodes, keep, strict=True) if kept]


def _column(where: Where, nodes: Sequence[SssNode], until: float) -> list[bool]:
    """Whether each node fulfils one condition."""
    path = path_of(where.name, "314")
    check_one_amount(path, "314")
    op = _SYNONYMS.get(where.op, where.op)
    values = [path.values(node) for node in nodes]
    if where.aggregation:
        return _among(where, op, values, until)
    if op == "Match":
        matches = re.compile(_wildcards(where.value)).match
        return [any(matches(plain(value)) for value in found) for found in values]
    if op not in _COMPARE:
        raise MessageFaultError("315", f"unknown operator {where.op!r}; known: {', '.join(_COMPARE)}, Match")
    wanted = _wanted(where, path)
    if op == "NE":
        return [bool(found) and not any(_holds("EQ", value, wanted) for value in found) for found in values]
    return [any(_holds(op, value, wanted) for value in found) for found in values]


def check_one_amount(path: NodePath, code: str) -> None:
    """Refuse a whole category where one amount is meant: processors and bytes are not compared, nor added up."""
    if path.top in CATEGORIES and not path.element:
        raise MessageFaultError(code, f"{path.text!r} holds several amounts: name one, such as {path.top}/Processors")


def check_units(name: str, units: str, path: NodePath) -> None:
    """Refuse units that are none, or of what is not counted in bytes."""
    if units and units not in UNITS:
        raise MessageFaultError("318", f"unknown units {units!r}; known: {', '.join(UNITS)}")
    if units and not path.is_bytes:
        raise MessageFaultError("318", f"{name} is not counted in {units}: units are for memory, disk and swap")


def _wanted(where: Where, path: NodePath) -> Value:
    check_units(where.name, where.units, path)
    number = as_number(where.value)
    if path.is_duration and number is None:
        seconds = duration_seconds(where.value)
        if seconds is None:
            raise MessageFaultError("318", f"{where.name} compares with a duration such as PT1H, not {where.value!r}")
        return Fraction(seconds)
    if path.is_label and where.op in {"", "EQ", "NE"}:
        return where.value
    if number is None and path.is_number:
        raise MessageFaultError("318", f"{where.name} compares with a number, not with {where.value!r}")
    if number is None:
        return where.value
    return number * in_bytes(1, where.units) if path.is_bytes else number


def _holds(op: str, value: Value, wanted: Value) -> bool:
    if isinstance(wanted, Fraction) and isinstance(value, str):
        number = as_number(value)
        value, wanted = (value, plain(wanted)) if number is None else (number, wanted)
    elif isinstance(value, Fraction) and isinstance(wanted, str):
        return False
    return _COMPARE[op](value, wanted)


def _wildcards(text: str) -> str:
    """A regular expression for a text in which ``*`` stands for anything and ``?`` for one character.

    The standard library's never tries the same stretch twice, so it needs no limit of time.
    """
    return fnmatch.translate(text.replace("[", "[[]"))


def _among(where: Where, op: str, values: list[list[Value]], until: float) -> list[bool]:
    """Whether each node has one of the values that a list, range or pattern stands for."""
    if op != "EQ":
        raise MessageFaultError("315", f"with an aggregation the operator is EQ, not {where.op!r}")
    texts = sorted({plain(value) for found in values for value in found})
    reference = NodeReference(where.value, where.aggregation, where.delimiter or ",")
    try:
        meant = set(expand(reference, texts, until - monotonic()))
    except ReferenceFaultError as error:
        raise MessageFaultError("318", str(error)) from error
    return [any(plain(value) in meant for value in found) for found in values]


def plain(value: Value) -> str:
    """A value as text."""
    if isinstance(value, str):
        return value
    return str(value.numerator) if value.denominator == 1 else repr(float(value))


class _Conditions:
    """The conditions of a request as one expression: ``or`` of ``and`` of negations, conditions and groups."""

    def __init__(self, wheres: Sequence[Where], columns: list[list[bool]]) -> None:
        self._tokens: list[str | list[bool]] = []
        depth = 0
        for rank, (where, column) in enumerate(zip(wheres, columns, strict=True)):
            if where.conj not in _CONJ:
                raise MessageFaultError("316", f"unknown conjunction {where.conj!r}; known: {', '.join(_CONJ)}")
            if rank:
                self._tokens.append("and" if where.conj.startswith("And") else "or")
            if where.conj.endswith("Not"):
                self._tokens.append("not")
            self._tokens += ["("] * max(where.group, 0)
            self._tokens.append(column)
            self._tokens += [")"] * max(-where.group, 0)
            depth += where.group
            if depth < 0 or abs(where.group) > 100:
                raise MessageFaultError("317", f"condition {rank + 1} closes a group that was not opened")
        if depth:
            raise MessageFaultError("317", "a group of conditions is not closed")
        self._at = 0

    def all(self) -> list[bool]:
        """The value for each node."""
        return self._or()

    def _next(self, token: str) -> bool:
        if self._at < len(self._tokens) and self._tokens[self._at] == token:
            self._at += 1
            return True
        return False

    def _or(self) -> list[bool]:
        value = self._and()
        while self._next("or"):
            value = [a or b for a, b in zip(value, self._and(), strict=True)]
        return value

    def _and(self) -> list[bool]:
        value = self._one()
        while self._next("and"):
            value = [a and b for a, b in zip(value, self._one(), strict=True)]
        return value

    def _one(self) -> list[bool]:
        if self._next("not"):
            return [not value for value in self._one()]
        if self._next("("):
            value = self._or()
            self._next(")")
            return value
        token = self._tokens[self._at]
        self._at += 1
        assert isinstance(token, list)
        return token
