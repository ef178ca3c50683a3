"""The options of a submit line (``sbatch -N2 --exclusive job.sh``) that a log has no column for.

Only the words before the script or command count; options that a script holds itself stand in no accounting.
"""

import shlex
from datetime import UTC, tzinfo
from typing import Any, Final

from msgspec.structs import replace

from windtunnel.formats.slurm.submitted_columns import COLUMNS, columns_in, unread_columns
from windtunnel.formats.slurm.submitted_dates import date_in
from windtunnel.formats.slurm.submitted_devices import DEVICES, devices_in, unread_devices
from windtunnel.formats.slurm.submitted_values import VALUES, unread_values, values_in
from windtunnel.model.slurm import JobAsk

__all__ = ["LONE_OPTIONS", "SHORT_OPTIONS", "not_followed", "options_in"]

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
_FOLLOWED: Final = frozenset(
    {*VALUES, *DEVICES, "contiguous", "spread-job", "use-min-nodes", "hold", "exclusive", "oversubscribe"}
)
"""Options that are taken from the line."""
_ONE_THREAD: Final = frozenset(
    {("hint", "nomultithread"), ("hint", "compute_bound"), ("hint", "memory_bound"), ("threads-per-core", "1")}
)
"""Options that are taken from the line with these values only."""
_OF_DEVICES: Final = frozenset({"gpus", "gpus-per-node", "gres", "tres-per-job", "tres-per-node"})
"""Options of which the TRES that were requested tell enough where they cannot be read."""
_IRRELEVANT: Final = frozenset(
    {"output", "error", "input", "chdir", "export", "export-file", "wrap", "mail-type", "mail-user", "comment"}
    | {"wait", "admin-comment", "parsable", "quiet", "verbose", "open-mode", "get-user-env", "propagate", "wckey"}
    | {"uid", "gid", "clusters"}
    | {"profile", "acctg-freq", "test-only", "unbuffered", "pty", "label", "signal", "kill-on-bad-exit", "mpi"}
    | {"wait-all-nodes", "ignore-pbs", "x11", "container", "cpu-bind", "mem-bind", "gpu-bind", "accel-bind", "bcast"}
    | {"spread-output", "prolog", "epilog", "task-prolog", "task-epilog", "export-slurm", "immediate", "no-allocate"}
)
"""Options that decide nothing of where and when a job runs."""


def options_in(
    line: str,
    ask: JobAsk,
    component: int = 0,
    submitted: float | None = None,
    zone: tzinfo = UTC,
    lacking: frozenset[str] = frozenset(),
) -> JobAsk:
    """A request with what a submit line says of a component; a line that cannot be understood says nothing.

    ``submitted``: when (seconds since 1970); dates without a zone are local times of ``zone``.
    ``lacking``: the options of `COLUMNS` for which the log has no column.
    """
    given = _options(_words(line, component))
    if not given:
        return ask
    found = _fields(given, ask)
    if submitted is not None and "deadline" in given:
        found["deadline"] = date_in(given["deadline"], submitted, zone)
    found |= columns_in(given, lacking, submitted, zone)
    return replace(ask, **found)


def not_followed(
    line: str, component: int = 0, *, devices: bool = False, lacking: frozenset[str] = frozenset()
) -> tuple[str, ...]:
    """The options of a submit line that nothing comes of, though they bear on where and when a job runs.

    ``devices``: the record tells the devices that were requested; ``lacking`` as `options_in` has it.
    """
    given = _options(_words(line, component))
    told = (_FOLLOWED - unread_devices(given) - unread_values(given)) | COLUMNS.keys() | _IRRELEVANT
    told -= unread_columns(given, lacking)
    told |= _OF_DEVICES if devices else frozenset()
    left = given.items() - _ONE_THREAD - {("hint", "multithread")}
    if given.get("exclusive", "") not in {"", "user"}:
        told -= {"exclusive"}
    if date_in(given.get("deadline", ""), 0.0) is not None:
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
    found = values_in(given) | devices_in(given, ask)
    if "tasks" not in found:
        if {"tasks_per_node", "tasks_per_gpu", "cpus_per_gpu", "gres_per_task"} & found.keys():
            found["tasks"] = None
        elif "cpus_per_task" in found:
            found["tasks"] = max(1, (ask.tasks or 1) // found["cpus_per_task"])
    flags = {"contiguous": "contiguous", "spread-job": "spread", "use-min-nodes": "use_min_nodes", "hold": "held"}
    found |= {field: True for option, field in flags.items() if option in given}
    ways = [one for one in given if one in ("exclusive", "oversubscribe")]
    if ways and ways[-1] == "oversubscribe":  # the last one counts
        found["over_subscribe"] = True
    elif given.get("exclusive") in ("", "user"):
        found["exclusive_user" if given["exclusive"] else "exclusive"] = True
    if _ONE_THREAD & given.items():
        found["threads_per_core"] = 1
    if given.get("hint") == "multithread":
        found["tasks_per_core"] = 0
    return found
