"""One simulation as the live view drives it: in short parts, between which it can be paused, looked at and told."""

from math import inf, isfinite
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, Protocol

from windtunnel.diagnostics import UsageError, WindtunnelError
from windtunnel.engine import Simulation as EngineSimulation
from windtunnel.model import DelayProfile, ExternalEvent, HostSet, Job, Request
from windtunnel.results.recording import Recording
from windtunnel.results.run import Run

if TYPE_CHECKING:
    from windtunnel.live.log import Log

__all__ = ["PATIENCE", "Driven", "Watched"]

_SHORT, _LONG, _LONGEST = 0.02, 0.08, 2.0
"""Seconds of this machine that a part of a run should take: long enough to cost nothing, short enough to answer."""
_ROUNDS: Final = 100
"""Of a run that nobody watches a part has so many rounds at least, unless they take very long."""
PATIENCE: Final = 10.0
"""Seconds without a question after which nobody is taken to help."""
_FORGET: Final = 60.0
"""Seconds without a question after which nobody is taken to watch."""


class Driven(Protocol):
    """What is driven: a :class:`windtunnel.Simulation`."""

    engine: EngineSimulation
    recording: Recording

    def fork(self) -> "Driven":
        """An independent one in the same state."""

    def inject(self, thing: ExternalEvent | Job, at: float | None = None) -> None:
        """Let an external event or a job happen at a time (s)."""


class Watched:
    """A simulation, how fast it goes, and what pages have been told of it."""

    def __init__(self, simulation: Driven, name: str = "", *, until: float = inf, paused: bool = False) -> None:
        self.simulation = simulation
        self.name = name
        self.until = until
        """Where the run ends (s)."""
        self.goal = until
        """Where it pauses (s)."""
        self.paused = paused
        self.speed = inf
        """Simulated seconds in a second of the wall clock, at most."""
        self.fault = ""
        """Why the run failed."""
        self.stuck = ""
        """Why it cannot go on without help: jobs wait, and nothing is planned."""
        self._halted = False
        """Whether it is paused because it was stuck."""
        self.log: Log | None = None
        self.generation = 0
        """Counts the logs: rows of another one are other rows."""
        self._reached = 0.0
        self._part = 1.0
        self._anchor = (monotonic(), 0.0)
        self._asked = -inf
        self._jobs = 0

    # -- driving ------------------------------------------------------------------------------------------------

    @property
    def now(self) -> float:
        """How far it has come (s)."""
        engine = self.simulation.engine
        return engine.now if engine.over else max(engine.now, self._reached)

    @property
    def going(self) -> bool:
        """Whether it goes on by itself; where it is stuck, and nobody looks at it, it does, to its failure."""
        return not self.over and (not self.paused or (self._halted and not self.watched_within(PATIENCE)))

    @property
    def over(self) -> bool:
        """Whether nothing more will happen."""
        return self.simulation.engine.over

    def advance(self) -> bool:
        """Simulate a short part; False when the clock says that it is too early for more.

        Raises:
            SimulationError: it could not go on.
        """
        began, rounds = monotonic(), self.simulation.engine.world.rounds
        end = min(self.now + self._part, self.goal)
        if isfinite(self.speed):
            end = min(end, self._anchor[1] + (began - self._anchor[0]) * self.speed)
            if end <= self.now:
                return False
        self._run_until(end)
        took = monotonic() - began
        few = self.log is None and self.simulation.engine.world.rounds - rounds < _ROUNDS and took < _LONGEST
        if few or took < _SHORT:
            self._part = min(self._part * 2.0, 1e15)
        elif took > _LONG:
            self._part = max(self._part / 2.0, 1e-6)
        return True

    def reach(self, time: float) -> None:
        """Of a fork: how far the run that it comes from had been run (s)."""
        self._reached = time

    def _run_until(self, end: float) -> None:
        engine = self.simulation.engine
        patient = self.watched_within(PATIENCE)  # people may help
        if engine.run_until(end, patient=patient):
            if patient and self._halt_if_stuck():
                return
            self._reached = max(self._reached, end) if isfinite(end) else self._reached
            if end >= self.until:
                engine.close()
            elif end >= self.goal:
                self.paused, self.goal = True, self.until

    def _halt_if_stuck(self) -> bool:
        """Pause where nothing is planned; whether it is so."""
        self.stuck = self.simulation.engine.stuck()
        if self.stuck and not self.paused:
            self.paused = self._halted = True
        return self.stuck != ""

    # -- what people ask for ------------------------------------------------------------------------------------

    def pause(self) -> None:
        """Stop for the time being."""
        self.paused, self._halted = True, False

    def resume(self, speed: float | None = None, goal: float | None = None) -> None:
        """Go on: at another speed, or as far as a time.

        Raises:
            UsageError: the speed is not positive, or the time is past.
        """
        if speed is not None and not speed > 0.0:
            raise UsageError("a speed must be a positive number of simulated seconds per second")
        if goal is not None and not goal > self.now:
            raise UsageError("this time has passed")
        self.speed = self.speed if speed is None else speed
        self.goal = self.until if goal is None else min(goal, self.until)
        self._anchor = (monotonic(), self.now)
        self.paused, self._halted, self.stuck = False, False, ""

    def step(self) -> None:
        """One round; where the next one is after the end that was asked for, the run is over.

        Raises:
            SimulationError: it could not go on.
        """
        self.paused = True
        engine = self.simulation.engine
        if self._halt_if_stuck():
            return
        if isfinite(self.until) and engine.rests_until(self.until):
            self._run_until(self.until)
        else:
            engine.step()

    def inject_job(self, hosts: int, seconds: float, walltime: float = inf) -> str:
        """Submit a job now; its id.

        Raises:
            UsageError: it is invalid.
        """
        self._check_open()
        if not (hosts >= 1 and isfinite(seconds) and seconds >= 0.0):
            raise UsageError("a job needs at least one host and a run time in seconds")
        if not walltime > 0.0:
            raise UsageError("a walltime must be a positive number of seconds")
        self._jobs += 1
        name = f"live!{self._jobs}"
        profile = DelayProfile(id=f"live!p{self._jobs}", delay=float(seconds))
        job = Job(
            id=name, request=Request(hosts), profile=profile, submission_time=self.now, walltime=walltime, user="live"
        )
        self._inject(job)
        return name

    def inject_state(self, hosts: str, state: str) -> None:
        """Let hosts fail (``FAILURE``), or be repaired (``ACTIVE``), now.

        Raises:
            UsageError: there are no such hosts.
        """
        self._check_open()
        try:
            named = HostSet.parse(hosts.replace(",", " "))
        except ValueError as fault:
            raise UsageError(f"{hosts!r} does not name hosts", "such as 3, or 0-7 12") from fault
        site = self.simulation.engine.world.hosts.size
        if not named or named.last >= site:
            raise UsageError(f"{hosts!r} does not name hosts of the site, which has {site}", "such as 3, or 0-7 12")
        attributes = {"state": state, "cause": "by hand"}
        event = ExternalEvent(timestamp=self.now, kind="machine_state", hosts=named, attributes=attributes)
        self._inject(event)

    def _inject(self, thing: ExternalEvent | Job) -> None:
        self.simulation.inject(thing, self.now)
        self.stuck = ""
        if self._halted:  # it waited for this
            self.paused = self._halted = False

    def _check_open(self) -> None:
        if self.over:
            raise UsageError("the run is over", "fork it earlier, or run it again")

    # -- what pages are told ------------------------------------------------------------------------------------

    def watch(self) -> "Log":
        """The log, made anew when nobody watched; an observer from now on."""
        self._asked = monotonic()
        if self.log is None:
            from windtunnel.live.log import Log

            recording = self.simulation.recording
            engine = self.simulation.engine
            self.log = Log(Run.of(recording), engine.world.hosts.size)
            self.generation += 1
            if not engine.over:
                engine.observe([*engine.world.hooks.observers, self.log])
        return self.log

    def forget(self) -> None:
        """Drop the log when nobody has asked for a while."""
        if self.log is not None and monotonic() - self._asked > _FORGET:
            engine = self.simulation.engine
            engine.observe([one for one in engine.world.hooks.observers if one is not self.log])
            self.log = None

    def watched_within(self, seconds: float) -> bool:
        """Whether anybody asked of late."""
        return monotonic() - self._asked < seconds

    def state(
        self, generation: int = 0, jobs: int = 0, stretches: int = 0, energy: int = 0, changes: int = 0
    ) -> dict[str, Any]:
        """What a page that has so many rows of a log is to know."""
        log = self.watch()
        recording, engine = self.simulation.recording, self.simulation.engine
        if generation != self.generation:
            jobs = stretches = energy = changes = 0
        world = engine.world
        alive = [] if self.over else list(world.jobs.values())
        return {
            "name": self.name,
            "generation": self.generation,
            "now": self.now,
            "zero": recording.state.start_date,
            "hosts": log.hosts,
            "over": self.over,
            "outcome": self.fault or engine.outcome,
            "paused": self.paused,
            "stuck": self.stuck,
            "speed": None if self.speed == inf else self.speed,
            "total": sum(map(len, world.workloads)),
            **log.told(jobs, stretches, energy),
            **log.present(alive),
            **log.conditions(Run.of(recording), changes),
        }

    def failed(self, fault: WindtunnelError) -> None:
        """It could not go on; the engine has told its observers."""
        self.fault = f"failed: {fault}"
