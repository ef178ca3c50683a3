"""Traces that jobs replay: a list of files, one for each executor, of actions (SMPI) or of usages.

The main file names one file per rank, relative to its own folder. A line of a trace is ``<rank> <action> <args...>``:
SimGrid's time-independent traces, or ``<rank> m_usage <usage in 0..1> <flops>``.
"""

from pathlib import Path
from sys import intern
from typing import Final

from windtunnel.diagnostics import Findings, read_text
from windtunnel.model import TraceType

__all__ = ["SMPI_ACTIONS", "Trace", "load_traces"]

Trace = tuple[tuple[str, ...], ...]
"""The words of each line, without the rank."""

_ACTION_NAMES: Final = (
    "init finalize comm_size comm_split comm_dup compute sleep location send isend ssend issend recv irecv "
    "sendrecv test wait waitall waitany barrier bcast reduce allreduce alltoall alltoallv gather gatherv scatter "
    "scatterv allgather allgatherv reducescatter scan exscan"
)
SMPI_ACTIONS: Final = frozenset(_ACTION_NAMES.split())
_ARGUMENTS: Final = {"compute": 1, "send": 3, "isend": 3, "recv": 3, "irecv": 3}
"""The least number of arguments of the actions that have a fixed form."""


def load_traces(
    main: Path, kind: TraceType, findings: Findings, pointer: str = "", what: str = ""
) -> tuple[Trace, ...]:
    """Read the traces that ``main`` lists; faults are noted in ``findings``, those of a line with its file and line.

    ``pointer`` and ``what`` tell where the main file was named, for the finding when it cannot be read.
    """
    text = _read(main, findings, pointer=pointer, what=what)
    if text is None:
        return ()
    names = text.split("\n")
    if names and not names[-1]:
        names.pop()
    if not names:
        findings.add("no trace is named in this file", code="trace", file=str(main))
    traces = []
    for rank, name in enumerate(names):
        if not name.strip():
            findings.add("a blank line names no trace", code="trace", line=rank + 1, file=str(main))
            continue
        traces.append(_load_one(main, name.rstrip(), rank, kind, findings))
    return tuple(traces)


def _read(
    path: Path, findings: Findings, *, pointer: str = "", what: str = "", line: int = 0, by: str = ""
) -> str | None:
    try:
        return read_text(path, errors="replace")
    except OSError as error:
        message = f"{what}the file {str(path)!r} cannot be read: {error.strerror}"
        findings.add(message, code="trace-file", pointer=pointer, line=line, file=by or None)
        return None


def _load_one(main: Path, name: str, rank: int, kind: TraceType, findings: Findings) -> Trace:
    path = main.parent / name
    text = _read(path, findings, line=rank + 1, by=str(main))
    lines = []
    for number, line in enumerate((text or "").split("\n"), 1):
        words = line.split()
        if not words or words[0][0] == "#":
            continue
        fault = _fault(words, rank, kind)
        if fault:
            findings.add(fault, code="trace", line=number, file=str(path))
        lines.append(tuple(map(intern, words[1:])))
    return tuple(lines)


def _fault(words: list[str], rank: int, kind: TraceType) -> str:
    """What is wrong with a line, or ""."""
    if words[0] != str(rank):
        return f"the line is of rank {words[0]}, but the file is that of rank {rank}"
    if len(words) < 2:
        return "no action after the rank"
    action, arguments = words[1], words[2:]
    if kind is TraceType.FractionalComputation:
        if action != "m_usage":
            return f"unknown action {action!r}, m_usage is expected"
        if len(arguments) != 2:
            return f"m_usage has {len(arguments)} arguments, usage and flops are expected"
        usage, flops = map(_number, arguments)
        if usage is None or not 0 <= usage <= 1:
            return f"the usage {arguments[0]!r} is not in 0..1"
        return f"{arguments[1]!r} is not a number of flops >= 0" if flops is None else ""
    if action.lower() not in SMPI_ACTIONS:
        return f"unknown action {action!r}"
    wanted = _ARGUMENTS.get(action.lower(), 0)
    if len(arguments) < wanted:
        return f"{action} has {len(arguments)} arguments, {wanted} are expected"
    for argument in arguments[:wanted]:
        if _number(argument) is None:
            return f"{argument!r} is not a number >= 0"
    return ""


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value < float("inf") else None
