"""``topology.conf``: the switches between nodes; of ``topology.yaml`` (Slurm 25.05 and later) a tree that is alone.

Where there is a ``topology.yaml``, slurmctld looks neither at ``topology.conf`` nor at ``TopologyPlugin``. It is read
where it says no more than one tree, one member a line; anything else in it is told.
"""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from windtunnel.diagnostics import Findings, Severity, did_you_mean, read_text
from windtunnel.formats.slurm.lines import Line, lines_of
from windtunnel.formats.slurm.nodes import hosts_in
from windtunnel.model.slurm import Switch

__all__ = ["switches_beside"]

_KEYS: Final = ("SwitchName", "Nodes", "Switches", "LinkSpeed")
_TYPE: Final = re.compile(r"^\s+(block|flat|tree):\s*(?:true\s*)?(?:#.*)?$", re.MULTILINE | re.IGNORECASE)
"""The type of a topology, as it stands in a YAML document with a line for each member."""
_MEMBER: Final = re.compile(r"\s*(- +)?(\w+): *(['\"]?)((?:\w[\w.,\[\]-]*)?)\3\s*(?:#.*)?")
_HEAD: Final = ["topology", "cluster_default", "tree", "switches"]
_SWITCH: Final = {"switch": "SwitchName", "children": "Switches", "nodes": "Nodes"}
_AS_CONF: Final = (
    "a tree is simulated where it is the only topology, the default of the cluster, with a line for each member; "
    "or from a topology.conf alone (SwitchName=s1 Nodes=n[1-4]; TopologyPlugin=tree)"
)


def switches_beside(conf: Path, findings: Findings, *, tree: bool) -> tuple[Switch, ...]:
    """The switches that files beside slurm.conf tell; ``tree`` says whether TopologyPlugin asks for them."""
    yaml, plain = conf.parent / "topology.yaml", conf.parent / "topology.conf"
    if yaml.is_file():
        text = read_text(yaml, errors="replace")
        lines = _lone_tree(yaml, text, findings)
        if lines is None:
            _tell_yaml(yaml, text, findings)
        if tree and plain.is_file():
            message = "topology.conf is not read: beside topology.yaml Slurm does not read it either"
            findings.add(message, code="ignored", file=str(yaml), severity=Severity.WARNING)
        return _linked(lines or (), yaml, findings)
    return _read_topology(plain, findings) if tree and plain.is_file() else ()


def _lone_tree(path: Path, text: str, findings: Findings) -> list[Line] | None:
    """The switches of a tree that is all that a file in YAML says, as topology.conf would say it; None of others."""
    head: list[str] = []
    made: list[Line] = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.partition("#")[0].strip() in ("", "---"):
            continue
        found = _MEMBER.fullmatch(line)
        if found is None:
            return None
        begins, key, _, value = found.groups()
        if key in _HEAD and not made and (key != "cluster_default" or value.lower() == "true"):
            head.append(key)
        elif key == "switch" and begins and value:
            made.append(Line(str(path), number, [("SwitchName", value)], findings))
        elif key in _SWITCH and made and not begins and value and not made[-1].has(_SWITCH[key]):
            made[-1].values[_SWITCH[key].lower()] = value
        else:
            return None
    return made if head == _HEAD and made else None


def _tell_yaml(path: Path, text: str, findings: Findings) -> None:
    """Say what is not simulated of topologies in YAML, if anything is."""
    found = {kind.lower() for kind in _TYPE.findall(text)}
    if found != {"flat"}:  # which is how nodes are chosen without any topology
        kinds = " and ".join(sorted(found - {"flat"}))
        message = f"topology.yaml ({kinds}) is not simulated" if kinds else "topology.yaml is not simulated"
        hint = "" if found and "tree" not in found else _AS_CONF
        findings.add(message, code="ignored", file=str(path), severity=Severity.WARNING, hint=hint)


def _read_topology(path: Path, findings: Findings) -> tuple[Switch, ...]:
    """The switches in the order of the file."""
    lines = []
    for line in lines_of(path, findings):
        if line.has("BlockName") or line.has("BlockSizes"):
            message = "blocks of nodes (TopologyPlugin=topology/block) are not simulated"
            line.note(message, "ignored", Severity.WARNING)
            return ()
        for key, written in line.written.items():
            if key not in {name.lower() for name in _KEYS}:
                hint = did_you_mean(written, _KEYS)
                line.note(f"topology.conf has no {written}: it has no effect", "unknown-key", Severity.WARNING, hint)
        lines.append(line)
    return _linked(lines, path, findings)


def _linked(lines: Iterable[Line], path: Path, findings: Findings) -> tuple[Switch, ...]:
    """The switches that lines describe; those below them that there are not are told."""
    found: dict[str, Switch] = {}
    for line in lines:
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
