"""One ``Node`` element as data, with everything that is wrong about it."""

import re
from typing import TYPE_CHECKING, Any, Final

from windtunnel.diagnostics import Findings, did_you_mean
from windtunnel.entities.sss_node import CATEGORIES, CONSUMABLES, Consumable, Extension, SssNode
from windtunnel.entities.sss_units import UNITS, duration_seconds
from windtunnel.entities.xml_guard import line_of, local_name, stray_text

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["read_node", "tell_unheard"]

_SIMPLE = {name: name.lower() for name in ("Id", "Name", "Opsys", "Arch", "Description", "State")}
_KNOWN = (*_SIMPLE, "Feature", "Extension", *CATEGORIES)
_ATTRIBUTES = frozenset({"units", "metric", "wallDuration", "consumptionRate"})
_REFERRING = ("aggregation", "delimiter", "count")
_OF_XML = "{http://www.w3.org/"
"""Attributes that XML itself has (where a schema is, the language), not the format."""
_BYTES = ("Memory", "Disk", "Swap")
_INTEGER = re.compile(r"[+-]?\d+", re.ASCII)
_FLOAT = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def read_node(element: "_Element", findings: Findings) -> SssNode:
    """The node; an empty ``id`` if it has none. Faults go to ``findings``."""
    fields: dict[str, Any] = {}
    features: list[str] = []
    extensions: list[Extension] = []
    tell_unheard(element, findings)
    for child in element:
        name = local_name(child.tag)
        if name in _SIMPLE:
            _once(name, _SIMPLE[name], child, fields, findings, _text(child, findings))
        elif name == "Feature":
            features += [part for part in map(_blank_free, _text(child, findings).split(",")) if part]
        elif name == "Extension":
            extensions += _extension(child, findings)
        elif name in CATEGORIES:
            _once(name, name.lower(), child, fields, findings, _category(child, findings))
        elif name in CONSUMABLES:
            message = f"{name} must be inside Configured, Available or Utilized"
            findings.add(message, code="SSS020", line=line_of(child))
        elif name:
            _unknown("element", name, _KNOWN, child, findings)
        if name in (*_SIMPLE, "Feature"):
            _attributes(child, (), findings)
    if not fields.setdefault("id", ""):
        findings.add("a node must have an Id", code="SSS010", line=line_of(element))
    return SssNode(**fields, features=tuple(features), extensions=tuple(extensions))


def _once(
    name: str, field: str, child: "_Element", fields: dict[str, Any], findings: Findings, value: object
) -> None:
    """Keep a value that may be given only once."""
    if field in fields:
        findings.add(f"{name} is given twice", code="SSS012", line=line_of(child))
    else:
        fields[field] = value


def _extension(element: "_Element", findings: Findings) -> list[Extension]:
    _attributes(element, {"name", "type"}, findings)
    name = element.get("name", "")
    if not name:
        findings.add("an Extension must have a name", code="SSS031", line=line_of(element))
        return []
    return [Extension(name, _text(element, findings), element.get("type", ""))]


def _category(category: "_Element", findings: Findings) -> tuple[Consumable, ...]:
    found: dict[tuple[str, str, str, str], Consumable] = {}
    tell_unheard(category, findings)
    for child in category:
        name = local_name(child.tag)
        if name not in CONSUMABLES:
            if name:
                _unknown("element", name, CONSUMABLES, child, findings)
            continue
        item = _consumable(name, child, findings)
        if item is None:
            continue
        key = (*item.key, item.metric)
        if key in found:
            what = " ".join(part for part in item.key if part)
            hint = "the same resource may be given once for each metric"
            findings.add(f"{what} is given twice", code="SSS012", line=line_of(child), hint=hint)
        else:
            found[key] = item
    return tuple(found.values())


def _consumable(name: str, element: "_Element", findings: Findings) -> Consumable | None:
    line = line_of(element)
    is_resource = name == "Resource"
    _attributes(element, _ATTRIBUTES | {"name", "type"} if is_resource else _ATTRIBUTES, findings)
    what = element.get("name", "") if is_resource else ""
    if is_resource and not what:
        findings.add("a Resource must have a name", code="SSS031", line=line)
        return None
    value = _value(name, _text(element, findings), line, findings)
    units = element.get("units", "")
    if units and name in _BYTES and units not in UNITS:
        near = units.upper() if units.upper() in UNITS else ""
        hint = f"did you mean {near!r}?" if near else f"known: {', '.join(UNITS)}"
        findings.add(f"unknown units {units!r}", code="SSS030", line=line, hint=hint)
    duration = rate = None
    if (text := element.get("wallDuration")) is not None:
        duration = duration_seconds(text)
        if duration is None:
            hint = "write seconds, or a duration such as PT3576S"
            findings.add(f"{text!r:.60} is not a duration", code="SSS060", line=line, hint=hint)
    if (text := element.get("consumptionRate")) is not None:
        rate = _number(text)
        if rate is None or rate < 0:
            findings.add(f"consumptionRate {text!r} is not a fraction", code="SSS022", line=line, hint="such as 0.63")
    if value is None:
        return None
    return Consumable(
        element=name,
        value=value,
        units=units,
        metric=element.get("metric", ""),
        wall_duration=duration,
        consumption_rate=rate,
        name=what,
        type=element.get("type", "") if is_resource else "",
    )


_LONGEST: Final = 40
"""Digits of a whole number."""


def _value(name: str, text: str, line: int, findings: Findings) -> int | float | None:
    if name == "Processors":
        if not _INTEGER.fullmatch(text) or len(text) > _LONGEST or int(text) < 0:
            findings.add(f"Processors must be a whole number of at least 0, not {text!r}", code="SSS021", line=line)
            return None
        return int(text)
    value = int(text) if _INTEGER.fullmatch(text) and len(text) <= _LONGEST else _number(text)
    if value is None:
        wanted = f"at most {_LARGEST:g}" if _FLOAT.fullmatch(text) else "a number"
        findings.add(f"{name} must be {wanted}, not {text!r:.60}", code="SSS022", line=line)
    elif value < 0:
        findings.add(f"{name} must not be below zero, this is {text}", code="SSS022", line=line)
        return None
    return value


_LARGEST: Final = 1e200
"""Beyond it a size with its unit may be no number any more."""


def _number(text: str) -> float | None:
    if not _FLOAT.fullmatch(text):
        return None
    value = float(text)
    return value if abs(value) <= _LARGEST else None


def tell_unheard(element: "_Element", findings: Findings) -> None:
    """Note attributes of an element that has none, and text beside the elements in it."""
    name, line = local_name(element.tag), line_of(element)
    for attribute in map(str, element.attrib):
        if not attribute.startswith(_OF_XML):
            message = f"unknown attribute {local_name(attribute)!r} of {name} has no effect"
            hint = "this is one node: references have it, which hold an id only" if attribute in _REFERRING else ""
            findings.warn(message, code="SSS050", line=line, hint=hint)
    if text := stray_text(element):
        findings.warn(f"text in {name} has no effect: {text!r}", code="SSS050", line=line)


def _attributes(
    element: "_Element", known: "frozenset[str] | set[str] | tuple[str, ...]", findings: Findings
) -> None:
    for name in element.attrib:
        if local_name(name) not in known:
            _unknown("attribute", local_name(name), known, element, findings)


def _unknown(kind: str, name: str, known: object, element: "_Element", findings: Findings) -> None:
    hint = did_you_mean(name, known) if known else ""  # type: ignore[arg-type]  # names, all
    message = f"unknown {kind} {name!r} has no effect"
    findings.warn(message, code="SSS050", line=line_of(element), hint=hint)


def _blank_free(text: str) -> str:
    return text.strip(" \t\r\n")


def _text(element: "_Element", findings: Findings) -> str:
    """The text of an element that holds nothing else, without the blanks (of XML) around it."""
    for child in element:
        if name := local_name(child.tag):
            _unknown("element", name, (), child, findings)
    return "".join((element.text or "", *(child.tail or "" for child in element))).strip(" \t\r\n")
