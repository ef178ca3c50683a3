"""Which format a file is in: recognised by its content (its first 64 KiB, unzipped), not by its name.

Packages may add formats in the entry point group ``windtunnel.formats``: each entry is a :class:`Format`.
"""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from windtunnel.diagnostics import Finding, InputError, UsageError, did_you_mean, open_input
from windtunnel.formats.files import reason
from windtunnel.formats.format import Format, Kind
from windtunnel.formats.other_programs import of_other_programs
from windtunnel.formats.shipped import FORMATS
from windtunnel.loading import entry_points, load_entry, load_reference

__all__ = ["GROUP", "all_formats", "find_format", "function", "guess_format", "list_formats", "word_format"]

GROUP: Final = "windtunnel.formats"
"""The entry point group of formats."""

HEAD: Final = 1 << 16

_GIVEN: Final = {
    "workload": " (--workload-option; -o of convert; workload_options in Python)",
    "platform": " (--platform-option; platform_options in Python)",
}
"""How options of readers are given."""


def function(declared: str | Callable[..., Any]) -> Callable[..., Any]:
    """A function of a format, given as ``module:function`` or as an object."""
    found: Callable[..., Any] = load_reference(declared) if isinstance(declared, str) else declared
    return found


def all_formats() -> list[Format]:
    """The formats of this package, then those of other packages.

    Raises:
        UsageError: another package's entry cannot be imported, or is not a :class:`Format`.
    """
    found = list(FORMATS)
    for point in entry_points(GROUP):
        form = load_entry(point, "format")
        if not isinstance(form, Format):
            raise UsageError(f"the format {point.name!r} ({point.value}) is not a windtunnel.formats.Format")
        found.append(form)
    return found


def list_formats() -> list[Format]:
    """All formats, by kind and name; each prints as one line."""
    return sorted(all_formats(), key=lambda form: (form.kind, form.name))


def _head(path: Path) -> bytes:
    try:
        with open_input(path) as file:
            return file.read(HEAD).removeprefix(b"\xef\xbb\xbf")
    except OSError as error:
        message, hint = f"cannot be read: {reason(error)}", _shorthands(str(path))
        raise InputError([Finding(str(path), code="unreadable", message=message, hint=hint)]) from error


def _shorthands(text: str) -> str:
    """What may have been meant by what is not a file, if it is somewhat like a description."""
    is_file = os.path.isfile  # false, too, where one may not look
    if is_file(Path(text, "run.json")):
        return "it holds a run, which windtunnel report, metrics and compare read"
    for name in ("slurm.conf", "scontrol-node.txt"):  # of a site that windtunnel slurm extract has copied
        if is_file(Path(text, name)):
            return f"name the file in it: {Path(text, name)}"
    if text.startswith("example:"):
        return f"a bundled example brings its platform and its workload: windtunnel run {text}"
    form = word_format(text)
    if form is not None:
        return f"it stands for a {form.kind} (the format {form.name}), and is not expected here"
    if text.isdecimal():
        return f"a number of hosts is written hosts:{text}"
    names = [form.name for form in all_formats() if form.word]
    word, colon, rest = text.partition(":")
    if not (colon or word in names) or len(word) == 1:  # a file, perhaps on a drive
        return ""
    meant = did_you_mean(text, [f"{name}:{rest}" for name in names]) if colon and word not in names else ""
    return meant or f"descriptions begin with {', '.join(f'{name}:' for name in names)}"


def find_format(path: str | Path, kind: Kind, *, name: str = "") -> Format:
    """The format of a file, among those of one kind: recognised by its content, or chosen by ``name``.

    Raises:
        InputError: the file cannot be read, or is in no known format.
        UsageError: there is no format of that name, or the path is empty.
    """
    if path == "":
        raise UsageError("an empty string is not a file")
    candidates = [form for form in all_formats() if form.kind == kind and form.reader and not form.word]
    if name:
        for form in candidates:
            if form.name == name:
                return form
        raise UsageError(f"there is no {kind} format {name!r}", did_you_mean(name, [f.name for f in candidates]))
    head = _head(Path(path))
    if len(candidates) == 1 and head.strip():
        return candidates[0]  # its reader explains what is wrong better than "in no format" does
    found = _first_match(head, candidates)
    if found is None and head.strip() and _any_match(head) is None and not of_other_programs(head):
        found = next((one for one in _named(path, candidates) if not one.needs), None)  # it says what is wrong
    if found is None:
        raise _unknown(path, head, f"{kind} formats", candidates)
    return found


def guess_format(path: str | Path, kind: Kind | None = None) -> Format:
    """The format of a file (of one kind), recognised by its content; if that is too damaged, by its name.

    Raises:
        InputError: the file cannot be read, or is in no known format.
    """
    head = _head(Path(path))
    candidates = [form for form in all_formats() if form.reader and kind in (None, form.kind)]
    form = _any_match(head) if kind is None else _first_match(head, candidates)
    if form is None and head.strip():  # a reader says better what is wrong
        named = [one for one in _named(path, candidates) if not one.needs]
        form = candidates[0] if len(candidates) == 1 else next(iter(named), None)
    if form is None:
        raise _unknown(path, head, "known formats" if kind is None else f"{kind} formats", candidates)
    return form


def _named(path: str | Path, candidates: Sequence[Format]) -> list[Format]:
    """The formats that are suffixes of the file's name."""
    return [form for form in candidates if f".{form.name}" in Path(path).suffixes]


def _any_match(head: bytes) -> Format | None:
    """The format that a file of any kind looks like; those that say yes to more than their own are asked last."""
    candidates = [form for form in all_formats() if form.reader]
    form = _first_match(head, [form for form in candidates if not form.catch_all])
    return form or _first_match(head, [form for form in candidates if form.catch_all])


def _first_match(head: bytes, candidates: Sequence[Format]) -> Format | None:
    """The first format that a file looks like; those of other packages, which may be dialects of ours, go first."""
    first = chr(head.lstrip()[0]) if head.strip() else ""
    for form in sorted(candidates, key=FORMATS.__contains__):
        if (not form.starts or (first and first in form.starts)) and function(form.looks_like)(head):
            return form
    return None


def _unknown(path: str | Path, head: bytes, what: str, candidates: Sequence[Format]) -> InputError:
    if not head.strip():
        return InputError([Finding(str(path), code="format", message="is empty")])
    message = f"is in none of the {what}"
    hint = f"formats: {', '.join(dict.fromkeys(form.name for form in candidates))}"
    for form in _named(path, candidates)[:1]:
        given = _GIVEN.get(form.kind, "")
        hint = f"its name says {form.name}: the option format={form.name}{given} tells what is wrong; {hint}"
        if form.needs:
            hint = f"its name says {form.name}, which needs the option {form.needs}{given}"
    other = _any_match(head)
    if known := of_other_programs(head):
        hint = f"{known}; {hint}"
    elif other is not None and other.kind not in {form.kind for form in candidates}:
        expected = "; the platform comes before the workload" if what == "platform formats" else ""
        hint = f"it looks like the format {other.name} ({other.kind}){expected}; {hint}"
    return InputError([Finding(str(path), code="format", message=message, hint=hint)])


def word_format(text: str | Path, kind: Kind | None = None) -> Format | None:
    """The format (of one kind) of a description such as ``hosts:64x32``; None if the string is not one."""
    if not isinstance(text, str):
        return None
    candidates = [form for form in all_formats() if form.word and kind in (None, form.kind)]
    return next((form for form in candidates if function(form.word)(text)), None)
