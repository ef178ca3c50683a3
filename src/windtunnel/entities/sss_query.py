"""Queries over node objects: what a ``Request`` asks of a set of nodes.

Conditions follow SQL: And binds tighter than Or, Not applies to the next condition or group, and a condition on
something a node does not have is false. Numbers compare as numbers (ids and other texts are equal as texts); memory,
disk and swap in the units of the condition (MB without). ``Match`` compares the whole text with one in which ``*``
and ``?`` are wildcards, as the one server of this protocol (Gold). With ``aggregation`` (List, Range, Pattern) the
value is what a reference to nodes is (seed document 003, section 4.4); patterns are regular expressions and share one
limit of time per request.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Final
from xml.sax.saxutils import escape, quoteattr

import msgspec

from windtunnel.entities.sss_conditions import check_one_amount, check_units, path_of, plain, selected
from windtunnel.entities.sss_message import Get, MessageFaultError, Request, Response
from windtunnel.entities.sss_node import CATEGORIES, SssNode, node_xml
from windtunnel.entities.sss_path import NodePath, Value, as_number
from windtunnel.entities.sss_units import best_units, in_bytes

__all__ = ["Control", "answer"]

Control = Callable[[Sequence[str], str], None]
"""Gives the nodes of these ids a state."""

MOST_PARTS: Final = 200
"""Get and Where of one request."""
MOST_WORK: Final = 2_000_000
"""The same times the number of nodes."""

_AGGREGATES: Final = ("Count", "Max", "Min", "Average", "Sum")
_LETTER: Final = "A-Za-z_\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u3001-\ud7ff"
_NAME: Final = re.compile(f"[{_LETTER}][0-9{_LETTER}]*")
"""A name of XML, which not every identifier of Python is."""
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
        _check_cost(request, len(nodes))
        return _modify(request, nodes, control)
    if request.action != "Query":
        raise MessageFaultError("312", f"unknown action {request.action!r}; known: Query, Modify")
    if request.sets:
        raise MessageFaultError("740", "a Query changes nothing: it has no Set")
    _check_cost(request, len(nodes))
    found = selected(request.wheres, nodes)
    gets = [(get, path_of(get.name, "313")) for get in request.gets]
    for get, path in gets:
        if get.op not in _OPS:
            raise MessageFaultError("315", f"unknown operation {get.op!r}; known: {', '.join(_OPS[1:])}")
        check_units(get.name, get.units, path)
        if get.alias and not _NAME.fullmatch(get.alias):
            raise MessageFaultError("313", f"the alias {get.alias!r} is not a name")
        if get.op not in {"", "Count"} or get.alias:
            check_one_amount(path, "313")
    limit, offset, unknown = _options(request)
    if any(get.op in {"GroupBy", *_AGGREGATES} for get, _ in gets):
        data = list(_groups(gets, found))
    else:
        found = _sorted(gets, found)
        stop = None if limit is None else offset + limit
        data = [_shown(gets, node) for node in found[offset:stop]]
        limit, offset = None, 0
    data = data[offset : None if limit is None else offset + limit]
    told = [f"options without effect: {', '.join(unknown)}"] if unknown else []
    told += [f"without effect: {', '.join(request.unheard)}"] if request.unheard else []
    message = "; ".join(told)
    value, code = ("Warning", "100") if told else ("Success", "000")
    chunking, actor = request.chunking, request.actor
    return Response(
        value=value, code=code, message=message, actor=actor, count=len(data), data=data, chunking=chunking
    )


def _check_cost(request: Request, nodes: int) -> None:
    """Refuse what nobody would wait for: each part of a request is looked at for each node."""
    parts = len(request.gets) + len(request.wheres)
    if parts > MOST_PARTS:
        raise MessageFaultError("244", f"{parts} Get and Where; {MOST_PARTS} are allowed in one request")
    if parts * nodes > MOST_WORK:
        allowed = f"{MOST_WORK // nodes} are allowed with so many"
        raise MessageFaultError("244", f"{parts} Get and Where over {nodes} nodes; {allowed}")
    depth = max((abs(where.group) for where in request.wheres), default=0)
    if depth > MOST_PARTS:
        raise MessageFaultError("318", f"{depth} nested parentheses; {MOST_PARTS} are allowed")


def _modify(request: Request, nodes: Sequence[SssNode], control: Control | None) -> Response:
    if control is None:
        raise MessageFaultError("740", "changes are not accepted here")
    wrong = [change.name for change in request.sets if change.name != "State" or change.op != "Assign"]
    if wrong or len(request.sets) != 1:
        raise MessageFaultError("314", "one thing can be changed: State, by Assign")
    ids = [node.id for node in selected(request.wheres, nodes)]
    try:
        control(ids, request.sets[0].value)
    except ValueError as error:
        raise MessageFaultError("318", str(error)) from error
    return Response(actor=request.actor, count=len(ids), message=f"{len(ids)} nodes changed")


_DIGITS: Final = 18
"""Of a limit or offset; there are never so many nodes."""


def _options(request: Request) -> tuple[int | None, int, list[str]]:
    limits: dict[str, int | None] = {"limit": None, "offset": 0}
    unknown = []
    for option in request.options:
        name = option.name.lower()
        if name not in limits or option.op:
            unknown.append(option.name)
        elif not option.value.isdecimal() or len(option.value) > _DIGITS:
            raise MessageFaultError("318", f"{option.name} must be a whole number, not {option.value!r:.60}")
        else:
            limits[name] = int(option.value)
    return limits["limit"], limits["offset"] or 0, unknown


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
        if path.attribute or get.alias or get.units:
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
                raise MessageFaultError(
                    "315", f"{get.name}: beside aggregates, every Get needs GroupBy or an aggregate"
                )
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
        units = get.units
        if units:
            value /= in_bytes(1, units)
        else:
            amount, units = best_units(round(value))
            value = Fraction(amount)
        attributes += f" units={quoteattr(units)}"
    if get.op in _AGGREGATES:
        attributes += f' metric="{get.op}"'
    if path.attribute:
        attributes += f" attribute={quoteattr(path.attribute)}"
    name = get.alias or path.element or path.top
    text = f"<{name}{attributes}>{escape(plain(value))}</{name}>"
    return text if get.alias or not path.element else f"<{path.top}>{text}</{path.top}>"
