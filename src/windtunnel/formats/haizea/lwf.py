"""LWF, Haizea's Lease Workload Format: workloads, stand-alone sites, leases and node lists, and annotation files.

Every reader returns what it read and adds warnings to ``findings`` (when given); faults are raised together as one
:class:`~windtunnel.diagnostics.InputError` with their lines. Sources: Haizea's manual and Haizea 1.1.
"""

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import UNSET, structs

from windtunnel.diagnostics import Findings, Severity
from windtunnel.formats.haizea.lwf_document import parse_xml, parse_xml_text
from windtunnel.formats.haizea.lwf_elements import ElementReader
from windtunnel.formats.haizea.lwf_grammar import line_of
from windtunnel.model.lease import (
    DiskImage,
    Lease,
    LeaseAnnotation,
    LeaseAnnotations,
    LeaseSite,
    LeaseWorkload,
    NodeSet,
)

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

__all__ = [
    "read_annotations",
    "read_lease_text",
    "read_lwf",
    "read_nodes",
    "read_site",
    "read_site_text",
]


def read_lwf(
    path: str | Path,
    *,
    document_times: bool = False,
    starttime: datetime | None = None,
    findings: Findings | None = None,
) -> LeaseWorkload:
    """Read a workload; leases without an id get the next free number from 1, and are put in order of arrival.

    A ``<lease>`` alone is a workload of one lease, submitted at 0. ``starttime`` is the calendar date of the start:
    exact starts and deadlines may be timestamps then.

    Raises:
        InputError: the file is not LWF; every fault found is in it.
    """
    notes, root = _open(path, findings, "lease-workload", "lease")
    reader = ElementReader(notes, document_times=document_times, starttime=starttime)
    if root.tag == "lease":
        alone = _numbered([_request(reader, root, 0.0, None)], set())
        notes.raise_if_errors()
        return LeaseWorkload(leases=alone, warnings=tuple(notes))
    found = reader.children(root, ("description", "attributes", "site", "lease-requests"))
    requests = reader.one(root, found, "lease-requests")
    leases = [] if requests is None else _requests(reader, requests)
    site = reader.site(found["site"][0]) if found["site"] else None
    workload = LeaseWorkload(
        name=root.get("name") or "",
        description="".join(found["description"][0].itertext()).strip() if found["description"] else "",  # type: ignore[arg-type]  # text nodes are str
        attributes=reader.attributes(found["attributes"][0]) if found["attributes"] else {},
        site=site,
        leases=leases,
    )
    notes.raise_if_errors()
    return structs.replace(workload, warnings=tuple(notes))


def _requests(reader: ElementReader, element: "Element") -> list[Lease]:
    leases: list[Lease] = []
    seen: dict[int, int] = {}
    images: dict[str, set[int]] = {}
    previous = 0.0
    unordered = False
    for request in reader.children(element, ("lease-request",))["lease-request"]:
        found = reader.children(request, ("realduration", "lease"))
        arrival = reader.length(request, "arrival")
        real = reader.length(found["realduration"][0], "time") if found["realduration"] else None
        child = reader.one(request, found, "lease")
        if child is None:
            continue
        lease = _request(reader, child, arrival, real)
        if arrival < previous and not unordered:
            unordered = True
            reader.warn(request, "requests are not in order of arrival; they are sorted", code="order")
        previous = arrival
        if lease.software is not None:
            _tell_sizes(reader, child, lease.software, images)
        if lease.id is not None:
            line = line_of(child)
            if lease.id in seen:
                message = f"lease id {lease.id} was already used at line {seen[lease.id]}"
                reader.fault(child, message, code="repeated-id")
            seen.setdefault(lease.id, line)
        leases.append(lease)
    return sorted(_numbered(leases, set(seen)), key=lambda lease: lease.submit)


def _tell_sizes(reader: ElementReader, element: "Element", image: DiskImage, sizes: dict[str, set[int]]) -> None:
    """A disk image that has another size than before is told, once."""
    known = sizes.setdefault(image.id, {image.size})
    if image.size not in known:
        if len(known) == 1:
            message = f"the disk image {image.id!r} has several sizes: each lease counts its own"
            reader.warn(element, message, code="image-size")
        known.add(image.size)


def _request(reader: ElementReader, element: "Element", arrival: float, real: float | None) -> Lease:
    """A lease that is requested at ``arrival``, and may end early; what became of it elsewhere is kept, and told."""
    lease, line = reader.lease(element, submit=arrival, real=real), line_of(element)
    if real is not None and real > lease.duration:
        message = "a real duration is longer than the requested one: the lease ends when that is over"
        reader.findings.tally(message, code="history", line=line, severity=Severity.NOTE)
    for name in ("state", "submit-time"):
        if element.get(name) not in {None, "0"}:
            message = f"{name} of a lease in a workload has no effect: it is only requested"
            reader.findings.tally(message, code="history", line=line, severity=Severity.NOTE)
    return lease


def _numbered(leases: list[Lease], used: set[int]) -> list[Lease]:
    """Leases without an id get 1, 2, ... in file order, as in Haizea, passing over ids the file uses."""
    numbered, free = [], 1
    for lease in leases:
        if lease.id is None:
            while free in used:
                free += 1
            used.add(free)
            lease = structs.replace(lease, id=free)  # noqa: PLW2901  the same lease, numbered
        numbered.append(lease)
    return numbered


def read_site(path: str | Path, *, findings: Findings | None = None) -> LeaseSite:
    """Read a stand-alone ``<site>`` file, or the site inside a workload.

    Raises:
        InputError: the file is at fault, or is a workload without a site.
    """
    notes, root = _open(path, findings, "site", "lease-workload")
    reader = ElementReader(notes)
    element = root if root.tag == "site" else root.find("site")
    if element is None:
        notes.add("this workload does not describe a site", code="missing-element", hint="give a site file")
        notes.raise_all()
    site = reader.site(element)
    notes.raise_if_errors()
    return site


def read_site_text(text: bytes, *, file: str = "site") -> LeaseSite:
    """Read the text of a stand-alone ``<site>``.

    Raises:
        InputError: the text is at fault.
    """
    notes = Findings(file)
    root = parse_xml_text(text, notes)
    _expect(notes, root, ("site",))
    site = ElementReader(notes).site(root)
    notes.raise_if_errors()
    return site


def read_nodes(path: str | Path, *, findings: Findings | None = None) -> tuple[NodeSet, ...]:
    """Read a stand-alone ``<nodes>`` file.

    Raises:
        InputError: the file is at fault.
    """
    notes, root = _open(path, findings, "nodes")
    nodes = ElementReader(notes).nodes(root)
    notes.raise_if_errors()
    return nodes


def read_lease_text(
    text: bytes, *, epoch: datetime | None = None, file: str = "lease", findings: Findings | None = None
) -> Lease:
    """Read a stand-alone ``<lease>``: its dates are timestamps, counted from ``epoch``, or lengths without one.

    Raises:
        InputError: the text is at fault.
    """
    notes = Findings(file) if findings is None else findings
    root = parse_xml_text(text, notes)
    _expect(notes, root, ("lease",))
    lease = ElementReader(notes, epoch=epoch).lease(root)
    notes.raise_if_errors()
    return lease


def read_annotations(
    path: str | Path, *, document_times: bool = False, findings: Findings | None = None
) -> LeaseAnnotations:
    """Read an annotation file (``.lwfa``); its times count from each lease's submission.

    Raises:
        InputError: the file is at fault, or mixes annotations with and without an id.
    """
    notes, root = _open(path, findings, "lease-annotations")
    reader = ElementReader(notes, document_times=document_times)
    found = reader.children(root, ("attributes", "lease-annotation"))
    entries = tuple(_annotation(reader, element) for element in found["lease-annotation"])
    if len({entry.id is None for entry in entries}) > 1:
        notes.add("some annotations name a lease and some do not", code="mixed-ids", hint="give all an id, or none")
    attributes = reader.attributes(found["attributes"][0]) if found["attributes"] else {}
    notes.raise_if_errors()
    return LeaseAnnotations(attributes=attributes, entries=entries)


def _annotation(reader: ElementReader, element: "Element") -> LeaseAnnotation:
    found = reader.children(element, ("start", "deadline", "software", "extra"))
    starts, deadlines, software = found["start"], found["deadline"], found["software"]
    return LeaseAnnotation(
        id=reader.integer(element, "id", minimum=0) if element.get("id") is not None else None,
        start=reader.start(starts[0], lambda exact: reader.length(exact, "time")) if starts else UNSET,
        deadline=reader.length(deadlines[0], "time") if deadlines else UNSET,
        software=reader.software(software[0]) if software else UNSET,
        extras=reader.attributes(found["extra"][0]) if found["extra"] else {},
    )


def _open(path: str | Path, findings: Findings | None, *roots: str) -> tuple[Findings, "Element"]:
    notes = Findings(str(path)) if findings is None else findings
    root = parse_xml(Path(path), notes)
    _expect(notes, root, roots)
    return notes, root


def _expect(notes: Findings, root: "Element", roots: tuple[str, ...]) -> None:
    if root.tag not in roots:
        wanted = " or ".join(f"<{name}>" for name in roots)
        notes.add(f"the root element is <{root.tag}>, expected {wanted}", code="wrong-root", line=1)
        notes.raise_all()
