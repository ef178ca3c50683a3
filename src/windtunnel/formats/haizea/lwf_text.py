"""Haizea's older text formats, for reading: LWF before XML, the CSV before that, and lists of images.

Old LWF: ten numbers a line (``#`` comments): submission, start (-1: best-effort), duration, real duration, nodes, CPU
(1 = one CPU), memory in MB, disk, image, image size in MB; all times in seconds. CSV: twelve fields between ``;``.
"""

import csv
from collections.abc import Iterator
from pathlib import Path

from windtunnel.diagnostics import Findings, read_text
from windtunnel.model.lease import (
    CPU,
    MEMORY,
    MOST_AMOUNT,
    MOST_NODES,
    DiskImage,
    Lease,
    LeaseWorkload,
    NodeSet,
    When,
)

__all__ = ["read_image_list", "read_lwf_csv", "read_lwf_text"]

MAX_LINES = 10_000_000


def read_lwf_text(path: str | Path, *, findings: Findings | None = None) -> LeaseWorkload:
    """Read old LWF text; leases are numbered from 1. The disk amount is not used, as in Haizea.

    Raises:
        InputError: lines are at fault; all of them are named.
    """
    notes = Findings(str(path)) if findings is None else findings
    leases: list[Lease] = []
    for line, fields in _lines(path, notes):
        if len(fields) != 10:
            notes.add(f"{len(fields)} fields instead of 10", code="fields", line=line)
            continue
        try:
            submit, start, duration, real, numnodes, cpu, memory, _ = map(_number, fields[:8])
            size = int(_number(fields[9]))
        except ValueError as error:
            notes.add(f"not a number: {error}", code="bad-value", line=line)
            continue
        if not _possible(notes, line, submit, duration, numnodes):
            continue
        leases.append(
            Lease(
                id=len(leases) + 1,
                submit=_tidy(submit),
                nodes=(NodeSet(int(numnodes), {CPU: (round(cpu * 100),), MEMORY: (int(memory),)}),),
                start=When.UNSPECIFIED if start == -1 else _tidy(start),
                duration=_tidy(duration),
                real_duration=_tidy(real) if 0 <= real < duration else None,
                preemptible=start == -1,
                software=DiskImage(fields[8], size),
            )
        )
    return _workload(path, leases, notes)


def read_lwf_csv(path: str | Path, *, findings: Findings | None = None) -> LeaseWorkload:
    """Read the older CSV. Of its twelve fields submission, nodes, memory, deadline and durations are used, as in
    Haizea's converter, and its image (``foobar.img``, 1024 MB). A deadline is when a lease starts after submission.

    Raises:
        InputError: lines are at fault; all of them are named.
    """
    notes = Findings(str(path)) if findings is None else findings
    leases: list[Lease] = []
    for line, fields in _lines(path, notes, delimiter=";"):
        if len(fields) != 12:
            notes.add(f"{len(fields)} fields instead of 12", code="fields", line=line)
            continue
        try:
            submit, numnodes, memory = _number(fields[0]), int(_number(fields[4])), int(_number(fields[5]))
            duration, real = _number(fields[9]), _number(fields[10])
            after = None if fields[8].strip().upper() == "NULL" else _number(fields[8])
        except ValueError as error:
            notes.add(f"not a number: {error}", code="bad-value", line=line)
            continue
        if not _possible(notes, line, submit, duration, numnodes):
            continue
        leases.append(
            Lease(
                id=len(leases) + 1,
                submit=_tidy(submit),
                nodes=(NodeSet(numnodes, {CPU: (100,), MEMORY: (memory,)}),),
                start=When.UNSPECIFIED if after is None else _tidy(submit + after),
                duration=_tidy(duration),
                real_duration=_tidy(real) if 0 <= real < duration else None,
                preemptible=after is None,
                software=DiskImage("foobar.img", 1024),
            )
        )
    return _workload(path, leases, notes)


def read_image_list(path: str | Path, *, findings: Findings | None = None) -> list[DiskImage]:
    """Read an image file of Haizea 1.0: ``id size`` lines, a line ``#``, then one image id per request.

    Returns:
        The image of each request, in order.

    Raises:
        InputError: lines are at fault, or an image is not in the list.
    """
    notes = Findings(str(path)) if findings is None else findings
    sizes: dict[str, int] = {}
    chosen: list[DiskImage] = []
    listing = True
    for number, line in enumerate(_text(path, notes).splitlines(), 1):
        words = line.split()
        if words == ["#"]:
            listing = False
        elif words and listing and len(words) == 2 and words[1].isdecimal() and len(words[1]) < 16:
            sizes[words[0]] = int(words[1])
        elif words and not listing and words[0] in sizes:
            chosen.append(DiskImage(words[0], sizes[words[0]]))
        elif words:
            expected = "'image size'" if listing else "an image of the list above"
            notes.add(f"expected {expected}, found {line.strip()!r}", code="bad-line", line=number)
    notes.raise_if_errors()
    return chosen


def _text(path: str | Path, notes: Findings) -> str:
    try:
        return read_text(path)
    except OSError as error:
        notes.add(f"cannot be read: {error.strerror or error}", code="unreadable")
    except UnicodeDecodeError as error:
        notes.add(f"not text in UTF-8: {error.reason} at byte {error.start}", code="encoding")
    return notes.raise_all()


def _lines(path: str | Path, notes: Findings, delimiter: str | None = None) -> Iterator[tuple[int, list[str]]]:
    for number, line in enumerate(_text(path, notes).splitlines(), 1):
        bare = line.partition("#")[0].strip()
        if bare:
            yield number, bare.split() if delimiter is None else next(csv.reader([bare], delimiter=delimiter))


def _number(text: str) -> float:
    """A number that a lease may have anywhere."""
    value = float(text)
    if not -MOST_AMOUNT <= value <= MOST_AMOUNT:
        raise ValueError(f"{text:.40}, which is beyond {MOST_AMOUNT}")
    return value


def _possible(notes: Findings, line: int, submit: float, duration: float, numnodes: float) -> bool:
    """Whether there are leases with these; else a finding says why not."""
    if submit < 0 or duration <= 0 or numnodes < 1:
        notes.add("submission, duration and nodes must be positive", code="bad-value", line=line)
    elif numnodes > MOST_NODES:
        notes.add(f"{numnodes:g} nodes; leases have at most {MOST_NODES}", code="bad-value", line=line)
    else:
        return True
    return False


def _workload(path: str | Path, leases: list[Lease], notes: Findings) -> LeaseWorkload:
    notes.raise_if_errors()
    return LeaseWorkload(name=Path(path).stem, leases=sorted(leases, key=lambda lease: lease.submit))


def _tidy(value: float) -> float:
    return int(value) if value == int(value) else value
