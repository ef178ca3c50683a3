"""Standard Workload Format 2.2 (Parallel Workloads Archive): replaying a log as a workload.

What is simulated of each row, and what is done about rows that leave something open, is in :func:`read_swf`; the
account of it is :attr:`SwfWorkload.report`.
"""

from pathlib import Path
from typing import Annotated

from msgspec import Meta

from windtunnel.diagnostics import Findings, UsageError
from windtunnel.formats.traces.rules import ReplayOptions, WalltimePolicy
from windtunnel.formats.traces.swf_lines import SwfLines
from windtunnel.formats.traces.swf_replay import SwfReplay
from windtunnel.formats.traces.swf_workload import SwfWorkload

__all__ = ["SwfWorkload", "read_swf"]


def read_swf(
    path: str | Path,
    name: str = "w0",
    *,
    walltime: WalltimePolicy = "extend",
    keep_epoch: bool = False,
    dependencies: bool = False,
    max_processors: Annotated[int, Meta(ge=1)] | None = None,
    strict: bool = False,
    stream: bool = False,
) -> SwfWorkload:
    """Read a log (plain or gzipped) as a workload.

    A job runs for field 4, on field 8 processors, else field 5, with field 9 as its walltime, else its run time.
    Dropped and counted: bursts of checkpointed jobs (status 2 to 4; their summary row counts), rows without a
    submit time, without a run time (or cancelled with none), without processors, with more processors than
    ``max_processors`` (default: MaxProcs of the header). Rows are sorted by submit time.

    Args:
        path: the file.
        name: the part of the job ids before ``!``.
        walltime: when the run time exceeds the requested time, ``extend`` the limit or ``kill`` the job at it.
        keep_epoch: keep submit times as they are; otherwise the first job is submitted at 0.
        dependencies: honour fields 17 and 18 (preceding job and think time).
        max_processors: drop jobs that want more.
        strict: report every row dropped or repaired as an error.
        stream: keep the columns in temporary files instead of in memory. Rows must come in order of submit time and
            job numbers ascend, and ``dependencies`` cannot be honoured: all of these need every job in memory.

    Raises:
        InputError: the file cannot be read, or holds rows that are not SWF; all of them are named.
        UsageError: an option has no such value, or the log cannot be streamed.
    """
    if stream and dependencies:
        raise UsageError(
            "--stream cannot honour dependencies: which jobs have ended would have to be remembered of all of them",
            "leave out --stream or --dependencies",
        )
    options = ReplayOptions(walltime=walltime, keep_epoch=keep_epoch, max_processors=max_processors, strict=strict)
    path = Path(path).absolute()
    findings = Findings(str(path))
    lines = SwfLines(path, findings)
    workload = SwfWorkload(name, str(path), stream=stream)
    workload.extend = walltime == "extend"
    workload.header = lines.header.values
    replay = SwfReplay(workload, lines, findings, options=options, dependencies=dependencies)
    for chunk in lines:
        replay.take(chunk)
    replay.finish(keep_epoch=keep_epoch)
    findings.raise_if_errors()
    return workload
