"""The entry points of the library: :func:`simulate`, :class:`Simulation` and :class:`Run`."""

from collections.abc import Iterable, Mapping, Sequence
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windtunnel.assembly import EventsLike, PlatformLike, SchedulersLike, WorkloadLike
from windtunnel.decision_components import SchedulerLike
from windtunnel.diagnostics import AccountWarning, UsageError, WindtunnelError
from windtunnel.engine import Options
from windtunnel.inputs import arrange, changed, check_arguments
from windtunnel.results.layout import Dialect, Layout
from windtunnel.results.recorders import RecordingOptions
from windtunnel.results.trimming import Trim
from windtunnel.runs import Run, load_run
from windtunnel.simulation import Simulation
from windtunnel.vocabulary import Observer

if TYPE_CHECKING:
    from windtunnel.model.failures import FailureModel
    from windtunnel.run_billing import BatteryLike, CarbonLike, PueLike, SecondZeroLike, SupplyLike

__all__ = [
    "Dialect",
    "Layout",
    "RecordingOptions",
    "Run",
    "SchedulerLike",
    "Simulation",
    "WindtunnelError",
    "arrange",
    "changed",
    "load_run",
    "simulate",
]


def simulate(
    platform: PlatformLike,
    workload: WorkloadLike = (),
    scheduler: SchedulersLike = None,
    *,
    warm_up: Trim = 0.0,
    cool_down: Trim = 0.0,
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
) -> Run:
    """Simulate a workload on a platform under a scheduler, to the end; arguments as for :class:`Simulation`.

    ``warm_up`` and ``cool_down`` are excluded from the metrics: seconds, durations such as ``"2d"``, or shares of the
    whole run such as ``"10%"``.

    In a notebook, a run that takes longer than a second shows a progress bar.

    Warns once (:class:`~windtunnel.diagnostics.AccountWarning`) if anything that was read or asked for did not take
    effect as written; ``run.account`` says what.

    Raises:
        InputError, UsageError: an input or an argument is invalid.
        SimulationError: the run failed.
    """
    if warm_up or cool_down:
        if record is not None:
            raise UsageError("give warm_up and cool_down in the RecordingOptions")
        record = RecordingOptions(warm_up=warm_up, cool_down=cool_down)
    check_arguments(observers=(observers, Iterable, "a list of observers"))
    from windtunnel.live.notebook import notebook_progress

    run = Simulation(
        platform,
        workload,
        scheduler,
        scheduler_options=scheduler_options,
        events=events,
        out=out,
        layout=layout,
        platform_options=platform_options,
        workload_options=workload_options,
        options=options,
        record=record,
        facts=facts,
        failures=failures,
        observers=[*observers, *notebook_progress()],
        timeout=timeout,
        energy=energy,
        carbon=carbon,
        price=price,
        generation=generation,
        export_price=export_price,
        power_cap=power_cap,
        pue=pue,
        second_zero=second_zero,
        supply=supply,
        battery=battery,
        share_hosts=share_hosts,
        inputs=inputs,
        force=force,
        operations=operations,
        strict_input=strict_input,
        until=until,
        stream=stream,
        unattended=True,
    ).run()
    _warn_of(run)
    return run


def _warn_of(run: Run) -> None:
    """Warn once of what did not take effect as written, at the line that called :func:`simulate`."""
    told = [line for line in run.account if not line.note]
    if told:
        from warnings import warn

        more = f" (and {len(told) - 1} more: see run.account)" if len(told) > 1 else ""
        warn(f"{told[0]}{more}", AccountWarning, stacklevel=3)
