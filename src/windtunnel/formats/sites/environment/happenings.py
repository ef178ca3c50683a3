"""What a schema cannot see in the events: whom they mean, and when (ENV031...ENV036)."""

import re
from collections import defaultdict
from collections.abc import Collection
from typing import Any

from windtunnel.diagnostics import Severity
from windtunnel.formats.sites.environment.problems import Path, Problem
from windtunnel.formats.sites.environment.topology import (
    Topology,
    check_scheduler,
    children,
    id_key,
    unknown_properties,
)

__all__ = ["check_events"]

_WARNING = Severity.WARNING
_DIGITS = re.compile("0|[1-9][0-9]{0,17}")
_Timed = tuple[float, Path, dict[str, Any]]


def check_events(
    tree: dict[str, Any],
    topology: Topology,
    problems: list[Problem],
    schedulers: Collection[str],
    *,
    simulate: bool,
) -> None:
    """Check all events; with ``simulate`` one without a time is an error."""
    timed: list[_Timed] = []
    latest = -1.0
    late: list[Path] = []
    for path, event in children(tree, "events", ()):
        unknown_properties(event, "event", path, problems)
        check_scheduler(event.get("scheduler"), (*path, "scheduler"), schedulers, problems)
        _target(event, path, topology, problems)
        time = event.get("time")
        if time is None and "time" not in event:
            severity = Severity.ERROR if simulate else _WARNING
            hint = "add 'time', in seconds from the start"
            problems.append(Problem("ENV032", "an event without a time never happens", path, hint, severity))
        elif isinstance(time, int | float) and not isinstance(time, bool):
            timed.append((time, path, event))
            if 0 <= time < latest:
                late.append((*path, "time"))
            latest = max(latest, time)
    if late:
        message = f"events are not in order of time ({len(late)} come after a later one)"
        problems.append(
            Problem("ENV033", message, late[0], "they are sorted; events at the same time keep their order", _WARNING)
        )
    timed.sort(key=lambda item: item[0])
    _states(timed, topology, problems)
    _conflicts(timed, problems)


def _target(event: dict[str, Any], path: Path, topology: Topology, problems: list[Problem]) -> None:
    """Whether the machine or datacenter meant exists."""
    for kind, known in (("machine", topology.machines), ("datacenter", topology.datacenters)):
        value = event.get(kind)
        key = id_key(value)
        if key is None or key in known or not str(event.get("type", "")).startswith(kind.upper()):
            continue
        named = topology.names.get(str(value)) if kind == "machine" else None
        if named is not None and "id" not in named:
            message = f"{value!r} is the name of a machine that has no id: events refer to machines by their ids"
            problems.append(Problem("ENV036", message, (*path, kind), "give the machine an 'id'"))
            continue
        hint = f"the {kind} of that name has the id {named['id']!r}" if named else _typed_hint(value, known)
        problems.append(Problem("ENV031", f"there is no {kind} with the id {value!r}", (*path, kind), hint))


def _typed_hint(value: object, known: Collection[tuple[bool, object]]) -> str:
    """1 and "1" are different ids, and easily confused."""
    other: object = str(value)
    if isinstance(value, str):
        if not _DIGITS.fullmatch(value):
            return ""
        other = int(value)
    if (not isinstance(value, str), other) not in known:
        return ""
    return f"there is one with the id {_json(other)}, but {_json(value)} is something else"


def _json(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


def _states(timed: list[_Timed], topology: Topology, problems: list[Problem]) -> None:
    """ENV034: a machine gets the state that it has."""
    states: dict[object, object] = {}
    for _, path, event in timed:
        key = id_key(event.get("machine"))
        if event.get("type") != "MACHINE_STATE_CHANGE" or key not in topology.machines:
            continue
        state = event.get("state")
        if states.get(key, topology.machines[key][1].get("state", "ACTIVE")) == state:
            message = f"the machine {event['machine']!r} is in the state {state} already"
            problems.append(Problem("ENV034", message, (*path, "state"), severity=_WARNING))
        states[key] = state


def _conflicts(timed: list[_Timed], problems: list[Problem]) -> None:
    """ENV035: several events change the same thing at one time, to something else each."""
    groups: dict[tuple[float, str, tuple[bool, object]], list[_Timed]] = defaultdict(list)
    for item in timed:
        for kind in ("machine", "datacenter"):
            if (key := id_key(item[2].get(kind))) is not None:
                groups[item[0], kind, key].append(item)
    for (time, kind, (_, name)), items in groups.items():
        what = "state" if kind == "machine" else "scheduler"
        first = items[0]
        for _, path, event in items[1:]:
            if event.get(what) != first[2].get(what):
                message = f"another event at {time:g} s gives {kind} {name!r} another {what}: the last one counts"
                problems.append(Problem("ENV035", message, (*path, what), severity=_WARNING, also=(first[1],)))
