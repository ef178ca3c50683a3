"""What a site's files may set and the simulation does not follow: told wherever it is more than the default."""

from collections.abc import Iterator

from windtunnel.diagnostics import Findings
from windtunnel.model.slurm import Partition, SlurmSite

__all__ = ["tell_unsimulated"]


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
    for reservation in site.reservations:
        if reservation.core_count is not None and not reservation.nodes:
            yield "reservations", "CoreCnt without nodes"
        if reservation.max_start_delay is not None:
            yield "reservations", "MaxStartDelay"


def _of_partition(part: Partition) -> Iterator[str]:
    if part.allow_groups is not None:
        yield "AllowGroups"
    yield from _of_modes(part.preempt_mode)


def _of_modes(modes: tuple[str, ...] | None) -> Iterator[str]:
    """What becomes of victims, and of jobs that have the same cores."""
    simulated = ("CANCEL", "REQUEUE", "SUSPEND", "GANG", "OFF", "WITHIN")
    yield from (f"PreemptMode={mode}" for mode in modes or () if mode not in simulated)
