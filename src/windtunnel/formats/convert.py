"""Conversion: reading in one format and writing in another."""

from pathlib import Path
from typing import Any

from windtunnel.diagnostics import UsageError, did_you_mean
from windtunnel.formats.registry import all_formats, find_format, load, read_workload
from windtunnel.formats.traces.swf_write import read_swf_log, write_swf_log

__all__ = ["convert", "target_format"]

_BY_SUFFIX = {".swf": "swf", ".json": "batsim5", ".lwf": "lwf"}


def target_format(target: Path, to: str = "") -> str:
    """The name of the format to write: ``to``, or what the suffix of the target says.

    Raises:
        UsageError: there is no such format to write, or the suffix tells none.
    """
    writable = sorted(form.name for form in all_formats() if form.writer and form.kind == "workload")
    if not to:
        to = _BY_SUFFIX.get(target.suffix.lower(), "")
        if not to:
            raise UsageError(f"{target}: the suffix tells no format to write", f"choose one: {', '.join(writable)}")
    if to not in writable:
        raise UsageError(f"there is no format {to!r} to write workloads in", did_you_mean(to, writable))
    return to


def convert(source: str | Path, target: str | Path, *, to: str = "", **options: Any) -> list[str]:
    """Read a workload and write it to ``target`` in the format ``to``; answers what was lost, in words.

    ``options`` are those of the format that is read. From SWF to SWF all fields and comments are kept, and no replay
    rule is applied; it has no options.

    Raises:
        InputError: the source is at fault.
        UsageError: there is no such format or option, or the target cannot express a profile.
    """
    source, target = Path(source), Path(target)
    to = target_format(target, to)
    found = find_format(source, "workload")
    if found.name == "swf" and to == "swf" and not options:
        write_swf_log(read_swf_log(source), target)
        return []
    workload = read_workload(source, **options)
    writer = load(next(form.writer for form in all_formats() if form.name == to))
    lost: list[str] = writer(workload, target)
    return [*(getattr(workload, "lost", ()) if to != "lwf" else ()), *lost]
