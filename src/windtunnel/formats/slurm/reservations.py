"""Reservations as ``scontrol show reservation`` prints them (with ``-o`` or without)."""

import re
from collections.abc import Iterator
from datetime import tzinfo
from pathlib import Path
from typing import Final

from windtunnel.diagnostics import Findings, Severity, read_text
from windtunnel.formats.slurm.lines import Line
from windtunnel.formats.slurm.nodes import hosts_in
from windtunnel.formats.slurm.settings import licences_in
from windtunnel.formats.slurm.values import date, time_span, tres_counts
from windtunnel.model.slurm import Reservation

__all__ = ["read_reservations", "records_of", "reservation_of"]

_KEY: Final = re.compile(r"(?:^|(?<=\s))([A-Za-z][\w:/]*)=")
_MOST_BYTES: Final = 1 << 28


def records_of(path: Path, first: str, findings: Findings) -> Iterator[Line]:
    """The records of ``scontrol show``: each begins with the key ``first``; values go on to the next key."""
    try:
        text = read_text(path, encoding="utf-8-sig", errors="replace", most=_MOST_BYTES)
    except OSError as error:
        findings.add(f"cannot be read: {error.strerror}", code="unreadable", file=str(path))
        return
    pairs: list[tuple[str, str]] = []
    start = 0
    for number, raw in enumerate(text.split("\n"), 1):
        if raw.startswith(f"{first}="):
            if pairs:
                yield Line(str(path), start, pairs, findings)
            pairs, start = [], number
        if start:
            pairs += _pairs(raw)
    if pairs:
        yield Line(str(path), start, pairs, findings)


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    found = list(_KEY.finditer(text))
    for match, following in zip(found, [*found[1:], None], strict=False):
        end = following.start() if following else len(text)
        yield match[1], text[match.end() : end].strip()


def read_reservations(path: Path, findings: Findings, zone: tzinfo) -> tuple[Reservation, ...]:
    """All of them; dates are local times of ``zone``."""
    return tuple(reservation_of(line, zone) for line in records_of(path, "ReservationName", findings))


def reservation_of(line: Line, zone: tzinfo) -> Reservation:
    """The reservation that a record describes; dates are local times of ``zone``."""

    def when(key: str) -> int:
        found = line.ask(key, lambda text: date(text, zone), None)
        if found is None and line.text(key) in {"", "Unknown"}:
            line.note(f"{key} of the reservation is missing", "value")
        return int(found or 0)

    for key in ("QOS", "AllowedPartitions"):
        if line.text(key):
            line.note(f"{key} of reservations is not simulated", "ignored", Severity.WARNING)
    cores = line.text("CoreCnt")
    return Reservation(
        name=line.text("ReservationName"),
        start=when("StartTime"),
        end=when("EndTime"),
        nodes=tuple(hosts_in(line, "Nodes")),
        partition=line.text("PartitionName"),
        users=line.words("Users"),
        accounts=line.words("Accounts"),
        groups=line.words("Groups"),
        flags=tuple(flag.upper() for flag in line.words("Flags")),
        licences=licences_in(line, "Licenses"),
        core_count=int(cores) if cores.isascii() and cores.isdigit() and len(cores) < 12 else None,
        features=line.text("Features"),
        tres=line.ask("TRES", tres_counts, {}),
        max_start_delay=line.ask("MaxStartDelay", time_span, None),
    )
