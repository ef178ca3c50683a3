"""Probes that are due; a run that goes on for measures alone, of which nobody is ever told, is at an end."""

from typing import Final

from windtunnel.diagnostics import DeadlockError
from windtunnel.engine.jobs.deadlock import diagnose
from windtunnel.engine.probes import handlers
from windtunnel.engine.probes.measurement import Probe
from windtunnel.engine.state.calendar import PROBE
from windtunnel.engine.state.world import World
from windtunnel.vocabulary import Periodic

__all__ = ["probe_due"]

_PATIENCE: Final = 1000
"""So many measures alike in a row, and it is looked whether anything else is still to come."""


def probe_due(world: World, probe: Probe) -> None:
    """Probes are due: all of this instant, by id."""
    handlers.probe_due(world, probe)
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
    reason = f"  Only probes go on ({found}), whose filters keep what they measure: always the same."
    raise DeadlockError(f"{diagnose(world)}\n{reason}", now=world.now)
