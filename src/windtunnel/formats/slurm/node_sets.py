"""What slurm.conf says of nodes apart from their own lines: ``NodeSet`` and ``DownNodes``."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from windtunnel.diagnostics import Severity
from windtunnel.formats.slurm.lines import Line
from windtunnel.formats.slurm.nodes import hosts_in, state_of
from windtunnel.model.slurm import Partition, SlurmNode

__all__ = ["NodeSets"]


class NodeSets:
    """Sets of nodes that partitions name as if they were nodes, and nodes that are not there."""

    def __init__(self) -> None:
        self._sets: dict[str, Line] = {}
        self._down: dict[str, Line] = {}

    def take(self, kind: str, line: Line) -> None:
        """A line that begins with ``NodeSet`` or ``DownNodes``."""
        if kind == "DownNodes":
            self._down |= dict.fromkeys(hosts_in(line, kind), line)
        elif kind == "NodeSet":
            name = line.text(kind)
            if name in self._sets:
                line.note(f"node set {name!r} is given more than once", "duplicate", Severity.WARNING)
            self._sets[name] = line

    def spelled_out(self, partitions: Sequence[Partition], nodes: Mapping[str, Line]) -> list[Partition]:
        """Partitions with the nodes of the sets that they name; ``nodes``: the lines of all nodes."""
        if not self._sets:
            return list(partitions)
        members = {name: self._members(line, nodes) for name, line in self._sets.items()}

        def spelled(names: Sequence[str]) -> tuple[str, ...]:
            return tuple(dict.fromkeys(node for name in names for node in members.get(name, [name])))

        return [one if one.nodes is None else replace(one, nodes=spelled(one.nodes)) for one in partitions]

    @staticmethod
    def _members(line: Line, nodes: Mapping[str, Line]) -> list[str]:
        """The nodes with the feature, and those that are listed."""
        feature = line.text("Feature")
        everything = line.text("Nodes").upper() == "ALL"
        listed = [] if everything else hosts_in(line, "Nodes")
        for name in listed:
            if name not in nodes:
                message = f"node set {line.text('NodeSet')!r}: there is no node {name!r}"
                line.note(message, "reference", Severity.WARNING)
        having = [
            name
            for name, own in nodes.items()
            if everything or (feature and feature in own.words("Features" if own.has("Features") else "Feature"))
        ]
        return list(dict.fromkeys([*having, *(name for name in listed if name in nodes)]))

    def state_of(self, node: SlurmNode) -> tuple[SlurmNode, str]:
        """A node as ``DownNodes`` has it, and the state as written there; the node itself where it is not named."""
        line = self._down.get(node.name)
        if line is None:
            return node, ""
        text = line.text("State", "DOWN")
        state, flags = state_of(text)
        return replace(node, state=state, flags=flags, reason=line.text("Reason", node.reason)), text
