"""Putting a Slurm site together from what its files say, and the platform of its nodes."""

from collections.abc import Iterable, Sequence
from datetime import UTC, tzinfo
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from msgspec.structs import replace

from windtunnel.diagnostics import Findings, Severity, UsageError, did_you_mean
from windtunnel.formats.slurm.accounts import read_associations, read_qos
from windtunnel.formats.slurm.accounts_dump import read_dump
from windtunnel.formats.slurm.nodes import called
from windtunnel.formats.slurm.reservations import read_reservations
from windtunnel.formats.slurm.usage import with_usage
from windtunnel.model import Host, Platform, PowerState
from windtunnel.model.slurm import Association, Partition, Qos, SlurmNode, SlurmSite

__all__ = [
    "BESIDE",
    "accounting_of",
    "beside",
    "chosen",
    "in_partitions",
    "platform_of",
    "reservations_of",
    "zone_of",
]

MIB: Final = 1 << 20
BESIDE: Final = {
    "accounts": ("sacctmgr-dump.cfg", "sacctmgr-assoc.txt"),
    "qos": ("sacctmgr-qos.txt",),
    "reservations": ("scontrol-reservation.txt",),
}
"""The names under which ``windtunnel slurm extract`` writes what stands in no configuration file."""
_SHARING: Final = frozenset({"cons_res", "cons_tres"})


def zone_of(name: str) -> tzinfo:
    """A time zone by name.

    Raises:
        UsageError: there is none.
    """
    try:
        return UTC if name == "UTC" else ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise UsageError(f"there is no time zone {name!r}", "such as UTC or Europe/Berlin") from None


def beside(path: Path, what: str, given: str) -> Path | None:
    """The file that says something more: the one given (``no``: none), else one of the usual name beside ``path``."""
    if given == "no":
        return None
    if given:
        return Path(given)
    found = (path.parent / name for name in BESIDE[what])
    return next((one for one in found if one.is_file()), None)


def accounting_of(
    path: Path, findings: Findings, accounts: str, qos: str, usage: str = ""
) -> tuple[tuple[Association, ...], tuple[Qos, ...]]:
    """Accounts and QOS of the files that are given or stand beside; usage only of a file that is given."""
    associations: tuple[Association, ...] = ()
    found: tuple[Qos, ...] = ()
    if (file := beside(path, "accounts", accounts)) is not None:
        _tell(findings, file, "accounts")
        associations = _with_parents(
            (read_dump if file.suffix == ".cfg" else read_associations)(file, findings), file, findings
        )
    if (file := beside(path, "qos", qos)) is not None:
        _tell(findings, file, "QOS")
        found = read_qos(file, findings)
    if usage:
        associations = with_usage(Path(usage), associations, findings)
    known = {one.name for one in found}
    for one in associations if found else ():
        for name in one.qos or ():
            if name not in known:
                findings.tally(f"there is no QOS {name!r}, which associations name", code="reference")
    for other in found:
        for name in other.preempt:
            if name not in known:
                findings.tally(f"there is no QOS {name!r}, which Preempt of QOS names", code="reference")
    return associations, found


def _tell(findings: Findings, file: Path, what: str) -> None:
    findings.add(f"{what} are taken from this file", code="beside", file=str(file), severity=Severity.NOTE)


def _with_parents(found: tuple[Association, ...], file: Path, findings: Findings) -> tuple[Association, ...]:
    """Every account but root is below one; where none is named, it is root."""
    names = {one.account for one in found if not one.user}
    orphans = [one.account for one in found if not one.user and one.account != "root" and not one.parent]
    if orphans:
        findings.add(
            f"does not say which account {orphans[0]!r} is below: taken for root",
            code="reference",
            file=str(file),
            severity=Severity.WARNING,
            count=len(orphans),
            hint="print the column ParentName too, or use sacctmgr dump",
        )
    made = [one if one.user or one.account == "root" or one.parent else replace(one, parent="root") for one in found]
    for one in made:
        if one.parent and one.parent not in names and one.parent != "root":
            findings.add(
                f"account {one.account!r}: there is no account {one.parent!r}", code="reference", file=str(file)
            )
    for name in dict.fromkeys(one.account for one in made if one.user and one.account not in {*names, "root"}):
        told = f"there is no account {name!r}, in which users are"
        findings.add(told, code="reference", file=str(file), severity=Severity.WARNING)
    if made and "root" not in names:
        made.insert(0, Association(account="root"))
    return tuple(made)


def reservations_of(path: Path, findings: Findings, given: str, zone: str) -> dict[str, Any]:
    """The field of reservations, from the file that is given or stands beside."""
    file = beside(path, "reservations", given)
    if file is None:
        return {}
    _tell(findings, file, "reservations")
    return {"reservations": read_reservations(file, findings, zone_of(zone))}


def in_partitions(
    nodes: Sequence[SlurmNode], partitions: Iterable[Partition], findings: Findings, left_out: Iterable[str] = ()
) -> tuple[Partition, ...]:
    """Partitions of the nodes that there are, in the site's order."""
    order = {node.name: place for place, node in enumerate(nodes)}
    known = {*order, *left_out}
    made = []
    for one in partitions:
        if one.nodes is None:
            made.append(one)
            continue
        if strange := [name for name in one.nodes if name not in known]:
            told = f"there {'is' if len(strange) == 1 else 'are'} no {called(strange)}"
            findings.warn(f"partition {one.name!r}: {told}", code="reference")
        there = sorted((name for name in one.nodes if name in order), key=order.__getitem__)
        made.append(replace(one, nodes=tuple(there)))
    return tuple(made)


def platform_of(
    site: SlurmSite,
    path: Path,
    findings: Findings,
    *,
    speed: float,
    properties: dict[str, dict[str, str]] | None = None,
) -> Platform:
    """The hosts that are the nodes of a site; the site goes with them."""
    members: dict[str, list[str]] = {}
    for part in site.partitions:
        for name in (node.name for node in site.nodes) if part.nodes is None else part.nodes:
            members.setdefault(name, []).append(part.name)
    hosts = [
        _host(place, node, members.get(node.name, []), speed, (properties or {}).get(node.name, {}))
        for place, node in enumerate(site.nodes)
    ]
    return Platform(
        name=site.name or path.stem,
        hosts=tuple(hosts),
        shares_nodes=site.select.type in _SHARING,
        site=site,
        path=str(path),
        warnings=tuple(findings),
    )


def _host(place: int, node: SlurmNode, partitions: list[str], speed: float, properties: dict[str, str]) -> Host:
    resources: dict[str, float] = {}
    if node.memory > 1:
        resources["memory"] = float(node.memory * MIB)
    if node.temporary_disk:
        resources["disk"] = float(node.temporary_disk * MIB)
    if gpus := sum(item.count for item in node.gres if item.name == "gpu"):
        resources["gpus"] = float(gpus)
    first = {"partition": ",".join(partitions)} if partitions else {}
    return Host(
        id=place,
        name=node.name,
        cores=node.cpus,
        pstates=(PowerState(speed),),
        resources=resources,
        properties=first | properties,
    )


def chosen(nodes: Sequence[SlurmNode], partitions: Sequence[Partition], partition: str) -> list[SlurmNode]:
    """The nodes of one partition; all if it is not named.

    Raises:
        UsageError: there is no such partition.
    """
    if not partition:
        return list(nodes)
    found = next((one for one in partitions if one.name == partition), None)
    if found is None:
        names = [one.name for one in partitions]
        raise UsageError(f"there is no partition {partition!r}", did_you_mean(partition, names))
    return [node for node in nodes if found.holds(node)]
