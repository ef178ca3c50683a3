"""Changes of a slurm.conf, as they are written on a command line."""

import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from windtunnel.diagnostics import UsageError, did_you_mean
from windtunnel.formats.slurm.keys import TABLES
from windtunnel.formats.slurm.lines import Line
from windtunnel.formats.slurm.values import expand_hosts
from windtunnel.twin.conf_files import ConfFiles, with_pairs

__all__ = ["Pairs", "added_nodes", "changed", "pairs_of"]

Pairs = list[tuple[str, str]]
"""Keys and values as they are written."""
_PAIR: Final = re.compile(r'([A-Za-z]\w*[+-]?)=("[^"]*"|\S+)')
_NODES: Final = re.compile(r"([^:\s]+):\+(\d{1,6})", re.ASCII)
_LIST: Final = "schedulerparameters"
"""The key whose value is a list of words, of which single ones are changed."""
_KINDS: Final = {"partitionname": "PartitionName", "nodename": "NodeName"}


def pairs_of(change: str) -> Pairs:
    """The keys and values of a change.

    Raises:
        UsageError: it is none.
    """
    pairs = _PAIR.findall(change.strip())
    if not pairs or _PAIR.sub("", change).strip():
        raise UsageError(
            f"{change!r} is not a change", "such as PriorityWeightAge=5000 or 'PartitionName=gpu MaxTime=2-0'"
        )
    return [(key, value) for key, value in pairs]


def changed(files: ConfFiles, pairs: Pairs) -> ConfFiles:
    """The configuration with one change: ``SchedulerParameters=bf_window=2880``, ``PartitionName=gpu MaxTime=2-0``.

    Raises:
        UsageError: it names a key, a partition or nodes that there are not.
    """
    first, value = pairs[0]
    kind = _KINDS.get(first.lower(), "")
    for key, _ in pairs[1:] if kind else pairs:
        _check(key, kind)
    if kind:
        return _in_line(files, kind, value.strip('"'), pairs[1:])
    for key, new in pairs:
        files = _globally(files, key, new)
    return files


def _check(key: str, kind: str) -> None:
    known = TABLES[kind].simulated
    if key.lower() not in {name.lower() for name in known}:
        raise UsageError(f"{key} changes nothing that is simulated", did_you_mean(key, known))


def _globally(files: ConfFiles, key: str, value: str) -> ConfFiles:
    """Where the key stands several times, the last one holds."""
    there = [line for line in files.lines if not line.kind and line.has(key)]
    listed = key.lower() == _LIST
    if not there:
        return files.begun_with(f"{key}={_merged('', value) if listed else value}")
    line = there[-1]
    new = _merged(line.values[key.lower()], value) if listed else value
    return files.replaced(line, with_pairs(files.text_of(line), [(key, new)]))


def _merged(old: str, words: str) -> str:
    """A list in which words of the same names are replaced, and those with a ``-`` before them left out."""
    found = {word.partition("=")[0]: word for word in filter(None, old.split(","))}
    for word in filter(None, words.strip('"').split(",")):
        name = word.partition("=")[0]
        if not name.startswith("-"):
            found[name] = word
        elif found.pop(name[1:], None) is None:
            raise UsageError(f"SchedulerParameters has no word {name[1:]!r}", did_you_mean(name[1:], list(found)))
    return ",".join(found.values())


def _in_line(files: ConfFiles, kind: str, name: str, pairs: Pairs) -> ConfFiles:
    there = [line for line in files.lines if line.kind == kind]
    for line in there:
        if line.text(kind) == name:
            return files.replaced(line, with_pairs(files.text_of(line), pairs))
    raise UsageError(f"there is no line {kind}={name}", did_you_mean(name, [line.text(kind) for line in there]))


def added_nodes(files: ConfFiles, change: str) -> ConfFiles:
    """The configuration with more nodes: ``gpu:+20`` adds twenty to a partition, like its last ones.

    Raises:
        UsageError: it is not such a change, or the partition's nodes do not stand in the files.
    """
    found = _NODES.fullmatch(change)
    if found is None or not int(found[2]):
        raise UsageError(f"{change!r} adds no nodes", "such as gpu:+20")
    partition, count = found[1], int(found[2])
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
    known: set[str] = set()
    for line in lines:
        if line.kind == "NodeName" and stem in line.text("NodeName"):
            with suppress(ValueError):  # the reader says what is wrong with it
                known.update(expand_hosts(line.text("NodeName")))
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
