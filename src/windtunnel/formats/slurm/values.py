"""Values as Slurm writes them: dates, durations, states, lists of hosts."""

import re
from datetime import UTC, datetime, tzinfo
from itertools import product
from math import inf
from typing import Final

__all__ = ["date", "duration", "expand_hosts", "job_state"]

_DURATION: Final = re.compile(r"(?:(?P<d>\d+)-)?(?:(?P<h>\d+):)?(?P<m>\d+):(?P<s>\d+(?:\.\d+)?)", re.ASCII)
_SETS: Final = re.compile(r"\[([^\[\]]*)\]")
_ITEM: Final = re.compile(r"(\d+)(?:-(\d+))?", re.ASCII)

MOST_HOSTS: Final = 1_000_000
"""The longest list of hosts that is expanded."""


def date(text: str, zone: tzinfo = UTC) -> float | None:
    """Seconds since 1970 of ``2021-10-05T11:26:12`` (local time of ``zone``); None for Unknown and None.

    Raises:
        ValueError: it is no date.
    """
    if text in {"", "Unknown", "None", "N/A"}:
        return None
    if text.isascii() and text.isdigit():
        return float(text)
    found = datetime.fromisoformat(text)
    return (found if found.tzinfo else found.replace(tzinfo=zone)).timestamp()


def duration(text: str) -> float | None:
    """Seconds of ``[D-][HH:]MM:SS[.fff]``; inf for UNLIMITED; None where it is not said.

    Raises:
        ValueError: it is no duration.
    """
    if text in {"", "Partition_Limit", "INVALID", "Unknown", "None", "N/A"}:
        return None
    if text.upper() in {"UNLIMITED", "INFINITE"}:
        return inf
    found = _DURATION.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is no duration such as 1-12:00:00")
    days, hours = int(found["d"] or 0), int(found["h"] or 0)
    return days * 86400.0 + hours * 3600 + int(found["m"]) * 60 + float(found["s"])


def job_state(text: str) -> str:
    """``CANCELLED`` of ``CANCELLED by 75200``, in capitals."""
    return text.split(maxsplit=1)[0].rstrip("+").upper() if text.strip() else ""


def expand_hosts(text: str) -> list[str]:
    """The host names of a list such as ``n[001-003,7],gpu[0-1]x[0-1]``; the right-most set varies fastest.

    Raises:
        ValueError: it is no host list, or names more than a million hosts.
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
            raise ValueError(f"{group!r}: the range {item!r} goes down")
        if int(high) - int(low) >= MOST_HOSTS:
            raise ValueError(f"the list names more than {MOST_HOSTS} hosts")
        made += [str(number).zfill(len(low)) for number in range(int(low), int(high) + 1)]
    return made
