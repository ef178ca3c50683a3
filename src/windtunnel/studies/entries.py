"""The axes of a study: platforms, workloads, schedulers, failures and options of the engine, as they may be written.

An entry is a text (or in Python an object or a class), or a table with a label and options beside it.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from windtunnel.diagnostics import did_you_mean
from windtunnel.schedulers.registry import name_of
from windtunnel.studies.faults import Faults
from windtunnel.studies.words import Entry

__all__ = ["AXIS_WORDS", "USUAL", "entries"]

AXIS_WORDS: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "platforms": ("platform", ("options",)),
    "workloads": ("workload", ("options", "operations")),
    "schedulers": ("scheduler", ("options",)),
    "failures": ("failures", ()),
    "engine": ("", ()),
}
"""Word -> what an entry's own member is called, and what else an entry may have besides a label."""

USUAL: Final = Entry(what="", label="")
"""What stands for what is usual."""
_CODE: Final = (":", ".py", "tcp:", "ipc:", "lib:")


def entries(word: str, given: Any, faults: Faults, *, data: bool) -> tuple[Entry, ...]:
    """The entries of one axis; one that stands for what is usual when there are none."""
    if given is None:
        return (USUAL,)
    several = isinstance(given, list | tuple)
    values = given if several else [given]
    if not values:
        faults.add((word,), f"{word} is an empty list")
        return ()
    read = _engine if word == "engine" else _entry
    found: list[Entry] = []
    for rank, value in enumerate(values):
        way = (word, rank) if several else (word,)
        entry = read(way, word, value, faults, data=data)
        if entry is None:
            continue
        if any(entry.label == other.label for other in found):
            faults.add(way, f"two of the {word} are called {entry.label!r}", "give them labels: label = '...'")
        found.append(entry)
    return tuple(found)


def _entry(way: tuple[str | int, ...], word: str, value: Any, faults: Faults, *, data: bool) -> Entry | None:
    own, more = AXIS_WORDS[word]
    table: Mapping[str, Any] = value if isinstance(value, Mapping) else {own: value}
    known = (own, "label", *more)
    for name in table:
        if name not in known:
            faults.add((*way, name), f"a {own} of a study has no {name!r}", did_you_mean(str(name), known))
    if own not in table and not (own == "platform" and table):
        faults.add(way, f"an entry of {word} says which {own}: it has no member {own!r}")
        return None
    what = table.get(own, "")
    what = str(what) if isinstance(what, Path) else what
    if own == "workload" and isinstance(what, list | tuple):
        what = tuple(str(one) if isinstance(one, Path) else one for one in what)
        if not what:
            faults.add(way, "an entry of workloads names at least one workload")
            return None
    for one in what if isinstance(what, tuple) else (what,):
        if data and not isinstance(one, str):
            faults.add(way, f"a {own} must be a string, not {one!r:.60}")
            return None
    if own == "scheduler" and (fault := _not_for_data(what) if data else _not_for_studies(what)):
        faults.add(way, *fault)
        return None
    if own == "failures" and not isinstance(what, str):
        faults.add(way, f"failures must be a string such as between=exponential:86400;until=604800, not {what!r:.60}")
        return None
    options = table.get("options", {})
    if not isinstance(options, Mapping) or not all(isinstance(name, str) for name in options):
        faults.add((*way, "options"), f"options must be a table of names and values, not {options!r:.60}")
        options = {}
    operations = table.get("operations", ())
    operations = (operations,) if isinstance(operations, str) else operations
    if not isinstance(operations, list | tuple) or not all(isinstance(one, str) for one in operations):
        faults.add((*way, "operations"), f"operations must be a list of strings, not {operations!r:.60}")
        operations = ()
    label = table.get("label", _label(own, what, options))
    if not isinstance(label, str):
        faults.add((*way, "label"), f"a label must be a string, not {label!r:.60}")
        label = str(label)
    return Entry(what=what, label=label, options=dict(options), operations=tuple(operations))


def _engine(way: tuple[str | int, ...], word: str, value: Any, faults: Faults, *, data: bool) -> Entry | None:
    del word, data
    if not isinstance(value, Mapping):
        faults.add(
            way, f"options of the engine must be a table, not {value!r:.60}", 'such as {on_failure = "requeue"}'
        )
        return None
    options = {str(name): one for name, one in value.items() if name != "label"}
    label = value.get("label", ", ".join(f"{name}={one}" for name, one in options.items()))
    if not isinstance(label, str):
        faults.add((*way, "label"), f"a label must be a string, not {label!r:.60}")
        label = str(label)
    return Entry(what="", label=label, options=options)


def _label(own: str, what: Any, options: Mapping[str, Any]) -> str:
    """What to call an entry that has no label."""
    if isinstance(what, tuple):
        name = " + ".join(_label(own, one, {}) for one in what)
    elif isinstance(what, str):
        is_file = own in {"platform", "workload"} and "/" in what and "?" not in what
        name = Path(what).name if is_file else what
    else:
        name = name_of(what)
    given = ", ".join(f"{key}={value}" for key, value in options.items())
    return f"{name} ({given})" if given else name


def _not_for_data(scheduler: str) -> tuple[str, str] | None:
    if any(mark in scheduler for mark in _CODE):
        hint = "give it a name here, and say on the command line what it is: --scheduler NAME=file.py:Class"
        return f"{scheduler!r:.80} is not the name of a registered scheduler, and input files may not name code", hint
    return None


def _not_for_studies(scheduler: Any) -> tuple[str, str] | None:
    if isinstance(scheduler, str):
        if "://" in scheduler or scheduler.startswith(("tcp:", "ipc:", "lib:", "batprotocol+")):
            return f"{scheduler!r:.80}: a study runs schedulers in its own processes", "name a class of Python"
        return None
    if not callable(scheduler):
        kind = type(scheduler).__name__
        return f"a {kind} that is already an instance cannot be used for many runs", f"give its class: {kind}"
    return None
