"""LWF written: workloads, sites, leases, annotations. Unlike Haizea's writer it keeps deadline, user and extras."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import UNSET

from windtunnel.diagnostics import replacing
from windtunnel.formats.haizea.lwf_times import format_length, format_timestamp
from windtunnel.model.lease import (
    DiskImage,
    Lease,
    LeaseAnnotations,
    LeaseSite,
    LeaseState,
    LeaseWorkload,
    NodeSet,
    When,
)

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

__all__ = ["lease_text", "site_text", "write_annotations", "write_lwf", "write_site"]


def write_lwf(workload: LeaseWorkload, path: str | Path) -> None:
    """Write a workload; times are rounded to the hundredth of a second, the format's resolution."""
    root = _element("lease-workload", name=workload.name)
    if workload.description:
        _child(root, "description").text = workload.description
    _attributes(root, "attributes", workload.attributes)
    if workload.site is not None:
        root.append(_site(workload.site))
    requests = _child(root, "lease-requests")
    for lease in workload.leases:
        request = _child(requests, "lease-request", arrival=format_length(lease.submit))
        if lease.real_duration is not None:
            _child(request, "realduration", time=format_length(lease.real_duration))
        request.append(_lease(lease, None))
    _save(root, path)


def write_site(site: LeaseSite, path: str | Path) -> None:
    """Write a stand-alone site file."""
    _save(_site(site), path)


def write_annotations(annotations: LeaseAnnotations, path: str | Path) -> None:
    """Write an annotation file (``.lwfa``)."""
    root = _element("lease-annotations")
    _attributes(root, "attributes", annotations.attributes)
    for entry in annotations.entries:
        element = _child(root, "lease-annotation", **({} if entry.id is None else {"id": str(entry.id)}))
        if entry.start is not UNSET:
            _start(element, entry.start, lambda seconds: "+" + format_length(seconds))
        if entry.deadline is not UNSET:
            _child(element, "deadline", time="+" + format_length(entry.deadline))
        if entry.software is not UNSET:
            _software(element, entry.software)
        _attributes(element, "extra", entry.extras)
    _save(root, path)


def lease_text(lease: Lease, *, epoch: datetime | None = None) -> str:
    """A lease as text: with an ``epoch`` its dates are timestamps and state and submission are written too."""
    return _text(_lease(lease, epoch))


def site_text(site: LeaseSite) -> str:
    """A site as text."""
    return _text(_site(site))


def _lease(lease: Lease, epoch: datetime | None) -> "Element":
    def date(seconds: float) -> str:
        return format_length(seconds) if epoch is None else format_timestamp(seconds, epoch)

    element = _element("lease")
    if lease.id is not None:
        element.set("id", str(lease.id))
    element.set("preemptible", "true" if lease.preemptible else "false")
    if lease.user is not None:
        element.set("user", str(lease.user))
    if epoch is not None:
        element.set("submit-time", date(lease.submit))
    if epoch is not None or lease.state is not LeaseState.NEW:
        element.set("state", str(int(lease.state)))
    element.append(_nodes(lease.nodes))
    _start(element, lease.start, date)
    _child(element, "duration", time=format_length(lease.duration))
    if lease.deadline is not None:
        _child(element, "deadline", time=date(lease.deadline))
    _software(element, lease.software)
    _attributes(element, "extra", lease.extras)
    return element


def _start(parent: "Element", start: float | When, date: Callable[[float], str]) -> None:
    element = _child(parent, "start")
    if start is When.NOW:
        _child(element, "now")
    elif not isinstance(start, When):
        _child(element, "exact", time=date(start))


def _software(parent: "Element", software: DiskImage | None) -> None:
    element = _child(parent, "software")
    if software is None:
        _child(element, "none")
    else:
        _child(element, "disk-image", id=software.id, size=str(software.size))


def _site(site: LeaseSite) -> "Element":
    element = _element("site")
    _child(element, "resource-types", names=" ".join(site.resource_types))
    element.append(_nodes(site.nodes))
    return element


def _nodes(groups: Iterable[NodeSet]) -> "Element":
    element = _element("nodes")
    for group in groups:
        node_set = _child(element, "node-set", numnodes=str(group.count))
        for kind, amounts in group.amounts.items():
            if not any(amounts):
                continue  # what is not named is zero, and a zero may not be written
            if len(amounts) == 1:
                _child(node_set, "res", type=kind, amount=str(amounts[0]))
                continue
            res = _child(node_set, "res", type=kind)
            for amount in filter(None, amounts):
                _child(res, "instance", amount=str(amount))
    return element


def _attributes(parent: "Element", name: str, values: Mapping[str, str]) -> None:
    if values:
        element = _child(parent, name)
        for key, value in values.items():
            _child(element, "attr", name=key, value=value)


def _element(tag: str, **attributes: str) -> "Element":
    from lxml import etree

    return etree.Element(tag, attributes)


def _child(parent: "Element", tag: str, **attributes: str) -> "Element":
    from lxml import etree

    return etree.SubElement(parent, tag, attributes)


def _text(root: "Element") -> str:
    from lxml import etree

    return etree.tostring(root, encoding="unicode", pretty_print=True)


def _save(root: "Element", path: str | Path) -> None:
    from lxml import etree

    with replacing(path) as beside:
        beside.write_bytes(etree.tostring(root, encoding="utf-8", xml_declaration=True, pretty_print=True))
