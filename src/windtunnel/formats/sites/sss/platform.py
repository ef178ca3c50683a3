"""Nodes as a platform: Configured gives cores and resources, Feature, Opsys and Arch properties, State the start."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from windtunnel.diagnostics import Finding, Findings, InputError
from windtunnel.entities.sss_host import host_of_node
from windtunnel.entities.sss_node import NodeSite, SssNode
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
    findings = Findings(path or "nodes")
    for number, node in enumerate(nodes):
        host, assumed = host_of_node(number, node)
        hosts.append(host)
        for text in assumed:
            findings.warn(text, code="SSS061")
        for text in _without_effect(node):
            findings.tally(text, code="SSS055")
        if node.state == "Offline":
            told = {extension.name: extension.value for extension in node.extensions}
            facts = {"state": told.get("MachineState", "HALT"), "cause": "Offline at the start", "machine": node.id}
            event = ExternalEvent(
                timestamp=0.0, kind="machine_state", hosts=HostSet.span(1, number), attributes=facts
            )
            events.append(event)
    site = NodeSite(tuple(nodes))
    platform = Platform(name="nodes", hosts=tuple(hosts), path=path, site=site)
    return NodePlatform(platform, EventList(name="nodes", events=tuple(events), path=path), tuple(findings.sorted()))


def _without_effect(node: SssNode) -> Iterator[str]:
    """What a node says of its use: the simulation begins with nothing in use."""
    if node.state == "Busy":
        yield "the State Busy has no effect: every node begins without work"
    if node.available and node.configured:
        yield "Available has no effect beside Configured: every node begins with all that it has"
    if node.utilized:
        yield "Utilized has no effect: every node begins without work"
    described = node.configured or node.available
    if any(item.metric not in {"", "Total", "Instantaneous"} for item in described):
        yield "a metric has no effect: the amount is taken as what the node has"
    if any(item.wall_duration is not None or item.consumption_rate is not None for item in described):
        yield "wallDuration and consumptionRate of what a node has have no effect"
    keys = [item.key for item in described]
    if len(set(keys)) < len(keys):
        yield "a resource is given with several metrics: the last counts"


def read_platform(path: str | Path) -> Platform:
    """The platform of a file of node objects; nodes that are Offline come as events.

    Raises:
        InputError: the file has errors, or no nodes.
    """
    nodes, findings = read(path)
    if not nodes:
        message = "there is no node here that says what it has"
        hint = "a <Node> with a text only names a node: give it an Id and Configured"
        raise InputError([*findings, Finding(str(path), code="SSS054", message=message, hint=hint)])
    made = nodes_platform(nodes, str(Path(path).absolute()))
    heard = [finding for finding in findings if finding.code != "SSS013"]  # that nothing is said is not unheard
    return msgspec.structs.replace(made.platform, events=made.events, warnings=(*heard, *made.notes))
