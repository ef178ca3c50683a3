"""SSS node objects (seed document 003): one, or many inside ``Data``, ``Nodes``, a Response or an Envelope."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from windtunnel.diagnostics import Finding, Findings, InputError, read_input
from windtunnel.entities.sss_node import SssNode
from windtunnel.entities.sss_reference import NodeReference, ReferenceFaultError, expand
from windtunnel.entities.xml_guard import XmlFaultError, decode_xml, line_of, local_name, parse_xml
from windtunnel.formats.sites.sss.checks import check_node
from windtunnel.formats.sites.sss.element import read_node, tell_unheard

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["SIZE_LIMIT", "NodeSet", "check", "read", "read_reference"]

SIZE_LIMIT = 256 << 20
"""Characters."""

_WRAPPERS = ("Data", "Nodes", "Response", "Body", "Envelope")
_TAG = re.compile(r"<[A-Za-z][^<>]*>")
_QUOTED = re.compile('=\\s*["”“„‟″]([^"”“„‟″<>]*)["”“„‟″]')
_CURLY = re.compile("[”“„‟″]")
_AFTER_ROOT = "Extra content at the end of the document"


class NodeSet(msgspec.Struct, frozen=True):
    """What a document holds: nodes, references to nodes, and what there is to say about them."""

    nodes: tuple[SssNode, ...]
    references: tuple[NodeReference, ...]
    findings: tuple[Finding, ...]


def check(data: bytes | str, name: str = "nodes.xml") -> NodeSet:
    """Everything in a document and everything that is wrong with it; faulty nodes are kept as far as they go."""
    findings = Findings(name, limit=1000)
    root = _root(data, findings)
    nodes: list[SssNode] = []
    references: list[NodeReference] = []
    if root is not None:
        seen: dict[str, int] = {}
        for element in _elements(root, findings):
            if len(element):
                node = read_node(element, findings)
                check_node(node, line_of(element), seen, findings)
                if node.id:
                    nodes.append(node)
            else:
                references.append(read_reference(element, findings))
    if references and nodes:
        message = "a reference only names nodes: it adds none to a platform"
        findings.warn(message, code="SSS054", line=0, hint="a node that says what it has needs an Id and Configured")
    return NodeSet(tuple(nodes), tuple(references), tuple(findings.sorted()))


def read(path: Path | str) -> tuple[tuple[SssNode, ...], tuple[Finding, ...]]:
    """The nodes of a file, and warnings.

    Raises:
        InputError: the file cannot be read or has errors.
    """
    try:
        data = read_input(path)
    except OSError as error:
        raise InputError([Finding(str(path), message=f"cannot be read: {error.strerror}")]) from error
    found = check(data, str(path))
    if any(finding.severity.name == "ERROR" for finding in found.findings):
        raise InputError(found.findings)
    return found.nodes, found.findings


def _root(data: bytes | str, findings: Findings) -> "_Element | None":
    """Parse; if that fails, once more with typographic quotes made straight, and in a common root."""
    try:
        text = data if isinstance(data, str) else decode_xml(data)
        return parse_xml(text, limit=SIZE_LIMIT)
    except XmlFaultError as error:
        fault = error
        if fault.line == 0:
            findings.add(f"not XML: {fault}", code="SSS001")
            return None
    fixed = _TAG.sub(lambda tag: _QUOTED.sub(r'="\1"', tag.group()), text)
    if fixed != text:
        at = _CURLY.search(text)
        line = text.count("\n", 0, at.start()) + 1 if at else 0
        hint = 'write "..." around the values of attributes'
        findings.warn(
            "typographic quotes are not valid XML; read as straight ones", code="SSS003", line=line, hint=hint
        )
    try:
        return parse_xml(fixed, limit=SIZE_LIMIT)
    except XmlFaultError as error:
        fault = error
    if _AFTER_ROOT in str(fault) and not re.search(r"<\?", fixed):
        try:
            root = parse_xml(f"<Nodes>{fixed}</Nodes>", limit=SIZE_LIMIT + 20)
        except XmlFaultError as error:
            fault = error
        else:
            message = "several elements without a common root; read as one document"
            findings.warn(message, code="SSS003", line=fault.line, hint="put them inside <Data>")
            return root
    findings.add(f"not XML: {fault}", code="SSS001", line=fault.line, column=fault.column)
    return None


def _elements(root: "_Element", findings: Findings) -> "list[_Element]":
    """The ``Node`` elements of a document."""
    name = local_name(root.tag)
    if name == "Node":
        return [root]
    if name not in _WRAPPERS:
        message = f"the root must be a Node, or {', '.join(_WRAPPERS)} with Nodes inside, not {name}"
        findings.add(message, code="SSS002", line=line_of(root))
        return []
    if name in {"Data", "Nodes"}:
        tell_unheard(root, findings)
    found: list[_Element] = []
    for child in root:
        kind = local_name(child.tag)
        if kind == "Node":
            found.append(child)
        elif kind in _WRAPPERS:
            found += _elements(child, findings)
        elif name in {"Data", "Nodes"} and kind:
            message = f"{name} must hold Nodes, not {kind}"
            findings.add(message, code="SSS002", line=line_of(child))
        elif kind.title() in {"Node", *_WRAPPERS}:
            message = f"{kind} is not known in {name}"
            findings.add(message, code="SSS002", line=line_of(child), hint=f"write {kind.title()}")
    return found


def read_reference(element: "_Element", findings: Findings) -> NodeReference:
    """A ``Node`` element that only names nodes (section 4.4); its faults are SSS010, SSS050...SSS053."""
    line = line_of(element)
    text = "".join(str(part) for part in element.itertext()).strip()
    aggregation, count = element.get("aggregation", ""), None
    if not text:
        findings.add("a node must have an Id, a reference must name a node", code="SSS010", line=line)
    for name in element.attrib:
        if local_name(name) not in {"aggregation", "delimiter", "count"}:
            findings.warn(f"unknown attribute {local_name(name)!r} has no effect", code="SSS050", line=line)
    delimiter = element.get("delimiter")
    if delimiter is not None and aggregation != "List":
        findings.warn("a delimiter has an effect only with aggregation List", code="SSS052", line=line)
    if (written := element.get("count")) is not None:
        if written.strip().isdecimal():
            count = int(written[:40])
        else:
            findings.add(f"count must be a whole number, not {written!r}", code="SSS051", line=line)
    reference = NodeReference(text, aggregation, delimiter or ",", count)
    try:
        number = len(expand(reference))
    except ReferenceFaultError as error:
        findings.add(str(error), code="SSS051", line=line)
    else:
        if count is not None and aggregation in {"List", "Range"} and count not in {1, number}:
            message = f"count is {count}, the expression names {number} nodes"
            hint = f"count must be the number of nodes named: write {number}, or leave it out"
            findings.warn(message, code="SSS053", line=line, hint=hint)
    return reference
