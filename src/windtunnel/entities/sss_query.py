"""Queries over node objects: what a ``Request`` asks of a set of nodes.

Conditions follow SQL: And binds tighter than Or, Not applies to the next condition or group, and a condition on
something a node does not have is false. Numbers compare as numbers; memory, disk and swap in the units of the
condition (MB without). ``Match`` is a regular expression over the whole text, matched under a time limit.
"""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Final
from xml.sax.saxutils import escape, quoteattr

import msgspec

from windtunnel.entities.sss_message import Get, MessageFaultError, Request, Response, Where
from windtunnel.entities.sss_node import CATEGORIES, SssNode, node_xml
from windtunnel.entities.sss_path import NodePath, PathFaultError, Value, as_number, parse_path
from windtunnel.entities.sss_reference import ReferenceFaultError, match_all
from windtunnel.entities.sss_units import UNITS, best_units, in_bytes

__all__ = ["Control", "answer"]

Control = Callable[[Sequence[str], str], None]
"""Gives the nodes of these ids a state."""

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
_AGGREGATES: Final = ("Count", "Max", "Min", "Average", "Sum")
_OPS: Final = ("", "Sort", "Tros", "GroupBy", *_AGGREGATES)


def answer(request: Request, nodes: Sequence[SssNode], control: Control | None = None) -> Response:
    """Carry out a request; faults become answers that say what is wrong. ``control`` allows changes of State."""
    try:
        return _answer(request, nodes, control)
    except MessageFaultError as error:
        return Response(value="Failure", code=error.code, message=str(error), actor=request.actor, count=0)


def _answer(request: Request, nodes: Sequence[SssNode], control: Control | None) -> Response:
    if request.objects != ("Node",):
        raise MessageFaultError("311", f"the only object here is Node, not {', '.join(request.objects) or 'nothing'}")
    if request.action == "Modify":
        return _modify(request, nodes, control)
    if request.action != "Query":
        raise MessageFaultError("312", f"unknown action {request.action!r}; known: Query, Modify")
    if request.sets:
        raise MessageFaultError("740", "a Query changes nothing: it has no Set")
    found = _selected(request.wheres, nodes)
    gets = [(get, _path(get.name, "313")) for get in request.gets]
    for get, _ in gets:
        if get.op not in _OPS:
            raise MessageFaultError("315", f"unknown operation {get.op!r}; known: {', '.join(_OPS[1:])}")
    limit, offset, unknown = _options(request)
    if any(get.op in {"GroupBy", *_AGGREGATES} for get, _ in gets):
        data = list(_groups(gets, found))
    else:
        found = _sorted(gets, found)
        stop = None if limit is None else offset + limit
        data = [_shown(gets, node) for node in found[offset:stop]]
        limit, offset = None, 0
    data = data[offset : None if limit is None else offset + limit]
    message = f"options without effect: {', '.join(unknown)}" if unknown else ""
    value, code = ("Warning", "100") if unknown else ("Success", "000")
    chunking, actor = request.chunking, request.actor
    return Response(
        value=value, code=code, message=message, actor=actor, count=len(data), data=data, chunking=chunking
    )


def _modify(request: Request, nodes: Sequence[SssNode], control: Control | None) -> Response:
    if control is None:
        raise MessageFaultError("740", "nothing may be changed here")
    wrong = [change.name for change in request.sets if change.name != "State" or change.op != "Assign"]
    if wrong or len(request.sets) != 1:
        raise MessageFaultError("314", "one thing can be changed: State, by Assign")
    ids = [node.id for node in _selected(request.wheres, nodes)]
    try:
        control(ids, request.sets[0].value)
    except ValueError as error:
        raise MessageFaultError("318", str(error)) from error
    return Response(actor=request.actor, count=len(ids), message=f"{len(ids)} nodes changed")


def _options(request: Request) -> tuple[int | None, int, list[str]]:
    limits: dict[str, int | None] = {"limit": None, "offset": 0}
    unknown = []
    for option in request.options:
        name = option.name.lower()
        if name not in limits or option.op:
            unknown.append(option.name)
        elif not option.value.isdecimal():
            raise MessageFaultError("318", f"{option.name} must be a whole number, not {option.value!r}")
        else:
            limits[name] = int(option.value)
    return limits["limit"], limits["offset"] or 0, unknown


def _path(name: str, code: str) -> NodePath:
    try:
        return parse_path(name)
    except PathFaultError as error:
        raise MessageFaultError(code, f"{error}{f': {error.hint}' if error.hint else ''}") from error


# -- conditions -------------------------------------------------------------------------------------------------


def _selected(wheres: Sequence[Where], nodes: Sequence[SssNode]) -> list[SssNode]:
    if not wheres:
        return list(nodes)
    columns = [_column(where, nodes) for where in wheres]
    keep = _Conditions(wheres, columns).all()
    return [node for node, kept in zip(nodes, keep, strict=True) if kept]


def _column(where: Where, nodes: Sequence[SssNode]) -> list[bool]:
    """Whether each node fulfils one condition."""
    path = _path(where.name, "314")
    op = _SYNONYMS.get(where.op, where.op)
    values = [path.values(node) for node in nodes]
    if op == "Match":
        return _matches(where.value, values)
    if op not in _COMPARE:
        raise MessageFaultError("315", f"unknown operator {where.op!r}; known: {', '.join(_COMPARE)}, Match")
    wanted = _wanted(where, path)
    if op == "NE":
        return [bool(found) and not any(_holds("EQ", value, wanted) for value in found) for found in values]
    return [any(_holds(op, value, wanted) for value in found) for found in values]


def _wanted(where: Where, path: NodePath) -> Value:
    number = as_number(where.value)
    if not path.is_bytes:
        return where.value if number is None else number
    if number is None:
        raise MessageFaultError("318", f"{where.name} compares with a number, not with {where.value!r}")
    if (where.units or "MB") not in UNITS:
        raise MessageFaultError("318", f"unknown units {where.units!r}; known: {', '.join(UNITS)}")
    return number * in_bytes(1, where.units)


def _holds(op: str, value: Value, wanted: Value) -> bool:
    if isinstance(wanted, Fraction) and isinstance(value, str):
        number = as_number(value)
        value, wanted = (value, _plain(wanted)) if number is None else (number, wanted)
    elif isinstance(value, Fraction) and isinstance(wanted, str):
        return False
    return _COMPARE[op](value, wanted)


def _matches(pattern: str, values: list[list[Value]]) -> list[bool]:
    texts = sorted({_plain(value) for found in values for value in found})
    try:
        hits = {texts[rank] for rank in match_all(pattern, texts)}
    except ReferenceFaultError as error:
        raise MessageFaultError("318", str(error)) from error
    return [any(_plain(value) in hits for value in found) for found in values]


def _plain(value: Value) -> str:
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


# -- what is asked for ------------------------------------------------------------------------------------------

_Gets = Sequence[tuple[Get, NodePath]]


def _sorted(gets: _Gets, nodes: list[SssNode]) -> list[SssNode]:
    """Sort by the first Sort or Tros, then by the next; nodes without the value come last."""
    for get, path in reversed(gets):
        if get.op in {"Sort", "Tros"}:
            with_value = [(path.values(node), node) for node in nodes]
            having = [(_sort_key(values[0]), node) for values, node in with_value if values]
            having.sort(key=lambda pair: pair[0], reverse=get.op == "Tros")
            nodes = [node for _, node in having] + [node for values, node in with_value if not values]
    return nodes


def _sort_key(value: Value) -> tuple[bool, Fraction, str]:
    number = value if isinstance(value, Fraction) else as_number(value)
    return (False, number, "") if number is not None else (True, Fraction(0), str(value))


def _shown(gets: _Gets, node: SssNode) -> str:
    """The node, or those parts of it that were asked for."""
    if not gets:
        return node_xml(node)
    chosen = msgspec.structs.replace(
        node, name="", opsys="", arch="", description="", state="", features=(), extensions=()
    )
    chosen = msgspec.structs.replace(chosen, configured=(), available=(), utilized=(), id="")
    extra = ""
    for get, path in gets:
        if path.attribute or get.alias:
            extra += "".join(_element(get, path, value) for value in path.values(node))
        elif path.top in CATEGORIES:
            field = path.top.lower()
            merged = dict.fromkeys((*getattr(chosen, field), *path.items(node)))
            chosen = msgspec.structs.replace(chosen, **{field: tuple(merged)})
        elif path.top == "Extension":
            kept = [e for e in node.extensions if all(getattr(e, name) == text for name, text in path.tests)]
            chosen = msgspec.structs.replace(chosen, extensions=tuple(dict.fromkeys((*chosen.extensions, *kept))))
        else:
            field = "features" if path.top == "Feature" else path.top.lower()
            chosen = msgspec.structs.replace(chosen, **{field: getattr(node, field)})
    text = node_xml(chosen)
    if not chosen.id:
        text = text.replace("  <Id></Id>\n", "", 1)
    return text.replace("</Node>", f"{extra}</Node>")


def _groups(gets: _Gets, nodes: list[SssNode]) -> Iterator[str]:
    """One ``Node`` with figures for each group, in order of the groups' values."""
    keys = [path for get, path in gets if get.op == "GroupBy"]
    groups: dict[tuple[Value, ...], list[SssNode]] = {}
    for node in nodes:
        key = tuple(values[0] if (values := path.values(node)) else "" for path in keys)
        groups.setdefault(key, []).append(node)
    if not keys:
        groups.setdefault((), [])
    for key in sorted(groups, key=lambda key: [_sort_key(value) for value in key]):
        names = iter(key)
        parts = []
        for get, path in gets:
            if get.op == "GroupBy":
                parts.append(_element(get, path, next(names)))
            elif get.op in _AGGREGATES:
                figure = _aggregate(get, path, groups[key])
                parts += [] if figure is None else [_element(get, path, figure)]
            else:
                raise MessageFaultError("315", f"{get.name}: with figures of groups, say GroupBy or a figure")
        yield f"<Node>{''.join(parts)}</Node>"


def _aggregate(get: Get, path: NodePath, nodes: list[SssNode]) -> Value | None:
    values = [value for node in nodes for value in path.values(node)]
    if get.op == "Count":
        return Fraction(sum(bool(path.values(node)) for node in nodes))
    numbers = [
        number
        for value in values
        if (number := as_number(str(value)) if isinstance(value, str) else value) is not None
    ]
    if len(numbers) < len(values):
        if get.op in {"Max", "Min"}:
            texts = [str(value) for value in values]
            return max(texts) if get.op == "Max" else min(texts)
        raise MessageFaultError("318", f"{get.op} needs numbers: {get.name} has others")
    if not numbers:
        return Fraction(0) if get.op == "Sum" else None
    total = sum(numbers, Fraction(0))
    figures = {"Max": max(numbers), "Min": min(numbers), "Sum": total, "Average": total / len(numbers)}
    return figures[get.op]


def _element(get: Get, path: NodePath, value: Value) -> str:
    """A value under its alias, or as the elements of its path with the figure as metric."""
    attributes = "".join(f" {name}={quoteattr(text)}" for name, text in path.tests)
    is_count = get.op == "Count"
    if path.is_bytes and isinstance(value, Fraction) and not is_count:
        amount, units = best_units(round(value))
        value = Fraction(amount)
        attributes += f" units={quoteattr(units)}"
    if get.op in _AGGREGATES:
        attributes += f' metric="{get.op}"'
    if path.attribute:
        attributes += f" attribute={quoteattr(path.attribute)}"
    name = get.alias or path.element or path.top
    if get.alias and not get.alias.isidentifier():
        raise MessageFaultError("313", f"the alias {get.alias!r} is no name")
    text = f"<{name}{attributes}>{escape(_plain(value))}</{name}>"
    return text if get.alias or not path.element else f"<{path.top}>{text}</{path.top}>"
