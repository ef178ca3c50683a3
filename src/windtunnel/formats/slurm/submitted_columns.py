"""What accounting has columns for, taken from the submit line of logs that lack the column: ``--constraint=fast``."""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, tzinfo
from typing import Any, Final

from windtunnel.formats.slurm.submitted_dates import date_in
from windtunnel.formats.slurm.values import time_span
from windtunnel.model.slurm.cluster import FOR_EVER

__all__ = ["COLUMNS", "columns_in", "licences_of", "unread_columns"]

_LICENCE: Final = re.compile(r"([^\s,;:=|]+)(?:[:=](\d{1,9}))?", re.ASCII)


def columns_in(
    given: Mapping[str, str], lacking: frozenset[str], submitted: float | None, zone: tzinfo
) -> dict[str, Any]:
    """What options for which a log is ``lacking`` a column say of a request, by its fields.

    ``submitted``: when (seconds since 1970); dates without a zone are local times of ``zone``. A value that cannot be
    read says nothing.
    """
    found: dict[str, Any] = {}
    for option in lacking & given.keys():
        try:
            found |= COLUMNS[option](given[option]) if option != "begin" else _begin(given[option], submitted, zone)
        except ValueError:
            continue
    return found


def unread_columns(given: Mapping[str, str], lacking: frozenset[str]) -> frozenset[str]:
    """The options for which a log is ``lacking`` a column, and whose values cannot be read."""
    unread = set()
    for option in lacking & given.keys():
        try:
            COLUMNS[option](given[option])
        except ValueError:
            unread.add(option)
    return frozenset(unread)


def _text(field: str) -> Callable[[str], dict[str, Any]]:
    return lambda text: {field: text} if text else {}


def _partitions(text: str) -> dict[str, Any]:
    return {"partitions": tuple(filter(None, text.split(",")))}


def licences_of(text: str) -> dict[str, int] | None:
    """``matlab:2,ansys`` as counts; one without a number is one. None: it is no such list."""
    counts: dict[str, int] = {}
    for part in filter(None, text.split(",")):
        found = _LICENCE.fullmatch(part)
        if found is None:
            return None
        counts[found[1]] = counts.get(found[1], 0) + int(found[2] or 1)
    return {name: count for name, count in counts.items() if count}


def _licences(text: str) -> dict[str, Any]:
    counts = licences_of(text)
    if counts is None:
        raise ValueError(f"{text!r} are no licences such as matlab:2,ansys")
    return {"licences": counts}


def _time_limit(text: str) -> dict[str, Any]:
    """Zero stands for no limit, which is one of its own: no default takes its place."""
    span = time_span(text)
    return {"time_limit": -(-span // 60) if span else FOR_EVER}


def _begin(text: str, submitted: float | None = 0.0, zone: tzinfo = UTC) -> dict[str, Any]:
    if submitted is None:
        return {}
    when = date_in(text, submitted, zone)
    if when is None:
        raise ValueError(f"{text!r} is not a date such as 2024-01-01T12:00 or now+2hours")
    return {"begin": when} if when > submitted else {}


COLUMNS: Final[Mapping[str, Callable[[str], dict[str, Any]]]] = {
    "account": _text("account"),
    "partition": _partitions,
    "qos": _text("qos"),
    "constraint": _text("features"),
    "reservation": _text("reservation"),
    "job-name": _text("name"),
    "time": _time_limit,
    "licenses": _licences,
    "begin": _begin,
}
"""What reads the value of each option, by long name."""
