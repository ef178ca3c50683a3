"""The values of options of a submit line: ``--mem=4G``, ``-N2-4``, ``--switches=1@20``."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from windtunnel.formats.slurm.values import expand_hosts, megabytes, time_span
from windtunnel.model.slurm import Dependency

__all__ = ["VALUES", "dependencies_in", "unread_values", "values_in"]

_MEMORY: Final = {"mem": "memory_per_node", "mem-per-cpu": "memory_per_cpu", "mem-per-gpu": "memory_per_gpu"}
_COUNT: Final = re.compile(r"\d{1,9}", re.ASCII)
_NICE: Final = re.compile(r"[-+]?\d{1,10}", re.ASCII)
_SPAN: Final = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?", re.ASCII)
_LAYOUT: Final = re.compile(r"(\d{1,9})(?::(\d{1,9})(?::(1))?)?", re.ASCII)
_SWITCHES: Final = re.compile(r"(\d{1,9})(?:@(.+))?", re.ASCII)
_DEPENDENCY: Final = re.compile(r"(\d+)(?:_\S+)?(?:\+(\d+))?", re.ASCII)


def values_in(given: Mapping[str, str]) -> dict[str, Any]:
    """What options say of a request, by its fields; a value that cannot be read says nothing."""
    found: dict[str, Any] = {}
    for _, fields in _read(given):
        found |= fields or {}
    return found


def unread_values(given: Mapping[str, str]) -> frozenset[str]:
    """The options whose values cannot be read."""
    return frozenset(option for option, fields in _read(given) if fields is None)


def _read(given: Mapping[str, str]) -> Iterator[tuple[str, dict[str, Any] | None]]:
    for option in filter(given.__contains__, VALUES):
        try:
            yield option, VALUES[option](given[option])
        except ValueError:
            yield option, None


def _count(field: str) -> Callable[[str], dict[str, Any]]:
    """Of a number; zero says nothing."""

    def count(text: str) -> dict[str, Any]:
        if _COUNT.fullmatch(text) is None:
            raise ValueError(f"{text!r} is not a number such as 4")
        return {field: int(text)} if int(text) else {}

    return count


def _memory(field: str) -> Callable[[str], dict[str, Any]]:
    """Of an amount, which stands in place of all other amounts."""
    return lambda text: {**dict.fromkeys(_MEMORY.values()), field: megabytes(text)}


def _hosts(field: str) -> Callable[[str], dict[str, Any]]:
    """Of a list of nodes; a path names a file that is not here."""

    def hosts(text: str) -> dict[str, Any]:
        if "/" in text:
            raise ValueError(f"{text!r} is a file")
        return {field: tuple(expand_hosts(text))}

    return hosts


def _nice(text: str) -> dict[str, Any]:
    """``--nice`` alone lowers a priority by 100."""
    if _NICE.fullmatch(text or "100") is None:
        raise ValueError(f"{text!r} is not a whole number")
    return {"nice": int(text or 100)}


def _array(text: str) -> dict[str, Any]:
    """``1-9%4``: how many tasks run at once; which tasks there are, the records tell."""
    _, limited, limit = text.partition("%")
    return {"array_limit": max(1, int(_count("limit")(limit).get("limit", 0)))} if limited else {}


def _prefer(text: str) -> dict[str, Any]:
    if not text:
        raise ValueError("features are expected")
    return {"prefer": text}


def _nodes(text: str) -> dict[str, Any]:
    found = _SPAN.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is not a number of nodes such as 2 or 2-4")
    return {"min_nodes": int(found[1]), "max_nodes": int(found[2] or found[1])}


def _layout(text: str) -> dict[str, Any]:
    """``SOCKETS:CORES:1``."""
    found = _LAYOUT.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is not a layout such as 2:4:1")
    counts = {"sockets_per_node": found[1], "cores_per_socket": found[2], "threads_per_core": found[3]}
    return {field: int(count) for field, count in counts.items() if count}


def _switches(text: str) -> dict[str, Any]:
    """``COUNT@TIME``: how long a job waits for as few switches."""
    found = _SWITCHES.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is not a number of switches such as 1 or 1@60")
    return {"switches": int(found[1])} | ({"switch_wait": time_span(found[2])} if found[2] else {})


def _time_min(text: str) -> dict[str, Any]:
    span = time_span(text)
    return {"time_min": None if span is None else span // 60}


def _dependency(text: str) -> dict[str, Any]:
    if not all(map(_is_dependency, filter(None, re.split(r"[,?]", text)))):
        raise ValueError(f"{text!r} is not a dependency such as afterok:12")
    return {"dependencies": dependencies_in(text), "any_dependency": "?" in text, "begin": None}


def _is_dependency(part: str) -> bool:
    kind, *jobs = part.split(":")
    alone = kind == "singleton" or (kind.isascii() and kind.isdigit())
    return bool(kind) and (alone if not jobs else all(map(_DEPENDENCY.fullmatch, jobs)))


def dependencies_in(text: str) -> tuple[Dependency, ...]:
    """``afterok:12:13,singleton`` as what to wait for."""
    found: list[Dependency] = []
    for part in filter(None, re.split(r"[,?]", text)):
        kind, *jobs = part.split(":")
        if not jobs:
            job = kind if kind.isdigit() else ""
            found.append(Dependency(kind="afterany" if job else kind, job=job))
        for job in jobs:
            number = _DEPENDENCY.fullmatch(job)
            if number is not None:
                found.append(Dependency(kind=kind, job=number[1], minutes=int(number[2] or 0)))
    return tuple(found)


VALUES: Final[Mapping[str, Callable[[str], dict[str, Any]]]] = {
    "ntasks": _count("tasks"),
    "cpus-per-task": _count("cpus_per_task"),
    "ntasks-per-node": _count("tasks_per_node"),
    "ntasks-per-socket": _count("tasks_per_socket"),
    "ntasks-per-core": _count("tasks_per_core"),
    "sockets-per-node": _count("sockets_per_node"),
    "cores-per-socket": _count("cores_per_socket"),
    "ntasks-per-gpu": _count("tasks_per_gpu"),
    "cpus-per-gpu": _count("cpus_per_gpu"),
    "mincpus": _count("min_cpus_per_node"),
    "nice": _nice,
    "array": _array,
    "prefer": _prefer,
    "nodes": _nodes,
    "extra-node-info": _layout,
    **{option: _memory(field) for option, field in _MEMORY.items()},
    "nodelist": _hosts("nodes"),
    "exclude": _hosts("exclude"),
    "switches": _switches,
    "time-min": _time_min,
    "dependency": _dependency,
}
"""What reads the value of each option, by long name."""
