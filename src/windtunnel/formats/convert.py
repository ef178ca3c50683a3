"""Conversion: reading in one format and writing in another."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from windtunnel.diagnostics import UsageError, did_you_mean, spare_inputs
from windtunnel.examples import file_of
from windtunnel.formats.format import Format
from windtunnel.formats.recognition import all_formats, function
from windtunnel.formats.registry import read_workload, workload_format
from windtunnel.model import Workload
from windtunnel.model.abilities import lost_in
from windtunnel.model.asks import asked_of_slurm
from windtunnel.model.lease_batch import as_batch
from windtunnel.model.lease_jobs import LeaseJobs

__all__ = ["convert", "target_format", "write_workload"]


def _writable() -> list[Format]:
    return [form for form in all_formats() if form.writer and form.kind == "workload"]


def target_format(target: Path, to: str = "") -> Format:
    """The format to write: the one named ``to``, or the one that the suffix of the target stands for.

    Raises:
        UsageError: there is no such format to write, no format has this suffix, or it is that of a compressed file.
    """
    writable = _writable()
    names = sorted(form.name for form in writable)
    suffix = target.suffix.lower()
    if suffix == ".gz":
        raise UsageError(
            f"{target}: workloads are written as text, not compressed",
            f"write {target.stem} and compress it with gzip: it can be read so",
        )
    found = next((form for form in writable if (form.name == to if to else suffix in form.suffixes)), None)
    if found is not None:
        return found
    if to:
        raise UsageError(f"there is no format {to!r} to write workloads in", did_you_mean(to, names))
    raise UsageError(f"{target}: the suffix does not name a format to write", f"choose one: {', '.join(names)}")


def convert(
    source: str | Path,
    target: str | Path,
    *,
    to: str = "",
    change: Callable[[Workload], Workload] | None = None,
    tell: Callable[[Workload], object] | None = None,
    **options: Any,
) -> list[str]:
    """Read a workload and write it to ``target`` in the format ``to``; returns what was lost, in words.

    ``options`` are those of the format that is read. From a format to itself everything is kept where it can be
    copied (SWF: all fields and comments, without replay rules or options). ``change`` transforms the workload that
    was read; ``tell`` is given what is written, whose account says what the reader dropped and repaired.

    Raises:
        InputError: the source is invalid.
        UsageError: there is no such format or option, the target cannot express a profile, or it is the source and
            would not be the same afterwards.
    """
    source, target = file_of(source, "workload"), Path(target)
    written = target_format(target, to)
    found = workload_format(source, **options)
    if found == written and found.copier and not options and change is None:
        function(found.copier)(Path(source), target)
        return []
    if target.exists() and os.path.exists(source) and os.path.samefile(source, target):  # noqa: PTH110, PTH121 -- may be a text
        raise UsageError(f"{target} is what is converted: it would be overwritten", "name another file")
    workload = read_workload(source, **options)
    if change is not None:
        workload = change(workload)
    if isinstance(workload, LeaseJobs) and found != written:
        workload = as_batch(workload)
    spare_inputs(target)
    if tell is not None:
        tell(workload)
    return [*(lost_in(workload) if found != written else ()), *_written(workload, target, written)]


def write_workload(workload: Workload, target: str | Path, *, format: str = "") -> list[str]:  # noqa: A002 -- the word users know
    """Write a workload in the given format, or in that of the target's suffix; returns what was lost, in words.

    Raises:
        UsageError: there is no such format, it cannot express a profile, or the file cannot be written.
    """
    if not isinstance(workload, Workload):
        raise UsageError(f"a Workload can be written, not a {type(workload).__name__}")
    if not isinstance(target, str | Path) or not str(target):
        raise UsageError(f"cannot write {target!r}: it names no file")
    target = Path(target)
    return _written(workload, target, target_format(target, format))


def _written(workload: Workload, target: Path, form: Format) -> list[str]:
    """What was lost in writing; no format that is written keeps what jobs request from Slurm."""
    lost: list[str] = function(form.writer)(workload, target)
    return [*lost, *(f"{ask.count:,} {ask.reason}" for ask in asked_of_slurm(workload))]
