"""From the bytes of an LWF document to its root element; what XML could do beyond elements is refused."""

from pathlib import Path
from typing import TYPE_CHECKING

from windtunnel.diagnostics import Findings, read_input
from windtunnel.formats.haizea.lwf_grammar import check_grammar

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

__all__ = ["MAX_BYTES", "parse_xml", "parse_xml_text"]

MAX_BYTES = 512 * 1024 * 1024
"""Larger files are refused: a million leases fit in less."""


def parse_xml(path: Path, findings: Findings) -> "Element":
    """The root element of an XML file, without entities, network or DTD; ends the reading if it is not XML."""
    try:
        return parse_xml_text(read_input(path, most=MAX_BYTES), findings)
    except OSError as error:
        findings.add(f"cannot be read: {error.strerror or error}", code="unreadable")
        findings.raise_all()


def parse_xml_text(text: bytes, findings: Findings) -> "Element":
    """The root element of an XML text; a document type declaration is refused (no entities, ever)."""
    from windtunnel.entities.xml_guard import XmlFaultError, decode_xml
    from windtunnel.entities.xml_guard import parse_xml as parse_guarded

    try:
        root = parse_guarded(decode_xml(text), limit=MAX_BYTES)
    except XmlFaultError as error:
        from windtunnel.formats.other_programs import of_other_programs

        message, hint = f"not XML that can be read: {error}", of_other_programs(text)
        findings.add(message, code="xml", line=error.line, column=error.column, hint=hint)
        findings.raise_all()
    check_grammar(root, findings)
    return root
