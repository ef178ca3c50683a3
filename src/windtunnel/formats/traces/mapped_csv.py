"""Traces as CSV with columns of any name: a mapping says which column is which.

A mapping is a preset (``nrel-eagle``), or a TOML file::

    delimiter = ","            # default: comma
    [columns]                  # ours = theirs
    submit = "submit_time"     # required: a date, or seconds
    run = "run_time"           # or start and end
    processors = "processors_req"
    walltime = "wallclock_req"
    id = "job_id"              # default: the number of the row
    [units]                    # seconds by default
    walltime = "minutes"

Columns known: id, submit, start, end, run, processors, walltime, user, group, queue, status, parents (separated by
spaces). Dates are ISO 8601 (UTC unless they say otherwise) or numbers; durations are numbers or ``[D-]HH:MM:SS``.
"""

import csv
from collections.abc import Iterator, Mapping
from math import isfinite
from pathlib import Path
from typing import Annotated, Final

import msgspec

from windtunnel.diagnostics import Findings, Severity, UsageError, did_you_mean, open_lines, read_input
from windtunnel.formats.files import reason
from windtunnel.formats.slurm.values import date, duration
from windtunnel.formats.traces.records import Record, replay
from windtunnel.formats.traces.rules import MOST_PROCESSORS, ReplayOptions, WalltimePolicy
from windtunnel.formats.traces.workload import TraceWorkload

__all__ = [
    "COLUMNS",
    "PRESETS",
    "UNITS",
    "Mapped",
    "csv_records",
    "read_csv",
    "read_mapped",
    "read_mapping",
    "record_of",
]

COLUMNS: Final = (
    "id",
    "submit",
    "start",
    "end",
    "run",
    "processors",
    "walltime",
    "user",
    "group",
    "queue",
    "status",
    "parents",
)
_ANOTHER: Final = "the option mapping=FILE.toml says which column is which, and what separates columns"
UNITS: Final = {"milliseconds": 0.001, "seconds": 1.0, "minutes": 60.0, "hours": 3600.0}
_CANCELLED: Final = frozenset({"cancelled", "canceled", "aborted", "deleted"})


class Mapped(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which column is what, and in which unit."""

    columns: dict[str, str]
    units: dict[str, str] = {}
    delimiter: str = ","


PRESETS: Final[Mapping[str, Mapped]] = {
    "nrel-eagle": Mapped(
        {
            "id": "job_id",
            "submit": "submit_time",
            "run": "run_time",
            "processors": "processors_req",
            "walltime": "wallclock_req",
            "user": "user",
            "group": "account",
            "queue": "partition",
            "status": "state",
        }
    ),
}
"""Mappings by name: NREL's Eagle."""


def read_mapping(mapping: str | Path | Mapped) -> Mapped:
    """A mapping from a preset's name or a TOML file, checked.

    Raises:
        UsageError: there is none of that name, or it is at fault.
    """
    if isinstance(mapping, Mapped):
        found = mapping
    elif str(mapping) in PRESETS:
        found = PRESETS[str(mapping)]
    else:
        path = Path(mapping)
        if not path.is_file():
            raise UsageError(f"there is no mapping {str(mapping)!r}", f"a TOML file, or one of {', '.join(PRESETS)}")
        found = _from_file(path)
    if faults := [*_faults(found)]:
        raise _error("the mapping" if isinstance(mapping, Mapped) else f"the mapping {mapping}", faults)
    return found


_Fault = tuple[str, str]
"""What is wrong with a mapping, and a hint."""


def _from_file(path: Path) -> Mapped:
    """The mapping in a TOML file; its members are of the types that they must have."""
    try:
        read = msgspec.toml.decode(read_input(path))
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"the mapping {path} cannot be read: {reason(error)}") from error
    members = Mapped.__struct_fields__
    faults = [(f"it has an unknown member {key!r}", did_you_mean(key, members)) for key in read if key not in members]
    try:
        found = msgspec.convert({key: value for key, value in read.items() if key in members}, Mapped)
    except msgspec.ValidationError as error:
        raise _error(f"the mapping {path}", [*faults, (str(error), "")]) from error
    if faults:
        raise _error(f"the mapping {path}", [*faults, *_faults(found)])
    return found


def _faults(mapped: Mapped) -> Iterator[_Fault]:
    for key in mapped.columns:
        if key not in COLUMNS:
            yield f"it has an unknown column {key!r}", did_you_mean(key, COLUMNS)
    for key, unit in mapped.units.items():
        if key not in COLUMNS:
            yield f"it gives a unit to an unknown column {key!r}", did_you_mean(key, COLUMNS)
        if unit not in UNITS:
            yield f"it has an unknown unit {key} = {unit!r}", f"known: {', '.join(UNITS)}"
    if missing := [*_missing(mapped)]:
        yield f"it lacks columns: {', '.join(missing)}", "needed: submit, processors, and run (or start and end)"
    if len(mapped.delimiter) != 1:
        yield f"its delimiter {mapped.delimiter!r} is not one character", ""


def _missing(mapped: Mapped) -> Iterator[str]:
    """What has no column, and must have one."""
    times = ("run",) if not {"start", "end"} <= mapped.columns.keys() else ()
    return (name for name in ("submit", *times, "processors") if name not in mapped.columns)


def _error(what: str, faults: list[_Fault]) -> UsageError:
    """All faults of a mapping: one with its hint, several with theirs in parentheses."""
    if len(faults) == 1:
        ((message, hint),) = faults
        return UsageError(f"{what} is wrong: {message}", hint)
    told = [f"{message} ({hint})" if hint else message for message, hint in faults]
    return UsageError(f"{what} is wrong: {'; '.join(told)}")


def read_csv(
    path: str | Path,
    name: str = "w0",
    *,
    mapping: str = "nrel-eagle",
    walltime: WalltimePolicy = "extend",
    keep_epoch: bool = False,
    max_processors: Annotated[int, msgspec.Meta(ge=1)] | None = None,
    strict: bool = False,
) -> TraceWorkload:
    """Read a CSV file, plain or gzipped, under a mapping; the other options and the rules are those of SWF.

    Raises:
        InputError: the file cannot be read, or is at fault; all faults are named with their line.
        UsageError: the mapping, or an option, is at fault.
    """
    return read_mapped(
        path,
        name,
        read_mapping(mapping),
        ReplayOptions(walltime=walltime, keep_epoch=keep_epoch, max_processors=max_processors, strict=strict),
    )


def read_mapped(path: str | Path, name: str, mapped: Mapped, options: ReplayOptions) -> TraceWorkload:
    """As :func:`read_csv`, with the mapping itself."""
    path = Path(path).absolute()
    findings = Findings(str(path))
    return replay(csv_records(path, mapped, findings), name=name, path=str(path), options=options, findings=findings)


def csv_records(path: Path, mapped: Mapped, findings: Findings) -> Iterator[Record]:
    """The records of a CSV file; what is at fault is noted."""
    reader = None
    try:
        with open_lines(path) as file:
            reader = csv.reader(file, delimiter=mapped.delimiter, skipinitialspace=True, strict=True)
            head = [text.strip() for text in next(reader, [])]
            places = {ours: head.index(theirs) for ours, theirs in mapped.columns.items() if theirs in head}
            absent = [theirs for theirs in mapped.columns.values() if theirs not in head]
            for theirs in absent:
                hint = did_you_mean(theirs, head) if places else _ANOTHER if theirs == absent[0] else ""
                findings.add(f"there is no column {theirs!r}", code="column", line=1, hint=hint)
            if absent:
                return
            for name in sorted({name for name in head if head.count(name) > 1}):
                message = f"several columns are called {name!r}: the first one counts"
                findings.tally(message, code="repeated-member", line=1)
            for name in head:
                if name not in mapped.columns.values():
                    message = f"the column {name!r} has no effect: it is not mapped"
                    findings.tally(message, code="history", line=1, severity=Severity.NOTE)
            for count, row in enumerate(reader, 1):
                if len(row) == len(head):
                    texts = {ours: row[place].strip() for ours, place in places.items()}
                    if (record := record_of(texts, mapped, reader.line_num, count, findings)) is not None:
                        yield record
                elif row:
                    message = f"{len(row)} fields instead of {len(head)}"
                    findings.add(message, code="fields", line=reader.line_num)
    except OSError as error:
        findings.add(f"cannot be read: {reason(error)}", code="unreadable")
    except csv.Error as error:
        findings.add(str(error), code="csv", line=reader.line_num if reader else 0)


def record_of(texts: dict[str, str], mapped: Mapped, line: int, count: int, findings: Findings) -> Record | None:
    """The record of a row; None, with findings, when it is at fault."""
    values: dict[str, float | None] = {}
    good = True
    for key in ("submit", "start", "end", "run", "processors", "walltime"):
        text = texts.get(key, "")
        try:
            values[key] = _value(text, key in {"submit", "start", "end"}) if text else None
        except ValueError:
            what = "a date" if key in {"submit", "start", "end"} else "a number"
            message = f"{mapped.columns[key]} is {text!r}, which is not {what}"
            findings.add(message, code="number", line=line)
            good = False
        else:
            value = values[key]
            if value is not None:
                values[key] = made = None if value == -1 else value * UNITS[mapped.units.get(key, "seconds")]
                if made is not None and not isfinite(made):
                    message = f"{mapped.columns[key]} is {text!r}, which is too large"
                    findings.add(message, code="number", line=line)
                    good = False
    processors = values.get("processors")
    if processors is not None and (processors != int(processors) or abs(processors) >= MOST_PROCESSORS):
        what = "not an integer" if processors != int(processors) else "too large"
        message = f"{mapped.columns['processors']} is {texts['processors']!r}, which is {what}"
        findings.add(message, code="number", line=line)
        good = False
    if not good:
        return None
    start, end, run = values["start"], values["end"], values["run"]
    if run is None and start is not None and end is not None:
        run = end - start
    status = texts.get("status", "").lower()
    return Record(
        id=_id(texts.get("id") or str(count)),
        line=line,
        submit=values["submit"],
        run=run,
        processors=None if processors is None else int(processors),
        walltime=values["walltime"],
        user=texts.get("user", ""),
        group=texts.get("group", ""),
        queue=texts.get("queue", ""),
        status=status,
        cancelled=status.partition(" ")[0] in _CANCELLED,
        parents=tuple(_id(parent) for parent in texts.get("parents", "").split() if parent != "-1"),
    )


def _id(text: str) -> str:
    """A job's id without what stands between workload and job."""
    return text.replace("!", "_")


def _value(text: str, is_date: bool) -> float | None:
    """A number, a duration or a date; None for what says that it is unknown."""
    try:
        value = float(text)
    except ValueError:
        return date(text) if is_date else duration(text)
    if not isfinite(value):
        raise ValueError(text)
    return value
