"""The options of a submit line (``sbatch -N2 --exclusive job.sh``) that accounting has no column for.

Only the words before the script or command count; options that a script holds itself stand in no accounting.
"""

import re
import shlex
from contextlib import suppress
from datetime import UTC, tzinfo
from typing import Any, Final

from msgspec.structs import replace

from windtunnel.formats.slurm.submitted_devices import DEVICES, devices_in, unread_devices
from windtunnel.formats.slurm.values import date, expand_hosts, megabytes, time_span
from windtunnel.model.slurm import Dependency, JobAsk

__all__ = ["LONE_OPTIONS", "SHORT_OPTIONS", "deadline_in", "dependencies_in", "not_followed", "options_in"]

SHORT_OPTIONS: Final = {
    "N": "nodes", "n": "ntasks", "c": "cpus-per-task", "d": "dependency", "w": "nodelist", "x": "exclude",
    "H": "hold", "s": "oversubscribe", "A": "account", "J": "job-name", "p": "partition", "t": "time", "q": "qos",
    "o": "output", "e": "error", "D": "chdir", "C": "constraint", "L": "licenses", "a": "array", "b": "begin",
    "M": "clusters", "G": "gpus", "S": "core-spec", "i": "input", "m": "distribution", "k": "no-kill", "Q": "quiet",
    "W": "wait", "v": "verbose", "O": "overcommit", "I": "immediate", "K": "kill-on-bad-exit", "u": "unbuffered",
    "Z": "no-allocate", "B": "extra-node-info",
}  # fmt: skip
LONE_OPTIONS: Final = frozenset(
    {"hold", "exclusive", "contiguous", "oversubscribe", "spread-job", "use-min-nodes", "requeue", "no-requeue"}
    | {"parsable", "no-kill", "quiet", "wait", "verbose", "overcommit", "unbuffered", "pty", "immediate", "reboot"}
    | {"test-only", "nice", "get-user-env", "kill-on-invalid-dep", "propagate", "wait-all-nodes", "no-allocate"}
)
"""Options without a value, or whose value stands behind an equals sign only."""
_NUMBERS: Final = {
    "ntasks": "tasks",
    "cpus-per-task": "cpus_per_task",
    "ntasks-per-node": "tasks_per_node",
    "ntasks-per-socket": "tasks_per_socket",
    "ntasks-per-core": "tasks_per_core",
    "sockets-per-node": "sockets_per_node",
    "cores-per-socket": "cores_per_socket",
    "ntasks-per-gpu": "tasks_per_gpu",
    "cpus-per-gpu": "cpus_per_gpu",
    "mincpus": "min_cpus_per_node",
    "nice": "nice",
}
_FOLLOWED: Final = frozenset(
    {*_NUMBERS, "nodes", "mem", "mem-per-cpu", "nodelist", "exclude", "contiguous", "spread-job", "use-min-nodes"}
    | {"hold", "exclusive", "array", "oversubscribe", "dependency", "time-min", "switches", "extra-node-info"}
    | {"mem-per-gpu", "prefer"}
)
"""Options that are taken from the line."""
_ONE_THREAD: Final = frozenset(
    {("hint", "nomultithread"), ("hint", "compute_bound"), ("hint", "memory_bound"), ("threads-per-core", "1")}
)
"""Options that are taken from the line with these values only."""
_IN_COLUMNS: Final = frozenset(
    {"account", "partition", "time", "qos", "constraint", "licenses", "reservation", "begin", "job-name", "clusters"}
)
"""Options that accounting has a column for."""
_OF_DEVICES: Final = frozenset({"gpus", "gpus-per-node", "gres", "tres-per-job", "tres-per-node"})
"""Options of which the TRES that were requested tell enough where they cannot be read."""
_IRRELEVANT: Final = frozenset(
    {"output", "error", "input", "chdir", "export", "export-file", "wrap", "mail-type", "mail-user", "comment"}
    | {"wait", "admin-comment", "parsable", "quiet", "verbose", "open-mode", "get-user-env", "propagate", "wckey"}
    | {"uid", "gid"}
    | {"profile", "acctg-freq", "test-only", "unbuffered", "pty", "label", "signal", "kill-on-bad-exit", "mpi"}
    | {"wait-all-nodes", "ignore-pbs", "x11", "container", "cpu-bind", "mem-bind", "gpu-bind", "accel-bind", "bcast"}
    | {"spread-output", "prolog", "epilog", "task-prolog", "task-epilog", "export-slurm", "immediate", "no-allocate"}
)
"""Options that decide nothing of where and when a job runs."""
_MEMORY: Final = {
    "mem": "memory_per_node",
    "mem-per-cpu": "memory_per_cpu",
    "mem-per-gpu": "memory_per_gpu",
}
_TASKS_AT_ONCE: Final = re.compile(r"%(\d{1,9})\Z", re.ASCII)
_SPAN: Final = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?", re.ASCII)
_LAYOUT: Final = re.compile(r"(\d{1,9})(?::(\d{1,9})(?::(\d{1,9}))?)?", re.ASCII)
_LATER: Final = re.compile(r"now\+(\d{1,9})(seconds?|minutes?|hours?|days?|weeks?)?", re.ASCII)
_UNITS: Final = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800}
_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?)?", re.ASCII)
_DEPENDENCY: Final = re.compile(r"(\d+)(?:_\S+)?(?:\+(\d+))?", re.ASCII)


def options_in(
    line: str, ask: JobAsk, component: int = 0, submitted: float | None = None, zone: tzinfo = UTC
) -> JobAsk:
    """A request with what a submit line says of a component; a line that cannot be understood says nothing.

    ``submitted``: when (seconds since 1970); dates without a zone are local times of ``zone``.
    """
    given = _options(_words(line, component))
    if not given:
        return ask
    found = _fields(given, ask)
    if submitted is not None and "deadline" in given:
        found["deadline"] = deadline_in(given["deadline"], submitted, zone)
    return replace(ask, **found)


def deadline_in(text: str, submitted: float, zone: tzinfo = UTC) -> int | None:
    """Seconds since 1970 of ``2024-01-01T12:00`` or ``now+2hours``; None for other words, which are not followed."""
    found = _LATER.fullmatch(text)
    if found is not None:
        return int(submitted) + int(found[1]) * _UNITS[(found[2] or "seconds").rstrip("s")]
    if _DATE.fullmatch(text) is None:
        return None
    try:
        when = date(text, zone)
    except ValueError:
        return None
    return None if when is None else int(when)


def not_followed(line: str, component: int = 0, *, devices: bool = False) -> tuple[str, ...]:
    """The options of a submit line that nothing comes of, though they bear on where and when a job runs.

    ``devices``: the record tells the devices that were requested.
    """
    given = _options(_words(line, component))
    told = _FOLLOWED | _IN_COLUMNS | _IRRELEVANT | (DEVICES - unread_devices(given))
    told |= _OF_DEVICES if devices else frozenset()
    left = given.items() - _ONE_THREAD - {("hint", "multithread")}
    layout = _LAYOUT.fullmatch(given.get("extra-node-info", ""))
    if layout is None or layout[3] not in (None, "1"):
        told -= {"extra-node-info"}
    if deadline_in(given.get("deadline", ""), 0.0) is not None:
        told |= {"deadline"}
    return tuple(f"--{name}" for name, value in given.items() if name not in told and (name, value) in left)


def _words(line: str, component: int) -> list[str]:
    """The words behind the command, of one component."""
    try:
        words = shlex.split(line)
    except ValueError:
        return []
    if not words or words[0].rpartition("/")[2] not in {"sbatch", "salloc", "srun"}:
        return []
    words = words[1:]
    for place, word in enumerate(words):
        if word == "--wrap" or word.startswith("--wrap="):
            words = words[:place]  # accounting keeps no quotes: all that follows is the command
            break
    for _ in range(component if ":" in words else 0):
        words = words[words.index(":") + 1 :] if ":" in words else []
    return words


def _options(words: list[str]) -> dict[str, str]:
    """Options up to the next component, by long name."""
    given: dict[str, str] = {}
    rest = iter(words)
    for word in rest:
        if word == ":" or not word.startswith("-") or word in {"-", "--"}:
            break
        if word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            if not equals and name not in LONE_OPTIONS:
                value = next(rest, "")
        else:
            name, value = SHORT_OPTIONS.get(word[1], word[1]), word[2:].removeprefix("=")
            if not value and name not in LONE_OPTIONS:
                value = next(rest, "")
        given[name] = value
    return given


def _fields(given: dict[str, str], ask: JobAsk) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for option, field in _NUMBERS.items():
        value = given.get(option, "")
        if value.lstrip("-").isdigit() and value.isascii() and len(value) < 10:
            number = int(value) if value.count("-") <= 1 else 0
            if number > 0 or option == "nice":
                found[field] = number
    nodes = _SPAN.fullmatch(given.get("nodes", ""))
    if nodes is not None:
        found |= {"min_nodes": int(nodes[1]), "max_nodes": int(nodes[2] or nodes[1])}
    found |= devices_in(given, ask)
    if "tasks" not in found:
        if {"tasks_per_node", "tasks_per_gpu", "cpus_per_gpu", "gres_per_task"} & found.keys():
            found["tasks"] = None
        elif "cpus_per_task" in found:
            found["tasks"] = max(1, (ask.tasks or 1) // found["cpus_per_task"])
    for option, field in _MEMORY.items():
        if given.get(option):
            try:
                found |= {**dict.fromkeys(_MEMORY.values()), field: megabytes(given[option])}
            except ValueError:
                continue
    if given.get("prefer"):
        found["prefer"] = given["prefer"]
    for option, field in (("nodelist", "nodes"), ("exclude", "exclude")):
        try:
            found[field] = tuple(expand_hosts(given[option])) if given.get(option) else ()
        except ValueError:
            continue
    flags = {"contiguous": "contiguous", "spread-job": "spread", "use-min-nodes": "use_min_nodes", "hold": "held"}
    found |= {field: True for option, field in flags.items() if option in given}
    ways = [one for one in given if one in ("exclusive", "oversubscribe")]
    if "exclusive" in given and (given["exclusive"] == "user" or ways[-1] == "exclusive"):  # the last one counts
        found["exclusive_user" if given["exclusive"] == "user" else "exclusive"] = True
    if (limit := _TASKS_AT_ONCE.search(given.get("array", ""))) is not None:
        found["array_limit"] = max(1, int(limit[1]))
    if _ONE_THREAD & given.items():
        found["threads_per_core"] = 1
    layout = _LAYOUT.fullmatch(given.get("extra-node-info", ""))
    if layout is not None:
        found["sockets_per_node"] = int(layout[1])
        if layout[2]:
            found["cores_per_socket"] = int(layout[2])
        if layout[3] == "1":
            found["threads_per_core"] = 1
    if given.get("hint") == "multithread":
        found["tasks_per_core"] = 0
    if "oversubscribe" in given:
        found["over_subscribe"] = True
    if given.get("dependency"):
        found |= {
            "dependencies": dependencies_in(given["dependency"]),
            "any_dependency": "?" in given["dependency"],
            "begin": None,
        }
    wanted, _, wait = given.get("switches", "").partition("@")
    if wanted.isdigit() and wanted.isascii() and len(wanted) < 10:
        found["switches"] = int(wanted)
        with suppress(ValueError):
            found["switch_wait"] = time_span(wait) if wait else None
    if given.get("time-min"):
        try:
            span = time_span(given["time-min"])
            found["time_min"] = None if span is None else span // 60
        except ValueError:
            pass
    return found


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
