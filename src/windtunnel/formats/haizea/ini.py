"""Haizea's configuration files: every option of versions 1.0 and 1.1, checked, with all faults at once.

An option left out has Haizea's default, except ``backfilling``: Haizea has none and crashes, so it must be given.
"""

import configparser
import re
from collections.abc import Callable, Iterator
from datetime import datetime
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

from windtunnel.diagnostics import Findings, did_you_mean, read_text
from windtunnel.formats.haizea.lwf_times import parse_length
from windtunnel.model.haizea_config import HaizeaConfig
from windtunnel.model.lease_options import (
    CODE_OPTIONS,
    Backfilling,
    Exclusion,
    FailureHandling,
    ImageReuse,
    LeaseOptions,
    MigrationMode,
    Overhead,
    Preparation,
    Stop,
    StopWhen,
    SuspensionMode,
    TransferMechanism,
)

__all__ = ["read_haizea_config", "read_haizea_sections"]

Sections = dict[str, dict[str, str]]


class _Option(NamedTuple):
    """Where an option's value goes, and how it is read."""

    field: str
    read: Callable[[str], Any]
    scheduling: bool = True
    """Whether it is one of :class:`LeaseOptions`."""


def _seconds(text: str) -> float:
    value = _number(text)
    if value < 0:
        raise ValueError(f"{text!r} must not be negative")
    return value


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise ValueError(f"not a number: {text!r}") from None
    if not isfinite(value):
        raise ValueError(f"not a finite number: {text!r:.50}")
    return int(value) if value == int(value) else value


def _rate(text: str) -> float:
    value = _number(text)
    if value <= 0:
        raise ValueError(f"{text!r} must be positive")
    return value


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"not a whole number: {text!r}") from None


def _memory(text: str) -> int | None:
    value = _whole(text)
    return None if value == -1 else value


def _boolean(text: str) -> bool:
    known = configparser.ConfigParser.BOOLEAN_STATES
    if text.lower() not in known:
        raise ValueError(f"must be true or false, not {text!r}")
    return known[text.lower()]


def _date(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"not a date YYYY-MM-DD HH:MM:SS: {text!r}") from None


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _pairs(text: str) -> dict[str, str]:
    pairs = {}
    for entry in filter(None, (part.strip() for part in text.split(","))):
        key, equals, value = entry.partition("=")
        if not equals:
            raise ValueError(f"not a list of name=value: {text!r}")
        pairs[key.strip()] = value.strip()
    return pairs


def _none_is_none(text: str) -> str | None:
    return None if text.lower() == "none" else text


def _one_of(kind: type) -> Callable[[str], Any]:
    def read(text: str) -> Any:
        known = [str(member) for member in kind]  # type: ignore[attr-defined]  # an enumeration
        if text not in known:
            raise ValueError(f"{text!r} is not one of {', '.join(known)}")
        return kind(text)

    return read


def _choice(*known: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in known:
            raise ValueError(f"{text!r} is not one of {', '.join(known)}")
        return text

    return read


OPTIONS: dict[str, dict[str, _Option | None]] = {
    "general": {
        "loglevel": None,
        "logfile": None,
        "mode": _Option("mode", _choice("simulated", "opennebula"), scheduling=False),
        "lease-preparation": _Option("lease_preparation", _one_of(Preparation)),
        "lease-failure-handling": _Option("lease_failure_handling", _one_of(FailureHandling)),
        "persistence-file": None,
    },
    "scheduling": {
        "mapper": _Option("mapper", str),
        "policy-admission": _Option("policy_admission", str),
        "policy-preemption": _Option("policy_preemption", str),
        "policy-host-selection": _Option("policy_host_selection", str),
        "policy-pricing": _Option("policy_pricing", str),
        "wakeup-interval": None,
        "backfilling": _Option("backfilling", _one_of(Backfilling)),
        "backfilling-reservations": _Option("backfilling_reservations", _whole),
        "suspension": _Option("suspension", _one_of(SuspensionMode)),
        "suspend-rate": _Option("suspend_rate", _rate),
        "resume-rate": _Option("resume_rate", _rate),
        "suspendresume-exclusion": _Option("suspendresume_exclusion", _one_of(Exclusion)),
        "scheduling-threshold-factor": _Option("scheduling_threshold_factor", _seconds),
        "override-suspend-time": _Option("override_suspend_time", _seconds),
        "override-resume-time": _Option("override_resume_time", _seconds),
        "force-scheduling-threshold": _Option("force_scheduling_threshold", _seconds),
        "migration": _Option("migration", _one_of(MigrationMode)),
        "non-schedulable-interval": _Option("non_schedulable_interval", _seconds),
        "shutdown-time": _Option("shutdown_time", _seconds),
        "enactment-overhead": _Option("enactment_overhead", _seconds),
    },
    "simulation": {
        "clock": _Option("clock", _choice("real", "simulated"), scheduling=False),
        "starttime": _Option("start_time", _date, scheduling=False),
        "resources": _Option("resources", str, scheduling=False),
        "imagetransfer-bandwidth": _Option("imagetransfer_bandwidth", _rate),
        "stop-when": _Option("stop_when", _one_of(StopWhen), scheduling=False),
        "stop-when-time": _Option("stop_time", parse_length, scheduling=False),
        "status-message-interval": None,
        "sanity-check": _Option("sanity_check", _boolean, scheduling=False),
    },
    "accounting": {
        "datafile": None,
        "probes": _Option("probes", _words, scheduling=False),
        "attributes": _Option("attributes", _pairs, scheduling=False),
    },
    "deploy-imagetransfer": {
        "transfer-mechanism": _Option("transfer_mechanism", _one_of(TransferMechanism)),
        "avoid-redundant-transfers": _Option("avoid_redundant_transfers", _boolean),
        "force-imagetransfer-time": _Option("force_imagetransfer_time", _seconds),
        "diskimage-reuse": _Option("diskimage_reuse", _one_of(ImageReuse)),
        "diskimage-cache-size": _Option("diskimage_cache_size", _whole),
    },
    "tracefile": {
        "tracefile": _Option("tracefile", str, scheduling=False),
        "annotationfile": _Option("annotation_file", _none_is_none, scheduling=False),
        "imagefile": _Option("image_file", _none_is_none, scheduling=False),
        "injectionfile": _Option("injection_file", _none_is_none, scheduling=False),
        "runtime-slowdown-overhead": _Option("runtime_overhead", _seconds),
        "add-overhead": _Option("add_overhead", _one_of(Overhead)),
        "bootshutdown-overhead": _Option("boot_overhead", _seconds),
        "override-memory": _Option("override_memory", _memory),
    },
    "opennebula": {"host": None, "port": None, "stop-when-no-more-leases": None, "dry-run": None},
    "pricing": {
        "rate": _Option("pricing_rate", _number),
        "min-rate": _Option("pricing_min_rate", _number),
        "max-rate": _Option("pricing_max_rate", _number),
        "seed": _Option("pricing_seed", _whole),
    },
}
"""Every option; ``None`` for those that are understood and mean nothing here."""


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
    return sections, dict(_positions(text))


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
    return HaizeaConfig(options=LeaseOptions(haizea_compat=True, **scheduling), stop=stop, unused=unused, **other)


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
