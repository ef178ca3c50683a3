"""XML from strangers: no document types, no entities, no network, bounded size."""

import codecs
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["XmlFaultError", "decode_xml", "line_of", "local_name", "parse_xml", "stray_text"]

_DECLARED = re.compile(rb"""^\s*<\?xml[^>]*?encoding=["']([A-Za-z0-9._-]+)["']""")
_ENCODINGS = re.compile(
    r"ascii|utf-(8|8-sig|16|16-be|16-le|32|32-be|32-le)|iso8859-\d+|cp\d+|koi8-[rut]|gb2312|gbk|gb18030|big5|"
    r"euc_jp|euc_kr|shift_jis|mac-roman|hz|tis-620"
)
"""Encodings of texts that people write; Python knows others, which mean something else (``punycode``) or nothing."""
_DECLARATION = re.compile(r"^\ufeff?\s*<\?xml[^>]*\?>")


class XmlFaultError(Exception):
    """The text is not XML that we read; ``line`` is where, 0 if unknown."""

    def __init__(self, message: str, line: int = 0, column: int = 0) -> None:
        super().__init__(message)
        self.line = line
        self.column = column


def decode_xml(data: bytes) -> str:
    """The text of an XML document, without its declaration (its line stays)."""
    declared = _DECLARED.match(data[:200])
    encoding = declared[1].decode("ascii") if declared else "utf-8-sig"
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
    try:
        known = codecs.lookup(encoding).name
    except (LookupError, ValueError):
        known = ""
    if not _ENCODINGS.fullmatch(known):
        raise XmlFaultError(f"not text: {encoding!r} is not a supported encoding; UTF-8 is")
    try:
        text = data.decode(encoding)
    except ValueError as error:
        raise XmlFaultError(f"not text: {error}") from error
    return _DECLARATION.sub(lambda match: "\n" * match.group().count("\n"), text.removeprefix("\ufeff"), count=1)


def parse_xml(text: str, *, limit: int) -> "_Element":
    """The root element of a text of at most ``limit`` characters.

    Raises:
        XmlFaultError: it is not well formed, too large, or declares a document type.
    """
    from lxml import etree

    if len(text) > limit:
        raise XmlFaultError(f"{len(text)} characters are more than the {limit} allowed")
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise XmlFaultError("document types and entities are refused", _line(text, "<!DOCTYPE", "<!ENTITY"))
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        return etree.fromstring(text.encode("utf-8", errors="replace"), parser)
    except etree.XMLSyntaxError as error:
        line, column = error.position
        raise XmlFaultError(error.msg or "not XML", line or 0, column or 0) from error


def local_name(tag: object) -> str:
    """An element's or attribute's name without its namespace; "" for what is not an element."""
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def line_of(element: "_Element") -> int:
    """The line an element begins on; 0 if unknown."""
    return element.sourceline or 0  # type: ignore[return-value]  # the stubs have no type for it


def stray_text(element: "_Element") -> str:
    """The first text that stands in an element beside its children, cut for a message; "" if there is none."""
    for text in (element.text, *(child.tail for child in element)):
        if text and (words := str(text).strip()):
            return words[:40]
    return ""


def _line(text: str, *marks: str) -> int:
    at = min(found for mark in marks if (found := text.find(mark)) >= 0)
    return text.count("\n", 0, at) + 1
