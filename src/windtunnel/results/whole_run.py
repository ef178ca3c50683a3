"""The figures of a run as a whole: its metrics, and the small files that are written when it ends."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from windtunnel.diagnostics import UsageError
from windtunnel.model import JobRecord, Platform, Workload
from windtunnel.model.lease_jobs import LeaseJobs
from windtunnel.results import exec_info, schedule
from windtunnel.results.columns import Collector, Columns
from windtunnel.results.computing import compute
from windtunnel.results.derived import Derived
from windtunnel.results.layout import Dialect
from windtunnel.results.lease_tables import counters_csv, statistics
from windtunnel.results.metrics import Metrics, UpToStop
from windtunnel.results.recorders import RecordingOptions
from windtunnel.results.trimming import Trim, check_trims
from windtunnel.version import __version__
from windtunnel.vocabulary.component import Observer
from windtunnel.vocabulary.lease_facts import LeaseFact

if TYPE_CHECKING:
    from windtunnel.results.lease_accounting import LeaseAccounting

__all__ = ["WholeRun"]

Read = Callable[[str], bytes | None]
"""The content of one of the run's files, None if there is no such file."""


class WholeRun(Observer):
    """Works out the figures of a run from what was collected and, at its end, the engine's totals.

    Raises:
        UsageError: a trim is malformed.
    """

    def __init__(self, collector: Collector, options: RecordingOptions, dialect: Dialect) -> None:
        self.totals: dict[str, Any] = {}
        self.final: Metrics | None = None
        """The metrics with the trims of the options, once the run has ended."""
        self.collector = collector
        self.options = options
        self.dialect = dialect
        self._leases = None if options.lease_probes is None else _accounting(options.lease_probes)
        self._lease_attributes: dict[str, str] = {}
        self._away: dict[str, tuple[float, float]] = {}
        """Jobs that are suspended, or ended so: since when, and how many hosts they had."""
        self._stop: UpToStop | None = None
        check_trims(options.warm_up, options.cool_down)

    def on_begin(self, now: float, platform: Platform, workloads: Sequence[Workload]) -> None:  # noqa: ARG002 -- hook
        """Note what leases come with."""
        for work in workloads:
            if isinstance(work, LeaseJobs):
                self._lease_attributes |= work.attributes

    def on_leases(self, now: float, facts: Sequence[LeaseFact]) -> None:
        """Count what a lease manager reports."""
        if self._leases is None:
            self._leases = _accounting(None)
        self._leases.hear(now, facts)

    def on_job_suspended(self, now: float, record: JobRecord) -> None:
        """It holds nothing from now on."""
        self._away[record.job.id] = (now, self.collector.share(record.hosts, record.amounts))

    def on_job_resumed(self, now: float, record: JobRecord) -> None:  # noqa: ARG002 -- hook
        """It holds hosts again."""
        self._away.pop(record.job.id, None)

    def stop(self, now: float) -> None:
        """The run ends early: note what all jobs had up to now."""
        from windtunnel.results.stopping import up_to_stop  # most runs come to their end

        self._stop = up_to_stop(self.collector, self.totals, self._away, now)

    def measure(
        self,
        warm_up: Trim,
        cool_down: Trim,
        read: Read,
        derived: Derived | None = None,
        columns: Columns | None = None,
    ) -> Metrics:
        """The metrics with these trims.

        Raises:
            UsageError: a trim is malformed, or nothing remains.
        """
        joules = self.totals.get("consumed_joules") if self.options.energy else None
        racks = (int(self.totals.get("rack_excesses", 0)), float(self.totals.get("worst_rack_excess", 0.0)))
        return compute(
            columns or self.collector.columns,
            warm_up=warm_up,
            cool_down=cool_down,
            joules=joules,
            racks=racks,
            bill=self.totals.get("bill"),
            stop=self._stop,
            derived=derived,
            read=read,
        )

    def write(self, write: Callable[[str, bytes], None], read: Read) -> None:
        """Write the small files of a run that has ended, but for its state."""
        dialect = self.dialect
        derived = Derived(self.collector.columns, distributed=dialect is Dialect.WINDTUNNEL)
        if dialect is Dialect.WINDTUNNEL:
            with suppress(UsageError):  # trims that leave nothing: whoever asks for the metrics is told
                self.final = self.measure(self.options.warm_up, self.options.cool_down, read, derived)
                write("metrics.json", self.final.json())
            if self._leases is not None and self._leases.heard:
                self._leases.close()
                write("counters.csv", counters_csv(self._leases))
                write("statistics.json", statistics(self._leases, self._lease_attributes))
        made = schedule.figures(
            self.collector, derived, self.totals, self.options.version or f"windtunnel {__version__}"
        )
        if dialect is Dialect.BATSIM5:
            write("schedule.json", schedule.as_json(made))
        else:
            write("schedule.csv", schedule.as_csv(made, dialect))
        if dialect is not Dialect.BATSIM4:
            write("real_exec_info.json", exec_info.as_json(self.totals))


def _accounting(probes: tuple[str, ...] | None) -> "LeaseAccounting":
    from windtunnel.results.lease_accounting import LeaseAccounting  # most runs have no leases

    return LeaseAccounting() if probes is None else LeaseAccounting(probes)
