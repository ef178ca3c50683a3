"""SSSRMAP requests and responses: as data, and as XML (spec/sss-node.md section 2)."""

import base64
import hashlib
import hmac
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final
from xml.sax.saxutils import escape, quoteattr

import msgspec

from windtunnel.diagnostics import did_you_mean
from windtunnel.entities.xml_guard import XmlFaultError, local_name, parse_xml, stray_text

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = [
    "Get",
    "MessageFaultError",
    "Opt",
    "Request",
    "Response",
    "Set",
    "Where",
    "envelope",
    "read_request",
    "response_xml",
    "signed_body_is_valid",
]

_BODY = re.compile(rb"<Body[\s>].*</Body\s*>", re.DOTALL)


class MessageFaultError(Exception):
    """A request cannot be understood or carried out; ``code`` is the three digits of the answer."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Get(msgspec.Struct, frozen=True):
    """What is asked for: a path, and what to do with it (Sort, Tros, Count, Max, Min, Average, Sum, GroupBy)."""

    name: str
    op: str = ""
    alias: str = ""
    units: str = ""
    """Of memory, disk and swap in the answer; the largest exact ones if none are given."""


class Where(msgspec.Struct, frozen=True):
    """A condition; ``group`` opens (+) or closes (-) so many parentheses around it."""

    name: str
    value: str
    op: str = "EQ"
    conj: str = "And"
    group: int = 0
    units: str = ""
    aggregation: str = ""
    """List, Range or Pattern: the value stands for several, as in a reference to nodes."""
    delimiter: str = ","


class Set(msgspec.Struct, frozen=True):
    """A change."""

    name: str
    value: str
    op: str = "Assign"


class Opt(msgspec.Struct, frozen=True):
    """An option, such as ``limit``."""

    name: str
    value: str
    op: str = ""


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """One request."""

    action: str
    objects: tuple[str, ...] = ()
    actor: str = ""
    gets: tuple[Get, ...] = ()
    wheres: tuple[Where, ...] = ()
    sets: tuple[Set, ...] = ()
    options: tuple[Opt, ...] = ()
    chunking: bool = False
    unheard: tuple[str, ...] = ()
    """What it says besides, to no effect."""


class Response(msgspec.Struct, frozen=True, kw_only=True):
    """One answer; ``data`` is XML, ``count`` the number of objects in it."""

    value: str = "Success"
    code: str = "000"
    message: str = ""
    actor: str = ""
    count: int | None = None
    data: Sequence[str] = ()
    chunking: bool = False


def read_request(text: str, *, limit: int) -> Request:
    """Read a ``Request``, alone or inside ``Body`` and ``Envelope``.

    Raises:
        MessageFaultError: it is not XML, too large, or no request.
    """
    try:
        root = parse_xml(text, limit=limit)
    except XmlFaultError as error:
        raise MessageFaultError("300", f"not XML: {error}") from error
    element = _find(root)
    if element is None:
        raise MessageFaultError("300", f"there is no Request in this {local_name(root.tag)}")
    action = element.get("action", "")
    if not action:
        raise MessageFaultError("312", "a Request must have an action, such as Query")
    objects, gets, wheres, sets, options = [], [], [], [], []
    _check_attributes(element)
    for child in element:
        kind, name, value = local_name(child.tag), child.get("name", ""), _text(child)
        _check_attributes(child)
        if kind == "Object":
            objects.append(value)
        elif kind == "Get":
            gets.append(Get(name, child.get("op", ""), child.get("alias", ""), child.get("units", "")))
        elif kind == "Where":
            wheres.append(_where(child, name, value))
        elif kind == "Set":
            sets.append(Set(name, value, child.get("op", "Assign")))
        elif kind == "Option":
            options.append(Opt(name, value, child.get("op", "")))
        elif kind not in {"", "Data"}:
            raise MessageFaultError("310", f"a Request has no element {kind!r}")
    return Request(
        action=action,
        objects=tuple(objects),
        actor=element.get("actor", ""),
        gets=tuple(gets),
        wheres=tuple(wheres),
        sets=tuple(sets),
        options=tuple(options),
        chunking=element.get("chunking", "").lower() == "true",
        unheard=tuple(_unheard(element)),
    )


def _unheard(request: "_Element") -> Iterator[str]:
    """What a request says to no effect: texts, data of a query, names of other objects, repeated options."""
    if text := stray_text(request):
        yield f"the text {text!r}"
    options: list[str] = []
    for child in request:
        kind = local_name(child.tag)
        if kind == "Data":
            yield "Data"
        elif kind == "Get" and (text := _text(child)):
            yield f"the text {text!r} of Get"
        elif kind == "Where" and "delimiter" in child.attrib and child.get("aggregation") != "List":
            yield "a delimiter without a List"
        elif kind == "Option":
            options.append(child.get("name", "").lower())
        for name in ("join", "object", "subject", *(("alias",) if kind == "Object" else ())):
            if child.get(name, "Node") != "Node":
                yield f"{name}={child.get(name)!r} of {kind}"
    for name in sorted({name for name in options if options.count(name) > 1}):
        yield f"all {name} but the last"


_ATTRIBUTES: Final[dict[str, tuple[str, ...]]] = {
    "Request": ("action", "actor", "chunking", "chunkSize", "id"),
    "Object": ("alias", "join"),
    "Get": ("name", "op", "alias", "object", "units"),
    "Where": ("name", "op", "conj", "group", "groups", "units", "object", "subject", "aggregation", "delimiter"),
    "Set": ("name", "op"),
    "Option": ("name", "op"),
}


def _check_attributes(element: "_Element") -> None:
    """A misspelt attribute is not an attribute: without its operator a condition may mean the opposite."""
    kind = local_name(element.tag)
    known = _ATTRIBUTES.get(kind)
    for key in element.attrib if known is not None else ():
        name = local_name(key)
        if known is not None and name not in known:
            hint = did_you_mean(name, known)
            raise MessageFaultError("310", f"{kind} has no attribute {name!r}{f': {hint}' if hint else ''}")


def _find(element: "_Element") -> "_Element | None":
    if local_name(element.tag) == "Request":
        return element
    if local_name(element.tag) in {"Envelope", "Body"}:
        for child in element:
            if (found := _find(child)) is not None:
                return found
    return None


def _where(element: "_Element", name: str, value: str) -> Where:
    try:
        group = int(element.get("group", element.get("groups", "0")))
    except ValueError:
        said = element.get("group", element.get("groups"))
        raise MessageFaultError("317", f"group {said!r} is not a whole number") from None
    return Where(
        name,
        value,
        element.get("op", "EQ"),
        element.get("conj", "And"),
        group,
        element.get("units", ""),
        element.get("aggregation", ""),
        element.get("delimiter", ","),
    )


def _text(element: "_Element") -> str:
    return "".join(str(part) for part in element.itertext()).strip()


def response_xml(response: Response) -> str:
    """The ``Response`` element."""
    actor = f" actor={quoteattr(response.actor)}" if response.actor else ""
    chunk = ' chunkNum="1" chunkMax="1"' if response.chunking else ""
    message = f"<Message>{escape(response.message)}</Message>" if response.message else ""
    count = "" if response.count is None else f"<Count>{response.count}</Count>"
    data = f"<Data>{''.join(response.data)}</Data>" if response.data else ""
    status = f"<Status><Value>{response.value}</Value><Code>{response.code}</Code>{message}</Status>"
    return f"<Response{actor}{chunk}>{status}{count}{data}</Response>"


def envelope(content: str, key: bytes | None = None) -> bytes:
    """``Envelope`` and ``Body`` around a message; with a key, signed (HMAC-SHA1 over the SHA-1 of the body's bytes).

    SHA-1 is what the protocol has: it protects against accidents and strangers, not against the patient.
    """
    body = f"<Body>{content}</Body>".encode()
    signature = b"" if key is None else _signature(body, key)
    return b'<?xml version="1.0" encoding="UTF-8"?>\n<Envelope>' + body + signature + b"</Envelope>"


def _signature(body: bytes, key: bytes) -> bytes:
    digest, signature = _digests(body, key)
    return (
        f"<Signature><DigestValue>{digest}</DigestValue><SignatureValue>{signature}</SignatureValue>"
        '<SecurityToken type="Symmetric"></SecurityToken></Signature>'
    ).encode()


def _digests(body: bytes, key: bytes) -> tuple[str, str]:
    digest = hashlib.sha1(body).digest()  # noqa: S324 -- the protocol's
    signature = hmac.new(key, digest, hashlib.sha1).digest()
    return base64.b64encode(digest).decode(), base64.b64encode(signature).decode()


def signed_body_is_valid(message: bytes, key: bytes, *, limit: int) -> bool:
    """Whether a message carries a signature with this key over the very bytes of its ``Body``."""
    body = _BODY.search(message)
    if body is None:
        return False
    try:
        root = parse_xml(message[body.end() :].decode("utf-8").removesuffix("</Envelope>").strip(), limit=limit)
    except (XmlFaultError, UnicodeDecodeError):
        return False
    found = {local_name(child.tag): _text(child) for child in root}
    digest, signature = _digests(body.group(), key)
    return hmac.compare_digest(found.get("DigestValue", ""), digest) and hmac.compare_digest(
        found.get("SignatureValue", ""), signature
    )
