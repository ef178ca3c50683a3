"""Which elements and attributes a platform file may hold, and what is wrong with the structure of one.

From SimGrid's document type (versions 4 to 4.1). Deprecated names are translated here, so that the readers know
one name for each thing.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from windtunnel.diagnostics import Findings, did_you_mean

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["SYNONYMS", "check_structure", "children", "line_of", "tag_of"]

SYNONYMS: Final = {
    "AS": "zone",
    "ASroute": "zoneRoute",
    "bypassASroute": "bypassZoneRoute",
    "process": "actor",
}
"""Deprecated name of an element -> its name."""

REMOVED: Final = {
    "include": "SimGrid 3.18; put the content of the other file here",
    "storage": "SimGrid 3.27; use a host with the property role=storage",
    "storage_type": "SimGrid 3.27; use a host with the property role=storage",
    "mount": "SimGrid 3.27; use a host with the property role=storage",
}
UNSUPPORTED: Final = {
    "actor": "Windtunnel starts no actors from a platform file; remove it",
}
IGNORED: Final = ("random", "model_prop", "disk")

SHARING: Final = ("SHARED", "SPLITDUPLEX", "FULLDUPLEX", "FATPIPE")


class Rule(NamedTuple):
    """What an element may have."""

    required: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    choices: Mapping[str, tuple[str, ...]] = {}
    children: tuple[str, ...] = ()


_TRACES = ("trace", "trace_connect")
_INNER = ("zone", "cluster", "peer")
_LEAF = ("host", "cabinet", "router", "host_link")
_INNER_ROUTES = ("zoneRoute", "bypassZoneRoute")
_LEAF_ROUTES = ("route", "bypassRoute")
_YES_NO: Final = {"symmetrical": ("YES", "NO", "yes", "no")}

RULES: Final[Mapping[str, Rule]] = {
    "platform": Rule(("version",), (), {}, ("config", "zone", "cluster", "cabinet", "peer", *_TRACES, *IGNORED[:1])),
    "config": Rule((), ("id",), {}, ("prop",)),
    "prop": Rule(("id", "value")),
    "zone": Rule(
        ("id", "routing"),
        (),
        {},
        ("prop", *_INNER, *_LEAF, "link", "backbone", *_TRACES, *_INNER_ROUTES, *_LEAF_ROUTES),
    ),
    "host": Rule(
        ("id", "speed"),
        ("core", "speed_file", "availability_file", "state_file", "coordinates", "pstate"),
        {},
        ("prop", "disk"),
    ),
    "disk": Rule(("read_bw", "write_bw"), ("id",), {}, ("prop",)),
    "router": Rule(("id",), ("coordinates",)),
    "link": Rule(
        ("id", "bandwidth"),
        ("bandwidth_file", "latency", "latency_file", "state_file", "sharing_policy"),
        {"sharing_policy": (*SHARING, "WIFI")},
        ("prop",),
    ),
    "backbone": Rule(("id", "bandwidth", "latency")),
    "host_link": Rule(("id", "up", "down")),
    "cabinet": Rule(("id", "prefix", "suffix", "radical", "speed", "bw", "lat")),
    "peer": Rule(
        ("id", "speed", "bw_in", "bw_out"),
        ("lat", "coordinates", "speed_file", "availability_file", "state_file"),
    ),
    "cluster": Rule(
        ("id", "prefix", "suffix", "radical", "speed", "bw", "lat"),
        (
            *("core", "sharing_policy", "topology", "topo_parameters", "bb_bw", "bb_lat", "bb_sharing_policy"),
            *("router_id", "limiter_link", "loopback_bw", "loopback_lat"),
        ),
        {
            "sharing_policy": SHARING,
            "topology": ("FLAT", "TORUS", "FAT_TREE", "DRAGONFLY"),
            "bb_sharing_policy": ("SHARED", "FATPIPE"),
        },
        ("prop",),
    ),
    "route": Rule(("src", "dst"), ("symmetrical",), _YES_NO, ("link_ctn",)),
    "bypassRoute": Rule(("src", "dst"), (), {}, ("link_ctn",)),
    "zoneRoute": Rule(("src", "dst", "gw_src", "gw_dst"), ("symmetrical",), _YES_NO, ("link_ctn",)),
    "bypassZoneRoute": Rule(("src", "dst", "gw_src", "gw_dst"), (), {}, ("link_ctn",)),
    "link_ctn": Rule(("id",), ("direction",), {"direction": ("UP", "DOWN", "NONE")}),
    "trace": Rule(("id", "periodicity"), ("file",)),
    "trace_connect": Rule(
        ("trace", "element"),
        ("kind",),
        {"kind": ("HOST_AVAIL", "SPEED", "LINK_AVAIL", "BANDWIDTH", "LATENCY")},
    ),
    "random": Rule(("id", "min", "max", "mean", "std_deviation"), ("seed", "radical", "generator")),
}


def tag_of(element: "_Element") -> str:
    """The name of an element in today's spelling ("" for comments and the like)."""
    tag: Any = element.tag
    return SYNONYMS.get(tag, tag) if isinstance(tag, str) else ""


def line_of(element: "_Element") -> int:
    """The line in which an element begins."""
    line: Any = element.sourceline
    return line or 0


def children(element: "_Element", *tags: str) -> Iterator["_Element"]:
    """The children with one of these (today's) names, in order."""
    for child in element:
        if tag_of(child) in tags:
            yield child


def check_structure(root: "_Element", findings: Findings) -> bool:
    """Find every element and attribute that is unknown, misplaced, missing, removed or not supported.

    Answers whether it is a platform at all.
    """
    if root.tag != "platform":
        findings.add(
            f"the outermost element is <{root.tag}>",
            code="not-a-platform",
            line=line_of(root),
            hint="expected <platform>",
        )
        return False
    if {tag_of(child) for child in root} - {""} == {"actor"}:
        findings.add(
            "this is a deployment: it says which actors run where",
            code="not-a-platform",
            line=line_of(root),
            hint="give the platform that it is for",
        )
        return False
    _check(root, RULES["platform"], findings)
    return True


def _check(element: "_Element", rule: Rule, findings: Findings) -> None:
    from lxml.etree import _Entity

    _check_attributes(element, rule, findings)
    _check_text(element, findings)
    if tag_of(element) == "zone":
        _check_zone(element, findings)
    for child in element:
        tag = tag_of(child)
        if not tag:
            if isinstance(child, _Entity):
                findings.add(
                    f"the entity {child.text} is not resolved",
                    code="entity",
                    line=line_of(element),
                    hint="write its text instead",
                )
            continue
        if tag in REMOVED:
            findings.add(f"<{child.tag}> was removed in {REMOVED[tag]}", code="removed-element", line=line_of(child))
        elif tag in UNSUPPORTED:
            findings.add(
                f"<{child.tag}> is not supported",
                code="unsupported-element",
                line=line_of(child),
                hint=UNSUPPORTED[tag],
            )
        elif tag not in RULES and tag != "model_prop":
            findings.add(
                f"unknown element <{child.tag}> in <{element.tag}>",
                code="unknown-element",
                line=line_of(child),
                hint=did_you_mean(str(child.tag), rule.children),
            )
        elif tag not in rule.children:
            findings.add(
                f"<{child.tag}> is not allowed in <{element.tag}>",
                code="misplaced-element",
                line=line_of(child),
                hint=f"<{element.tag}> may hold {', '.join(rule.children)}" if rule.children else "",
            )
        else:
            if tag in IGNORED or (tag == "prop" and element.tag == "link"):
                findings.tally(
                    f"<{child.tag}> in <{element.tag}> is not simulated", code="ignored", line=line_of(child)
                )
            if tag in RULES:
                _check(child, RULES[tag], findings)


def _check_attributes(element: "_Element", rule: Rule, findings: Findings) -> None:
    line = line_of(element)
    known = (*rule.required, *rule.optional)
    for name in element.attrib:
        if name not in known:
            findings.add(
                f"<{element.tag}> has no attribute {str(name)!r}",
                code="unknown-attribute",
                line=line,
                hint=did_you_mean(str(name), known),
            )
    for name in rule.required:
        if name not in element.attrib:
            findings.add(f"<{element.tag}> lacks the attribute {name!r}", code="missing-attribute", line=line)
    for name, values in rule.choices.items():
        value = element.get(name)
        if value is not None and value not in values:
            findings.add(
                f"{name} is {value!r}", code="bad-choice", line=line, hint=f"expected one of {', '.join(values)}"
            )


def _check_text(element: "_Element", findings: Findings) -> None:
    """Only a trace holds text."""
    if tag_of(element) == "trace":
        return
    for text in (element.text, *(child.tail for child in element)):
        if text and (words := str(text).strip()):
            message = f"<{element.tag}> holds no text, this one holds {words[:40]!r}"
            findings.add(message, code="text", line=line_of(element))
            return


def _check_zone(zone: "_Element", findings: Findings) -> None:
    """A zone holds zones or hosts, not both; routes come last."""
    inner = next(children(zone, *_INNER, *_INNER_ROUTES), None)
    leaf = next(children(zone, *_LEAF, *_LEAF_ROUTES), None)
    if inner is not None and leaf is not None:
        findings.add(
            f"zone {zone.get('id')!r} mixes <{inner.tag}> (line {line_of(inner)}) "
            f"and <{leaf.tag}> (line {line_of(leaf)})",
            code="mixed-zone",
            line=line_of(zone),
            hint="a zone holds either zones, clusters and zoneRoutes, or hosts, routers and routes",
        )
    phases = ("prop",), (*_INNER, *_LEAF, "link", "backbone"), (*_INNER_ROUTES, *_LEAF_ROUTES)
    reached = 0
    previous: object = ""
    for child in zone:
        phase = next((i for i, tags in enumerate(phases) if tag_of(child) in tags), reached)
        if phase < reached:
            findings.warn(
                f"<{child.tag}> comes after <{previous}>; SimGrid refuses this order",
                code="order",
                line=line_of(child),
                hint="order: prop, then hosts, zones and links, then routes",
            )
        elif phase > reached or phase == 0:
            previous = child.tag
            reached = phase
