"""Which elements and attributes LWF has, and what stands in a document besides: nothing of it is passed over."""

from typing import TYPE_CHECKING, Final

from windtunnel.diagnostics import Findings, did_you_mean

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

__all__ = ["check_grammar", "line_of"]

_CHILDREN: Final[dict[str, tuple[str, ...]]] = {
    "lease-workload": ("description", "attributes", "site", "lease-requests"),
    "description": (),
    "attributes": ("attr",),
    "extra": ("attr",),
    "attr": (),
    "site": ("resource-types", "nodes"),
    "resource-types": (),
    "nodes": ("node-set",),
    "node-set": ("res",),
    "res": ("instance",),
    "instance": (),
    "lease-requests": ("lease-request",),
    "lease-request": ("realduration", "lease"),
    "realduration": (),
    "lease": ("nodes", "start", "duration", "deadline", "software", "extra"),
    "start": ("now", "exact"),
    "now": (),
    "exact": (),
    "duration": (),
    "deadline": (),
    "software": ("none", "disk-image"),
    "none": (),
    "disk-image": (),
    "lease-annotations": ("attributes", "lease-annotation"),
    "lease-annotation": ("start", "deadline", "software", "extra"),
}
"""What may stand in each element."""

_ATTRIBUTES: Final[dict[str, tuple[str, ...]]] = {
    "lease-workload": ("name",),
    "attr": ("name", "value"),
    "resource-types": ("names",),
    "node-set": ("numnodes",),
    "res": ("type", "amount"),
    "instance": ("amount",),
    "lease-request": ("arrival",),
    "realduration": ("time",),
    "lease": ("id", "preemptible", "user", "state", "submit-time"),
    "exact": ("time",),
    "duration": ("time",),
    "deadline": ("time",),
    "disk-image": ("id", "size"),
    "lease-annotation": ("id",),
}

_SEVERAL: Final = frozenset({"attr", "node-set", "res", "instance", "lease-request", "lease-annotation"})
"""What may stand more than once in one element."""


def line_of(element: "Element") -> int:
    """The line an element starts at; 0 when unknown."""
    line = element.sourceline
    return line if isinstance(line, int) else 0


def check_grammar(root: "Element", findings: Findings) -> None:
    """Note what is not of the format: known elements in the wrong place or case, or twice, are faults.

    Text, unknown elements and attributes are warnings (Haizea ignores them); what is inside them is not looked at.
    """
    waiting = [root]
    while waiting:
        element = waiting.pop()
        name = str(element.tag)
        known = _CHILDREN.get(name)
        if known is None:
            continue
        _check_attributes(element, name, findings)
        _check_text(element, name, findings)
        seen: set[str] = set()
        for child in element:
            tag = child.tag
            if not isinstance(tag, str):
                continue  # a comment or processing instruction
            if tag not in known:
                _misplaced(child, tag, name, known, findings)
                continue
            if tag in seen and tag not in _SEVERAL:
                message = f"<{tag}> appears more than once in <{name}>"
                findings.add(message, code="repeated-element", line=line_of(child))
            seen.add(tag)
            waiting.append(child)


def _misplaced(child: "Element", tag: str, parent: str, known: tuple[str, ...], findings: Findings) -> None:
    line = line_of(child)
    lower = tag.lower()
    if lower in known:
        message = f"<{tag}> inside <{parent}>: names are written in lower case"
        findings.add(message, code="wrong-case", line=line, hint=f"write <{lower}>")
    elif lower in _CHILDREN:
        homes = [f"<{home}>" for home, inside in _CHILDREN.items() if lower in inside]
        hint = f"it belongs in {' or '.join(homes)}" if homes else "it is a document of its own"
        findings.add(f"<{tag}> does not belong in <{parent}>", code="wrong-place", line=line, hint=hint)
    else:
        message = f"<{tag}> inside <{parent}> is not known and has no effect"
        findings.tally(message, code="unknown-element", line=line, hint=did_you_mean(tag, known))


def _check_attributes(element: "Element", name: str, findings: Findings) -> None:
    known = _ATTRIBUTES.get(name, ())
    for key in element.attrib:
        if key not in known:
            hint = did_you_mean(str(key), known) if known else ""
            if key in _CHILDREN[name]:
                first = "".join(f' {attribute}="..."' for attribute in _ATTRIBUTES.get(str(key), ())[:1])
                hint = f"it is an element inside <{name}>: <{key}{first}/>"
            message = f"the attribute {str(key)!r} of <{name}> is not known and has no effect"
            findings.tally(message, code="unknown-attribute", line=line_of(element), hint=hint)


def _check_text(element: "Element", name: str, findings: Findings) -> None:
    if name == "description":
        return
    texts = [element.text, *[child.tail for child in element]]
    for text in texts:
        if text is not None and not text.isspace() and text:
            message = f"<{name}> holds no text, this one holds {text.strip()[:40]!r}"
            inside, line = text.strip().lower(), line_of(element)
            if inside in _CHILDREN[name]:
                findings.add(message, code="text", line=line, hint=f"write <{inside}/>")
            else:  # a file of Haizea's own has a stray end of a comment
                findings.tally(message, code="text", line=line)
            return
