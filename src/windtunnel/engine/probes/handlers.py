"""Probes: measuring hosts and links when a decision component wants it (batprotocol; decisions.md 12).

A measure goes through: level or accumulation of each resource, aggregation over resources, moving average, filter.
Periods count from the start of the simulation, as those of calls; the first only begins the measuring.
"""

from math import isfinite
from typing import Final

from windtunnel.diagnostics import DeadlockError, counted
from windtunnel.engine.probes.checks import check_probe
from windtunnel.engine.probes.gauges import Extreme, gauges_of
from windtunnel.engine.probes.measurement import Probe, integrals, is_energy, let_loads_follow, measure, reset
from windtunnel.engine.state.calendar import PROBE, Priority
from windtunnel.engine.state.refusal import refuse
from windtunnel.engine.state.triggers import check_date, due_together, first_tick, seconds, unit_date
from windtunnel.engine.state.world import World
from windtunnel.model import JobState
from windtunnel.vocabulary import (
    CreateProbe,
    CumulativeFunction,
    Decision,
    OneShot,
    Periodic,
    ResetProbe,
    StopProbe,
    TriggerProbe,
)

__all__ = ["create_probe", "probe_due", "reset_probe", "stop_probe", "trigger_probe"]


_PATIENCE: Final = 1000
"""So many measures alike in a row, and it is looked whether anything else is still to come."""


# -- decisions ----------------------------------------------------------------------------------------------------


def create_probe(world: World, rank: int, decision: CreateProbe) -> None:
    """Begin to measure."""
    probes = world.sessions[rank].probes
    if decision.probe_id in probes:
        refuse(world, decision, "duplicate-probe", f"a probe {decision.probe_id!r} is already active")
    numbers = check_probe(world, decision)
    tick = 0
    if isinstance(decision.when, Periodic):
        tick = first_tick(world, decision, decision.when)
    elif decision.when is not None:
        check_date(world, decision, decision.when)
    let_loads_follow(world)
    followed = gauges_of(world)
    accumulation = decision.accumulation
    key = (decision.metrics, decision.resources.links is not None)
    # Joules are counted from the start of the run, as upstream does; anything else from now on.
    joules = is_energy(decision)
    gauges = [] if accumulation is None or joules else [followed.get(key, n) for n in numbers]
    probe = Probe(rank, decision.probe_id, decision, numbers, gauges, 0.0 if joules else world.now)
    probe.tick = tick
    probe.base = [0.0] * len(numbers) if joules else integrals(world, probe)
    if accumulation is not None and accumulation.cumulative_function is not CumulativeFunction.Sum:
        probe.extremes = [
            Extreme(accumulation.cumulative_function is CumulativeFunction.Minimum) for _ in probe.gauges
        ]
        for gauge, extreme in zip(probe.gauges, probe.extremes, strict=True):
            gauge.extremes.append(extreme)
    probes[probe.name] = probe
    _plan(world, probe)


def _plan(world: World, probe: Probe) -> None:
    when = probe.wanted.when
    if when is None:
        return
    if isinstance(when, OneShot):
        date = max(unit_date(when), world.now)
        probe.begun = True
    else:
        date = seconds(when, probe.tick)
    probe.pending = True
    world.unfinished += 1
    world.push(date, Priority.PROBE, PROBE, probe, probe.version)


def _retire(world: World, probe: Probe) -> None:
    """It is not in the calendar any more."""
    if probe.pending:
        probe.pending = False
        probe.version += 1
        world.unfinished -= 1


def _drop(world: World, probe: Probe) -> None:
    _retire(world, probe)
    del world.sessions[probe.rank].probes[probe.name]
    for gauge, extreme in zip(probe.gauges, probe.extremes, strict=False):
        gauge.extremes.remove(extreme)
    if probe.gauges:
        gauges_of(world).drop(probe.key, probe.numbers)


def stop_probe(world: World, rank: int, decision: StopProbe) -> None:
    """Measure no more; an unknown probe is not a fault (it may have come to its end): the account tells of it."""
    probe = world.sessions[rank].probes.get(decision.probe_id)
    if probe is not None:
        _drop(world, probe)
    else:
        reason = "a probe is stopped that does not exist: it was never created, or has ended"
        world.ignore("unknown-probe", reason, decision.probe_id)


def _known(world: World, rank: int, decision: Decision, name: str) -> Probe:
    probe = world.sessions[rank].probes.get(name)
    if probe is None:
        refuse(world, decision, "unknown-probe", f"there is no probe {name!r} (never created, or over)")
    known: Probe = probe
    return known


def trigger_probe(world: World, rank: int, decision: TriggerProbe) -> None:
    """Measure now, and emit whatever the filter says if that is wanted."""
    probe = _known(world, rank, decision, decision.probe_id)
    let_loads_follow(world)
    measure(world, probe, manually=True, forced=decision.force_data_emission)


def reset_probe(world: World, rank: int, decision: ResetProbe) -> None:
    """Let an accumulation begin anew, at a value."""
    probe = _known(world, rank, decision, decision.probe_id)
    if probe.wanted.accumulation is None:
        refuse(
            world, decision, "no-accumulation", f"the probe {probe.name!r} accumulates nothing that could be reset"
        )
    if not isfinite(decision.new_value):
        refuse(world, decision, "value", f"the probe {probe.name!r} cannot be set to {decision.new_value!r}")
    let_loads_follow(world)
    reset(world, probe, decision.new_value)


# -- triggers -----------------------------------------------------------------------------------------------------


def probe_due(world: World, probe: Probe) -> None:
    """Probes are due: all of this instant, by id."""
    let_loads_follow(world)
    for one in sorted(due_together(world, PROBE, probe), key=lambda p: (p.rank, p.name)):
        _due(world, one)
    if probe.nb_kept_alike % _PATIENCE == _PATIENCE - 1:
        _check_silence(world)


def _check_silence(world: World) -> None:
    """See that more is to come than measures of which nobody will ever be told.

    Raises:
        DeadlockError: there is nothing else: each would be like the one before, and the run would not end.
    """
    if world.sharing.changed or any(session.outbox or session.apart for session in world.sessions):
        return
    names = []
    for _, _, _, kind, payload, version in world.heap:
        if version >= 0 and payload.version != version:
            continue
        if kind != PROBE or payload.nb_kept_alike < _PATIENCE - 1:
            return
        when = payload.wanted.when
        if not isinstance(when, Periodic) or when.nb_periods is not None:
            return
        names.append(payload.name)
    found = ", ".join(sorted(names))
    waiting = [name for name, record in world.jobs.items() if record.state is JobState.SUBMITTED]
    jobs = f"; {counted(len(waiting), 'job')} not executed, such as {waiting[0]}" if waiting else ""
    message = f"deadlock: only probes go on ({found}), whose filters keep what they measure: always the same{jobs}"
    raise DeadlockError(message, now=world.now)


def _due(world: World, probe: Probe) -> None:
    when = probe.wanted.when
    if not isinstance(when, Periodic):
        _retire(world, probe)  # it stays to be triggered by hand
        measure(world, probe, manually=False, forced=False)
        return
    if probe.begun:
        probe.done += 1
        measure(world, probe, manually=False, forced=False)
        if probe.done == when.nb_periods:
            _drop(world, probe)
            return
    else:
        probe.begun = True
        accumulation = probe.wanted.accumulation
        if accumulation is not None and accumulation.reset_to is not None:
            reset(world, probe, accumulation.reset_to)
    probe.tick += 1
    world.push(seconds(when, probe.tick), Priority.PROBE, PROBE, probe, probe.version)
