"""The elements LWF is made of (nodes, site, lease), read from XML with every fault noted and placed.

Source: Haizea's manual (appendix on LWF) and what Haizea 1.1 takes beyond it: several instances of a resource, users,
deadlines, extras. A lease inside a workload counts its times from the workload's start; alone, it has timestamps.
"""

import re
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from mypy_extensions import mypyc_attr

from windtunnel.diagnostics import Findings, did_you_mean, read_input
from windtunnel.formats.haizea.lwf_grammar import check_grammar, line_of
from windtunnel.formats.haizea.lwf_times import is_timestamp, parse_length, parse_timestamp
from windtunnel.model.lease import (
    CPU,
    MEMORY,
    MOST_AMOUNT,
    MOST_NODES,
    DiskImage,
    Lease,
    LeaseSite,
    LeaseState,
    NodeSet,
    When,
)

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

T = TypeVar("T")

__all__ = ["MAX_BYTES", "ElementReader", "line_of", "parse_xml", "parse_xml_text"]

MAX_BYTES = 512 * 1024 * 1024
"""Larger files are refused: a million leases fit in less."""

_INTEGER = re.compile(r"\s*[+-]?\d{1,40}\s*", re.ASCII)
"""Python's own would take 1_000, and digits of other scripts."""
_FLAGS = {"true": True, "yes": True, "false": False, "no": False}


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
        findings.add(f"not XML that can be read: {error}", code="xml", line=error.line, column=error.column)
        findings.raise_all()
    check_grammar(root, findings)
    return root


@mypyc_attr(allow_interpreted_subclasses=True)
class ElementReader:
    """Reads elements and notes faults; what is faulty is replaced by a harmless value, so that reading goes on."""

    def __init__(
        self,
        findings: Findings,
        *,
        document_times: bool = False,
        epoch: datetime | None = None,
        starttime: datetime | None = None,
    ) -> None:
        self.findings = findings
        self._document = document_times
        self._epoch = epoch
        """Set: dates are timestamps (a lease on its own). Not set: they are lengths since the start."""
        self._starttime = starttime
        """When a workload starts, if that is known: it may have timestamps besides."""

    def fault(self, element: "Element", message: str, *, code: str, hint: str = "") -> None:
        """Note an error at an element."""
        self.findings.add(message, code=code, line=line_of(element), hint=hint)

    def warn(self, element: "Element", message: str, *, code: str, hint: str = "") -> None:
        """Note a warning at an element."""
        self.findings.warn(message, code=code, line=line_of(element), hint=hint)

    def children(self, element: "Element", known: tuple[str, ...]) -> dict[str, list["Element"]]:
        """The children by name; what is not known was noted when the grammar was checked."""
        found: dict[str, list[Element]] = {name: [] for name in known}
        for child in element:
            if child.tag in found:
                found[str(child.tag)].append(child)
        return found

    def one(self, element: "Element", found: dict[str, list["Element"]], name: str) -> "Element | None":
        """The only child of that name; a fault if it is missing."""
        children = found[name]
        if not children:
            self.fault(element, f"<{element.tag}> needs a <{name}> element", code="missing-element")
            return None
        return children[0]

    def _value(self, element: "Element", name: str, default: T, convert: Callable[[str], T]) -> T:
        text = element.get(name)
        if text is None:
            self.fault(element, f"<{element.tag}> needs an attribute {name!r}", code="missing-attribute")
            return default
        try:
            return convert(text)
        except ValueError as error:
            self.fault(element, f"{name} of <{element.tag}>: {error}", code="bad-value")
            return default

    def integer(
        self, element: "Element", name: str, *, minimum: int, maximum: int = MOST_AMOUNT, default: int = 1
    ) -> int:
        """A whole number not below ``minimum`` nor above ``maximum``."""

        def convert(text: str) -> int:
            if not _INTEGER.fullmatch(text):
                raise ValueError(f"not a whole number: {text!r}")
            value = int(text)
            if value < minimum:
                raise ValueError(f"{value} is below {minimum}")
            if value > maximum:
                raise ValueError(f"{value} is above {maximum}")
            return value

        return self._value(element, name, default, convert)

    def length(self, element: "Element", name: str, *, positive: bool = False) -> float:
        """A length of time in seconds, not negative."""

        def convert(text: str) -> float:
            value = parse_length(text, document=self._document)
            if value < 0 or (positive and value == 0):
                raise ValueError(f"{text!r} must be {'positive' if positive else 'zero or more'}")
            return value

        return self._value(element, name, 1.0, convert)

    def date(self, element: "Element", name: str, submit: float | None = None) -> float:
        """A date in seconds: a length since the start of the workload, or (in a lease on its own) a timestamp.

        With a plus it counts from the submission.
        """
        epoch, starttime = self._epoch, self._starttime

        def convert(text: str) -> float:
            if text.lstrip().startswith("+"):
                if submit is None:
                    raise ValueError(
                        f"{text!r} is relative: it must be made a timestamp by the client that submits the lease"
                    )
                return submit + parse_length(text, document=self._document)
            if epoch is not None:
                return parse_timestamp(text, epoch)
            if is_timestamp(text):
                if starttime is None:
                    raise ValueError(
                        f"{text!r} is a timestamp, but the start of the workload is not known (the option starttime, "
                        "[simulation] starttime of a configuration)"
                    )
                seconds = parse_timestamp(text, starttime)
                if seconds < 0:
                    raise ValueError(f"{text!r} is before the workload starts")
                return seconds
            value = parse_length(text, document=self._document)
            if value < 0:
                raise ValueError(f"{text!r} must be zero or more")
            return value

        return self._value(element, name, 0.0 if epoch is not None else 1.0, convert)

    def nodes(self, element: "Element") -> tuple[NodeSet, ...]:
        """``<nodes>``: one or more node sets."""
        sets = self.children(element, ("node-set",))["node-set"]
        if not sets:
            self.fault(element, "<nodes> needs at least one <node-set>", code="missing-element")
        return tuple(
            NodeSet(self.integer(s, "numnodes", minimum=1, maximum=MOST_NODES), self._resources(s)) for s in sets
        )

    def _resources(self, element: "Element") -> dict[str, tuple[int, ...]]:
        amounts: dict[str, tuple[int, ...]] = {}
        for res in self.children(element, ("res",))["res"]:
            kind = self._value(res, "type", "?", _word)
            if kind in amounts:
                self.fault(res, f"resource type {kind!r} appears twice in one <node-set>", code="repeated-resource")
            instances = self.children(res, ("instance",))["instance"]
            if instances and res.get("amount") is not None:
                self.fault(res, "<res> has both an amount and instances", code="ambiguous-amount")
            amounts[kind] = tuple(self.integer(item, "amount", minimum=1) for item in instances or [res])
        if not amounts:
            self.fault(element, "<node-set> needs at least one <res>", code="missing-element")
        return amounts

    def site(self, element: "Element") -> LeaseSite:
        """``<site>``: resource types (CPU and Memory among them) and nodes that use no others."""
        found = self.children(element, ("resource-types", "nodes"))
        types_element, nodes_element = self.one(element, found, "resource-types"), self.one(element, found, "nodes")
        types = () if types_element is None else tuple(self._value(types_element, "names", "", str).split())
        if types_element is not None:
            for kind in (CPU, MEMORY):
                if kind not in types:
                    self.fault(types_element, f"a site needs the resource type {kind}", code="missing-resource")
            if len(set(types)) < len(types):
                self.fault(types_element, "a resource type is named twice", code="repeated-resource")
        nodes = () if nodes_element is None else self.nodes(nodes_element)
        for group in nodes if types and nodes_element is not None else ():
            for kind in group.amounts:
                if kind not in types:
                    hint = did_you_mean(kind, types)
                    message = f"nodes have {kind!r}, which is not among the site's resource types"
                    self.fault(
                        nodes_element if nodes_element is not None else element, message, code="type", hint=hint
                    )
        return LeaseSite(types, nodes)

    def start(self, element: "Element", date: Callable[["Element"], float]) -> float | When:
        """``<start>``: empty, or one of ``<now/>`` and ``<exact time=.../>``."""
        found = self.children(element, ("now", "exact"))
        chosen = [child for children in found.values() for child in children]
        if len(chosen) > 1:
            self.fault(element, "<start> holds more than one of <now> and <exact>", code="ambiguous-start")
        if not chosen:
            return When.UNSPECIFIED
        return When.NOW if chosen[0].tag == "now" else date(chosen[0])

    def software(self, element: "Element") -> DiskImage | None:
        """``<software>``: ``<none/>`` or ``<disk-image id= size=/>``."""
        found = self.children(element, ("none", "disk-image"))
        if len(found["none"]) + len(found["disk-image"]) != 1:
            self.fault(element, "<software> needs either <none/> or one <disk-image>", code="ambiguous-software")
        if not found["disk-image"]:
            return None
        image = found["disk-image"][0]
        return DiskImage(self._value(image, "id", "?", _word), self.integer(image, "size", minimum=0))

    def attributes(self, element: "Element") -> dict[str, str]:
        """A list of ``<attr name= value=/>``."""
        found: dict[str, str] = {}
        for entry in self.children(element, ("attr",))["attr"]:
            name = self._value(entry, "name", "?", _word)
            if name in found:
                self.warn(entry, f"the attribute {name!r} is given twice: the last one counts", code="repeated")
            found[name] = self._value(entry, "value", "", str)
        return found

    def lease(self, element: "Element", *, submit: float | None = None, real: float | None = None) -> Lease:
        """``<lease>``; ``submit`` and ``real`` come from the ``<lease-request>`` around it, if any."""
        found = self.children(element, ("nodes", "start", "duration", "deadline", "software", "extra"))
        nodes, start = self.one(element, found, "nodes"), self.one(element, found, "start")
        duration, software = self.one(element, found, "duration"), self.one(element, found, "software")
        seconds = 1.0 if duration is None else self.length(duration, "time", positive=True)
        since = submit if self._epoch is None else None
        begin = When.UNSPECIFIED if start is None else self.start(start, lambda e: self.date(e, "time", since))
        deadline = self.date(found["deadline"][0], "time", since) if found["deadline"] else None
        if deadline is not None:
            self._check_deadline(found["deadline"][0], begin, deadline, seconds)
        own_submit = self.date(element, "submit-time") if submit is None and element.get("submit-time") else 0.0
        state = LeaseState.NEW
        if element.get("state") is not None:
            number = self.integer(element, "state", minimum=0, default=0)
            if number <= LeaseState.REJECTED_BY_USER:
                state = LeaseState(number)
            else:
                self.fault(element, f"state {number} is not a lease state (0 to 18)", code="bad-value")
        return Lease(
            id=self.integer(element, "id", minimum=0) if element.get("id") is not None else None,
            submit=own_submit if submit is None else submit,
            nodes=() if nodes is None else self.nodes(nodes),
            start=begin,
            duration=seconds,
            real_duration=real if real is not None and real < seconds else None,
            deadline=deadline,
            preemptible=self._value(element, "preemptible", False, _flag),
            software=None if software is None else self.software(software),
            user=self.integer(element, "user", minimum=-1) if element.get("user") is not None else None,
            extras=self.attributes(found["extra"][0]) if found["extra"] else {},
            state=state,
        )

    def _check_deadline(self, element: "Element", start: float | When, deadline: float, duration: float) -> None:
        if isinstance(start, When):
            hint = "a deadline counts only with an exact start"
            self.warn(element, "this deadline has no effect: the start is not exact", code="deadline", hint=hint)
        elif start + duration > deadline:
            message = f"a lease of {duration:g} s that starts at {start:g} s cannot end by {deadline:g} s"
            self.warn(element, message, code="deadline", hint="it will be rejected")


def _word(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be empty")
    return text


def _flag(text: str) -> bool:
    value = _FLAGS.get(text.strip().lower())
    if value is None:
        raise ValueError(f"must be true, false, yes or no, not {text!r}")
    return value
