"""Which file formats there are, and which one a file is in.

A file's format is told by its content (its first 64 KiB, unzipped), not by its name. Packages may add formats under
the entry point group ``windtunnel.formats``: each entry is a :class:`Format`.
"""

import gzip
from collections.abc import Callable
from importlib import import_module
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from windtunnel.diagnostics import Finding, InputError, UsageError, did_you_mean
from windtunnel.formats.files import GZIP, ReadError
from windtunnel.model import EventList, Platform, Workload

__all__ = [
    "FORMATS",
    "GROUP",
    "Format",
    "all_formats",
    "find_format",
    "list_formats",
    "load",
    "read_events",
    "read_platform",
    "read_workload",
]

GROUP: Final = "windtunnel.formats"
"""The entry point group of formats."""

Kind = Literal["workload", "platform", "events", "leases", "nodes"]

HEAD: Final = 1 << 16


class Format(msgspec.Struct, frozen=True, kw_only=True):
    """A file format. Functions are given as ``module:function``, and imported when needed, or as such."""

    name: str
    kind: Kind
    description: str
    looks_like: str | Callable[[bytes], bool]
    """Tells from the first 64 KiB of a file whether it is in this format."""
    starts: str = ""
    """The characters (spaces apart) such a file may begin with; empty: any. Spares imports."""
    reader: str | Callable[..., Any] = ""
    """``reader(path, name, **options)`` for workloads and events, ``reader(path, **options)`` for the others."""
    writer: str | Callable[..., Any] = ""
    """``writer(workload, path) -> what was lost``; empty where nothing is written."""

    def __str__(self) -> str:
        does = "read, write" if self.writer and self.reader else "write" if self.writer else "read"
        return f"{self.name:<12} {self.kind:<9} {does:<12} {self.description}"


_HERE: Final = "windtunnel.formats"

FORMATS: Final = (
    Format(
        name="swf",
        kind="workload",
        description="Standard Workload Format 2.2 (Parallel Workloads Archive)",
        starts=";-0123456789",
        looks_like=f"{_HERE}.recognise:swf",
        reader=f"{_HERE}.swf:read_swf",
        writer=f"{_HERE}.swf_write:write_swf",
    ),
    Format(
        name="jsspp-osp",
        kind="workload",
        description="JSSPP-OSP workload (JSON): workflows of tasks",
        starts="{",
        looks_like=f"{_HERE}.osp_workload:looks_like_workload",
        reader=f"{_HERE}.osp_workload:read_workload",
    ),
    Format(
        name="wfcommons",
        kind="workload",
        description="WfCommons workflow (JSON, versions 1.0 to 1.6)",
        starts="{",
        looks_like=f"{_HERE}.wfcommons:looks_like_wfcommons",
        reader=f"{_HERE}.wfcommons:read_wfcommons",
    ),
    Format(
        name="dax",
        kind="workload",
        description="Pegasus workflow (DAX, XML)",
        starts="<",
        looks_like=f"{_HERE}.dax:looks_like_dax",
        reader=f"{_HERE}.dax:read_dax",
    ),
    Format(
        name="batsim",
        kind="workload",
        description="Batsim workload (JSON) of whichever generation",
        starts="{",
        looks_like=f"{_HERE}.recognise:json",
        reader=f"{_HERE}.batsim_workload:read_batsim",
    ),
    Format(
        name="batsim4",
        kind="workload",
        description="Batsim 3 and 4 workload (JSON)",
        looks_like=f"{_HERE}.recognise:nothing",
        reader=f"{_HERE}.batsim_workload:read_batsim4",
        writer=f"{_HERE}.batsim_write:write_batsim4",
    ),
    Format(
        name="batsim5",
        kind="workload",
        description="Batsim 5 workload (JSON)",
        looks_like=f"{_HERE}.recognise:nothing",
        reader=f"{_HERE}.batsim_workload:read_batsim5",
        writer=f"{_HERE}.batsim_write:write_batsim5",
    ),
    Format(
        name="events",
        kind="events",
        description="Batsim external events (lines of JSON)",
        looks_like=f"{_HERE}.recognise:anything",
        reader=f"{_HERE}.batsim_events:read_events",
        writer=f"{_HERE}.batsim_events:write_events",
    ),
    Format(
        name="environment",
        kind="platform",
        description="JSSPP-OSP environment (JSON): datacenters down to memory modules, and their events",
        starts="{",
        looks_like=f"{_HERE}.environment.as_platform:looks_like_environment",
        reader=f"{_HERE}.environment.as_platform:read_platform",
    ),
    Format(
        name="sss",
        kind="platform",
        description="SSS node objects 3.1.0 (XML)",
        starts="<",
        looks_like=f"{_HERE}.sss.platform:looks_like_nodes",
        reader=f"{_HERE}.sss.platform:read_platform",
    ),
    Format(
        name="simgrid",
        kind="platform",
        description="SimGrid platform (XML, versions 4 to 4.1)",
        starts="<",
        looks_like=f"{_HERE}.recognise:xml",
        reader=f"{_HERE}.simgrid_xml:read_platform",
    ),
    Format(
        name="lwf",
        kind="leases",
        description="Haizea lease workload (XML)",
        starts="<",
        looks_like=f"{_HERE}.lwf:looks_like_lwf",
        reader=f"{_HERE}.lwf:read_lwf",
        writer=f"{_HERE}.lwf_write:write_lwf",
    ),
)
"""The formats of this package, in the order in which they are tried."""


def load(function: str | Callable[..., Any]) -> Callable[..., Any]:
    """A function given as ``module:function``, or as such."""
    if not isinstance(function, str):
        return function
    module, _, name = function.partition(":")
    found: Callable[..., Any] = getattr(import_module(module), name)
    return found


def all_formats() -> list[Format]:
    """The formats of this package, then those of others.

    Raises:
        UsageError: another package's entry is not a :class:`Format`.
    """
    from importlib.metadata import entry_points

    found = list(FORMATS)
    for point in entry_points(group=GROUP):
        form = point.load()
        if not isinstance(form, Format):
            raise UsageError(f"the format {point.name!r} ({point.value}) is no windtunnel.formats.registry.Format")
        found.append(form)
    return found


def list_formats() -> list[Format]:
    """All formats, by kind and name; each prints as a line."""
    return sorted(all_formats(), key=lambda form: (form.kind, form.name))


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            zipped = file.read(2) == GZIP
        with gzip.open(path) if zipped else path.open("rb") as file:
            return file.read(HEAD).removeprefix(b"\xef\xbb\xbf")
    except ReadError as error:
        raise InputError([Finding(str(path), code="unreadable", message=f"cannot be read: {error}")]) from error


def find_format(path: str | Path, kind: Kind, *, name: str = "") -> Format:
    """The format of a file among those of a kind, told by its content, or chosen by ``name``.

    Raises:
        InputError: the file cannot be read, or is in no known format.
        UsageError: there is no format of that name.
    """
    candidates = [form for form in all_formats() if form.kind == kind and form.reader]
    if name:
        for form in candidates:
            if form.name == name:
                return form
        raise UsageError(f"there is no {kind} format {name!r}", did_you_mean(name, [f.name for f in candidates]))
    head = _head(Path(path))
    first = chr(head.lstrip()[0]) if head.strip() else ""
    # What other packages bring is tried first: they may read a dialect of what we would take.
    for form in [*candidates[len(_ours(kind)) :], *candidates[: len(_ours(kind))]]:
        if (not form.starts or (first and first in form.starts)) and load(form.looks_like)(head):
            return form
    message = "is empty" if not head.strip() else f"is in none of the {kind} formats"
    known = ", ".join(form.name for form in candidates)
    raise InputError([Finding(str(path), code="format", message=message, hint=f"known formats: {known}")])


def _ours(kind: Kind) -> list[Format]:
    return [form for form in FORMATS if form.kind == kind and form.reader]


def _reader(form: Format, options: dict[str, Any]) -> Callable[..., Any]:
    """The reader of a format, once its options are checked against its keyword parameters."""
    reader = load(form.reader)
    known = [p.name for p in signature(reader).parameters.values() if p.kind is Parameter.KEYWORD_ONLY]
    for option in options:
        if option not in known:
            hint = did_you_mean(option, known) or "it has no options"
            raise UsageError(f"the format {form.name} has no option {option!r}", hint)
    return reader


def read_workload(path: str | Path, name: str = "w0", *, format: str = "", **options: Any) -> Workload:  # noqa: A002 -- the word users know
    """Read a workload in whatever format it is; ``options`` are those of the format's reader.

    Raises:
        InputError: the file is at fault, or in no known format.
        UsageError: there is no such format, or it has no such option.
    """
    form = find_format(path, "workload", name=format)
    workload: Workload = _reader(form, options)(path, name, **options)
    return workload


def read_platform(platform: str | Path, *, format: str = "", **options: Any) -> Platform:  # noqa: A002 -- as above
    """Read a platform: a file, or a word such as ``hosts:64x32``.

    Raises:
        InputError: the file is at fault, or in no known format.
        UsageError: the word is none, there is no such format, or it has no such option.
    """
    if isinstance(platform, str):
        from windtunnel.formats.host_spec import is_host_spec, read_host_spec

        if is_host_spec(platform):
            if options:
                raise UsageError(f"{platform!r} has no options ({', '.join(options)})")
            return read_host_spec(platform)
    form = find_format(platform, "platform", name=format)
    made: Platform = _reader(form, options)(platform, **options)
    return made


def read_events(path: str | Path, name: str = "ee0", *, format: str = "", **options: Any) -> EventList:  # noqa: A002 -- as above
    """Read external events.

    Raises:
        InputError: the file is at fault.
        UsageError: there is no such format, or it has no such option.
    """
    form = find_format(path, "events", name=format)
    events: EventList = _reader(form, options)(path, name, **options)
    return events
