"""Records of accounting that belong together: parts of heterogeneous jobs, runs of requeued ones, a log's end."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from msgspec.structs import replace

from windtunnel.formats.traces.records import Record

__all__ = ["folded", "with_array_limits"]

_PART: Final = re.compile(r"(\d+)\+(\d+)", re.ASCII)
_OPEN: Final = {
    "running": "running when the log ends: lasts as long as it has",
    "pending": "pending when the log ends",
}
_REQUEUED: Final = frozenset({"requeued", "preempted", "node_fail", "boot_fail"})


def folded(records: Iterable[Record], noted: Counter[str]) -> Iterator[Record]:
    """The records with the parts of heterogeneous jobs joined; what was met is counted in ``noted``."""
    parts: dict[str, dict[int, Record]] = {}
    ended_badly: set[str] = set()
    for record in records:
        if record.status in _OPEN:
            noted[_OPEN[record.status]] += 1
        if record.id in ended_badly:
            noted["run of a job after a requeue: a job of its own"] += 1
        if record.status in _REQUEUED:
            ended_badly.add(record.id)
        found = _PART.fullmatch(record.id)
        if found is None:
            yield record
        else:
            parts.setdefault(found[1], {}).setdefault(int(found[2]), record)
    for leader, members in parts.items():
        if 0 not in members or len(members) == 1 or sorted(members) != list(range(len(members))):
            yield from members.values()
        else:
            noted["part of a heterogeneous job, joined with the others"] += len(members) - 1
            yield _joined(leader, [members[place] for place in sorted(members)])


def _joined(leader: str, members: list[Record]) -> Record:
    """One job of all parts: it ends with the last of them."""
    first = members[0]
    runs = [one.run for one in members if one.run is not None]
    ask = first.ask
    if ask is not None:
        ask = replace(ask, components=tuple(one.ask for one in members[1:] if one.ask is not None))
    return replace(
        first,
        id=leader,
        run=max(runs) if runs else None,
        processors=sum(one.processors or 0 for one in members),
        ask=ask,
    )


def with_array_limits(records: list[Record]) -> list[Record]:
    """The tasks of an array all know how many of them may run at once: accounting may say so of one of them only."""
    limits = {
        one.id.partition("_")[0]: one.ask.array_limit
        for one in records
        if one.ask is not None and one.ask.array_limit is not None
    }
    if not limits:
        return records
    made = []
    for one in records:
        limit = limits.get(one.id.partition("_")[0]) if "_" in one.id else None
        made.append(
            one if limit is None or one.ask is None else replace(one, ask=replace(one.ask, array_limit=limit))
        )
    return made
