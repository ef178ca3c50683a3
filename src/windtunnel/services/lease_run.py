"""A run of leases put together: files in, the lease scheduler in the middle, files and figures out."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from windtunnel.diagnostics import UsageError, WindtunnelError
from windtunnel.formats.haizea.ini import read_haizea_config
from windtunnel.formats.haizea.lwf import read_annotations, read_lwf, read_site
from windtunnel.formats.haizea.lwf_write import site_text
from windtunnel.leases.accounting import Accounting, Sample
from windtunnel.leases.bridge import JobBridge
from windtunnel.leases.core import Observer
from windtunnel.leases.probes import PROBES
from windtunnel.leases.rows import LeaseRow, ReservationRow, RowObserver
from windtunnel.leases.simulate import run_leases
from windtunnel.leases.workload import annotate, inject, site_from_text
from windtunnel.model.haizea_config import HaizeaConfig
from windtunnel.model.lease import LeaseSite, LeaseWorkload
from windtunnel.model.lease_options import LeaseOptions, Stop
from windtunnel.results.layout import Layout
from windtunnel.results.lease_files import LeaseFiles
from windtunnel.results.recording import Recording

__all__ = ["LeaseRun", "load_haizea", "prepared", "read_site_or_text", "simulate_leases"]


class LeaseRun:
    """What a run of leases left: a row per lease and per reservation, counters and statistics."""

    def __init__(self) -> None:
        self.leases: list[LeaseRow] = []
        self.reservations: list[ReservationRow] = []
        self.statistics: dict[str, float] = {}
        self.lease_statistics: dict[int, dict[str, object]] = {}
        self.counters: dict[str, list[Sample]] = {}
        self.end = 0.0
        """When the last thing happened (s)."""
        self.directory: Path | None = None

    def lease(self, row: LeaseRow) -> None:
        """Keep a row."""
        self.leases.append(row)

    def reservation(self, row: ReservationRow) -> None:
        """Keep a row."""
        self.reservations.append(row)

    @property
    def states(self) -> dict[str, int]:
        """How many leases ended how."""
        found: dict[str, int] = {}
        for row in self.leases:
            found[row.state] = found.get(row.state, 0) + 1
        return found

    def __str__(self) -> str:
        counts = ", ".join(f"{count} {state.lower()}" for state, count in sorted(self.states.items()))
        lines = [f"{len(self.leases)} leases: {counts or 'none'}", f"end: {_number(self.end)} s"]
        waits = [row.waiting for row in self.leases if row.waiting is not None and row.type == "Best-effort"]
        if waits:
            mean, longest = _number(sum(waits) / len(waits)), _number(max(waits))
            lines.append(f"waiting time of best-effort leases: mean {mean} s, longest {longest} s")
        suspended = sum(row.suspensions for row in self.leases)
        if suspended:
            lines.append(f"suspensions: {suspended}, migrations: {sum(row.migrations for row in self.leases)}")
        if (
            "CPU utilization" in self.counters
            and (average := self.counters["CPU utilization"][-1].average) is not None
        ):
            lines.append(f"CPU utilization: {average:.1%}")
        return "\n".join(lines)


def simulate_leases(
    work: str | Path | LeaseWorkload,
    *,
    site: str | Path | LeaseSite | None = None,
    options: LeaseOptions | None = None,
    stop: Stop | None = None,
    probes: Iterable[str] = tuple(PROBES),
    out: str | Path | None = None,
    attributes: Mapping[str, str] | None = None,
    observers: Sequence[Observer] = (),
    progress: Callable[[float], None] | None = None,
    inputs: Iterable[str | Path] = (),
    force: bool = False,
) -> LeaseRun:
    """Simulate a workload of leases.

    Args:
        work: an LWF file, or a workload.
        site: a site file, a text such as ``"4 CPU:100,Memory:1024"``, or a site; default: the one in the workload.
        options: how leases are scheduled.
        stop: when to stop; default: when all leases are over.
        probes: what is counted (names of Haizea's accounting probes; default: all).
        out: a directory for the files; default: nothing is written.
        attributes: written into ``statistics.json`` beside the workload's own.
        observers: further observers of the scheduler.
        progress: called with the simulated time (s) after each instant.
        inputs: further files that were read and must not be overwritten, as ``work`` and ``site`` must not.
        force: replace files in ``out`` that no run has written.

    Raises:
        InputError, UsageError: what was given is at fault.
        SimulationError: the run could not go on; files hold what was recorded.
    """
    path = "" if isinstance(work, LeaseWorkload) else str(Path(work).absolute())
    workload = work if isinstance(work, LeaseWorkload) else read_lwf(work)
    place = workload.site if site is None else site if isinstance(site, LeaseSite) else read_site_or_text(str(site))
    if place is None:
        raise UsageError("the workload describes no site", "give one: a site file, or '4 CPU:100,Memory:1024'")
    run = LeaseRun()
    accounting = Accounting(probes)
    chosen: list[Observer] = [accounting, RowObserver(run, place.numnodes), *observers]
    options = options or LeaseOptions()
    with ExitStack() as stack:
        files = bridge = recording = None
        if out is not None:
            layout = Layout.directory(out)
            run.directory = Path(out)
            told = {"scheduler": "leases", "options": _facts(options)}
            read = [path, *inputs, *([] if site is None or isinstance(site, LeaseSite) else [site])]
            recording = Recording(layout, facts=told, inputs=filter(None, read), force=force)
            stack.callback(recording.close)
            files = LeaseFiles(layout, LeaseRow._fields, ReservationRow._fields, site_text(place))
            stack.callback(files.flush)
            bridge = JobBridge(place, workload, recording.observers, path)
            chosen += [RowObserver(files, place.numnodes), bridge]
        try:
            scheduler = run_leases(place, workload.leases, options, chosen, stop=stop, progress=progress)
        except WindtunnelError as error:
            if recording is not None:
                recording.close(str(error))
            raise
        accounting.close(scheduler.now)
        run.end = scheduler.now / 100
        run.statistics, run.lease_statistics = accounting.stats, accounting.lease_stats
        run.counters = {name: accounting.samples(name) for name in accounting.counters}
        if files is not None and bridge is not None:
            named = {**workload.attributes, **(attributes or {})}
            files.close(run.counters, run.statistics, run.lease_statistics, named)
            bridge.close(scheduler.now, "complete" if not scheduler.core.leases else "stopped as asked")
    return run


def _number(value: float) -> str:
    return f"{value:,.2f}".removesuffix(".00") if abs(value) < 1e15 else f"{value:.6g}"


def _facts(options: LeaseOptions) -> dict[str, Any]:
    import msgspec

    plain: dict[str, Any] = msgspec.to_builtins(options)
    return plain


def read_site_or_text(text: str) -> LeaseSite:
    """A site from a file, or from a text such as ``4 CPU:100,Memory:1024``.

    Raises:
        InputError: the file is at fault.
        UsageError: neither a file nor such a text.
    """
    if not text:
        raise UsageError("an empty text describes no site", "give a site file, or '4 CPU:100,Memory:1024'")
    if Path(text).exists() or not text[:1].isdigit():
        return read_site(text)
    return site_from_text(text)


def load_haizea(
    path: str | Path, *, work: str | Path | None = None, document_times: bool = False
) -> tuple[HaizeaConfig, LeaseWorkload]:
    """A Haizea configuration, and its workload with injection and annotations carried out, on its site.

    File names in a configuration are relative to where it lies; ``work`` stands in for its tracefile.

    Raises:
        InputError, UsageError: a file is at fault.
    """
    return prepared(read_haizea_config(path), path, work=work, document_times=document_times)


def prepared(
    config: HaizeaConfig, path: str | Path, *, work: str | Path | None = None, document_times: bool = False
) -> tuple[HaizeaConfig, LeaseWorkload]:
    """As :func:`load_haizea`, of a configuration that was read from ``path``."""
    from msgspec.structs import replace

    base = Path(path).parent
    if work is None and config.clock == "real":
        hint = "write clock: simulated; for a live site there is windtunnel serve leases --config"
        raise UsageError(f"{path}: [simulation] clock is real (its default)", hint)
    if work is None and config.tracefile is None:
        raise UsageError(f"{path}: [tracefile] tracefile is missing: nothing to simulate")
    workload = read_lwf(base / (config.tracefile or "") if work is None else work, document_times=document_times)
    leases = list(workload.leases)
    if config.injection_file is not None:
        leases = inject(leases, read_lwf(base / config.injection_file, document_times=document_times).leases)
    if config.annotation_file is not None:
        leases = annotate(leases, read_annotations(base / config.annotation_file, document_times=document_times))
    if config.image_file is not None:
        from windtunnel.formats.haizea.lwf_text import read_image_list

        images = read_image_list(base / config.image_file)
        if len(images) != len(leases):
            raise UsageError(f"{config.image_file} names {len(images)} images for {len(leases)} leases")
        leases = [replace(lease, software=image) for lease, image in zip(leases, images, strict=True)]
    site = workload.site
    if config.resources.startswith("file:"):
        site = read_site(base / config.resources.removeprefix("file:"))
    elif config.resources != "in-tracefile":
        site = site_from_text(config.resources)
    return config, replace(workload, leases=leases, site=site)
