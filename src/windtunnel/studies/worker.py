"""Simulating one point. What points share (platforms, workloads, what operations made of them) is kept in between."""

import gc
import io
import os
import platform as machine
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from math import inf
from time import perf_counter
from typing import Any, Final

from msgspec.structs import replace

from windtunnel.api import RecordingOptions, Simulation
from windtunnel.diagnostics import UsageError, WindtunnelError, place_of
from windtunnel.engine import Options
from windtunnel.formats.registry import read_platform, read_workload
from windtunnel.inputs import changed, site_of
from windtunnel.model import Platform, Workload
from windtunnel.model.failures import parse_failures
from windtunnel.schedulers.registry import make_registered, make_scheduler
from windtunnel.studies.digests import digest_of_code, digest_of_file
from windtunnel.studies.figures import figures_of
from windtunnel.studies.kinds import kinds_of
from windtunnel.studies.trials import Context, Outcome, Source, Trial

__all__ = ["Worker"]

_BASES: Final = 8
"""So many workloads are kept as they were read, and as many as operations have made them."""
_ONE_AT_A_TIME: Final = threading.Lock()
"""Simulations of one process do not run at once: they would only wait for each other, and warnings would mix."""


class Worker:
    """Runs points of one study, in whatever process it lives."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self._platform: Callable[..., Platform] = lru_cache(_BASES)(self._read_platform)
        self._base: Callable[..., Workload] = lru_cache(_BASES)(self._read_workload)
        self._arranged: Callable[..., Workload] = lru_cache(_BASES)(self._arrange)
        self._sources: dict[str, Source] = {}
        self.name = f"{machine.node()}:{os.getpid()}"

    def run(self, trial: Trial) -> tuple[Outcome, bytes | None]:
        """The outcome of a point, and its table of jobs as Parquet if that is wanted; errors are outcomes."""
        started = perf_counter()
        table = None
        with _ONE_AT_A_TIME, _rarely_collecting():
            try:
                outcome, table = self._run(trial)
            except WindtunnelError as fault:
                outcome = Outcome(key=trial.key, error=str(fault))
            except (Exception, SystemExit) as fault:  # noqa: BLE001 -- whatever is wrong with a point stops no other
                said = f"{type(fault).__name__}: {fault}{place_of(fault)}"
                outcome = Outcome(key=trial.key, error=said)
        return replace(outcome, seconds=perf_counter() - started, worker=self.name), table

    def _run(self, trial: Trial) -> tuple[Outcome, bytes | None]:
        self._check_place()
        known = [self._known(source) for source in trial.workloads]
        workloads = [self._arranged(what, rank, trial.operations) for rank, what in enumerate(known)]
        alone = not (trial.platform.text or trial.platform.known_as)
        by = (known[0], trial.operations) if alone else ("", ())
        platform = self._platform(self._known(trial.platform), *by, energy=trial.energy)
        simulation = Simulation(
            platform,
            workloads,
            self._scheduler(trial),
            events=list(trial.events),
            options=Options(**trial.engine),
            failures=parse_failures(trial.failures) if trial.failures else None,
            energy=trial.energy,
            **trial.electricity,
            share_hosts=trial.share_hosts,
            record=RecordingOptions(machine_states=False, warm_up=trial.warm_up, cool_down=trial.cool_down),
            until=inf if trial.until == "" else trial.until,
            unattended=True,
        )
        run = simulation.run()
        if not run.complete and not (trial.until and run.outcome == "stopped"):
            return Outcome(key=trial.key, error=run.outcome), None
        table = None
        if trial.job_tables:
            buffer = io.BytesIO()
            run.jobs.write_parquet(buffer, compression="zstd")
            table = buffer.getvalue()
        account = tuple(str(line) for line in simulation.account if not line.note)
        found = run.metrics
        return Outcome(key=trial.key, figures=figures_of(found), kinds=kinds_of(found), account=account), table

    def _scheduler(self, trial: Trial) -> Any:
        own = self.context.schedulers.get(trial.scheduler)
        if own is None:
            return make_registered(trial.scheduler, **trial.scheduler_options)
        return make_scheduler(own, **trial.scheduler_options)

    def _check_place(self) -> None:
        """Whether code and files are here what they were where the study was started."""
        expected = self.context
        if expected.code and digest_of_code() != expected.code:
            raise UsageError("the worker has another version of Windtunnel than the study", "install the same")
        for path, digest in expected.digests.items():
            if digest_of_file(path) != digest:
                raise UsageError(f"{path} has changed since the study was started", "start the study again")

    def _known(self, source: Source) -> str:
        """A source by what it says: options may be unhashable."""
        name = repr(source)
        self._sources.setdefault(name, source)
        return name

    def _read_workload(self, name: str, rank: int) -> Workload:
        source = self._sources[name]
        if source.known_as:
            workload: Workload = self.context.objects[source.known_as]
            return workload
        return read_workload(source.text, f"w{rank}", **source.options)

    def _arrange(self, name: str, rank: int, operations: tuple[str, ...]) -> Workload:
        base = self._base(name, rank)
        return changed(base, operations, **self._sources[name].options) if operations else base

    def _read_platform(self, name: str, workload: str, operations: tuple[str, ...], *, energy: bool) -> Platform:
        """A platform; one that is not named is what a workload, after its operations, says it needs."""
        source = self._sources[name]
        if source.known_as:
            platform: Platform = self.context.objects[source.known_as]
            return platform
        if source.text:
            return read_platform(source.text, energy=energy, **source.options)
        return site_of(self._sources[workload].text, self._arranged(workload, 0, operations), **source.options)


@contextmanager
def _rarely_collecting() -> Iterator[None]:
    """The engine leaves no cycles behind: looking for them less often saves a tenth."""
    before = gc.get_threshold()
    gc.set_threshold(20_000, 50, 100)
    try:
        yield
    finally:
        gc.set_threshold(*before)
