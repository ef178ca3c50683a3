"""What a site's files may set and the simulation does not follow: told wherever it is more than the default."""

from collections.abc import Iterator, Mapping
from typing import Final

from windtunnel.diagnostics import Findings
from windtunnel.model.slurm import Partition, Reservation, SlurmSite

__all__ = ["tell_unsimulated"]

_FLAGS: Final = frozenset(
    (
        *("MAINT", "FLEX", "OVERLAP", "IGNORE_JOBS", "DAILY", "WEEKLY", "HOURLY", "SPEC_NODES"),
        *("WEEKDAY", "WEEKEND", "ALL_NODES", "PART_NODES", "ANY_NODES", "STATIC", "USER_DELETE"),
        *("NO_HOLD_JOBS_AFTER_END", "MAGNETIC"),
    )
)
"""Flags of reservations that are followed, or say nothing that matters here."""

_QOS_FLAGS: Final = frozenset(
    (
        *("denyonlimit", "enforceusagethreshold", "nodecay", "noreserve", "overpartqos", "partitionmaxnodes"),
        *("partitionminnodes", "partitiontimelimit", "requiresreservation", "usagefactorsafe"),
    )
)
"""Flags of QOS that are followed, in small letters."""


def tell_unsimulated(site: SlurmSite, findings: Findings) -> None:
    """Warn of each setting, with how often it is met."""
    for where, what in _found(site):
        findings.tally(f"{what} of {where} is not simulated" if where else f"{what} is not simulated", code="ignored")


def _found(site: SlurmSite) -> Iterator[tuple[str, str]]:
    yield from (("", key) for key in _of_modes(site.preempt.mode))
    usual = SlurmSite()
    if site.max_array_size != usual.max_array_size:
        yield "", "MaxArraySize"
    if site.max_job_count != usual.max_job_count:
        yield "", "MaxJobCount"
    for part in site.partitions:
        for key in _of_partition(part):
            yield "partitions", key
    for qos in site.qos:
        for key in _of_modes(qos.preempt_mode):
            yield "QOS", key
        yield from (("QOS", f"Flags={flag}") for flag in qos.flags if flag.casefold() not in _QOS_FLAGS)
    cores = {node.name: node.cores for node in site.nodes}
    for reservation in site.reservations:
        for key in _of_reservation(reservation, cores):
            yield "reservations", key


def _of_reservation(reservation: Reservation, cores: Mapping[str, int]) -> Iterator[str]:
    """``cores``: of each node."""
    count = reservation.core_count
    if count is not None and not reservation.nodes and count:
        yield "CoreCnt without nodes"
    elif count is not None and 0 < count < sum([cores.get(node, 0) for node in reservation.nodes]):
        yield "CoreCnt (some cores of nodes)"
    if reservation.max_start_delay is not None:
        yield "MaxStartDelay"
    if reservation.licences:
        yield "Licenses"
    if reservation.groups:
        yield "Groups"
    yield from (f"Flags={flag}" for flag in reservation.flags if flag.split(":")[0] not in _FLAGS)


def _of_partition(part: Partition) -> Iterator[str]:
    if part.allow_groups is not None:
        yield "AllowGroups"
    yield from _of_modes(part.preempt_mode)


def _of_modes(modes: tuple[str, ...] | None) -> Iterator[str]:
    """What becomes of victims, and of jobs that have the same cores."""
    simulated = ("CANCEL", "REQUEUE", "SUSPEND", "GANG", "OFF", "WITHIN")
    yield from (f"PreemptMode={mode}" for mode in modes or () if mode not in simulated)
