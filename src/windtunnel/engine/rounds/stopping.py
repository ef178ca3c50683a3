"""A decision component stops the run (batsim-protocol.md 16)."""

from collections import Counter
from collections.abc import Sequence

from windtunnel.engine.rounds.dialogue import Stopped, ask
from windtunnel.engine.state.calendar import DECISION, SUBMIT
from windtunnel.engine.state.world import World
from windtunnel.model import JobState
from windtunnel.vocabulary import Component, SimulationEnds

__all__ = ["stop_run"]


def stop_run(world: World, components: Sequence[Component], stop: Stopped) -> None:
    """A component has stopped the run: nothing more happens, only the end is told."""
    world.stopped = _cut_short(world, stop)
    world.heap.clear()
    world.stage = "over"
    for session in world.sessions:
        session.outbox.clear()
        ask(world, session, components[session.rank], [SimulationEnds(world.now)])


def _cut_short(world: World, stop: Stopped) -> str:
    """Who has stopped the run, and what will never be."""
    states = Counter(record.state for record in world.jobs.values())
    left = sum(entry[4].left for entry in world.heap if entry[3] == SUBMIT and entry[4].version == entry[5])
    left += sum(map(len, world.waiting_for.values()))
    later = stop.dropped + sum(1 for entry in world.heap if entry[3] == DECISION)
    parts = [
        (states[JobState.RUNNING], "running"),
        (states[JobState.SUSPENDED], "suspended"),
        (states[JobState.SUBMITTED], "waiting"),
        (left, "not submitted yet"),
    ]
    jobs = ", ".join(f"{count} {what}" for count, what in parts if count) or "none left"
    decisions = f"; {later} later decisions were not carried out" if later else ""
    return f"stopped by the decision component {stop.name!r} at {world.now:g} s (jobs: {jobs}){decisions}"
