"""A simulation: readers, engine, components and recorders, put together, and what can be done with the whole."""

from collections.abc import Callable, Mapping, Sequence
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from msgspec.structs import replace

from windtunnel.assembly import EventsLike, PlatformLike, SchedulersLike, WorkloadLike, assemble
from windtunnel.diagnostics import UsageError
from windtunnel.engine import Options
from windtunnel.engine import Simulation as EngineSimulation
from windtunnel.model import ExternalEvent, Job
from windtunnel.results.layout import Layout
from windtunnel.results.recorders import RecordingOptions
from windtunnel.results.recording import Recording
from windtunnel.run_account import tell_event
from windtunnel.run_options import check_injected, checked, electricity_of, noted, time_of, title_of, with_energy
from windtunnel.runs import Run
from windtunnel.vocabulary import Observer

if TYPE_CHECKING:
    from windtunnel.model.failures import FailureModel
    from windtunnel.run_billing import BatteryLike, CarbonLike, PueLike, SecondZeroLike, SupplyLike

__all__ = ["Simulation"]


class Simulation:
    """A run that can be stepped, saved, restored and forked.

    Args:
        platform: a file, ``hosts:128``, ``hosts:64x32``, ``example:NAME`` (which brings its workload), or a
            :class:`~windtunnel.model.Platform`; a workload file given alone runs on as many hosts as it says it
            needs, leases on their own site.
        workload: a file, a :class:`~windtunnel.model.Workload`, or several of them.
        scheduler: a name (``windtunnel schedulers``), ``module:Class``, ``tcp://...``, ``lib:./libedc.so``, a class,
            object or function; several of them share the site. Default: the schedulers that an environment
            describes, the lease planner for a workload of leases, otherwise ``easy`` (decisions.md 31).
        scheduler_options: options of the scheduler (only if there is exactly one).
        events: external events: a file or :class:`~windtunnel.model.EventList`, or several.
        out: the directory to write to; None keeps everything in memory. An earlier run there is replaced entirely.
        force: also replace files there that were not written by a run (never the inputs).
        inputs: further input files, which are not overwritten either.
        layout: where and in which output dialect to write, instead of ``out``.
        platform_options, workload_options: options of the readers (see docs/reference/formats.md).
        options, record: options of the engine, and what is recorded.
        facts: further facts for ``run.json``.
        failures: failures of machines to generate (:class:`~windtunnel.model.failures.FailureModel`).
        observers: further observers of the run.
        timeout: seconds to wait for each reply of a scheduler that runs out of process.
        energy: simulate and record energy, as ``Options(energy=True)`` does; the platform must define power figures.
        carbon, price, generation, export_price, power_cap, pue, second_zero, supply, battery: with ``energy``, the
            account of electricity (docs/guides/carbon.md); the first five may be :class:`~windtunnel.formats.Signal`.
        share_hosts: pack jobs by cores rather than by whole hosts (decisions.md 16).
        operations: what is done to each workload before it is simulated, as strings (:func:`arrange`).
        strict_input: what would be reported in the account (:attr:`account`) is an error.
        unattended: no event will be injected (:meth:`inject`): options that only such events could need are reported
            as without effect (as :func:`simulate` does), and are no more than noted otherwise.
        until: where :meth:`run` stops: seconds, a duration such as ``"5h"``, or a calendar date of the log.
        stream: keep the columns of jobs in temporary files instead of memory, for logs of millions of jobs: only for
            SWF logs in order of submit time, with ``out``, without operations; such a run cannot be saved, forked
            or watched live. The files written are the same.

    Raises:
        InputError: an input file is invalid; every fault is reported.
        UsageError: an argument is invalid, or names something that does not exist.
    """

    def __init__(
        self,
        platform: PlatformLike,
        workload: WorkloadLike = (),
        scheduler: SchedulersLike = None,
        *,
        scheduler_options: Mapping[str, Any] | None = None,
        events: EventsLike = (),
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
        carbon: "CarbonLike" = None,
        price: "CarbonLike" = None,
        generation: "CarbonLike" = None,
        export_price: "CarbonLike" = None,
        power_cap: "CarbonLike" = None,
        pue: "PueLike" = None,
        second_zero: "SecondZeroLike" = None,
        supply: "SupplyLike" = None,
        battery: "BatteryLike" = None,
        share_hosts: bool = False,
        inputs: "Sequence[str | Path]" = (),
        force: bool = False,
        operations: Sequence[str] = (),
        strict_input: bool = False,
        until: float | str = inf,
        stream: bool = False,
        unattended: bool = False,
    ) -> None:
        observers = checked(options, record, facts, out, layout, inputs, observers, failures)
        options, record = options or Options(), record or RecordingOptions()
        options = replace(options, energy=energy or options.energy)
        signals = {"carbon": carbon, "price": price, "generation": generation, "export_price": export_price}
        site = {"power_cap": power_cap, "pue": pue, "second_zero": second_zero, "supply": supply, "battery": battery}
        electricity = electricity_of(options, **signals, **site)
        if options.energy:
            options, record = with_energy(options, record, layout, billed=electricity is not None)
        if stream and (out is None if layout is None else layout.stem is None):
            raise UsageError("a streamed run writes its rows to files: say where", "--out DIR (out=...)")
        self._streamed = stream
        parts = assemble(
            platform,
            workload,
            scheduler,
            scheduler_options=scheduler_options or {},
            events=events,
            platform_options=platform_options or {},
            workload_options=workload_options or {},
            operations=operations,
            failures=failures,
            timeout=timeout,
            share_hosts=share_hosts,
            energy=options.energy,
            electricity=electricity,
            checkpoints=(options.checkpoint_interval, options.checkpoint_cost),
            losses=(options.on_failure, options.on_maintenance),
            stream=stream,
            unattended=unattended,
        )
        self.account = parts.account
        """What was read or asked for and does not take effect as written; grows during the run."""
        if electricity is not None and not options.delays_compute:
            electricity.tell_idle(parts.workloads, self.account)
        if strict_input:
            self.account.refuse()
        if options.energy:  # before the files of an earlier run make room
            from windtunnel.engine.energy.accounting import check_watts

            check_watts((*parts.platform.hosts, *parts.platform.storages))
        self._until = time_of(until, parts.start_date)
        for observer in observers:
            observer.on_prepared(parts.platform, parts.workloads, self._until)
        about = noted(workload_options, parts.events_given, failures, options, record, share_hosts=share_hosts)
        self.workloads = parts.workloads
        self.recording = Recording(
            layout if layout is not None else Layout() if out is None else Layout.directory(out),
            record,
            facts=parts.facts | about | dict(facts or {}),
            start_date=parts.start_date,
            inputs=[*parts.read, *map(str, inputs)],
            account=self.account,
            force=force,
            on_disk=stream,
        )
        with self.recording.kept():
            self.engine = EngineSimulation(
                parts.platform,
                parts.workloads,
                parts.components,
                events=parts.events,
                options=options,
                observers=[*self.recording.observers, *observers],
                billing=parts.billing,
            )

    @property
    def now(self) -> float:
        """The simulated time (s): that of the last round, or the later one that :meth:`run_until` has come to."""
        return self.engine.present

    @property
    def over(self) -> bool:
        """Whether the run is over: no events are left."""
        return self.engine.over

    def step(self) -> bool:
        """Simulate one round; False when the run is over. Raises SimulationError like :meth:`run`."""
        return self.engine.step()

    def run_until(self, time: float | str) -> bool:
        """Run up to and including a time; False when the run is over. Raises SimulationError like :meth:`run`.

        Args:
            time: seconds, a duration such as ``"5h"``, or a calendar date of the log such as ``"1996-10-01"``.
        """
        return self.engine.run_until(time_of(time, self.recording.state.start_date))

    def run(self) -> Run:
        """Run to the end, or to ``until``, where the run is marked as stopped.

        Raises:
            SimulationError: the run failed; what happened until then is recorded and marked incomplete.
        """
        try:
            if self.engine.run_until(self._until):
                self.engine.close()
        finally:
            self.recording.close()
        return Run.of(self.recording)

    def live(self, *, port: int = 0, paused: bool = False, announce: Callable[[str], object] = print) -> Run:
        """Like :meth:`run`, with a local web page that shows the run and lets people intervene in it.

        Returns when the run is over and the page is no longer open anywhere.

        Args:
            port: the port to listen on, on 127.0.0.1; 0: a free port.
            paused: whether the run waits until it is started from the page.
            announce: called with the address of the page, which is secret: it contains a random token.

        Raises:
            MissingExtraError: starlette or uvicorn is not installed (``pip install 'windtunnel[web]'``).
            UsageError: the port is already in use.
            SimulationError: the run failed.
        """
        if self._streamed:
            raise UsageError("a streamed run cannot be watched live: the page shows all jobs", "leave out --stream")
        from windtunnel.live.serving import run_live

        try:
            title = title_of(self.recording.state.facts)
            run_live(self, until=self._until, title=title, port=port, paused=paused, announce=announce)
        finally:
            self.recording.close()
        return Run.of(self.recording)

    def result(self) -> Run:
        """What has been recorded so far, as a run."""
        return Run.of(self.recording)

    def inject(self, thing: ExternalEvent | Job, at: float | None = None) -> None:
        """Inject an external event or a job at a given time (default: now).

        The account lists what schedulers do not honour of an event.

        Raises:
            UsageError: the simulation is over, it is neither, it is not valid, or the time is not a number.
        """
        check_injected(thing, hosts=len(self.engine.world.platform.hosts), over=self.over)
        self.engine.inject(thing, at)
        if isinstance(thing, ExternalEvent):
            told = replace(thing, timestamp=self.now if at is None else at)
            names = self.recording.state.facts["schedulers"]
            tell_event(self.account, self.engine.world.platform, told, self.engine.components, names)

    def fork(self, out: str | Path | None = None) -> Self:
        """An independent simulation in the same state, which records (all of the past included) to ``out``.

        Raises:
            UsageError: a component cannot be forked (only in-process ones can), or the run is streamed.
        """
        if self._streamed:
            raise UsageError("a streamed run can be neither saved nor forked: its columns are in temporary files")
        dialect = self.recording.layout.dialect
        recording = self.recording.fork(Layout(None, dialect) if out is None else Layout.directory(out, dialect))
        return self._of(self.engine.fork(recording.observers), recording, self._until)

    def save(self, path: str | Path) -> None:
        """Write the whole state, including the recording, to a file.

        Raises:
            UsageError: a component cannot be saved (only in-process ones can), or the run is streamed.
        """
        self.recording.flush()
        self.engine.save(path, attached=(self.recording, self._until))

    @classmethod
    def restore(cls, path: str | Path, *, trust: bool = False) -> Self:
        """Resume from a saved state, with the same output files and ``until``; other observers are not kept.

        Only open files you trust: loading can run code.

        Raises:
            UsageError: the file is not a saved simulation, or is damaged; another user owns it or can write to it
                (unless ``trust`` is set); or another process writes to the output files.
            SimulationError: the output files are missing, or belong to another run.
        """
        engine, attached = EngineSimulation.restore_with(path, trust=trust)
        recording, until = attached if isinstance(attached, tuple) else (attached, inf)
        if not isinstance(recording, Recording):
            raise UsageError(f"{path} was saved without a recording")
        recording.resume()
        engine.observe(recording.observers)
        return cls._of(engine, recording, until)

    @classmethod
    def _of(cls, engine: EngineSimulation, recording: Recording, until: float) -> Self:
        """One that goes on from where another was."""
        new = cls.__new__(cls)
        new.engine, new.recording, new.account = engine, recording, recording.account
        new.workloads = list(engine.world.workloads)
        new._until, new._streamed = until, False
        return new

    def close(self) -> None:
        """End the run early: stop components, close files, mark the run as stopped."""
        self.engine.close()
        self.recording.close()
