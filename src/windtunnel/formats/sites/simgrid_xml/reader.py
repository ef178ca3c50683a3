"""From a SimGrid platform file to a :class:`~windtunnel.model.platform.Platform`."""

import re
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Meta

from windtunnel.diagnostics import Findings, read_input
from windtunnel.formats.sites.simgrid_xml.builder import Builder, HostDraft
from windtunnel.formats.sites.simgrid_xml.checks import check_network
from windtunnel.formats.sites.simgrid_xml.config import loopback_link, read_config
from windtunnel.formats.sites.simgrid_xml.grammar import check_structure
from windtunnel.formats.sites.simgrid_xml.power import PowerReader
from windtunnel.formats.sites.simgrid_xml.roles import DEFAULT_MASTER, Numbering, assign_roles
from windtunnel.formats.sites.simgrid_xml.traces import Traces
from windtunnel.formats.sites.simgrid_xml.values import Values
from windtunnel.formats.sites.simgrid_xml.zones import ZoneReader
from windtunnel.model.host import Host
from windtunnel.model.platform import Platform

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["parse_platform", "read_platform"]

MAX_BYTES = 128 << 20
"""Larger files are refused."""
LONG_LINE, LONG_TAG = 2000, 100
"""The beginning of a start tag is looked for in lines of fewer bytes, and over fewer lines."""


def read_platform(
    path: str | PathLike[str],
    *,
    numbering: Numbering = "natural",
    master: str = DEFAULT_MASTER,
    add_roles: Mapping[str, str] | Sequence[tuple[str, str]] = (),
    mmax: Annotated[int, Meta(ge=0)] = 0,
    require_master: bool = False,
    energy: bool = False,
    findings: Findings | None = None,
) -> Platform:
    """Read a platform file (SimGrid XML, versions 4 to 4.1).

    Args:
        path: The file.
        numbering: Of compute hosts: ``natural`` (host2 before host10; Batsim 5) or ``lexicographic`` (Batsim 3, 4).
        master: The host that runs the scheduler and takes no jobs, if there is one of that name.
        add_roles: Host -> ``master``, ``storage`` or ``compute_node``, beside the roles in the file.
        mmax: Keep only so many compute hosts (0: all).
        require_master: Whether a platform without master is an error, as it is to Batsim.
        energy: Whether faults in tables of power are errors; otherwise they are warnings and the table is left out.
        findings: Collects what is found; warnings (traps that SimGrid accepts in silence) are also in the platform.

    Raises:
        InputError: With everything that is wrong in the file.
    """
    name = str(path)
    found = Findings(name) if findings is None else findings
    found.file = name
    try:
        data = read_input(Path(path), most=MAX_BYTES)
    except OSError as error:
        found.add(f"cannot be read: {error.strerror}", code="no-file")
        found.raise_all()
    return parse_platform(
        data,
        name,
        numbering=numbering,
        master=master,
        add_roles=add_roles,
        mmax=mmax,
        require_master=require_master,
        energy=energy,
        findings=found,
    )


def parse_platform(
    data: bytes,
    name: str = "platform.xml",
    *,
    numbering: Numbering = "natural",
    master: str = DEFAULT_MASTER,
    add_roles: Mapping[str, str] | Sequence[tuple[str, str]] = (),
    mmax: int = 0,
    require_master: bool = False,
    energy: bool = False,
    findings: Findings | None = None,
) -> Platform:
    """As :func:`read_platform`, from the bytes of a file called ``name`` (files it names lie beside it)."""
    found = Findings(name) if findings is None else findings
    root = _parse(data, found)
    values = Values(found)
    if root.tag == "platform":
        _check_version(root, values)
    if not check_structure(root, found):
        found.raise_all()
    config = read_config(root, values)
    builder = Builder(found)
    traces = Traces(values, Path(name).parent)
    traces.read_all(root)
    ZoneReader(builder, values, traces).read_root(root)
    roles = assign_roles(
        builder.ordered_hosts(),
        found,
        numbering=numbering,
        master=master,
        add_roles=dict(add_roles),
        require_master=require_master,
        mmax=mmax,
    )
    power = PowerReader(values, energy=energy)
    hosts = tuple(_host(i, draft, power, storage=False) for i, draft in enumerate(roles.compute))
    storages = tuple(_host(i + len(hosts), draft, power, storage=True) for i, draft in enumerate(roles.storages))
    found.raise_if_errors()
    network = builder.network(loopback_link(config))
    check_network(builder, network, found)
    return Platform(
        name=Path(name).stem,
        hosts=hosts,
        storages=storages,
        network=network,
        master=roles.master,
        config=config,
        path=name,
        warnings=tuple(found),
    )


def _host(number: int, draft: HostDraft, power: PowerReader, *, storage: bool) -> Host:
    states, sleep, off = power.read(draft, computes=not storage)
    host = Host(
        id=number,
        name=draft.name,
        cores=draft.cores,
        pstates=states,
        pstate=draft.pstate,
        sleep_pstates=sleep,
        watts_off=off,
        storage=storage,
        properties=draft.properties,
        zone_properties=draft.zone_properties,
        endpoint=draft.point,
    )
    if (profile := draft.profiles.get("speed")) is not None:
        host.speed_profile, host.speed_period = profile
    if (profile := draft.profiles.get("state")) is not None:
        host.state_profile = tuple((date, float(value > 0)) for date, value in profile.pairs)
        host.state_period = profile.period
    return host


def _parse(data: bytes, findings: Findings) -> "_Element":
    """The root element; no entities, no network, no document type."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    text = data.lstrip()  # SimGrid accepts blank lines before the declaration
    skipped = data[: len(data) - len(text)].count(b"\n")
    try:
        root = etree.fromstring(text, parser)
    except etree.XMLSyntaxError as error:
        line, column = error.position
        reason = re.sub(r", line \d+, column \d+$", "", error.msg or "")
        message = f"not well-formed XML: {reason}" if text else "the file is empty"
        findings.add(message, code="syntax", line=(line or 0) + skipped, column=max(column or 0, 0))
        findings.raise_all()
    except ValueError as error:
        findings.add(f"not readable XML: {error}", code="syntax")
        findings.raise_all()
    document: Any = root.getroottree().docinfo.internalDTD
    if document is not None and next(iter(document.iterentities()), None) is not None:
        findings.add(
            "the document type declares entities", code="entity", line=1, hint="write their text where they stand"
        )
        findings.raise_all()
    _correct_lines(root, text, skipped)
    return root


def _correct_lines(root: "_Element", text: bytes, skipped: int) -> None:
    """The parser gives the line in which a start tag ends; findings should name the one in which it begins."""
    lines = text.split(b"\n")
    element: Any
    for element in root.iter("*"):
        given = min(element.sourceline or 0, len(lines))
        opening = f"<{element.tag}".encode()
        line = given
        while given - line < LONG_TAG and line > 0 and len(lines[line - 1]) < LONG_LINE:
            if opening in lines[line - 1]:
                given = line
                break
            line -= 1
        element.sourceline = given + skipped


def _check_version(root: "_Element", values: Values) -> None:
    """Refuse other versions; of one too old nothing else is said, as most names were others then."""
    text = root.get("version")
    if text is None:
        return
    try:
        version = round(100 * float(text))
    except (ValueError, OverflowError):
        values.fault(root, "version", f"the version is {text!r}", "expected 4 or 4.1")
        return
    if version < 400:
        hint = "update the file with simgrid_update_xml"
        values.fault(root, "version", f"version {text} is too old: versions 4 to 4.1 are read", hint)
        values.findings.raise_all()
    elif version > 410:
        values.fault(root, "version", f"version {text} is not known: versions 4 to 4.1 are read")
