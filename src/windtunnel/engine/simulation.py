"""A simulation as a value: step it, run it to a date, save it, restore it, fork it (law 5)."""

from collections import deque
from collections.abc import Sequence
from math import inf, isfinite, isnan
from numbers import Real
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, Protocol, runtime_checkable

from windtunnel.diagnostics import SimulationError, UsageError, replacing
from windtunnel.engine.rounds import loop
from windtunnel.engine.state.calendar import INJECTED, Priority
from windtunnel.engine.state.observers import Hooks
from windtunnel.engine.state.options import Options
from windtunnel.engine.state.world import World
from windtunnel.model import EventList, ExternalEvent, Job, JobState, Platform, Workload
from windtunnel.vocabulary import Component, Observer, SimulationErrorOccurred
from windtunnel.vocabulary.component import HearsErrors

if TYPE_CHECKING:
    from windtunnel.model.billing import Billing

__all__ = ["Pace", "Simulation", "Wakeable"]

_COMPLETE: Final = "complete"
_UNFINISHED: Final = (JobState.SUBMITTED, JobState.RUNNING, JobState.SUSPENDED)


class Pace(Protocol):
    """What stands in front of the calendar (law 8); see :class:`windtunnel.engine.rounds.pace.Pacer`."""

    def wait(self, date: float) -> bool:
        """Wait until the simulated ``date`` is due; False when something else wants to be looked at first."""


@runtime_checkable
class Wakeable(Protocol):
    """A pace whose waiting ends at once when something comes in from outside."""

    def wake(self) -> None:
        """Let the present wait end."""


class Simulation:
    """One run: a platform, work, decision components, and observers of what happens."""

    def __init__(
        self,
        platform: Platform,
        workloads: Sequence[Workload] = (),
        components: Sequence[Component] = (),
        *,
        events: Sequence[EventList] = (),
        options: Options = Options(),  # noqa: B008 -- immutable
        observers: Sequence[Observer] = (),
        names: Sequence[str] = (),
        billing: "Billing | None" = None,
    ) -> None:
        if not components:
            raise UsageError("a simulation needs at least one decision component")
        self.components = tuple(components)
        labels = tuple(names) if names else ("",) * len(self.components)
        self.world = World(platform, workloads, events, labels, options, billing)
        self.observe(observers)
        self.outcome = ""
        """"" while it runs, then ``complete`` or why it is not."""
        self.pace: Pace | None = None
        self._injected: deque[tuple[float, str, ExternalEvent | Job]] = deque()
        self._reached = 0.0
        """The latest date (s) that it was run until."""
        self._started_at = perf_counter()

    def observe(self, observers: Sequence[Observer]) -> None:
        """Replace the observers."""
        self.world.hooks = Hooks(observers)

    @property
    def now(self) -> float:
        """The simulated date (s): that of the last round."""
        return self.world.now

    @property
    def present(self) -> float:
        """The date that was come to (s): that of the last round, or a later one up to which it was run."""
        return self.now if self.outcome else max(self.now, self._reached)

    @property
    def over(self) -> bool:
        """Whether nothing more will happen."""
        return bool(self.outcome)

    # -- running ------------------------------------------------------------------------------------------------

    def step(self) -> bool:
        """Hold one round; False when the run is over.

        Raises:
            SimulationError: the run could not go on. It is over; observers have been told.
        """
        if self.outcome:
            return False
        try:
            if self.world.stage == "new":
                loop.begin(self.world, self.components)
            self._drain()
            loop.round_once(self.world, self.components)
        except BaseException as fault:
            self._fail(fault)
            raise
        return self._still_running()

    def rests_until(self, date: float) -> bool:
        """Whether the next round is later than ``date`` (s)."""
        if self.outcome or self.world.stage == "new":
            return False
        self._drain()
        return loop.next_date(self.world) > date

    def stuck(self) -> str:
        """Why jobs wait for nothing that is planned, so that only what is injected helps; empty if it is not so."""
        if self.outcome or self._injected:
            return ""
        return loop.stuck(self.world, self.components)

    def run(self) -> None:
        """Run to the end; raises like :meth:`step`."""
        self.run_until(inf)

    def run_until(self, date: float, *, patient: bool = False) -> bool:
        """Hold all rounds up to and including ``date`` (s); False when the run is over. Raises like :meth:`step`.

        A ``patient`` run waits where nothing more would happen by itself (:meth:`stuck`) instead of failing.
        """
        if not isinstance(date, Real) or isnan(date):
            raise UsageError(f"{date!r} is not a valid time")
        if self.outcome:
            return False
        try:
            if self.world.stage == "new":
                loop.begin(self.world, self.components)
            if self.pace is None and not self._injected:
                loop.run_to(self.world, self.components, date, patient=patient)
            else:
                self._run_paced(date, patient)
        except BaseException as fault:
            self._fail(fault)
            raise
        if isfinite(date) and not (patient and self.stuck()):
            self._reached = max(self._reached, date)
        return self._still_running()

    def _run_paced(self, until: float, patient: bool) -> None:
        world = self.world
        while world.stage != "over":
            self._drain()
            date = loop.next_date(world)
            if date > until or (patient and loop.stuck(world, self.components)):
                return
            if self.pace is not None and not self.pace.wait(date):
                continue
            loop.round_once(world, self.components)

    def _still_running(self) -> bool:
        if self.world.stage != "over":
            return True
        if not isfinite(self.world.now):
            fault = SimulationError("the times of this run overflowed: its jobs last too long or come too late")
            self._fail(fault)
            raise fault
        self._finish(self.world.stopped or _COMPLETE)
        return False

    def _fail(self, fault: BaseException) -> None:
        """Nothing is lost: what was recorded is closed, marked with how the run ended."""
        if isinstance(fault, KeyboardInterrupt):
            outcome = "interrupted"
        else:
            outcome = f"failed: {fault}"
            self._tell_error(fault)
        self._finish(outcome)

    def _tell_error(self, fault: BaseException) -> None:
        """The last thing components hear; what they answer, or that they cannot, no longer matters."""
        if self.world.stage not in ("begun", "running", "ending") or not isinstance(fault, SimulationError):
            return
        for component in self.components:
            if isinstance(component, HearsErrors) and component.wants_errors:
                try:
                    component.decide(self.world.now, [SimulationErrorOccurred(self.world.now, str(fault))])
                except Exception:  # noqa: BLE001, S112 -- the run has failed already, with a better reason
                    continue

    def _finish(self, outcome: str) -> None:
        self.outcome = outcome
        for component in self.components:
            component.stop()
        self.world.energy.close()
        totals = self.totals()
        if outcome != _COMPLETE:
            totals["unfinished"] = [job for job in self.world.jobs.values() if job.state in _UNFINISHED]
        for hook in self.world.hooks.end:
            hook(self.world.now, outcome, totals)

    def close(self) -> None:
        """Give up: components are stopped and observers told, if that has not happened yet.

        The run ends at the latest date that it was run until, even if its last event came earlier.
        """
        if not self.outcome:
            if self.world.stage != "new":
                self.world.now = max(self.world.now, self._reached)
                self.world.energy.cut_short()
            self._finish("stopped")

    def totals(self) -> dict[str, Any]:
        """The engine's own sums, as on_end gets them, with the records of ``unfinished`` jobs if a run ends early."""
        world = self.world
        return {
            **world.hosts.totals(),
            "nb_computing_machines": world.hosts.size + world.hosts.storages,
            "nb_grouped_switches": world.nb_switch_groups,
            "nb_machine_switches": world.nb_switches,
            **world.energy.totals(),
            "nb_submitted": world.nb_submitted,
            "nb_ended": world.nb_submitted - world.nb_alive,
            "nb_alive": world.nb_alive,
            "first_submission": world.first_submission,
            "last_end": world.last_end,
            "scheduling_time": sum(session.scheduling_time for session in world.sessions),
            "simulation_time": perf_counter() - self._started_at,
        }

    # -- the outside --------------------------------------------------------------------------------------------

    def inject(self, thing: ExternalEvent | Job, at: float | None = None) -> None:
        """Let an external event or a job happen at a date (the present when None, or past). Safe from other threads.

        The present is never before a date that the simulation was run until.

        Raises:
            UsageError: it is neither, or the date is none.
        """
        if not isinstance(thing, ExternalEvent | Job):
            raise UsageError(f"an ExternalEvent or a Job can be injected, not a {type(thing).__name__}")
        if at is not None and not (isinstance(at, Real) and isfinite(at)):
            raise UsageError(f"{at!r} is not a valid time")
        self._injected.append((self.now if at is None else at, "event", thing))
        if isinstance(self.pace, Wakeable):
            self.pace.wake()

    def ask_waiting_time(self, job: Job, at: float | None = None) -> None:
        """Ask the components how long a job like this would wait; answers go to ``on_waiting_time_estimate``."""
        self._injected.append((self.now if at is None else at, "estimate", job))

    def _drain(self) -> None:
        world = self.world
        while self._injected:
            date, what, thing = self._injected.popleft()
            world.unfinished += 1
            world.push(max(date, world.now, self._reached), Priority.EXTERNAL, INJECTED, (what, thing))

    # -- saving -------------------------------------------------------------------------------------------------

    def save(self, path: str | Path, attached: Any = None) -> None:
        """Write the whole state to a file, with something of the caller's attached to it.

        Raises:
            UsageError: a component cannot be saved (only those in process can), or nothing can be written there.
        """
        from windtunnel.engine.pickled import as_bytes
        from windtunnel.engine.saved import packed

        data = packed(as_bytes((self._state(), attached), {}))
        with replacing(path) as beside:
            beside.write_bytes(data)

    @classmethod
    def restore(cls, path: str | Path, observers: Sequence[Observer] = (), *, trust: bool = False) -> "Simulation":
        """Read back what :meth:`save` wrote. Only open files you trust: the format can run code.

        Raises:
            UsageError: the file is not a saved simulation, is damaged, or (without ``trust``) is another user's.
        """
        new, _ = cls.restore_with(path, trust=trust)
        new.observe(observers)
        return new

    @classmethod
    def restore_with(cls, path: str | Path, *, trust: bool = False) -> tuple["Simulation", Any]:
        """Like :meth:`restore`, with what was attached."""
        from windtunnel.engine.pickled import from_bytes
        from windtunnel.engine.saved import unpacked

        data = unpacked(path, trust=trust)
        try:
            state, attached = from_bytes(data)
            return cls._revived(state, ()), attached
        except Exception as fault:  # whatever it holds by its own account
            away = isinstance(fault, (AttributeError, ImportError))
            hint = "it is looked for where it was defined: keep it in a module that can be imported" if away else ""
            raise UsageError(f"{path} cannot be restored: {fault}", hint) from fault

    def fork(self, observers: Sequence[Observer] = ()) -> "Simulation":
        """An independent simulation in the same state; platform and workloads are shared, as they never change."""
        from windtunnel.engine.pickled import copied

        inputs: list[Any] = [self.world.platform, *self.world.workloads, *self.world.event_lists]
        if self.world.platform.network is not None:
            inputs.append(self.world.platform.network)
        if self.world.billing is not None:
            inputs += [self.world.billing, *self.world.billing.signals.values()]
        return self._revived(copied(self._state(), inputs), observers)

    def _state(self) -> tuple[Any, ...]:
        """What there is to be saved."""
        return self.world, self.components, self.outcome, self._injected, self._reached

    @classmethod
    def _revived(cls, state: Any, observers: Sequence[Observer]) -> "Simulation":
        new = cls.__new__(cls)
        new.world, new.components, new.outcome, new._injected, new._reached = state
        new.pace = None
        new._started_at = perf_counter()
        new.observe(observers)
        return new
