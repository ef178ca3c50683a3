"""Changes of a slurm.conf, as they are written on a command line."""

import re
from typing import Final

from windtunnel.diagnostics import UsageError, did_you_mean
from windtunnel.formats.slurm.keys import TABLES
from windtunnel.formats.slurm.lines import same_key
from windtunnel.twin.conf_files import ConfFiles, with_pairs

__all__ = ["Pairs", "changed", "pairs_of"]

Pairs = list[tuple[str, str]]
"""Keys and values as they are written."""
_PAIR: Final = re.compile(r'([A-Za-z]\w*[+-]?)=("[^"]*"|\S+)')
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
    """A list in which words of the same names are replaced, and those with a ``-`` before them left out.

    Of words that stand there twice the first one holds, as slurmctld has it.
    """
    found: dict[str, str] = {}
    for word in filter(None, old.split(",")):
        found.setdefault(word.partition("=")[0], word)
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
            new = [(same_key(line, key), text) for key, text in pairs]
            return files.replaced(line, with_pairs(files.text_of(line), new))
    raise UsageError(f"there is no line {kind}={name}", did_you_mean(name, [line.text(kind) for line in there]))
