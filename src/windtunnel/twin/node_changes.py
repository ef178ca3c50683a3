"""Changes of how many nodes a partition has: ``gpu:+20`` adds twenty, ``gpu:-4`` takes four away."""

import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from windtunnel.diagnostics import UsageError, did_you_mean
from windtunnel.formats.slurm.lines import Line
from windtunnel.formats.slurm.values import expand_hosts, fold_hosts
from windtunnel.model.slurm import SlurmSite
from windtunnel.twin.conf_files import ConfFiles, with_pairs

__all__ = ["with_nodes"]

_CHANGE: Final = re.compile(r"([^:\s]+):([+-])(\d{1,6})", re.ASCII)


def with_nodes(files: ConfFiles, change: str, site: SlurmSite) -> ConfFiles:
    """The configuration of a site with more nodes, like the last ones of a partition, or without its last ones.

    Raises:
        UsageError: it is not such a change, or the partition's nodes do not stand in the files.
    """
    found = _CHANGE.fullmatch(change)
    if found is None or not int(found[3]):
        raise UsageError(f"{change!r} adds no nodes, and takes none away", "such as gpu:+20, gpu:-4")
    partition, count = found[1], int(found[3])
    return _added(files, partition, count) if found[2] == "+" else _removed(files, partition, count, site)


def _removed(files: ConfFiles, partition: str, count: int, site: SlurmSite) -> ConfFiles:
    """The last nodes of a partition are down."""
    there = site.partition(partition)
    if there is None:
        known = [one.name for one in site.partitions]
        raise UsageError(f"there is no partition {partition!r}", did_you_mean(partition, known))
    down = {name for line in files.lines if line.kind == "DownNodes" for name in _names(line, "DownNodes")}
    up = [node for node in site.nodes if node.name not in down]
    names = [node.name for node in up if there.holds(node)]
    if len(names) < count:
        raise UsageError(f"{count} nodes cannot be taken away: the partition {partition!r} has {len(names)}")
    if len(up) == count:
        raise UsageError(f"{count} nodes cannot be taken away: the site would have none")
    return files.begun_with(f"DownNodes={fold_hosts(names[-count:])} State=DOWN")


def _added(files: ConfFiles, partition: str, count: int) -> ConfFiles:
    there = [line for line in files.lines if line.kind == "PartitionName" and line.has("Nodes")]
    line = next((one for one in there if one.text("PartitionName") == partition), None)
    if line is None:
        known = [one.text("PartitionName") for one in there]
        raise UsageError(f"there is no line PartitionName={partition} with Nodes=", did_you_mean(partition, known))
    nodes = line.text("Nodes")
    feature = _feature_of_set(files.lines, nodes)
    model = _model(files.lines, nodes, feature)
    if model is None:
        raise UsageError(f"no line NodeName= is about nodes of the partition {partition!r} alone")
    new = _new_names(files.lines, f"new-{partition}", count)
    if nodes.upper() != "ALL" and not feature:
        files = files.replaced(line, with_pairs(files.text_of(line), [("Nodes", f"{nodes},{new}")]))
        model = _model(files.lines, nodes, feature) or model  # folded lines have moved it
    text = files.text_of(model)
    return files.replaced(model, text, with_pairs(text.partition("#")[0], [("NodeName", new)]))


def _model(lines: Sequence[Line], nodes: str, feature: str) -> Line | None:
    """The last line about nodes of a partition only, or else about nodes of the same name."""
    models = [one for one in lines if one.kind == "NodeName" and one.text("NodeName").upper() != "DEFAULT"]
    own = {nodes, *nodes.split(",")}
    fitting = [
        one
        for one in models
        if one.text("NodeName") in own or nodes.upper() == "ALL" or (feature and feature in _features(one))
    ]
    named = [one for one in models if one.text("NodeName").partition("[")[0] == nodes.partition("[")[0]]
    return next(reversed(fitting or named), None)


def _new_names(lines: Sequence[Line], stem: str, count: int) -> str:
    """Names that no node has yet, as a host list."""
    named = (line for line in lines if line.kind == "NodeName" and stem in line.text("NodeName"))
    known = {name for line in named for name in _names(line, "NodeName")}
    first = 1
    while not known.isdisjoint(f"{stem}{number}" for number in range(first, first + count)):
        first += 1
    return f"{stem}[{first}-{first + count - 1}]"


def _feature_of_set(lines: Sequence[Line], name: str) -> str:
    """The feature that makes nodes members of a ``NodeSet``, new ones too; empty if it is none, or has none."""
    there = (one for one in lines if one.kind == "NodeSet" and one.text("NodeSet") == name)
    return next((one.text("Feature") for one in there), "")


def _features(line: Line) -> tuple[str, ...]:
    return (*line.words("Feature"), *line.words("Features"))


def _names(line: Line, key: str) -> list[str]:
    with suppress(ValueError):  # the reader says what is wrong with it
        return expand_hosts(line.text(key))
    return []
