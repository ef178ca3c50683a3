"""``windtunnel validate``: everything that is wrong with a file, with its place."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Optional

import typer

if TYPE_CHECKING:
    from windtunnel.diagnostics import Finding

__all__ = ["validate"]

_MOST: Final = 1 << 28
"""Bytes of standard input."""

_SIGNALS: Final = ("carbon", "price", "power")
_KINDS: Final = ("environment", "nodes", "workload", "platform", "events", "leases", *_SIGNALS, "supply")
_OF_ELECTRICITY: Final = frozenset({*_SIGNALS, "supply"})


def validate(
    files: Annotated[list[Path], typer.Argument(help="Files; - is standard input.", metavar="FILE...")],
    output: Annotated[
        str, typer.Option("--format", help="How to print findings: text, json, sarif or github.")
    ] = "text",
    kind: Annotated[
        str,
        typer.Option(
            "--kind",
            help="environment, nodes, workload, platform, events, leases, carbon, price, power or supply, if "
            "the content does not show it.",
        ),
    ] = "",
    strict: Annotated[bool, typer.Option("--strict", help="Treat warnings as errors.")] = False,
    schema_only: Annotated[
        bool, typer.Option("--schema-only", help="Environments: only what the published schema refuses is an error.")
    ] = False,
    simulate: Annotated[
        bool, typer.Option("--simulate", help="Environments: also check what only a simulation needs.")
    ] = False,
    merge_order: Annotated[
        str,
        typer.Option(
            help="Environments: how arrays are merged, document (as it says) or reference (as that tool does)."
        ),
    ] = "document",
    allow_files: Annotated[
        Optional[Path],  # noqa: UP045 -- typer reads it
        typer.Option(help="Environments: a folder from which other files may be inherited.", metavar="FOLDER"),
    ] = None,
) -> None:
    """Report everything that is wrong with files: environments, nodes, workloads, platforms, events, leases, signals.

    Exit code 0: no errors; 1: errors; 2: a file cannot be read.

    Examples:
      windtunnel validate environment.json

      windtunnel validate --strict --format github *.json

      windtunnel validate "intensity.csv?zone=DE&outside=year"
    """
    from windtunnel.cli.together import MistakesError
    from windtunnel.diagnostics import Finding, InputError, Severity, UsageError, did_you_mean, reading
    from windtunnel.diagnostics.render import RENDERERS, render

    if output not in RENDERERS:
        raise UsageError(f"unknown format {output!r}", did_you_mean(output, RENDERERS))
    if kind and kind not in _KINDS:
        raise UsageError(f"unknown kind {kind!r}", did_you_mean(kind, _KINDS))
    options = environment_options(merge_order, allow_files, strict=strict, schema_only=schema_only, simulate=simulate)
    usual = (("--schema-only", schema_only), ("--simulate", simulate), ("--allow-files", allow_files is not None))
    asked = [name for name, given in (*usual, ("--merge-order", merge_order != "document")) if given]
    findings: list[Finding] = []
    unreadable: list[UsageError] = []
    for given in files:
        file, rest = _apart(given)
        try:
            with reading(file):
                data = _data(file)
                if asked and (kind or _kind(data)) == "environment":
                    asked = []
                findings += _check(file, data, kind, options, rest, strict=strict)
        except InputError as error:
            findings += error.findings
        except UsageError as error:  # the others are looked at all the same
            unreadable.append(error)
    if len(unreadable) < len(files):
        print(render(findings, output))
    if unreadable:
        raise MistakesError(unreadable)
    if asked:  # of many files perhaps none is one today
        print(f"{', '.join(asked)}: no effect, as no environment is among these files", file=sys.stderr)
    if any(finding.severity is Severity.ERROR for finding in findings):
        raise typer.Exit(1)


def environment_options(merge_order: str, allow_files: Path | None, **flags: bool) -> Any:
    """The options of the environment reader, from those of a command line."""
    from windtunnel.diagnostics import UsageError, did_you_mean
    from windtunnel.formats.sites.environment import Options
    from windtunnel.schedulers.registry import scheduler_names

    orders = ("document", "reference")
    if merge_order not in orders:
        raise UsageError(f"there is no merge order {merge_order!r}", did_you_mean(merge_order, orders))
    if allow_files is not None and not allow_files.is_dir():
        raise UsageError(f"{allow_files} is not a folder")
    names = frozenset(scheduler_names()) | {"stage-scheduler"}
    return Options(reference_order=merge_order == "reference", files=allow_files, schedulers=names, **flags)


def _apart(file: Path) -> tuple[Path, str]:
    """A file, and the options that stand behind it and a question mark, as for ``--carbon`` and ``--price``."""
    name, mark, rest = str(file).partition("?")
    return (file, "") if not mark or file.exists() else (Path(name), mark + rest)


def _data(file: Path) -> bytes:
    from windtunnel.diagnostics import UsageError, read_input, read_stream

    try:
        return read_stream(sys.stdin.buffer, most=_MOST) if str(file) == "-" else read_input(file)
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}") from error


def _check(file: Path, data: bytes, kind: str, options: Any, rest: str, *, strict: bool) -> Any:
    """The findings of one file, by its kind; ``rest`` are options behind a question mark."""
    import msgspec

    from windtunnel.diagnostics import Finding, Severity, UsageError
    from windtunnel.formats.sites import environment, sss
    from windtunnel.formats.workflows import looks_like_osp, osp_workload

    if not kind and not data.strip():
        return (Finding("standard input" if str(file) == "-" else str(file), code="empty", message="is empty"),)
    kind = kind or _kind(data)
    name = "standard input" if str(file) == "-" else str(file)
    if rest and kind not in _SIGNALS:
        hint = "--kind carbon (or price, or power) says that it is one"
        raise UsageError(f"{file}{rest}: only signals have options", hint)
    if kind == "environment":
        return environment.check(data, name, options, folder=file.parent).findings
    if kind == "nodes":
        found = sss.check(data, name).findings
    elif kind in _OF_ELECTRICITY:
        found = _electricity(file, name, data, kind, rest)
    elif kind == "workload" and looks_like_osp(data):
        found = osp_workload.check(data, name)
    else:
        found = _read(file, name, data, kind)
    if not strict:
        return found
    return [
        msgspec.structs.replace(f, severity=Severity.ERROR) if f.severity is Severity.WARNING else f for f in found
    ]


def _electricity(file: Path, name: str, data: bytes, kind: str, rest: str) -> "tuple[Finding, ...]":
    """What the readers of ``--carbon``, ``--price`` and ``--supply`` find."""
    from tempfile import TemporaryDirectory

    from msgspec.structs import replace

    from windtunnel.diagnostics import InputError
    from windtunnel.formats.signals import read_signal
    from windtunnel.formats.supply import read_supply

    with TemporaryDirectory() as folder:
        if str(file) == "-":  # readers want a file
            file = Path(folder) / "input"
            file.write_bytes(data)
        try:
            found: list[Finding] = []
            if kind == "supply":
                read_supply(file)
            else:
                found = read_signal(f"{file}{rest}", next(one for one in _SIGNALS if one == kind))[1]
        except InputError as error:
            found = [*error.findings]
    return tuple(replace(one, file=name) for one in found)


def _read(file: Path, name: str, data: bytes, kind: str) -> "tuple[Finding, ...]":
    """What the reader of the file's format finds; it speaks of the file as the user does."""
    from tempfile import NamedTemporaryFile

    from msgspec.structs import replace

    from windtunnel.diagnostics import InputError
    from windtunnel.formats.format import KINDS
    from windtunnel.formats.recognition import function, guess_format
    from windtunnel.model.asks import Warned

    with NamedTemporaryFile() as kept:
        if str(file) == "-":  # readers want a file
            kept.write(data)
            kept.flush()
            file = Path(kept.name)
        try:
            form = guess_format(file, kind if kind in KINDS else None)
            read = function(form.reader)(file)
            found = tuple(read.warnings) if isinstance(read, Warned) else ()
        except InputError as error:
            found = error.findings
    return tuple(replace(one, file=name) if one.file == str(file.absolute()) else one for one in found)


def _kind(data: bytes) -> str:
    """``environment``, ``nodes``, a part of the electricity, or "" for what is in one of the other formats."""
    from windtunnel.formats.other_programs import is_haizea
    from windtunnel.formats.signals import quantity_in
    from windtunnel.formats.sites import looks_like_environment, looks_like_nodes
    from windtunnel.formats.workflows import looks_like_osp

    head = data[: 1 << 16].lstrip(b"\xef\xbb\xbf \t\r\n")
    if quantity := quantity_in(head):
        return quantity
    if head.startswith(b"{") and b'"levels"' in head and b'"environment"' not in head:
        return "supply"
    if head.startswith(b"<"):
        return "nodes" if looks_like_nodes(head) else ""
    if looks_like_osp(head):
        return "workload"
    if is_haizea(head):
        return ""
    unlike = b'"jobs"' not in data and b'"workflow"' not in data and b'"timestamp"' not in head.split(b"\n", 1)[0]
    return "environment" if looks_like_environment(head) or (head[:1] in (b"{", b"[", b"") and unlike) else ""
