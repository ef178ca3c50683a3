"""What a site's files may set and the simulation does not follow: told wherever it is more than the default."""

from collections.abc import Iterator
from typing import Final

from windtunnel.diagnostics import Findings
from windtunnel.model.slurm import Limits, Partition, SlurmSite

__all__ = ["tell_unsimulated"]

_LIMITS: Final = {
    "grp_jobs_accrue": "GrpJobsAccrue",
    "max_jobs_accrue": "MaxJobsAccrue",
    "max_jobs_accrue_per_user": "MaxJobsAccruePerUser",
    "max_jobs_accrue_per_account": "MaxJobsAccruePerAccount",
}


def tell_unsimulated(site: SlurmSite, findings: Findings) -> None:
    """Warn of each setting, with how often it is met."""
    for where, what in _found(site):
        findings.tally(f"{what} of {where} is not simulated" if where else f"{what} is not simulated", code="ignored")


def _found(site: SlurmSite) -> Iterator[tuple[str, str]]:
    main = site.main
    for key, other in (
        ("CompleteWait", main.complete_wait != 0),
        ("OverTimeLimit", site.over_time_limit != 0),
        ("SchedulerTimeSlice", site.preempt.time_slice != 30),
        ("MaxMemPerCPU", site.max_memory_per_cpu is not None),
        ("MaxMemPerNode", site.max_memory_per_node is not None),
    ):
        if other:
            yield "", key
    yield from (("", key) for key in _of_modes(site.preempt.mode))
    for part in site.partitions:
        for key in _of_partition(part):
            yield "partitions", key
    for association in site.associations:
        for key in _of_limits(association.limits):
            yield "associations", key
    for qos in site.qos:
        for key in _of_limits(qos.limits):
            yield "QOS", key
        for key in _of_modes(qos.preempt_mode):
            yield "QOS", key
        if qos.usage_threshold is not None:
            yield "QOS", "UsageThreshold"
        if qos.limit_factor not in (None, 1.0):
            yield "QOS", "LimitFactor"
    for reservation in site.reservations:
        if reservation.core_count is not None and not reservation.nodes:
            yield "reservations", "CoreCnt without nodes"
        if reservation.max_start_delay is not None:
            yield "reservations", "MaxStartDelay"


def _of_partition(part: Partition) -> Iterator[str]:
    if part.allow_groups is not None:
        yield "AllowGroups"
    yield from _of_modes(part.preempt_mode)
    if part.over_time_limit:
        yield "OverTimeLimit"
    if part.max_memory_per_cpu is not None:
        yield "MaxMemPerCPU"
    if part.max_memory_per_node is not None:
        yield "MaxMemPerNode"


def _of_modes(modes: tuple[str, ...] | None) -> Iterator[str]:
    """What becomes of victims; GANG beside SUSPEND is how Slurm spells that they resume."""
    given = modes or ()
    simulated = {"CANCEL", "REQUEUE", "SUSPEND", "OFF"} | ({"GANG"} if "SUSPEND" in given else set())
    yield from (f"PreemptMode={mode}" for mode in given if mode not in simulated)


def _of_limits(limits: Limits) -> Iterator[str]:
    for field, key in _LIMITS.items():
        if getattr(limits, field) is not None:
            yield key
