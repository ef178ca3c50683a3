"""What a recording writes: the options, and who writes which file."""

from typing import Literal

import msgspec

from windtunnel.options import check_fields
from windtunnel.results.batch import Sink
from windtunnel.results.columns import Collector
from windtunnel.results.job_batches import JobBatches
from windtunnel.results.jobs_csv import JobsCsv
from windtunnel.results.layout import Dialect, Layout
from windtunnel.results.lease_tables import LeasesCsv, ReservationsCsv
from windtunnel.results.machine_states import MachineStatesCsv
from windtunnel.results.probes_csv import ProbesCsv
from windtunnel.results.resizes_csv import ResizesCsv
from windtunnel.results.shares_csv import SharesCsv
from windtunnel.results.supplementary_csv import EstimatesCsv, EventsCsv, JobsExtraCsv, SuspensionsCsv
from windtunnel.results.trimming import Trim
from windtunnel.vocabulary.component import Observer

__all__ = ["RecordingOptions", "recorders"]


class RecordingOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What is written besides jobs, schedule and metrics."""

    machine_states: bool = True
    pstates: bool = False
    energy: bool = False
    """``consumed_energy.csv``; energy figures in the metrics."""
    bill: bool = False
    """``power.csv`` and ``jobs_carbon.csv``; electricity of the site in the metrics."""
    paje: bool = False
    probes: Literal["always", "never", "auto"] = "auto"
    """``probes.csv``: ``always``, ``never``, or ``auto`` when a probe emits something."""
    omit_rejected: bool = False
    """Rejected jobs get no row in ``jobs.csv`` (they are counted all the same)."""
    version: str = ""
    """What ``batsim_version`` says; empty: our own name and version."""
    warm_up: Trim = 0.0
    cool_down: Trim = 0.0
    lease_probes: tuple[str, ...] | None = None
    """What is counted of leases, where a lease manager reports them; None: everything."""

    def __post_init__(self) -> None:
        check_fields(self, "what is recorded")


def recorders(layout: Layout, options: RecordingOptions, collector: Collector) -> list[Observer]:
    """Those that write: what hears of jobs that ended in batches first, with the collector; then all others."""
    jobs = JobsCsv(layout, omit_rejected=options.omit_rejected)
    sinks: list[Sink] = [collector, jobs]
    made: list[Observer] = [collector, jobs]
    if options.machine_states:
        states = MachineStatesCsv(layout)
        sinks.append(states)
        made.append(states)
    # What few runs write is loaded by those.
    if options.pstates:
        from windtunnel.results.power_csv import PstateChangesCsv

        made.append(PstateChangesCsv(layout))
    if options.energy:
        from windtunnel.results.power_csv import ConsumedEnergyCsv, RackPowerCsv

        made.append(ConsumedEnergyCsv(layout))
    if options.paje:
        from windtunnel.results.paje import PajeTrace

        made.append(PajeTrace(layout))
    if layout.dialect is Dialect.WINDTUNNEL:
        extra, suspensions = JobsExtraCsv(layout, collector), SuspensionsCsv(layout, collector)
        shares, resizes = SharesCsv(layout), ResizesCsv(layout)
        sinks += [extra, shares, suspensions, resizes]
        made += [extra, shares, suspensions, resizes]
        made += [EventsCsv(layout), LeasesCsv(layout), ReservationsCsv(layout)]
        if options.energy:
            made.append(RackPowerCsv(layout))
        if options.bill:
            from windtunnel.results.bill_csv import JobsCarbonCsv, PowerCsv

            made += [PowerCsv(layout), JobsCarbonCsv(layout)]
    if options.probes != "never":
        made.append(ProbesCsv(layout, always=options.probes == "always"))
    made.append(EstimatesCsv(layout))
    return [JobBatches(sinks), *made]
