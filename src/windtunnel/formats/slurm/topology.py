"""``topology.conf``: the switches between nodes."""

from pathlib import Path

from windtunnel.diagnostics import Findings, Severity, did_you_mean
from windtunnel.formats.slurm.lines import lines_of
from windtunnel.formats.slurm.nodes import hosts_in
from windtunnel.model.slurm import Switch

__all__ = ["read_topology"]

_KEYS = ("SwitchName", "Nodes", "Switches", "LinkSpeed")


def read_topology(path: Path, findings: Findings) -> tuple[Switch, ...]:
    """The switches in the order of the file."""
    found: dict[str, Switch] = {}
    for line in lines_of(path, findings):
        if line.has("BlockName") or line.has("BlockSizes"):
            message = "blocks of nodes (TopologyPlugin=topology/block) are not simulated"
            line.note(message, "ignored", Severity.WARNING)
            return ()
        for key, written in line.written.items():
            if key not in {name.lower() for name in _KEYS}:
                hint = did_you_mean(written, _KEYS)
                line.note(f"topology.conf has no {written}: it has no effect", "unknown-key", Severity.WARNING, hint)
        name = line.text("SwitchName")
        if not name:
            line.note("a line of topology.conf begins with SwitchName=", "syntax", Severity.ERROR)
            continue
        if name in found:
            line.note(f"switch {name!r} is given more than once", "duplicate")
        found[name] = Switch(
            name=name,
            nodes=tuple(hosts_in(line, "Nodes")),
            switches=tuple(hosts_in(line, "Switches")),
            link_speed=line.integer("LinkSpeed", 1),
        )
    for switch in found.values():
        for below in switch.switches:
            if below not in found:
                findings.add(
                    f"switch {switch.name!r}: there is no switch {below!r}",
                    code="reference",
                    file=str(path),
                    severity=Severity.WARNING,
                )
    return tuple(found.values())
