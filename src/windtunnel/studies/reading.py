"""The words of a study read from plain data (a file, or arguments of a function): every fault, with its place."""

import re
from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from numbers import Integral, Real
from typing import Any, Final

from windtunnel.diagnostics import did_you_mean
from windtunnel.studies.consistency import check_design, check_names
from windtunnel.studies.entries import AXIS_WORDS, entries
from windtunnel.studies.faults import Faults
from windtunnel.studies.placeholders import placeholders
from windtunnel.studies.words import DESIGNS, Span, Words

__all__ = ["WORDS", "read_words"]

_NAME: Final = re.compile(r"[A-Za-z_]\w*")
_MOST_SEEDS: Final = 1_000_000
_NUMBER = int | float
_Way = tuple[str | int, ...]


def read_words(given: Mapping[str, Any], faults: Faults, *, data: bool, reserved: frozenset[str]) -> Words:
    """The words of a study, checked; what is at fault is as if it had not been said.

    Args:
        given: the words.
        faults: where what is wrong is collected.
        data: whether they come from a file, which names no code and holds no objects.
        reserved: names of the columns of results, which no parameter may have.
    """
    found: dict[str, Any] = {}
    for word, value in given.items():
        if word not in WORDS:
            faults.add((word,), f"a study has no {word!r}", did_you_mean(word, WORDS))
        elif word not in AXIS_WORDS:
            found[word] = WORDS[word]((word,), value, faults)
    for word in AXIS_WORDS:
        found[word] = entries(word, given.get(word), faults, data=data)
    if "schedulers" not in given:
        faults.add((), "a study needs schedulers", "such as schedulers = ['easy', 'fcfs']")
    if "workloads" not in given:
        faults.add((), "a study needs workloads", "such as workloads = ['lublin:1000?seed={seed}']")
    if any(isinstance(entry.what, tuple) for entry in found["workloads"]) and "platforms" not in given:
        hint = "such as platforms = ['hosts:128']"
        faults.add(("workloads",), "workloads that run together need a platform: each says its own", hint)
    check_design(found, faults)
    check_names(found, faults, reserved)
    return Words(**found)


def _text(way: _Way, value: Any, faults: Faults) -> str:
    if not isinstance(value, str) or not value:
        faults.add(way, f"{way[-1]} must be a string, not {value!r:.60}")
        return ""
    return value


def _texts_of(way: _Way, value: Any, faults: Faults) -> tuple[str, ...]:
    given = [value] if isinstance(value, str) else value
    if not isinstance(given, list | tuple):
        faults.add(way, f"{way[-1]} must be a list of strings, not {value!r:.60}")
        return ()
    for rank, one in enumerate(given):
        if not isinstance(one, str) or not one:
            faults.add((*way, rank), f"a string is expected here, not {one!r:.60}")
    return tuple(one for one in given if isinstance(one, str))


def _flag(way: _Way, value: Any, faults: Faults) -> bool:
    if not isinstance(value, bool):
        faults.add(way, f"{way[-1]} must be true or false, not {value!r:.60}")
    return value is True


def _count(way: _Way, value: Any, faults: Faults) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        faults.add(way, f"{way[-1]} must be a whole number of at least 1, not {value!r:.60}")
        return 1
    return value


def _whole(way: _Way, value: Any, faults: Faults) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        faults.add(way, f"{way[-1]} must be a whole number, not {value!r:.60}")
        return 1
    return value


def _seeds(way: _Way, value: Any, faults: Faults) -> tuple[int, ...]:
    if isinstance(value, list | tuple | range):
        seeds = tuple(value)
        if not seeds or not all(isinstance(one, int) and not isinstance(one, bool) and one >= 0 for one in seeds):
            message = f"seeds must be whole numbers of at least 0, not {value!r:.60}"
            faults.add(way, message, "such as seeds = [1, 2, 3], or seeds = 10")
            return ()
        if len(set(seeds)) < len(seeds):
            faults.add(way, "a seed is given twice: its points would not be independent")
        return seeds
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        faults.add(way, f"seeds must be a number of at least 1, or a list of seeds, not {value!r:.60}")
        return ()
    count = value
    if count > _MOST_SEEDS:
        faults.add(way, f"more than {_MOST_SEEDS:,} seeds")
        return ()
    return tuple(range(1, count + 1))


def _design(way: _Way, value: Any, faults: Faults) -> str:
    if value not in DESIGNS:
        hint = did_you_mean(str(value), DESIGNS)
        faults.add(way, f"a design must be one of {', '.join(DESIGNS)}, not {value!r:.60}", hint)
        return "grid"
    return str(value)


def _trim(way: _Way, value: Any, faults: Faults) -> float | str:
    from windtunnel.diagnostics import UsageError
    from windtunnel.results.trimming import seconds_of

    try:
        seconds_of(value, 1.0, str(way[-1]))
    except UsageError as fault:
        faults.add(way, str(fault))
        return 0.0
    return value if isinstance(value, str) else float(value)


def _pue(way: _Way, value: Any, faults: Faults) -> float | str:
    """A number, or a description; one with a parameter is looked at point by point."""
    if isinstance(value, bool) or not isinstance(value, int | float | str) or value == "":
        faults.add(way, f"{way[-1]} must be a number or a string, not {value!r:.60}", "such as pue = 1.2")
        return ""
    return value


def _date(way: _Way, value: Any, faults: Faults) -> str:
    """A date, as a string or as TOML and Python have dates; one with a parameter is looked at point by point."""
    from datetime import date

    if isinstance(value, date):
        return value.isoformat()
    if not isinstance(value, str) or not value:
        hint = f'such as {way[-1]} = "2024-01-01T06:00"'
        faults.add(way, f"{way[-1]} must be a date, not {value!r:.60}", hint)
        return ""
    return value


def _until(way: _Way, value: Any, faults: Faults) -> float | str:
    """Seconds, a duration, or a date in the log's calendar; a text with a parameter is looked at point by point."""
    from windtunnel.diagnostics import UsageError, read_time

    try:
        if not (isinstance(value, str) and placeholders(value)) and not read_time(value, 0.0) > 0:
            faults.add(way, f"a run that stops at {value} does nothing", 'such as until = "7d"')
    except UsageError as fault:
        faults.add(way, str(fault))
        return ""
    return value if isinstance(value, str) else float(value)


def _parameters(way: _Way, value: Any, faults: Faults) -> dict[str, tuple[Any, ...] | Span]:
    if not isinstance(value, Mapping):
        faults.add(
            way, f"parameters must be a table of names and values, not {value!r:.60}", "such as load = [0.7, 0.9]"
        )
        return {}
    found: dict[str, tuple[Any, ...] | Span] = {}
    for name, values in value.items():
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            faults.add((*way, name), f"{name!r} is not a name: letters, digits and _ are expected")
        elif isinstance(values, Span):
            found[name] = values
        elif isinstance(values, Mapping):
            found[name] = _span((*way, name), values, faults)
        else:
            found[name] = _values((*way, name), values, faults)
    return found


def _values(way: _Way, given: Any, faults: Faults) -> tuple[Any, ...]:
    values = tuple(given) if isinstance(given, list | tuple | range) else (given,)
    plain = [_plain(one) for one in values]
    if not values or None in plain:
        faults.add(
            way, f"values must be numbers, strings, true or false, not {given!r:.60}", "such as [0.7, 0.8, 0.9]"
        )
        return ()
    if len({(type(one), one) for one in plain}) < len(plain):
        faults.add(way, "a value is given twice")
    return tuple(plain)


def _plain(value: Any) -> Any:
    """A value of Python's own kinds (numpy's become such); None when it is none."""
    if not isinstance(value, str | bool | int | float):
        value = int(value) if isinstance(value, Integral) else float(value) if isinstance(value, Real) else None
    if isinstance(value, float) and not isfinite(value):
        return None
    return value if isinstance(value, str | bool | int | float) else None


def _span(way: _Way, given: Mapping[str, Any], faults: Faults) -> Span:
    known = ("from", "to", "scale", "whole")
    for name in given:
        if name not in known:
            faults.add((*way, name), f"a span has no {name!r}", did_you_mean(str(name), known))
    low, high = given.get("from"), given.get("to")
    whole = _flag((*way, "whole"), given.get("whole", False), faults)
    scale = given.get("scale", "linear")
    fault = ""
    if not isinstance(low, _NUMBER) or not isinstance(high, _NUMBER) or not isfinite(low) or not isfinite(high):
        fault = "a span has two numbers, from and to"
    elif low >= high:
        fault = f"a span must go from a number to a greater one, not from {low} to {high}"
    elif scale not in {"linear", "log"}:
        fault = f"the scale of a span must be linear or log, not {scale!r:.60}"
    elif scale == "log" and (low <= 0 or whole):
        fault = 'a span of whole numbers cannot be drawn in logarithms: leave out whole = true or scale = "log"'
        if low <= 0:
            fault = f"a span that is drawn in logarithms begins above 0, not at {low}"
    elif whole and (low != int(low) or high != int(high)):
        fault = "a span of whole numbers has whole ends"
    if fault:
        faults.add(way, fault, "such as load = {from = 0.5, to = 1.0}")
        return Span(low=0.0, high=1.0)
    return Span(low=low or 0.0, high=high or 0.0, logarithmic=scale == "log", whole=whole)


def _points(way: _Way, value: Any, faults: Faults) -> tuple[dict[str, Any], ...]:
    given: Sequence[Any] = value if isinstance(value, list | tuple) else [value]
    found = []
    for rank, point in enumerate(given):
        if not isinstance(point, Mapping) or not point:
            faults.add((*way, rank), f"a point must be a table of names and values, not {point!r:.60}")
            continue
        plain = {str(name): _plain(one) for name, one in point.items()}
        for name, one in plain.items():
            if one is None or not _NAME.fullmatch(name):
                said = f"a name and a number or string are expected, not {point.get(name)!r:.60}"
                faults.add((*way, rank, name), said)
        found.append(plain)
    return tuple(found)


def _entries_elsewhere(way: _Way, value: Any, faults: Faults) -> Any:
    raise AssertionError(way, value, faults)  # read by entries()


WORDS: Final[Mapping[str, Callable[[_Way, Any, Faults], Any]]] = {
    "name": _text,
    **dict.fromkeys(AXIS_WORDS, _entries_elsewhere),
    "operations": _texts_of,
    "events": _texts_of,
    "parameters": _parameters,
    "seeds": _seeds,
    "design": _design,
    "samples": _count,
    "design_seed": _whole,
    "points": _points,
    "energy": _flag,
    "carbon": _text,
    "price": _text,
    "generation": _text,
    "export_price": _text,
    "power_cap": _text,
    "pue": _pue,
    "second_zero": _date,
    "supply": _text,
    "battery": _text,
    "share_hosts": _flag,
    "warm_up": _trim,
    "cool_down": _trim,
    "until": _until,
    "job_tables": _flag,
}
"""The words of a study, and what reads each of them."""
