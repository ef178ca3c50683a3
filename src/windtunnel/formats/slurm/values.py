"""Values as Slurm writes them: dates, durations, states, lists of hosts."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, time, tzinfo
from functools import lru_cache
from itertools import product
from math import inf
from typing import Final

__all__ = [
    "GONE",
    "date",
    "duration",
    "expand_hosts",
    "gres_counts",
    "job_state",
    "megabytes",
    "time_span",
    "tres_counts",
    "tres_weights",
]

_DURATION: Final = re.compile(r"(?:(?P<d>\d+)-)?(?:(?P<h>\d+):)?(?P<m>\d+):(?P<s>\d+(?:\.\d+)?)", re.ASCII)
_SETS: Final = re.compile(r"\[([^\[\]]*)\]")
_LAST_NUMBER: Final = re.compile(r"[0-9]{1,18}\Z")
_ITEM: Final = re.compile(r"(\d+)(?:-(\d+))?", re.ASCII)

GONE: Final = frozenset({"CANCELLED", "PENDING", "RUNNING", "SUSPENDED", "REVOKED"})
"""States of jobs that have not ended by themselves, or not run."""
MOST_HOSTS: Final = 1_000_000
"""The longest list of hosts that is expanded."""


def date(text: str, zone: tzinfo = UTC) -> float | None:
    """Seconds since 1970 of ``2021-10-05T11:26:12`` (local time of ``zone``); None for Unknown and None.

    Raises:
        ValueError: it is not a date.
    """
    if text in {"", "Unknown", "None", "N/A"}:
        return None
    if text.isascii() and text.isdigit():
        return float(text)
    if zone is UTC and len(text) == 19 and text[10] == "T" and text[13] == text[16] == ":":
        try:
            at = time.fromisoformat(text[11:])
            return _midnight(text[:10]) + at.hour * 3600 + at.minute * 60 + at.second
        except ValueError:
            pass  # what is wrong with it is said below
    try:
        found = datetime.fromisoformat(text)
    except ValueError as error:
        why = "" if str(error).startswith("Invalid isoformat") else f": {error}"
        raise ValueError(f"a date such as 2024-03-05T08:00:00 is expected{why}") from None
    return (found if found.tzinfo else found.replace(tzinfo=zone)).timestamp()


@lru_cache(maxsize=64)
def _midnight(text: str) -> float:
    """When a day begins (UTC): most dates are of a few days."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


def duration(text: str) -> float | None:
    """Seconds of ``[D-][HH:]MM:SS[.fff]``; inf for UNLIMITED; None where it is not said.

    Raises:
        ValueError: it is not a duration.
    """
    if text in {"", "Partition_Limit", "INVALID", "Unknown", "None", "N/A"}:
        return None
    if text.upper() in {"UNLIMITED", "INFINITE"}:
        return inf
    found = _DURATION.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is not a duration such as 1-12:00:00")
    days, hours = int(found["d"] or 0), int(found["h"] or 0)
    return days * 86400.0 + hours * 3600 + int(found["m"]) * 60 + float(found["s"])


def job_state(text: str) -> str:
    """``CANCELLED`` of ``CANCELLED by 75200``, in capitals."""
    return text.split(maxsplit=1)[0].rstrip("+").upper() if text.strip() else ""


def expand_hosts(text: str) -> list[str]:
    """The host names of a list such as ``n[001-003,7],gpu[0-1]x[0-1]``; the right-most set varies fastest.

    Raises:
        ValueError: it is not a host list, or names more than a million hosts.
    """
    hosts: list[str] = []
    for group in _groups(text):
        parts = _SETS.split(group)  # texts at even places, sets at odd ones
        if any("[" in part or "]" in part for part in parts[::2]):
            raise ValueError(f"{group!r}: brackets do not match")
        choices = [_set(part, group) if place % 2 else [part] for place, part in enumerate(parts)]
        count = 1
        for choice in choices:
            count *= len(choice)
        if len(hosts) + count > MOST_HOSTS:
            raise ValueError(f"the list names more than {MOST_HOSTS} hosts")
        hosts += map("".join, product(*choices))
    return hosts


def fold_hosts(names: Sequence[str]) -> str:
    """The list of some host names, with numbers that follow each other as ranges: ``n[001-003],gpu1``."""
    found: list[tuple[str, str, str]] = []  # what stands before the numbers, the first, and the last
    for name in names:
        number = _LAST_NUMBER.search(name)
        stem, digits = (name[: number.start()], number[0]) if number else (name, "")
        before, low, high = found[-1] if found else ("", "", "")
        if digits and before == stem and len(low) == len(high) == len(digits) and int(digits) == int(high) + 1:
            found[-1] = (stem, low, digits)
        else:
            found.append((stem, digits, digits))
    return ",".join(f"{stem}{low}" if low == high else f"{stem}[{low}-{high}]" for stem, low, high in found)


def _groups(text: str) -> list[str]:
    """The parts between commas that are not in brackets."""
    groups, depth, current = [], 0, ""
    for char in text:
        if char == "," and not depth:
            groups.append(current)
            current = ""
            continue
        depth += (char == "[") - (char == "]")
        if not 0 <= depth <= 1:
            raise ValueError(f"{text!r}: brackets do not match")
        current += char
    groups.append(current)
    if depth:
        raise ValueError(f"{text!r}: brackets do not match")
    if not all(group.strip() for group in groups):
        raise ValueError(f"{text!r} has an empty part")
    return [group.strip() for group in groups]


def _set(text: str, group: str) -> list[str]:
    """The texts of ``001-003,7``, as wide as the first bound of each range."""
    made: list[str] = []
    for item in text.split(","):
        found = _ITEM.fullmatch(item)
        if found is None:
            raise ValueError(f"{group!r}: {item!r} is neither a number nor a range")
        low, high = found[1], found[2] or found[1]
        if int(low) > int(high):
            raise ValueError(f"{group!r}: the range {item!r} is descending")
        if int(high) - int(low) >= MOST_HOSTS:
            raise ValueError(f"the list names more than {MOST_HOSTS} hosts")
        made += [str(number).zfill(len(low)) for number in range(int(low), int(high) + 1)]
    return made


_SPAN: Final = re.compile(r"(?:(\d{1,9})-)?(\d{1,9})(?::(\d{1,9}))?(?::(\d{1,9}))?", re.ASCII)
_ENDLESS: Final = frozenset({"UNLIMITED", "INFINITE", "NONE", "N/A", "(NULL)"})
_UNITS: Final = {"K": 1 / 1024, "M": 1, "G": 1 << 10, "T": 1 << 20, "P": 1 << 30}
_AMOUNT: Final = re.compile(r"(\d{1,15}(?:\.\d{0,9})?|\.\d{1,9})([KMGTP]?)(?:i?B)?", re.ASCII | re.IGNORECASE)


def time_span(text: str) -> int | None:
    """Seconds of a time limit: minutes, ``M:S``, ``H:M:S``, ``D-H``, ``D-H:M``, ``D-H:M:S``; None: no end.

    Raises:
        ValueError: it is none.
    """
    if text.upper() in _ENDLESS or text == "-1":
        return None
    found = _SPAN.fullmatch(text)
    if found is None:
        raise ValueError("a time such as 90, 1:30:00 or 2-12:00:00 is expected")
    days, *parts = (None if part is None else int(part) for part in found.groups())
    first, second, third = (part or 0 for part in parts)
    if days is not None:
        return days * 86400 + first * 3600 + second * 60 + third
    if parts[2] is not None:
        return first * 3600 + second * 60 + third
    return first * 60 + second


def megabytes(text: str) -> int:
    """MB of 2^20 bytes of ``4000``, ``4G``, ``312.50G``; without a unit it is MB.

    Raises:
        ValueError: it is not an amount of memory.
    """
    found = _AMOUNT.fullmatch(text)
    if found is None:
        raise ValueError("an amount of memory such as 4000 or 4G is expected")
    return int(float(found[1]) * _UNITS[found[2].upper() or "M"])


def tres_counts(text: str) -> dict[str, int]:
    """``cpu=4,mem=2000M,gres/gpu=2`` as counts, memory in MB; -1 (unset) is left out.

    Raises:
        ValueError: it is not such a list.
    """
    return dict(_tres_counts(text)) if text else {}


@lru_cache(maxsize=1024)
def _tres_counts(text: str) -> dict[str, int]:
    """The same; many jobs ask for the same."""
    counts: dict[str, int] = {}
    for entry in filter(None, text.split(",")):
        name, equals, value = entry.partition("=")
        if not name or not equals:
            raise ValueError(f"{entry!r}: a resource with its count such as cpu=4 is expected")
        if value == "-1":
            continue
        key = name.strip().lower()
        if key in {"cpu", "node"} and not value.isdecimal():
            raise ValueError(f"{entry!r}: a whole number is expected")
        if key in {"mem", "vmem"} or not value.isdecimal():
            counts[key] = megabytes(value)
        else:
            counts[key] = int(value[:18])
    return counts


def tres_weights(text: str) -> dict[str, float]:
    """``CPU=1.0,Mem=0.25G,GRES/gpu=-8`` as weights; of memory for each MB.

    Raises:
        ValueError: it is not such a list.
    """
    weights: dict[str, float] = {}
    for entry in filter(None, text.split(",")):
        name, equals, value = entry.partition("=")
        found = _AMOUNT.fullmatch(value.removeprefix("-"))
        if not equals or found is None:
            raise ValueError(f"{entry!r}: a resource with its weight such as CPU=1.0 is expected")
        unit = _UNITS[found[2].upper()] if found[2] else 1
        weights[name.strip().lower()] = float(found[1]) / unit * (-1 if value.startswith("-") else 1)
    return weights


def gres_counts(text: str) -> list[tuple[str, str, int]]:
    """Name, type and count of ``gpu:tesla:2(S:0-1),gpu:1,mps:100``; ``gpu`` alone is one of it.

    Raises:
        ValueError: a count is none.
    """
    found: list[tuple[str, str, int]] = []
    bare = re.sub(r"\([^()]*\)", "", text)
    for entry in filter(None, bare.split(",")):
        name, *rest = (
            part for part in entry.removeprefix("gres:").removeprefix("gres/").split(":") if part != "no_consume"
        )
        count = 1
        if rest and re.fullmatch(r"\d{1,12}[KMGkmg]?", rest[-1], re.ASCII):
            last = rest.pop().upper()
            unit = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}.get(last[-1], 1)
            count = int(last.rstrip("KMG")) * unit
        if len(rest) > 1 or not name:
            raise ValueError(f"{rest[-1] if rest else entry!r} is not a number of {name or 'them'}")
        found.append((name.lower(), rest[0] if rest else "", count))
    return found
