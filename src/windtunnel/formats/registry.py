"""Reading a file or a description in whichever format it is."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from windtunnel.diagnostics import UsageError, reading
from windtunnel.examples import file_of
from windtunnel.formats.format import Format, Kind
from windtunnel.formats.recognition import all_formats, find_format, function, guess_format, word_format
from windtunnel.model import EventList, Platform, Workload
from windtunnel.options import checked_options, options_of

__all__ = ["is_workload", "read_events", "read_platform", "read_workload", "reads_with", "workload_format"]


def _reader(form: Format, options: dict[str, Any], places: int) -> tuple[Callable[..., Any], dict[str, Any]]:
    """The reader of a format, and the options for it, checked and converted; so many arguments come before them."""
    reader = function(form.reader)
    return reader, checked_options(f"the format {form.name}", options_of(reader, skip=places), options)


def _chosen(path: str | Path, kind: Kind, name: str) -> Format:
    """The format of a description or of a file; see :func:`find_format`."""
    path = file_of(path, kind)
    form = word_format(path, kind)
    if form is None:
        return find_format(path, kind, name=name)
    if name not in {"", form.name}:
        raise UsageError(f"{str(path)!r} is in the format {form.name}, and cannot be read as {name}")
    return form


def workload_format(path: str | Path, *, format: str = "", **options: Any) -> Format:  # noqa: A002 -- as below
    """The format that a workload is read in, if these are the options; the option ``mapping`` chooses one too.

    Raises:
        InputError: the file cannot be read, or is in no known format.
        UsageError: there is no such format.
    """
    chosen = format or next((form.name for form in all_formats() if form.choosing in options), "")
    return _chosen(path, "workload", chosen)


def read_workload(path: str | Path, name: str = "w0", *, format: str = "", **options: Any) -> Workload:  # noqa: A002 -- the word users know
    """Read a workload in any format; ``options`` are those of the format's reader.

    Raises:
        InputError: the file is invalid, or in no known format.
        UsageError: there is no such format, or it has no such option.
    """
    path = file_of(path, "workload")
    form = workload_format(path, **{"format": format, **options})
    reader, checked = _reader(form, options, 2)
    with reading(path):
        workload: Workload = reader(path if form.word else Path(path), name, **checked)
    return workload


def reads_with(option: str, path: str | Path, *, format: str = "") -> tuple[str, bool]:  # noqa: A002 -- as above
    """The format that a workload would be read in, and whether its reader has an option with this name.

    Raises:
        InputError: the file cannot be read, or is in no known format.
        UsageError: there is no format of that name.
    """
    form = _chosen(path, "workload", format)
    return form.name, option in options_of(function(form.reader), skip=2)[0]


def read_platform(
    platform: str | Path,
    *,
    format: str = "",  # noqa: A002 -- as above
    energy: bool = False,
    **options: Any,
) -> Platform:
    """Read a platform: a file, a description such as ``hosts:64x32``, or ``example:NAME``.

    With ``energy``, faults in power tables are errors (in formats that have such tables).

    Raises:
        InputError: the file is invalid, or in no known format.
        UsageError: the description is invalid, there is no such format, or it has no such option.
    """
    platform = file_of(platform, "platform")
    form = _chosen(platform, "platform", format)
    reader, checked = _reader(form, options, 1)
    if energy and "energy" in options_of(reader, skip=1)[0]:
        checked["energy"] = True
    with reading(platform):
        made: Platform = reader(platform if form.word else Path(platform), **checked)
    if not form.word:
        made.options = {**checked, **({"format": format} if format else {}), **made.options}
    return made


def is_workload(path: str | Path, **options: Any) -> bool:
    """Whether a file or a description is a workload; an option such as ``format`` or ``mapping`` means that it is.

    Raises:
        InputError: the file cannot be read, or is in no known format.
    """
    word = word_format(path)
    if word is None and not Path(path).is_file():
        return False
    if word is None and any(name in options for name in ("format", *(form.choosing for form in all_formats()))):
        return True
    return (word or guess_format(path)).kind in {"workload", "leases"}


def read_events(path: str | Path, name: str = "ee0", *, format: str = "", **options: Any) -> EventList:  # noqa: A002 -- as above
    """Read external events.

    Raises:
        InputError: the file is invalid.
        UsageError: there is no such format, or it has no such option.
    """
    reader, checked = _reader(find_format(path, "events", name=format), options, 2)
    with reading(path):
        events: EventList = reader(Path(path), name, **checked)
    return events
