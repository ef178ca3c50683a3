"""Haizea's configuration files: every option of versions 1.0 and 1.1, checked, with all faults at once.

An option left out has Haizea's default, except ``backfilling``: Haizea has none and crashes, so it must be given.
"""

import configparser
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from windtunnel.diagnostics import Findings, Severity, did_you_mean, read_text
from windtunnel.formats.haizea.ini_options import OPTIONS
from windtunnel.model.haizea_config import HaizeaConfig
from windtunnel.model.lease_options import (
    CODE_OPTIONS,
    Backfilling,
    LeaseOptions,
    Preparation,
    Stop,
    StopWhen,
    SuspensionMode,
)

__all__ = ["read_haizea_config", "read_haizea_sections"]

Sections = dict[str, dict[str, str]]


def read_haizea_config(
    path: str | Path, *, findings: Findings | None = None, trust_code: bool = False
) -> HaizeaConfig:
    """Read a configuration of one run; with ``trust_code`` it may name code (``module:Class``) to be loaded.

    Raises:
        InputError: it cannot be read, or options are unknown, missing or wrong; all of them are named.
    """
    notes = Findings(str(path)) if findings is None else findings
    sections, lines = read_haizea_sections(path, notes)
    return config_from_sections(sections, notes, lines, trust_code=trust_code)


def read_haizea_sections(path: str | Path, notes: Findings) -> tuple[Sections, dict[tuple[str, str], int]]:
    """Sections and options as texts, and the line of each option; an empty option name is the section itself.

    Raises:
        InputError: it is not an ini file.
    """
    parser = configparser.RawConfigParser(strict=False)
    try:
        text = read_text(path)
        parser.read_string(text)
    except OSError as error:
        notes.add(f"cannot be read: {error.strerror or error}", code="unreadable")
        notes.raise_all()
    except UnicodeDecodeError as error:
        notes.add(f"not text in UTF-8: {error.reason} at byte {error.start}", code="encoding")
        notes.raise_all()
    except configparser.MissingSectionHeaderError as error:
        notes.add("an option comes before the first [section]", code="ini", line=error.lineno)
        notes.raise_all()
    except configparser.ParsingError as error:
        for line, source in error.errors:
            notes.add(f"not an option: {source}", code="ini", line=line, hint="write option: value")
        notes.raise_all()
    sections = {name: dict(parser.items(name)) for name in parser.sections()}
    places: dict[tuple[str, str], int] = {}
    for (section, option), line in _positions(text):
        before = places.get((section, option))
        if before is not None and option:
            message = f"[{section}] {option} is given twice, first at line {before}: the last one counts"
            notes.warn(message, code="repeated-option", line=line)
        places[section, option] = line
    return sections, places


def _positions(text: str) -> Iterator[tuple[tuple[str, str], int]]:
    section = ""
    for number, line in enumerate(text.splitlines(), 1):
        if header := re.match(r"\[([^\]]+)\]", line):
            section = header[1]
            yield (section, ""), number
        elif option := re.match(r"([^\s#;:=][^:=]*?)\s*[:=]", line):
            yield (section, option[1].lower()), number


def config_from_sections(
    sections: Sections,
    notes: Findings,
    lines: dict[tuple[str, str], int] | None = None,
    *,
    trust_code: bool = False,
) -> HaizeaConfig:
    """A configuration from texts by section and option; with ``trust_code`` policies may be ``module:Class``.

    Raises:
        InputError: options are unknown, missing or wrong.
    """
    positions = lines or {}
    scheduling: dict[str, Any] = {}
    other: dict[str, Any] = {}
    unused: dict[str, str] = {}
    for section, options in sections.items():
        known = OPTIONS.get(section)
        if known is None:
            line = positions.get((section, ""), 0)
            notes.add(
                f"no section [{section}]", code="unknown-section", line=line, hint=did_you_mean(section, OPTIONS)
            )
            continue
        for name, text in options.items():
            line = positions.get((section, name), 0)
            if name not in known:
                hint = _elsewhere(name) or did_you_mean(name, known)
                notes.add(f"[{section}] has no option {name!r}", code="unknown-option", line=line, hint=hint)
                continue
            option = known[name]
            if option is None:
                unused[f"{section}.{name}"] = text
                message = f"[{section}] {name} has no effect here"
                notes.tally(message, code="history", line=line, severity=Severity.NOTE)
                continue
            if option.field in CODE_OPTIONS and ":" in text and not trust_code:
                message = f"[{section}] {name}: {text!r} is code, which a file may not load"
                hint = "--trust-code allows it; or name it on the command line (-o)"
                notes.add(message, code="code", line=line, hint=hint)
                continue
            try:
                (scheduling if option.scheduling else other)[option.field] = option.read(text.strip())
            except ValueError as error:
                notes.add(f"[{section}] {name}: {error}", code="bad-value", line=line)
    _check(sections, scheduling, other, notes)
    notes.raise_if_errors()
    del other["mode"]
    scheduling.setdefault("non_schedulable_interval", 10)
    stop = Stop(other.pop("stop_when", StopWhen.ALL_LEASES_DONE), other.pop("stop_time", 0.0))
    chosen = LeaseOptions(haizea_compat=True, **scheduling)
    return HaizeaConfig(options=chosen, stop=stop, unused=unused, warnings=tuple(notes), **other)


def _elsewhere(name: str) -> str:
    return next((f"it belongs to [{section}]" for section, known in OPTIONS.items() if name in known), "")


def _check(sections: Sections, scheduling: dict[str, Any], other: dict[str, Any], notes: Findings) -> None:
    """What must be given, as far as it matters here."""

    def require(section: str, name: str, why: str = "") -> None:
        if name not in sections.get(section, {}):
            notes.add(f"[{section}] {name} is missing{why}", code="missing-option")

    require("scheduling", "suspension")
    require("scheduling", "backfilling", " (Haizea crashes without it)")
    if scheduling.get("backfilling") is Backfilling.INTERMEDIATE:
        require("scheduling", "backfilling-reservations", " (backfilling is intermediate)")
    if scheduling.get("suspension", SuspensionMode.NONE) is not SuspensionMode.NONE:
        require("scheduling", "suspend-rate", " (leases are suspended)")
        require("scheduling", "resume-rate", " (leases are suspended)")
    if scheduling.get("lease_preparation") is Preparation.IMAGETRANSFER:
        require("deploy-imagetransfer", "transfer-mechanism", " (images are transferred)")
    require("general", "mode")
    require("simulation", "resources")
    if other.get("stop_when") is StopWhen.EXACT:
        require("simulation", "stop-when-time", " (stop-when is exact)")
    if other.get("mode") == "opennebula":
        notes.add("mode opennebula is not supported: only simulated sites", code="unsupported")
