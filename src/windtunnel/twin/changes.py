"""Changes of a slurm.conf, as they are written on a command line, and the difference that they make to the file."""

import re
from difflib import unified_diff
from typing import Final

from windtunnel.diagnostics import UsageError, did_you_mean
from windtunnel.formats.slurm.keys import TABLES

__all__ = ["added_nodes", "changed", "difference"]

_PAIR: Final = re.compile(r'([A-Za-z]\w*)=("[^"]*"|\S+)')
_NODES: Final = re.compile(r"([^:\s]+):\+(\d{1,6})", re.ASCII)
_COMMENT: Final = re.compile(r"(?<!\\)#.*")
_LISTS: Final = ("schedulerparameters",)
"""Keys whose value is a list of words, of which single ones are changed."""


def changed(text: str, change: str) -> str:
    """The configuration with one change: ``SchedulerParameters=bf_window=2880``, ``PartitionName=gpu MaxTime=2-0``.

    Raises:
        UsageError: it is not a change, names a key or partition that there is not, or one of an included file.
    """
    pairs = _PAIR.findall(change.strip())
    if not pairs or _PAIR.sub("", change).strip():
        raise UsageError(
            f"{change!r} is not a change", "such as PriorityWeightAge=5000 or 'PartitionName=gpu MaxTime=2-0'"
        )
    first, value = pairs[0]
    if first.lower() in {"partitionname", "nodename"}:
        kind = "PartitionName" if first.lower() == "partitionname" else "NodeName"
        for key, _ in pairs[1:]:
            _check(key, kind)
        return _in_line(text, kind, value, pairs[1:])
    for key, new in pairs:
        _check(key, "")
        text = _globally(text, key, new)
    return text


def _check(key: str, kind: str) -> None:
    known = TABLES[kind].simulated
    if key.lower() not in {name.lower() for name in known}:
        raise UsageError(f"{key} changes nothing that is simulated", did_you_mean(key, known))


def _unfolded(text: str, *keys: str) -> str:
    r"""The text with the lines that begin with one of these keys in one piece, where they go on behind a ``\``."""
    begins = re.compile(rf"(?i)\s*(?:{'|'.join(map(re.escape, keys))})\s*=")
    made: list[str] = []
    goes_on = False
    for line in text.split("\n"):
        if goes_on:
            made[-1] = _COMMENT.sub("", made[-1]).rstrip()[:-1] + _COMMENT.sub("", line)
        else:
            made.append(line)
        whole = _COMMENT.sub("", made[-1]).rstrip()
        goes_on = whole.endswith("\\") and begins.match(whole) is not None
    return "\n".join(made)


def _globally(text: str, key: str, value: str) -> str:
    lines = _unfolded(text, key).split("\n")
    for place, line in enumerate(lines):
        found = re.match(rf"(?i)\s*{re.escape(key)}\s*=\s*(\S*)", line)
        if found is not None:
            new = _merged(found[1], value) if key.lower() in _LISTS else value
            lines[place] = f"{key}={new}"
            return "\n".join(lines)
    return f"{key}={value}\n{text}"


def _merged(old: str, words: str) -> str:
    """A list in which words of the same names are replaced."""
    found = {word.partition("=")[0]: word for word in filter(None, old.split(","))}
    found |= {word.partition("=")[0]: word for word in words.split(",")}
    return ",".join(found.values())


def _in_line(text: str, kind: str, name: str, pairs: list[tuple[str, str]]) -> str:
    lines = _unfolded(text, kind).split("\n")
    names = []
    for place, line in enumerate(lines):
        found = re.match(rf"(?i)\s*{kind}\s*=\s*(\S+)", line)
        if found is None:
            continue
        names.append(found[1])
        if found[1] == name:
            lines[place] = _with_pairs(line, pairs)
            return "\n".join(lines)
    raise UsageError(f"there is no line {kind}={name} in slurm.conf itself", did_you_mean(name, names))


def _with_pairs(line: str, pairs: list[tuple[str, str]]) -> str:
    """A line with some keys set: in place, or at its end."""
    for key, value in pairs:
        there = re.search(rf'(?i)(?<!\S){re.escape(key)}=("[^"]*"|\S*)', line)
        new = f"{key}={value}"
        line = f"{line} {new}" if there is None else f"{line[: there.start()]}{new}{line[there.end() :]}"
    return line


def added_nodes(text: str, change: str) -> str:
    """The configuration with more nodes: ``gpu:+20`` adds twenty to a partition, like its last ones.

    Raises:
        UsageError: it is not such a change, or the partition's nodes do not stand in the file.
    """
    found = _NODES.fullmatch(change)
    if found is None or not int(found[2]):
        raise UsageError(f"{change!r} adds no nodes", "such as gpu:+20")
    partition, count = found[1], int(found[2])
    text = _unfolded(text, "PartitionName", "NodeName", "NodeSet")
    line = re.search(rf"(?im)^\s*PartitionName\s*=\s*{re.escape(partition)}(?=\s).*$", text)
    nodes = line and re.search(r"(?i)(?<!\S)Nodes\s*=\s*(\S+)", line[0])
    if line is None or nodes is None:
        raise UsageError(f"there is no line PartitionName={partition} with Nodes= in slurm.conf itself")
    models = re.findall(r"(?im)^[^\S\n]*NodeName[^\S\n]*=[^\S\n]*(\S+)(.*)$", text)
    models = [one for one in models if one[0].upper() != "DEFAULT"]
    own = {nodes[1], *nodes[1].split(",")}
    feature = _feature_of_set(text, nodes[1])
    fitting = [
        one
        for one in models
        if one[0] in own or nodes[1].upper() == "ALL" or (feature and feature in _features(one[1]))
    ]
    named = [one for one in models if one[0].partition("[")[0] == nodes[1].partition("[")[0]]
    model = (fitting or named)[-1:]
    if not model:
        raise UsageError(f"no line NodeName= is about nodes of the partition {partition!r} alone")
    new = f"new-{partition}[1-{count}]"
    text = re.sub(r"(?im)^([^\S\n]*NodeName[^\S\n]*=[^\S\n]*" + re.escape(model[0][0]) + r"(?!\S).*)$",
                  lambda whole: f"{whole[1]}\nNodeName={new}{model[0][1]}", text, count=1)  # fmt: skip
    if nodes[1].upper() != "ALL" and not feature:
        text = text.replace(line[0], line[0].replace(nodes[0], f"{nodes[0]},{new}"), 1)
    return text


def _feature_of_set(text: str, name: str) -> str:
    """The feature that makes nodes members of a ``NodeSet``, new ones too; empty if it is none, or has none."""
    line = re.search(rf"(?im)^\s*NodeSet\s*=\s*{re.escape(name)}(?=\s).*$", text)
    found = line and re.search(r"(?i)(?<!\S)Feature\s*=\s*(\S+)", line[0])
    return found[1] if found else ""


def _features(line: str) -> list[str]:
    found = re.search(r"(?i)(?<!\S)Features?\s*=\s*(\S+)", line)
    return found[1].split(",") if found else []


def difference(before: str, after: str, name: str = "slurm.conf") -> str:
    """What changes in the file, in unified form."""
    lines = unified_diff(before.split("\n"), after.split("\n"), name, f"{name} (changed)", lineterm="", n=1)
    return "\n".join(lines)
