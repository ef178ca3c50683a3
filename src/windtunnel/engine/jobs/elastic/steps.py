"""The steps that programs of elastic jobs are made of: barriers, waiting, repetitions, gates before phases."""

from mypy_extensions import mypyc_attr

from windtunnel.engine.jobs.elastic.lanes import Frame, Lane, Step
from windtunnel.engine.jobs.elastic.machine import Machine
from windtunnel.model.application import Phase

__all__ = ["AWAIT_COMPUTING", "AWAIT_DETACHED", "BARRIER", "Begin", "Gate", "JoinAll", "Over", "Repeat", "Stop"]


@mypyc_attr(allow_interpreted_subclasses=True)
class Barrier(Step):
    """All ranks of the team wait for each other; those at the same place go on as one lane."""

    def run(self, machine: Machine, lane: Lane) -> bool:
        """Wait, or let all go on."""
        team = lane.team
        if len(lane.ranks) == len(team.hosts) and not machine.ready:  # it is all of them: nobody comes in between
            lane.ranks.sort()
            return True
        team.waiting.append(lane)
        team.arrived += len(lane.ranks)
        if team.arrived == len(team.hosts):
            waiting, team.waiting = team.waiting, []
            team.arrived = 0
            machine.release(waiting)
        return False


@mypyc_attr(allow_interpreted_subclasses=True)
class AwaitDetached(Step):
    """Wait for what was begun, and not waited for, since the phases began."""

    def run(self, machine: Machine, lane: Lane) -> bool:
        """Wait if anything of it is still under way."""
        return machine.await_all(lane, lane.stack[0].detached)


@mypyc_attr(allow_interpreted_subclasses=True)
class AwaitComputing(Step):
    """Wait for the computations that went on beside an exchange."""

    def run(self, machine: Machine, lane: Lane) -> bool:
        """Wait if they are still under way."""
        return machine.await_all(lane, lane.computing)


BARRIER = Barrier()
AWAIT_DETACHED = AwaitDetached()
AWAIT_COMPUTING = AwaitComputing()


@mypyc_attr(allow_interpreted_subclasses=True)
class Repeat(Step):
    """Steps done so many times, as one task whose end is told."""

    def __init__(self, steps: tuple[Step, ...], count: int, name: str | None, *, closes: bool = False) -> None:
        self.steps = steps
        self.count = count
        self.name = name
        self.closes = closes

    def run(self, machine: Machine, lane: Lane) -> bool:
        """Begin with the first."""
        if self.count > 0:
            lane.stack.append(Frame(self.steps, self.count, self.name, machine.now(), closes=self.closes))
        return True


@mypyc_attr(allow_interpreted_subclasses=True)
class Gate(Step):
    """Before an iteration of a phase: a request for hosts, a scheduling point, a barrier, or nothing."""

    def __init__(self, phase: Phase) -> None:
        self.phase = phase
        self.stops: dict[int, tuple[Step, ...]] = {}
        """By the number of hosts wanted; 0: a scheduling point."""

    def run(self, machine: Machine, lane: Lane) -> bool:
        """See which."""
        profile = machine.profile
        fresh, lane.fresh = lane.fresh, False
        phase = self.phase
        if not fresh:
            if profile.asks and phase.evolving_request is not None:
                wanted = machine.wanted(phase.evolving_request, lane.stack[-1].done)
                if wanted != len(machine.hosts):
                    return self._stop(lane, wanted)
            elif profile.has_points and phase.scheduling_point:
                return self._stop(lane, 0)
        if phase.barrier:
            lane.stack.append(Frame(_BARRIER, 1))
        return True

    def _stop(self, lane: Lane, wanted: int) -> bool:
        """All lanes come to the same steps, so that they join."""
        steps = self.stops.get(wanted)
        if steps is None:
            steps = self.stops[wanted] = (AWAIT_DETACHED, BARRIER, Stop(wanted))
        lane.stack.append(Frame(steps, 1))
        return True


_BARRIER: tuple[Step, ...] = (AWAIT_DETACHED, BARRIER)


@mypyc_attr(allow_interpreted_subclasses=True)
class Stop(Step):
    """The whole job stands still until what it tells is answered."""

    def __init__(self, wanted: int) -> None:
        self.wanted = wanted
        """Hosts that it asks for; 0: it is at a scheduling point."""

    def run(self, machine: Machine, lane: Lane) -> bool:
        """Tell it."""
        machine.stop(lane, self.wanted)
        return False


@mypyc_attr(allow_interpreted_subclasses=True)
class Begin(Step):
    """The phases begin, or go on."""

    def run(self, machine: Machine, lane: Lane) -> bool:
        """Tell those who follow phases."""
        machine.begun(lane)
        return True


@mypyc_attr(allow_interpreted_subclasses=True)
class JoinAll(Step):
    """New ranks have prepared themselves, and go on with the others."""

    def run(self, machine: Machine, lane: Lane) -> bool:
        """From their own team to that of all."""
        machine.join(lane)
        return False


@mypyc_attr(allow_interpreted_subclasses=True)
class Over(Step):
    """A rank has done all its phases; the job ends with the last."""

    def run(self, machine: Machine, lane: Lane) -> bool:
        """One more."""
        machine.over(lane)
        return False
