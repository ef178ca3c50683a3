"""Nodes as a platform: Configured gives cores and resources, Feature, Opsys and Arch properties, State the start."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import msgspec

from windtunnel.diagnostics import Finding, Severity
from windtunnel.entities.sss_host import host_of_node
from windtunnel.entities.sss_node import SssNode
from windtunnel.formats.sites.sss.reader import read
from windtunnel.model import EventList, ExternalEvent, HostSet, Platform

__all__ = ["NodePlatform", "nodes_platform", "read_platform"]


class NodePlatform(msgspec.Struct, frozen=True):
    """A platform, the states that nodes start in, and what had to be assumed."""

    platform: Platform
    events: EventList
    notes: tuple[Finding, ...]


def nodes_platform(nodes: Sequence[SssNode], path: str = "") -> NodePlatform:
    """The platform of a set of nodes. A node that is Offline is switched off when the simulation starts."""
    hosts, events = [], []
    notes: Counter[str] = Counter()
    for number, node in enumerate(nodes):
        host, assumed = host_of_node(number, node)
        hosts.append(host)
        notes.update(assumed)
        if node.state == "Offline":
            told = {extension.name: extension.value for extension in node.extensions}
            facts = {"state": told.get("MachineState", "HALT"), "cause": "Offline at the start", "machine": node.id}
            event = ExternalEvent(
                timestamp=0.0, kind="machine_state", hosts=HostSet.span(1, number), attributes=facts
            )
            events.append(event)
    platform = Platform(name="nodes", hosts=tuple(hosts), path=path)
    findings = tuple(Finding(path or "nodes", message=text, severity=Severity.WARNING) for text in notes)
    return NodePlatform(platform, EventList(name="nodes", events=tuple(events), path=path), findings)


def read_platform(path: str | Path) -> Platform:
    """The platform of a file of node objects; nodes that are Offline come as events.

    Raises:
        InputError: the file has errors.
    """
    nodes, findings = read(path)
    made = nodes_platform(nodes, str(Path(path).absolute()))
    return msgspec.structs.replace(made.platform, events=made.events, warnings=(*findings, *made.notes))
