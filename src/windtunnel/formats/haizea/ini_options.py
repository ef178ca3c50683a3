"""The options of Haizea's configuration files, versions 1.0 and 1.1: where each goes, and how its text is read."""

import configparser
from collections.abc import Callable
from math import isfinite
from typing import Any, NamedTuple

from windtunnel.formats.haizea.lwf_times import parse_date, parse_length
from windtunnel.model.lease_options import (
    Backfilling,
    Exclusion,
    FailureHandling,
    ImageReuse,
    MigrationMode,
    Overhead,
    Preparation,
    StopWhen,
    SuspensionMode,
    TransferMechanism,
)

__all__ = ["OPTIONS"]


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
        "starttime": _Option("start_time", parse_date, scheduling=False),
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
