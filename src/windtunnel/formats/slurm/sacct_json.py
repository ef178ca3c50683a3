"""Slurm's accounting as JSON: ``sacct --json`` of 21.08 to 24.11."""

from collections.abc import Iterator
from datetime import tzinfo
from math import inf
from typing import Any, Final

from windtunnel.diagnostics import Findings
from windtunnel.entities.json_members import kind_of
from windtunnel.entities.unheard import Names
from windtunnel.formats.slurm.asks import Asked, ask_of, history, later, minutes_of, not_heard
from windtunnel.formats.slurm.json_values import listed, number
from windtunnel.formats.slurm.values import GONE
from windtunnel.formats.traces.records import Record

__all__ = ["records_of_json"]

_PER_CPU: Final = 1 << 63


def records_of_json(data: bytes, findings: Findings, zone: tzinfo) -> Iterator[Record]:
    """The jobs of a document; what is at fault is a finding."""
    found = listed(data, ("jobs",), findings)
    if found is None:
        return
    for index, value in enumerate(found[1]):
        pointer = f"/jobs/{index}"
        if not isinstance(value, dict):
            findings.add(f"a job is {kind_of(value)}, an object is expected", code="type", pointer=pointer)
            continue
        _tell_unheard(value, findings, pointer)
        try:
            yield _record(value, zone)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
            findings.add(f"the job is not as sacct writes it: {what}", code="value", pointer=pointer)


_HEARD: Final = {
    "": frozenset(["job_id", "array", "het", "time", "state", "tres", "required", "user", "account", "partition"])
    | {"qos", "constraints", "reservation", "name", "submit_line", "allocation_nodes", "nodes", "licenses"},
    "time": frozenset({"submission", "elapsed", "limit", "start", "eligible"}),
    "state": frozenset({"current"}),
    "tres": frozenset({"allocated", "requested"}),
    "required": frozenset({"CPUs", "memory", "memory_per_cpu", "memory_per_node"}),
    "array": frozenset({"job_id", "task_id", "limits"}),
    "het": frozenset({"job_id", "job_offset"}),
}
"""Of a job, and of its members that are objects."""


_OPTIONS: Final = {
    "account": "account",
    "partition": "partition",
    "qos": "qos",
    "constraint": "constraints",
    "reservation": "reservation",
    "job-name": "name",
}
"""The members that tell what was asked for by options of a submit line; times are always there."""


def _tell_unheard(value: dict[str, Any], findings: Findings, pointer: str) -> None:
    """Note the members of a job that nothing comes of: sacct writes about sixty."""
    for key, heard in _HEARD.items():
        inside = value.get(key) if key else value
        if isinstance(inside, dict):
            others = frozenset(inside) - heard
            known = Names(f"{key!r} of a job" if key else "a job", heard, frozenset(), others)
            known.tell(sorted(others), findings, pointer=f"{pointer}/{key}" if key else pointer)


def _record(value: dict[str, Any], zone: tzinfo) -> Record:
    times = value["time"]
    state = value["state"]["current"]
    state = (state[0] if state else "") if isinstance(state, list) else str(state)
    limit = number(times.get("limit"))
    allocated = value.get("tres", {}).get("allocated") or value.get("tres", {}).get("requested") or []
    counts = {entry["type"]: entry["count"] for entry in allocated}
    required = value.get("required", {})
    processors = counts.get("cpu") or number(required.get("CPUs"))
    submit, start, eligible = (number(times.get(name)) or None for name in ("submission", "start", "eligible"))
    reservation = value.get("reservation")
    place = reservation.get("name") if isinstance(reservation, dict) else reservation
    asked = Asked(
        name=str(value.get("name") or ""),
        user=str(value.get("user") or ""),
        account=str(value.get("account") or ""),
        partition=str(value.get("partition") or ""),
        qos=str(value.get("qos") or ""),
        reservation=place if isinstance(place, str) else "",
        constraints=str(value.get("constraints") or ""),
        tres=_tres(value.get("tres", {}).get("requested")),
        cpus=int(number(required.get("CPUs")) or 0),
        nodes=int(number(value.get("allocation_nodes")) or 0),
        memory=_memory(required),
        limit=None if limit is None else minutes_of(limit * 60.0),
        begin=later(eligible, submit),
        licences=str(value.get("licenses") or ""),
        submit_line=str(value.get("submit_line") or ""),
        lacking=frozenset(option for option, key in _OPTIONS.items() if key not in value),
        submitted=submit,
        zone=zone,
        component=int(number((value.get("het") or {}).get("job_offset")) or 0),
        array_limit=_array_limit(value.get("array")),
    )
    return Record(
        id=_id(value),
        submit=number(times["submission"]) or None,
        waited=start - submit if start and submit else -1.0,
        nodes=str(value.get("nodes") or ""),
        history=history(
            start=start, nodes=value.get("nodes"), allocated=_tres(value.get("tres", {}).get("allocated"))
        ),
        ask=ask_of(asked),
        ignored=not_heard(asked),
        run=number(times["elapsed"]),
        processors=int(processors) if processors is not None and processors < inf else None,
        walltime=None if limit is None else limit * 60.0,
        user=str(value.get("user") or ""),
        group=str(value.get("account") or ""),
        queue=str(value.get("partition") or ""),
        status=state.lower(),
        cancelled=state in GONE,
    )


def _tres(entries: Any) -> dict[str, int]:
    """Counts by name; a resource with a name of its own is called ``gres/gpu``."""
    found: dict[str, int] = {}
    for entry in entries or ():
        name = f"{entry['type']}/{entry['name']}" if entry.get("name") else str(entry["type"])
        found[name.lower()] = int(entry.get("count") or 0)
    return found


def _memory(required: dict[str, Any]) -> str:
    """``ReqMem`` in the notation of old: per CPU or node, where it is said."""
    for name, suffix in (("memory_per_cpu", "c"), ("memory_per_node", "n")):
        amount = number(required.get(name))
        if amount:
            return f"{int(amount)}M{suffix}"
    whole = required.get("memory") or 0  # 21.08: the highest bit says that it is per CPU, too much for a float
    if not isinstance(whole, int):
        raise TypeError(f"required memory is {kind_of(whole)}, a whole number of MB is expected")
    return f"{whole & ~_PER_CPU}M{'c' if whole & _PER_CPU else 'n'}" if whole > 0 else ""


def _id(value: dict[str, Any]) -> str:
    """``123``, ``123_4`` for a task of an array, ``123+1`` for a part of a heterogeneous job."""
    array, het = value.get("array") or {}, value.get("het") or {}
    if task := array.get("job_id"):
        index = number(array.get("task_id"))
        return f"{task}_{int(index)}" if index is not None else str(value["job_id"])
    if leader := het.get("job_id"):
        return f"{leader}+{int(number(het.get('job_offset')) or 0)}"
    return str(value["job_id"])


def _array_limit(array: Any) -> int | None:
    """How many tasks of an array may run at once; 0 stands for no limit."""
    limits = ((array or {}).get("limits") or {}).get("max") or {}
    return int(number((limits.get("running") or {}).get("tasks")) or 0) or None
