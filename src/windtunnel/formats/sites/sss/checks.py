"""What is odd about nodes that can be read: SSS011, SSS013, SSS040...SSS042."""

from collections.abc import Mapping

from windtunnel.diagnostics import Findings, Severity
from windtunnel.entities.sss_node import STATES, Consumable, SssNode
from windtunnel.entities.sss_units import in_bytes

__all__ = ["check_node"]

_KEEPS = ("", "Instantaneous", "Total")
_BYTES = ("Memory", "Disk", "Swap")


def check_node(node: SssNode, line: int, seen: dict[str, int], findings: Findings) -> None:
    """Check one node of a set; ``seen`` keeps the line of each id."""
    if node.id:
        if node.id in seen:
            message = f"the id {node.id!r} was there before, at line {seen[node.id]}"
            findings.add(message, code="SSS011", line=line)
        seen.setdefault(node.id, line)
    if not node.state:
        message = f"node {node.id} has no State"
        findings.add(message, code="SSS013", line=line, severity=Severity.NOTE)
    elif node.state not in STATES:
        near = next((state for state in STATES if state.lower() == node.state.lower()), "")
        hint = f"write {near!r}" if near else f"known: {', '.join(STATES)}"
        findings.warn(f"unknown state {node.state!r}", code="SSS041", line=line, hint=hint)
    amounts = {name: _amounts(node.category(name)) for name in ("Configured", "Available", "Utilized")}
    for name in ("Available", "Utilized"):
        for key, value in amounts[name].items():
            if value > amounts["Configured"].get(key, value):
                what = " ".join(filter(None, key))
                findings.warn(f"node {node.id}: more {what} {name} than Configured", code="SSS040", line=line)
    _check_state(node, amounts, line, findings)


def _amounts(items: tuple[Consumable, ...]) -> Mapping[tuple[str, str, str], float]:
    """Comparable amounts: in bytes where there are units, averages and extremes left out."""
    found = {}
    for item in items:
        if item.metric in _KEEPS:
            try:
                found[item.key] = in_bytes(item.value, item.units) if item.element in _BYTES else item.value
            except KeyError:
                continue  # unknown units: said already
    return found


def _check_state(
    node: SssNode, amounts: Mapping[str, Mapping[tuple[str, str, str], float]], line: int, findings: Findings
) -> None:
    processors = ("Processors", "", "")
    if node.state == "Idle" and amounts["Utilized"].get(processors, 0) > 0:
        findings.warn(f"node {node.id} is Idle, and processors are Utilized", code="SSS042", line=line)
    configured = amounts["Configured"].get(processors)
    if node.state == "Busy" and configured and amounts["Available"].get(processors) == configured:
        findings.warn(f"node {node.id} is Busy, and all processors are Available", code="SSS042", line=line)
