"""Reservations made or moved, as scontrol does it, on a site that has been read: maintenance, courses."""

import shlex
from datetime import tzinfo
from typing import Final

from msgspec.structs import replace

from windtunnel.diagnostics import Findings, UsageError, did_you_mean
from windtunnel.formats.slurm.lines import Line
from windtunnel.formats.slurm.reservations import reservation_of
from windtunnel.formats.slurm.values import fold_hosts, time_span
from windtunnel.model.slurm import Reservation, SlurmSite
from windtunnel.twin.changes import Pairs

__all__ = ["RESERVATION", "changed_reservation"]

RESERVATION: Final = "reservationname"
"""The key that such a change begins with, in small letters."""
_FIELDS: Final = {
    "StartTime": "start",
    "EndTime": "end",
    "Nodes": "nodes",
    "PartitionName": "partition",
    "Users": "users",
    "Accounts": "accounts",
    "Groups": "groups",
    "Flags": "flags",
    "Licenses": "licences",
    "MaxStartDelay": "max_start_delay",
}
_SPAN: Final = "Duration"
_KEYS: Final = {key.lower(): key for key in (*_FIELDS, _SPAN)}


def changed_reservation(site: SlurmSite, pairs: Pairs, zone: tzinfo) -> tuple[SlurmSite, str]:
    """The site with a reservation more, or one changed, and the command of scontrol that does it.

    ``Duration`` (minutes, or ``8:00:00``) stands for the end; ``Nodes=ALL`` are those of ``PartitionName``, or all.

    Raises:
        UsageError: a key is unknown, or what a reservation needs is missing or at fault.
    """
    (_, name), *rest = [(key, value.strip('"')) for key, value in pairs]
    for key, _ in rest:
        if key.lower() not in _KEYS:
            raise UsageError(f"{key} of a reservation is not simulated", did_you_mean(key, [*_KEYS.values()]))
    given = {_KEYS[key.lower()]: value for key, value in rest}
    old = next((one for one in site.reservations if one.name == name), None)
    found = _read(_written(site, name, given, old), zone)
    if old is not None:
        fields = {_FIELDS[key] for key in given if key != _SPAN}
        found = replace(old, **{field: getattr(found, field) for field in fields})
    if _SPAN in given:
        found = replace(found, end=found.start + _seconds(given[_SPAN]))
    _check(found, site)
    others = [one for one in site.reservations if one.name != name]
    sets = " ".join(f"{key}={shlex.quote(value)}" for key, value in rest)
    verb = "create" if old is None else "update"
    return replace(site, reservations=(*others, found)), f"scontrol {verb} ReservationName={shlex.quote(name)} {sets}"


def _written(site: SlurmSite, name: str, given: dict[str, str], old: Reservation | None) -> dict[str, str]:
    """What ``scontrol show reservation`` would say of it."""
    said = {"ReservationName": name, **{key: value for key, value in given.items() if key != _SPAN}}
    for key, field in (("StartTime", "start"), ("EndTime", "end")):
        if key not in said and (old is not None or (key == "EndTime" and _SPAN in given)):
            said[key] = str(getattr(old, field) if old is not None else 0)
    if given.get("Nodes", "").upper() == "ALL":
        partition = site.partition(given.get("PartitionName", ""))
        said["Nodes"] = fold_hosts([one.name for one in site.nodes if partition is None or partition.holds(one)])
    return said


def _read(said: dict[str, str], zone: tzinfo) -> Reservation:
    findings = Findings("change")
    found = reservation_of(Line("change", 0, list(said.items()), findings), zone)
    if findings.has_errors:
        raise UsageError(next(iter(findings)).message)
    return found


def _seconds(text: str) -> int:
    try:
        found = time_span(text)
    except ValueError as error:
        raise UsageError(f"Duration is {text!r}, {error}") from None
    if not found:
        raise UsageError(f"Duration is {text!r}, a time such as 90 or 8:00:00 is expected")
    return found


def _check(one: Reservation, site: SlurmSite) -> None:
    if one.end <= one.start:
        raise UsageError(f"the reservation {one.name!r} ends before it begins", "give EndTime or Duration")
    if not (one.nodes or one.licences):
        raise UsageError(f"the reservation {one.name!r} has no nodes", "Nodes=ALL, or a list such as n[1-4]")
    known = {node.name for node in site.nodes}
    if strange := [name for name in one.nodes if name not in known]:
        raise UsageError(f"there is no node {strange[0]!r}", did_you_mean(strange[0], sorted(known)))
    if one.partition and site.partition(one.partition) is None:
        names = [part.name for part in site.partitions]
        raise UsageError(f"there is no partition {one.partition!r}", did_you_mean(one.partition, names))
