"""The face of the library: :func:`simulate`, :class:`Simulation` and :class:`Run`.

Here readers, engine, components and recorders are put together; nothing else is done here.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import inf
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any, Self

from msgspec.structs import replace

from windtunnel.diagnostics import AccountWarning, UsageError, WindtunnelError, files_read
from windtunnel.engine import Options
from windtunnel.engine import Simulation as EngineSimulation
from windtunnel.inputs import (
    SchedulerLike,
    arrange,
    asks_for_parts,
    check_arguments,
    check_events,
    chosen,
    gives_parts,
    make_component,
    on_its_own,
    packed,
    read_workloads,
    scheduler_name,
    usual_scheduler,
)
from windtunnel.model import EventList, ExternalEvent, Job, Platform, Workload
from windtunnel.model.abilities import start_date_of
from windtunnel.model.lease_batch import as_batch
from windtunnel.model.lease_jobs import LeaseJobs
from windtunnel.results.layout import Dialect, Layout
from windtunnel.results.metrics import Trim
from windtunnel.results.recording import Recording, RecordingOptions
from windtunnel.results.run import Run as RecordedRun
from windtunnel.run_account import draw_up
from windtunnel.vocabulary import Ability, Observer, honoured_by
from windtunnel.vocabulary.component import LengthensLeases

if TYPE_CHECKING:
    from windtunnel.results.compare import Comparison
    from windtunnel.results.why import Explanation

if TYPE_CHECKING:
    from windtunnel.model.failures import FailureModel

__all__ = ["Run", "Simulation", "arrange", "load_run", "simulate"]


class Run(RecordedRun):
    """What a run left: its outcome, metrics and jobs, in memory or in a directory; and what can be made of it."""

    @property
    def directory(self) -> Path | None:
        """Where the files are; None when nothing was written."""
        recording = self._recording
        stem = self.name if recording is None else recording.layout.stem
        return None if stem is None else Path(stem) if Path(stem).is_dir() else Path(stem).parent

    def read(self, name: str) -> bytes | None:
        """The content of one of the run's files (``jobs.csv``...), also when they are kept in memory."""
        return self.file(name)

    def report(self, path: str | Path, *, warm_up: Trim = 0.0, cool_down: Trim = 0.0) -> Path:
        """Write one self-contained HTML page about the run.

        Raises:
            UsageError: a trim is malformed, or nothing remains.
            SimulationError: the file cannot be written.
        """
        from windtunnel.report.page import write_report

        return write_report(self, path, warm_up=warm_up, cool_down=cool_down)

    def plot(self, kind: str, path: str | Path) -> Path:
        """Draw ``gantt``, ``utilisation``, ``queue`` or ``waits`` into a PNG, SVG or PDF file.

        Raises:
            UsageError: there is no such plot or format.
            MissingExtraError: matplotlib is not installed.
        """
        from windtunnel.report.plots import write_plot

        return write_plot(self, kind, path)

    def compare(self, other: RecordedRun, **options: Any) -> "Comparison":
        """What differs from this run (a) to another (b); options as for ``results.compare.compare``."""
        from windtunnel.results.compare import compare

        return compare(self, other, **options)

    def why(self, job: str) -> "Explanation":
        """Why a job waited.

        Raises:
            UsageError: there is no such job in the record.
        """
        from windtunnel.results.why import explain

        return explain(self, job)


load_run = Run.load


class Simulation:
    """A run that can be stepped, saved, restored and forked.

    Args:
        platform: a file, ``hosts:128``, ``hosts:64x32``, or a :class:`~windtunnel.model.Platform`; the file of a
            workload, without another, runs on as many hosts as it says it needs, leases on their own site.
        workload: a file, a :class:`~windtunnel.model.Workload`, or several of them.
        scheduler: a name (``windtunnel schedulers``), ``module:Class``, ``tcp://...``, ``lib:./libedc.so``, a class,
            object or function; several of them share the site. Without one: the schedulers that an environment
            describes, the lease planner for a workload of leases, else ``easy`` (decisions.md 31).
        scheduler_options: options of the scheduler (of the only one).
        events: external events: a file or :class:`~windtunnel.model.EventList`, or several.
        out: the directory to write to; None keeps everything in memory. An earlier run there is replaced whole.
        force: replace also files there that no run has written (never the inputs).
        inputs: further files that were read, which are not overwritten either.
        layout: where and in which dialect to write, instead of ``out``.
        platform_options, workload_options: options of the readers (see docs/reference/formats.md).
        options: options of the engine.
        record: what is recorded.
        facts: further facts for ``run.json``.
        failures: failures of machines to generate (:class:`~windtunnel.model.failures.FailureModel`).
        observers: further observers of the run.
        timeout: seconds a scheduler out of process may take for an answer.
        energy: simulate and record energy, as ``Options(energy=True)`` does; the platform must tell the watts.
        share_hosts: pack jobs by cores rather than by whole hosts (decisions.md 16).
        operations: what is done to each workload before it is simulated, as texts (:func:`arrange`).
        strict_input: what would be told in the account (:attr:`account`) is an error.

    Raises:
        InputError: an input file is at fault; all faults are named.
        UsageError: something asked for does not exist.
    """

    def __init__(
        self,
        platform: str | Path | Platform,
        workload: "str | Path | Workload | Sequence[str | Path | Workload]" = (),
        scheduler: "SchedulerLike | Sequence[SchedulerLike] | None" = None,
        *,
        scheduler_options: Mapping[str, Any] | None = None,
        events: "str | Path | EventList | Sequence[str | Path | EventList]" = (),
        out: str | Path | None = None,
        layout: Layout | None = None,
        platform_options: Mapping[str, Any] | None = None,
        workload_options: Mapping[str, Any] | None = None,
        options: Options | None = None,
        record: RecordingOptions | None = None,
        facts: Mapping[str, Any] | None = None,
        failures: "FailureModel | None" = None,
        observers: Sequence[Observer] = (),
        timeout: float = 300.0,
        energy: bool = False,
        share_hosts: bool = False,
        inputs: "Sequence[str | Path]" = (),
        force: bool = False,
        operations: Sequence[str] = (),
        strict_input: bool = False,
    ) -> None:
        from windtunnel.formats.registry import read_events, read_platform
        from windtunnel.model.failures import FailureModel

        if not isinstance(options, Options | None):
            raise UsageError(f"options is a windtunnel.Options, not a {type(options).__name__}")
        if not isinstance(record, RecordingOptions | None):
            raise UsageError(f"record is a RecordingOptions, not a {type(record).__name__}")
        check_arguments(
            platform=(platform, (str, Path, Platform), "a file, a word such as 'hosts:128', or a Platform"),
            scheduler_options=(scheduler_options, Mapping | None, "a mapping"),
            platform_options=(platform_options, Mapping | None, "a mapping"),
            workload_options=(workload_options, Mapping | None, "a mapping"),
            facts=(facts, Mapping | None, "a mapping"),
            out=(out, (str, Path, NoneType), "a directory"),
            failures=(failures, (FailureModel, NoneType), "a FailureModel"),
        )
        for number, one in enumerate(observers):
            check_arguments(**{f"observers[{number}]": (one, Observer, "an Observer")})
        if not timeout > 0:
            raise UsageError(f"a timeout is more than 0 s, not {timeout!r}")
        if platform_options and isinstance(platform, Platform):
            raise UsageError(f"a Platform has no options ({', '.join(platform_options)}): they are those of files")
        options = options or Options()
        record = record or RecordingOptions()
        reading = dict(platform_options or {})
        if energy or options.energy:
            options = replace(options, energy=True)
            if layout is None or layout.dialect is not Dialect.BATSIM5:  # which has an option of its own for them
                record = replace(record, pstates=True)
            record = replace(record, energy=True)
            reading["energy"] = True
        with files_read() as read:
            if isinstance(workload, Sequence) and not workload and isinstance(platform, str | Path):
                alone = on_its_own(platform, operations, **(workload_options or {}))
                if alone is not None:
                    platform, workload = alone
                    workload_options, operations = None, ()
            site = platform if isinstance(platform, Platform) else read_platform(platform, **reading)
            workloads = read_workloads(workload, site, operations, **(workload_options or {}))
        own = [] if site.events is None else [site.events]
        given = [events] if isinstance(events, (str, Path, EventList)) else events
        check_arguments(events=(given, Iterable, "a file, an EventList, or several"))
        given = list(given)
        for number, event in enumerate(given):
            check_arguments(**{f"events[{number}]": (event, (str, Path, EventList), "a file or an EventList")})
        with files_read() as more:
            lists = own + [
                event if isinstance(event, EventList) else read_events(event, name=f"we{rank}")
                for rank, event in enumerate(given)
            ]
        for event_list in lists:
            check_events(event_list, len(site.hosts))
        if failures is not None:
            from windtunnel.model.failures import failures as generated

            lists.append(generated(site.hosts, failures))
        if scheduler is None:
            scheduler = usual_scheduler(site, workloads)
        several = isinstance(scheduler, Sequence) and not isinstance(scheduler, str)
        schedulers: Sequence[SchedulerLike] = scheduler if several else (scheduler,)  # type: ignore[assignment]  # just told apart
        components = [make_component(one, scheduler_options or {}, timeout) for one in schedulers]
        if (lengthens := next((one for one in components if isinstance(one, LengthensLeases)), None)) is not None:
            workloads = [one.lasting(lengthens.lasts) if isinstance(one, LeaseJobs) else one for one in workloads]
        if not all(Ability.EXACT_STARTS in honoured_by(component) for component in components):
            workloads = [as_batch(one) if isinstance(one, LeaseJobs) else one for one in workloads]
        by_amounts = asks_for_parts(workloads)
        components = [packed(one, share_hosts=share_hosts, by_amounts=by_amounts) for one in components]
        parts = all(gives_parts(honoured_by(component), workloads) for component in components)
        names = [scheduler_name(one) for one in schedulers]
        self.account = draw_up(site, workloads, lists, components, names, share_hosts=share_hosts)
        """What was read or asked for and does not take effect as written; grows while the run goes on."""
        if strict_input:
            self.account.refuse()
        if options.checkpoint_interval:
            from windtunnel.model.checkpoints import CheckpointedWorkload

            interval, cost = options.checkpoint_interval, options.checkpoint_cost
            workloads = [CheckpointedWorkload(one, interval, cost) for one in workloads]
        start_date = next((d for d in map(start_date_of, workloads) if d is not None), None)
        noted = {
            "schedulers": names,
            "packing": "cores" if share_hosts else "parts of hosts" if parts else "whole hosts",
            "scheduler_options": dict(scheduler_options or {}),
            **({"operations": list(operations)} if operations else {}),
        } | _noted(workload_options, given, failures, options, record, share_hosts=share_hosts)
        self.workloads = workloads
        self.recording = Recording(
            layout if layout is not None else Layout() if out is None else Layout.directory(out),
            record,
            facts=noted | dict(facts or {}),
            start_date=start_date,
            inputs=[*read, *more, *map(str, inputs), *_paths(site, *workloads, *lists)],
            account=self.account,
            force=force,
        )
        self._extra = tuple(observers)
        self.engine = EngineSimulation(
            site,
            workloads,
            components,
            events=lists,
            options=options,
            observers=[*self.recording.observers, *self._extra],
        )

    @property
    def now(self) -> float:
        """The simulated date (s)."""
        return self.engine.now

    @property
    def over(self) -> bool:
        """Whether nothing more will happen."""
        return self.engine.over

    def step(self) -> bool:
        """Hold one round; False when the run is over. Raises SimulationError like :meth:`run`."""
        return self.engine.step()

    def run_until(self, date: float) -> bool:
        """Run up to and including a date (s); False when the run is over. Raises SimulationError like :meth:`run`."""
        return self.engine.run_until(date)

    def run(self) -> Run:
        """Run to the end.

        Raises:
            SimulationError: it could not go on; what happened until then is recorded and marked incomplete.
        """
        try:
            self.engine.run_until(inf)
        finally:
            self.recording.close()
        return Run.of(self.recording)

    def result(self) -> Run:
        """What was recorded so far, as a run."""
        return Run.of(self.recording)

    def inject(self, thing: ExternalEvent | Job, at: float | None = None) -> None:
        """Let an external event or a job happen at a date (default: now)."""
        self.engine.inject(thing, at)

    def fork(self, out: str | Path | None = None) -> Self:
        """An independent simulation in the same state, which goes on recording (all of the past included) to ``out``.

        Raises:
            UsageError: a component cannot be forked (only those in process can).
        """
        new = type(self).__new__(type(self))
        new.workloads = self.workloads
        dialect = self.recording.layout.dialect
        new.recording = self.recording.fork(Layout(None, dialect) if out is None else Layout.directory(out, dialect))
        new.account = new.recording.account
        new._extra = ()
        new.engine = self.engine.fork(new.recording.observers)
        return new

    def save(self, path: str | Path) -> None:
        """Write the whole state, the recording's included, to a file.

        Raises:
            UsageError: a component cannot be saved (only those in process can).
        """
        self.recording.flush()
        self.engine.save(path, attached=self.recording)

    @classmethod
    def restore(cls, path: str | Path, *, trust: bool = False) -> Self:
        """Go on from a saved state, in the same output files. Only open files you trust: the format can run code.

        Raises:
            UsageError: the file is not a saved simulation, or damaged; without ``trust``, another user owns it or can
                write to it; or somebody else writes to the output files.
            SimulationError: the output files are gone, or another run's.
        """
        new = cls.__new__(cls)
        new.engine, attached = EngineSimulation.restore_with(path, trust=trust)
        if not isinstance(attached, Recording):
            raise UsageError(f"{path} was saved without a recording")
        new.recording = attached
        new.account = attached.account
        new.recording.resume()
        new.workloads = list(new.engine.world.workloads)
        new._extra = ()
        new.engine.observe(new.recording.observers)
        return new

    def close(self) -> None:
        """Give up: stop components, close files, mark the run as stopped."""
        self.engine.close()
        self.recording.close()


def _paths(*inputs: "Platform | Workload | EventList") -> list[str]:
    """Where inputs were read from, if from files."""
    return [one.path for one in inputs if one.path]


def _noted(
    workload_options: Mapping[str, Any] | None,
    events: "Iterable[str | Path | EventList]",
    failures: "FailureModel | None",
    options: Options,
    record: RecordingOptions,
    *,
    share_hosts: bool,
) -> dict[str, Any]:
    """What else makes this run another than one with nothing but defaults, for ``run.json``."""
    told = {
        "workload_options": dict(workload_options or {}),
        "events": [event.name if isinstance(event, EventList) else str(event) for event in events],
        "failures": str(failures or ""),
        "options": chosen(replace(options, forward={}), Options()),
        "share_hosts": share_hosts,
        "trims": {name: getattr(record, name) for name in ("warm_up", "cool_down") if getattr(record, name)},
    }
    return {name: value for name, value in told.items() if value}


def simulate(
    platform: str | Path | Platform,
    workload: "str | Path | Workload | Sequence[str | Path | Workload]" = (),
    scheduler: "SchedulerLike | Sequence[SchedulerLike] | None" = None,
    *,
    warm_up: Trim = 0.0,
    cool_down: Trim = 0.0,
    **options: Any,
) -> Run:
    """Simulate a workload on a platform under a scheduler, to the end; arguments as for :class:`Simulation`.

    Warns once (:class:`~windtunnel.diagnostics.AccountWarning`) if anything that was read or asked for did not take
    effect as written; ``run.account`` says what.

    Raises:
        InputError, UsageError: what was given is at fault.
        SimulationError: the run could not go on.
    """
    if warm_up or cool_down:
        if options.get("record") is not None:
            raise UsageError("give warm_up and cool_down in the RecordingOptions")
        options["record"] = RecordingOptions(warm_up=warm_up, cool_down=cool_down)
    run = Simulation(platform, workload, scheduler, **options).run()
    told = [line for line in run.account if not line.note]
    if told:
        from warnings import warn

        more = f" (and {len(told) - 1} more: see run.account)" if len(told) > 1 else ""
        warn(f"{told[0]}{more}", AccountWarning, stacklevel=2)
    return run


__all__ += ["Dialect", "Layout", "RecordingOptions", "SchedulerLike", "WindtunnelError"]
