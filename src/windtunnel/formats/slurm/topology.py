"""``topology.conf``: the switches between nodes; ``topology.yaml``, of Slurm 25.05 and later, is told.

Where there is a ``topology.yaml``, slurmctld looks neither at ``topology.conf`` nor at ``TopologyPlugin``.
"""

import re
from pathlib import Path
from typing import Final

from windtunnel.diagnostics import Findings, Severity, did_you_mean, read_text
from windtunnel.formats.slurm.lines import lines_of
from windtunnel.formats.slurm.nodes import hosts_in
from windtunnel.model.slurm import Switch

__all__ = ["switches_beside"]

_KEYS: Final = ("SwitchName", "Nodes", "Switches", "LinkSpeed")
_TYPE: Final = re.compile(r"^\s+(block|flat|tree):\s*(?:true\s*)?(?:#.*)?$", re.MULTILINE | re.IGNORECASE)
"""The type of a topology, as it stands in a YAML document with a line for each member."""
_AS_CONF: Final = "a tree is simulated from a topology.conf alone (SwitchName=s1 Nodes=n[1-4]; TopologyPlugin=tree)"


def switches_beside(conf: Path, findings: Findings, *, tree: bool) -> tuple[Switch, ...]:
    """The switches that files beside slurm.conf tell; ``tree`` says whether TopologyPlugin asks for them."""
    yaml, plain = conf.parent / "topology.yaml", conf.parent / "topology.conf"
    if yaml.is_file():
        _tell_yaml(yaml, findings, passed_over=tree and plain.is_file())
        return ()
    return _read_topology(plain, findings) if tree and plain.is_file() else ()


def _tell_yaml(path: Path, findings: Findings, *, passed_over: bool) -> None:
    """Say what is not simulated of topologies in YAML, if anything is."""
    found = {kind.lower() for kind in _TYPE.findall(read_text(path, errors="replace"))}
    if found != {"flat"}:  # which is how nodes are chosen without any topology
        kinds = " and ".join(sorted(found - {"flat"}))
        message = f"topology.yaml ({kinds}) is not simulated" if kinds else "topology.yaml is not simulated"
        hint = "" if found and "tree" not in found else _AS_CONF
        findings.add(message, code="ignored", file=str(path), severity=Severity.WARNING, hint=hint)
    if passed_over:
        message = "topology.conf is not read: beside topology.yaml Slurm does not read it either"
        findings.add(message, code="ignored", file=str(path), severity=Severity.WARNING)


def _read_topology(path: Path, findings: Findings) -> tuple[Switch, ...]:
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
