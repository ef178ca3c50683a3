"""What is asked of a run besides its inputs: whether it makes sense, what follows from it, what is noted of it."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from windtunnel.diagnostics import UsageError, did_you_mean, nearest_names, read_time
from windtunnel.diagnostics.times import is_year
from windtunnel.engine import Options
from windtunnel.inputs import check_arguments, check_events, chosen
from windtunnel.model import EventList, ExternalEvent, Job
from windtunnel.model.event_kinds import KINDS, event_kind
from windtunnel.results.layout import Dialect, Layout
from windtunnel.results.recorders import RecordingOptions
from windtunnel.vocabulary import Observer

if TYPE_CHECKING:
    from windtunnel.model.failures import FailureModel
    from windtunnel.run_billing import Electricity

__all__ = ["check_injected", "checked", "electricity_of", "noted", "time_of", "title_of", "with_energy"]


def checked(
    options: Options | None,
    record: RecordingOptions | None,
    facts: Mapping[str, Any] | None,
    out: str | Path | None,
    layout: Layout | None,
    inputs: Iterable[str | Path],
    observers: Iterable[Observer],
    failures: "FailureModel | None",
) -> tuple[Observer, ...]:
    """Check that these are what they are to be; the observers, each of which is.

    Raises:
        UsageError: one of them is something else.
    """
    if not isinstance(options, Options | None):
        raise UsageError(f"options must be a windtunnel.Options, not a {type(options).__name__}")
    if not isinstance(record, RecordingOptions | None):
        raise UsageError(f"record must be a RecordingOptions, not a {type(record).__name__}")
    check_arguments(
        facts=(facts, Mapping | None, "a mapping"),
        out=(out, (str, Path, NoneType), "a directory"),
        layout=(layout, (Layout, NoneType), "a Layout"),
        inputs=(inputs, (list, tuple), "a list of files"),
        observers=(observers, Iterable, "a list of observers"),
    )
    if out is not None and layout is not None:
        raise UsageError("out and layout both say where a run is recorded", "give one: Layout.directory(out)")
    observers = tuple(observers)
    known = [name for name in dir(Observer) if name.startswith("on_")]
    if failures is not None:  # few runs have some
        from windtunnel.model.failures import FailureModel

        check_arguments(failures=(failures, FailureModel, "a FailureModel"))
    for number, one in enumerate(observers):
        check_arguments(**{f"observers[{number}]": (one, Observer, "an Observer")})
        for name in dir(type(one)):
            if name.startswith("on_") and name not in known:
                hint = f"{did_you_mean(name, known)}; a method of your own needs another beginning than on_"
                raise UsageError(f"observers[{number}] has a method {name!r}, which nothing calls", hint)
    return observers


def check_injected(thing: object, *, hosts: int, over: bool) -> None:
    """Check what is put into a running simulation of so many hosts: a job made in Python, or an event.

    Raises:
        UsageError: the simulation is over, or the job or event is not valid.
    """
    if over:
        raise UsageError("the simulation is over: nothing can happen in it any more", "inject before its end")
    if isinstance(thing, ExternalEvent):
        known = thing.kind in KINDS or event_kind(thing.kind) is not None
        if not known and (hint := nearest_names(thing.kind, KINDS, 1)):
            raise UsageError(f"the injected event is of a kind {thing.kind!r} that is not known", hint)
        check_events(EventList(name="put into the run", events=(thing,)), hosts)
    if not isinstance(thing, Job):
        return
    from windtunnel.made_jobs import job_fault

    fault = job_fault(thing)
    if not fault and thing.dependencies:
        fault = f"waits for {thing.dependencies[0]!r}: injected jobs are submitted at their time, and wait for none"
    if fault:
        raise UsageError(f"the injected job {thing.id!r} {fault}")


def with_energy(
    options: Options, record: RecordingOptions, layout: Layout | None, *, billed: bool = False
) -> tuple[Options, RecordingOptions]:
    """The same options, of a run whose energy is simulated and recorded, perhaps with a bill of its electricity."""
    if layout is None or layout.dialect is not Dialect.BATSIM5:  # which has an option of its own for them
        record = replace(record, pstates=True)
    return replace(options, energy=True), replace(record, energy=True, bill=billed)


def electricity_of(options: Options, **given: Any) -> "Electricity | None":
    """What is asked of the account of the site's electricity; None, as in most runs: nothing.

    Raises:
        UsageError: something is not valid, or needs another thing.
    """
    if all(value is None for value in given.values()):
        return None
    from windtunnel.run_billing import Electricity

    electricity = Electricity(**given)
    electricity.check(energy=options.energy, rule=options.energy_rule)
    return electricity


def time_of(time: float | str, start_date: float | None) -> float:
    """A time to run to, in seconds; one that cannot come, or that may be a year or seconds, is refused."""
    if isinstance(time, str) and start_date is not None and is_year(time.strip()):
        raise UsageError(f"{time!r} may be a year or seconds", f"for the year write {time}-01, for seconds {time}s")
    seconds = read_time(time, start_date)
    if seconds < 0:
        raise UsageError(f"{time!r} is before the simulation begins")
    return seconds


def noted(
    workload_options: Mapping[str, Any] | None,
    events: Sequence[str | Path | EventList],
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


def title_of(facts: Mapping[str, Any]) -> str:
    """What a page calls a run: its schedulers."""
    names = facts.get("schedulers", "")
    return ", ".join(map(str, names)) if isinstance(names, list) else str(names)
