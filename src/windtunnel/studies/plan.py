"""The points of a study: everything that its words stand for is looked at once, before anything is simulated."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, Final

import msgspec

from windtunnel.diagnostics import UsageError
from windtunnel.studies.designs import rows
from windtunnel.studies.entries import USUAL
from windtunnel.studies.faults import Faults
from windtunnel.studies.placeholders import placeholders
from windtunnel.studies.trial_maker import Entries, TrialMaker, Way
from windtunnel.studies.trials import Context, Trial
from windtunnel.studies.words import AXES, Entry, Words

__all__ = ["Plan", "Point", "look_at_parts", "plan_of"]

_MOST: Final = 5_000_000


class Point(msgspec.Struct, frozen=True):
    """A row of the results: what was chosen, by column, and the key of the trial that gives its figures."""

    columns: dict[str, Any]
    key: str


class Plan(msgspec.Struct, frozen=True):
    """All points of a study, in order, and what has to be simulated for them."""

    name: str
    points: list[Point]
    trials: dict[str, Trial]
    """By key: several points may have one trial in common."""
    context: Context
    job_tables: bool = False


def plan_of(words: Words, faults: Faults, folder: Path, own: Mapping[str, Any]) -> Plan:
    """The points of a study.

    Args:
        words: the study as it was asked for.
        faults: where what is wrong is collected.
        folder: what the names of files are relative to.
        own: schedulers by names that hold in this study only.

    Raises:
        InputError: files, names or options are at fault; all faults that were found are named.
        UsageError: there are too many points.
    """
    maker = TrialMaker(words, faults, folder, own)
    points: list[Point] = []
    trials: dict[str, Trial] = {}
    seen: set[frozenset[tuple[str, Any]]] = set()
    for columns, entries in _combinations(words):
        chosen = frozenset(columns.items())
        if chosen in seen:  # drawn or listed again
            continue
        seen.add(chosen)
        if len(points) == _MOST:
            raise UsageError(f"a study has at most {_MOST:,} points")
        trial = maker.trial(columns, entries)
        if trial is not None:
            points.append(Point(columns, trial.key))
            trials.setdefault(trial.key, trial)
    maker.schedulers.check_all_used()
    faults.raise_if_any()
    if not points:
        raise UsageError("the study has no points", "its list of points chooses nothing")
    return Plan(words.name, points, trials, maker.context, words.job_tables)


def look_at_parts(words: Words, faults: Faults, folder: Path, own: Mapping[str, Any]) -> None:
    """Files, names and options, although the words are at fault: whatever has no names in braces."""
    maker = TrialMaker(words, faults, folder, own)
    looks: dict[str, Callable[[Way, Entry, Mapping[str, Any]], Any]] = {
        "platforms": partial(maker.input, "platform"),
        "workloads": maker.workloads,
        "failures": maker.failures,
        "engine": maker.engine,
        "schedulers": maker.schedulers.trial,
    }
    for word, look in looks.items():
        for rank, entry in enumerate(getattr(words, word)):
            what = entry.what if isinstance(entry.what, str | tuple) else ""
            if entry != USUAL and not placeholders((what, entry.options)):
                look((word, rank), entry, {})


def _combinations(words: Words) -> Iterator[tuple[dict[str, Any], Entries]]:
    """Every point: its columns, and the entry of each axis with the way to it. Schedulers vary fastest."""

    def ranked(word: str) -> list[tuple[Way, Entry]]:
        return [((word, rank), entry) for rank, entry in enumerate(getattr(words, word))]

    axes = product(
        ranked("platforms"),
        ranked("workloads"),
        rows(words),
        words.seeds or (None,),
        ranked("failures"),
        ranked("engine"),
        ranked("schedulers"),
    )
    for platform, workload, row, seed, failures, engine, scheduler in axes:
        entries = {
            "platform": platform,
            "workload": workload,
            "failures": failures,
            "engine": engine,
            "scheduler": scheduler,
        }
        chosen = {axis: entry.label for axis, (_, entry) in entries.items()} | {"seed": seed}
        if all(row[axis] == chosen[axis] for axis in AXES if axis in row):
            yield chosen | {name: value for name, value in row.items() if name not in AXES}, entries
