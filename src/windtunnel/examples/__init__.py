"""Bundled examples, callable by name: ``windtunnel run example:small``."""

from os import PathLike
from pathlib import Path
from typing import Final, NamedTuple

__all__ = ["PREFIX", "Example", "file_of", "find", "names"]

PREFIX: Final = "example:"

_HERE: Final = Path(__file__).parent


class Example(NamedTuple):
    """The files of one example, and what it shows."""

    platform: str
    workloads: tuple[str, ...]
    summary: str


_EXAMPLES: Final = {
    "datacenters": (
        "datacenters.json",
        ("datacenters.swf",),
        "two datacenters with a failure, a maintenance window and a change of scheduler; a week of jobs",
    ),
    "slurm": (
        "slurm_site/slurm.conf",
        ("slurm_site/jobs.txt.gz",),
        "a Slurm site of 28 nodes in two partitions, with GPUs, QOS and four groups; 5,000 jobs of four weeks",
    ),
    "small": ("small.xml", ("small.json",), "a cluster of 16 hosts and 200 jobs, busy enough for backfilling"),
}


def names() -> dict[str, str]:
    """Name -> what it shows."""
    return {name: summary for name, (_, _, summary) in _EXAMPLES.items()}


def find(name: str) -> Example:
    """The example of this name.

    Raises:
        UsageError: there is none.
    """
    found = _EXAMPLES.get(name)
    if found is None:
        from windtunnel.diagnostics import UsageError, did_you_mean

        raise UsageError(f"there is no bundled example {name!r}", did_you_mean(name, _EXAMPLES))
    platform, workloads, summary = found
    return Example(str(_HERE / platform), tuple(str(_HERE / w) for w in workloads), summary)


def file_of(text: str | Path, kind: str) -> str | Path:
    """The file that ``example:NAME`` stands for where a platform or a workload is expected; anything else as it is.

    Raises:
        UsageError: there is no example of this name, or it names nothing.
    """
    if not isinstance(text, str | bytes | PathLike):
        from windtunnel.diagnostics import UsageError

        given = type(text).__name__
        raise UsageError(f"a {kind} is read from a file, named by a string or a Path, not from a {given}")
    if not isinstance(text, str) or not text.startswith(PREFIX) or kind not in {"platform", "workload"}:
        return text
    example = find(text.removeprefix(PREFIX))
    return example.platform if kind == "platform" else example.workloads[0]
