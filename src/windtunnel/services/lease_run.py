"""A run of leases put together: a site and a workload in, the common engine in the middle, lease tables out."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from windtunnel.api import RecordingOptions, Run, Simulation
from windtunnel.diagnostics import UsageError, counted, show_seconds
from windtunnel.engine import Options
from windtunnel.formats.haizea.lwf import read_lwf
from windtunnel.formats.haizea.lwf_write import site_text
from windtunnel.leases.component import LeaseManager
from windtunnel.model import Platform
from windtunnel.model.lease import LeaseSite, LeaseWorkload
from windtunnel.model.lease_jobs import LeaseJobs
from windtunnel.model.lease_options import LeaseOptions, Stop
from windtunnel.results.fields import table_rows
from windtunnel.results.lease_accounting import Sample
from windtunnel.results.lease_probes import PROBES
from windtunnel.results.lease_tables import LeaseRow, ReservationRow, read_rows
from windtunnel.services.lease_inputs import platform_from

__all__ = ["LeaseRun", "lease_simulation", "simulate_leases"]


class LeaseRun(Run):
    """What a run of leases left: what every run does, a row per lease and reservation, counters, statistics."""

    @cached_property
    def leases(self) -> list[LeaseRow]:
        """A row per lease that is over, in the order of their ends."""
        return read_rows(LeaseRow, self.file("leases.csv") or b"")

    @cached_property
    def reservations(self) -> list[ReservationRow]:
        """A row for all that was carried out."""
        return read_rows(ReservationRow, self.file("reservations.csv") or b"")

    @cached_property
    def _statistics(self) -> dict[str, Any]:
        found: dict[str, Any] = msgspec.json.decode(self.file("statistics.json") or b"{}")
        return found

    @property
    def statistics(self) -> dict[str, float]:
        """The totals of the probes."""
        return dict(self._statistics.get("run", {}))

    @property
    def lease_statistics(self) -> dict[int, dict[str, object]]:
        """The statistics of the probes by lease."""
        return {int(number): found for number, found in self._statistics.get("leases", {}).items()}

    @cached_property
    def counters(self) -> dict[str, list[Sample]]:
        """What the probes counted over time, by name of the counter."""
        made: dict[str, list[Sample]] = {}
        for row in table_rows(self.file("counters.csv")):
            lease, average = row["lease_id"], row["average"]
            sample = Sample(
                float(row["time"]),
                int(lease) if lease else None,
                float(row["value"]),
                float(average) if average else None,
            )
            made.setdefault(row["counter"], []).append(sample)
        return made

    @property
    def end(self) -> float:
        """When the last thing happened to a lease (s)."""
        dates = [samples[-1].time for samples in self.counters.values()]
        return max([*dates, *(row.end for row in self.reservations)], default=0.0)

    @property
    def states(self) -> dict[str, int]:
        """How many leases ended how."""
        found: dict[str, int] = {}
        for row in self.leases:
            found[row.state] = found.get(row.state, 0) + 1
        return found

    def __str__(self) -> str:
        counts = ", ".join(f"{count} {state.lower()}" for state, count in sorted(self.states.items()))
        lines = [f"{counted(len(self.leases), 'lease')}: {counts or 'none'}", f"end: {show_seconds(self.end)}"]
        if self.outcome == "stopped":
            among = sum(workload.jobs for workload in self.state.workloads)
            when = show_seconds(self.state.simulated_time)
            lines.insert(0, f"incomplete: stopped at {when}; {len(self.leases)} of {among} leases were over")
        waits = [row.waiting for row in self.leases if row.waiting is not None and row.type == "Best-effort"]
        if waits:
            mean, longest = show_seconds(sum(waits) / len(waits)), show_seconds(max(waits))
            lines.append(f"waiting time of best-effort leases: mean {mean}, longest {longest}")
        suspended = sum(row.suspensions for row in self.leases)
        if suspended:
            lines.append(f"suspensions: {suspended}, migrations: {sum(row.migrations for row in self.leases)}")
        if (
            "CPU utilization" in self.counters
            and (average := self.counters["CPU utilization"][-1].average) is not None
        ):
            lines.append(f"CPU utilization: {average:.1%}")
        return "\n".join(lines)


def lease_simulation(
    work: str | Path | LeaseWorkload,
    *,
    site: str | Path | LeaseSite | Platform | None = None,
    options: LeaseOptions | None = None,
    stop: Stop | None = None,
    probes: Iterable[str] = tuple(PROBES),
    attributes: Mapping[str, str] | None = None,
    sanity_check: bool = False,
    engine: Options | None = None,
    **further: Any,
) -> Simulation:
    """A simulation of leases on the common engine, which can be stepped, saved, restored and forked as any other.

    Args:
        work: an LWF file, or a workload.
        site: a site file, a text such as ``"4 CPU:100,Memory:1024"``, any platform file (which may tell watts), a
            site or a platform; default: the site in the workload.
        options: how leases are scheduled.
        stop: when to stop; default: when all leases are over.
        probes: what is counted (names of Haizea's accounting probes; default: all).
        attributes: written into ``statistics.json`` beside the workload's own.
        sanity_check: whether to check after every instant that no node is over its capacity.
        engine: options of the engine; default: those of every run, and machines that run keep their cores busy as
            far as energy goes (``delays_compute``).
        further: as for :class:`windtunnel.Simulation`: ``out``, ``events``, ``failures``, ``energy``, ``observers``,
            ``inputs``, ``force``...

    Raises:
        InputError, UsageError: what was given is at fault.
    """
    path = "" if isinstance(work, LeaseWorkload) else str(Path(work).absolute())
    workload = work if isinstance(work, LeaseWorkload) else read_lwf(work)
    place = workload.site if site is None else site
    if place is None:
        raise UsageError("the workload describes no site", "give one: a site file, or '4 CPU:100,Memory:1024'")
    platform = platform_from(place)
    options = options or LeaseOptions()
    jobs = LeaseJobs(workload.leases, path=path, attributes={**workload.attributes, **(attributes or {})})
    jobs.warnings = workload.warnings
    simulation = Simulation(
        platform,
        jobs,
        LeaseManager(options, stop=stop, sanity_check=sanity_check),
        options=engine or Options(delays_compute=True),
        record=RecordingOptions(lease_probes=tuple(probes)),
        facts={"scheduler": "leases", "scheduler_options": msgspec.to_builtins(options)},
        **further,
    )
    found = simulation.engine.world.platform.site
    if isinstance(found, LeaseSite):  # so that the nodes of the run can be asked for
        simulation.recording.keep("site.xml", site_text(found).encode())
    return simulation


def simulate_leases(work: str | Path | LeaseWorkload, *, until: float | None = None, **options: Any) -> LeaseRun:
    """Simulate a workload of leases to the end, or ``until`` a date (s); arguments as for :func:`lease_simulation`.

    Raises:
        InputError, UsageError: what was given is at fault.
        SimulationError: the run could not go on; files hold what was recorded.
    """
    simulation = lease_simulation(work, **{"unattended": True, **options})
    if until is None:
        simulation.run()
    else:
        try:
            simulation.run_until(until)
        finally:
            simulation.close()
    return LeaseRun.of(simulation.recording)
