"""References to nodes: one id, a list, a range, or a pattern (seed document 003, section 4.4).

A pattern is a regular expression over the known ids and must match the whole id. It is matched in a process of its
own, which is killed after :data:`TIME_LIMIT` seconds: an expression can be made to run for years.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Final

import msgspec

__all__ = ["AGGREGATIONS", "TIME_LIMIT", "NodeReference", "ReferenceFaultError", "expand", "match_all"]

AGGREGATIONS = ("List", "Pattern", "Range")
TIME_LIMIT: Final = 2.0
LENGTH_LIMIT: Final = 1000
"""Characters of a pattern."""
COUNT_LIMIT: Final = 1_000_000
"""So many nodes may a range name."""

_GROUP = re.compile(r"\[([^\[\]]*)\]")
_ITEM = re.compile(r"(\d+)(?:-(\d+))?", re.ASCII)
_POSIX_CLASS = re.compile(r"\[:\^?[a-z]+:\]")
_MATCHER = (
    "import json,re,sys;p,t=json.load(sys.stdin);m=re.compile(p).fullmatch;"
    "json.dump([i for i,x in enumerate(t) if m(x)],sys.stdout)"
)


class ReferenceFaultError(Exception):
    """A reference cannot be expanded (SSS051)."""


class NodeReference(msgspec.Struct, frozen=True):
    """A reference as written; ``count`` is the number of instances of each node meant."""

    text: str
    aggregation: str = ""
    delimiter: str = ","
    count: int | None = None


def expand(reference: NodeReference, known: Sequence[str] = (), limit: float = TIME_LIMIT) -> list[str]:
    """The ids meant, in order. Only patterns need the ``known`` ids, and may take ``limit`` seconds.

    Raises:
        ReferenceFaultError: the aggregation is unknown, or the text is none of its kind.
    """
    if not reference.aggregation:
        return [reference.text.strip()]
    if reference.aggregation == "List":
        parts = [part.strip() for part in reference.text.split(reference.delimiter)]
        return [part for part in parts if part]
    if reference.aggregation == "Range":
        return list(_ranges(reference.text.strip()))
    if reference.aggregation == "Pattern":
        return [known[index] for index in match_all(reference.text.strip(), known, limit)]
    raise ReferenceFaultError(f"unknown aggregation {reference.aggregation!r}; known: {', '.join(AGGREGATIONS)}")


def match_all(pattern: str, texts: Sequence[str], limit: float = TIME_LIMIT) -> list[int]:
    """The ranks of the texts that the whole pattern matches, found within ``limit`` seconds.

    Raises:
        ReferenceFaultError: it is not a valid expression, or matching takes too long.
    """
    if len(pattern) > LENGTH_LIMIT:
        raise ReferenceFaultError(f"a pattern of {len(pattern)} characters; {LENGTH_LIMIT} are allowed")
    if limit <= 0:
        raise ReferenceFaultError(f"{pattern!r}: there is no time left to match it")
    python = pattern.replace("(?<", "(?P<").replace("(?P<=", "(?<=").replace("(?P<!", "(?<!")
    if found := _POSIX_CLASS.search(pattern):
        raise ReferenceFaultError(f"{found.group()} in {pattern!r}: POSIX classes are not supported")
    try:
        re.compile(python)
    except (re.error, OverflowError, RecursionError) as error:
        raise ReferenceFaultError(f"{pattern!r} is not a regular expression that is supported: {error}") from error
    if not texts:
        return []
    if python.replace("_", "").replace("-", "").isalnum():
        return [rank for rank, text in enumerate(texts) if text == python]
    command = [sys.executable, "-I", "-S", "-c", _MATCHER]
    try:
        done = subprocess.run(  # noqa: S603 -- our own interpreter; the pattern travels as data
            command,
            input=json.dumps([python, list(texts)]),
            capture_output=True,
            text=True,
            timeout=limit,
            check=True,
        )
    except subprocess.TimeoutExpired as error:
        raise ReferenceFaultError(f"{pattern!r} takes more than {limit:.2g} s to match") from error
    return [int(rank) for rank in json.loads(done.stdout)]


def _ranges(text: str) -> Iterator[str]:
    """``n[1-3],m[07-09]x``: groups joined by commas outside of brackets; several brackets multiply."""
    count = 0
    for group in _split(text):
        parts = _GROUP.split(group)
        if any("[" in part or "]" in part for part in parts):
            raise ReferenceFaultError(f"{group!r} has unmatched brackets")
        choices = [_numbers(part, group) if rank % 2 else [part] for rank, part in enumerate(parts)]
        size = 1
        for choice in choices:
            size *= len(choice)
        count += size
        if count > COUNT_LIMIT:
            raise ReferenceFaultError(f"{text!r} names more than {COUNT_LIMIT} nodes")
        yield from map("".join, product(*choices))


def _split(text: str) -> Iterator[str]:
    depth = start = 0
    for at, char in enumerate(text + ","):
        depth += (char == "[") - (char == "]")
        if char == "," and depth <= 0:
            if group := text[start:at].strip():
                yield group
            start = at + 1
    if depth > 0:
        raise ReferenceFaultError(f"{text!r} has unmatched brackets")


def _numbers(text: str, group: str) -> list[str]:
    found: list[str] = []
    for item in text.split(","):
        match = _ITEM.fullmatch(item.strip())
        if match is None:
            raise ReferenceFaultError(f"{item!r} in {group!r} is neither a number nor a range such as 5-23")
        low, high = match[1], match[2] or match[1]
        if int(low) > int(high):
            raise ReferenceFaultError(f"{item!r} in {group!r} is empty: {low} > {high}")
        if int(high) - int(low) >= COUNT_LIMIT:
            raise ReferenceFaultError(f"{item!r} in {group!r} names more than {COUNT_LIMIT} nodes")
        found += [str(number).zfill(len(low)) for number in range(int(low), int(high) + 1)]
    return found
